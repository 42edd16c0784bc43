"""All sensors of a robot in one compiled program, for one state, a batch, or arrays on a GPU.

    suite = SensorSuite(robot, sensors_of(robot), dt=1e-3, wrenches=("l_sole", "r_sole"))
    state = suite.init(seed=1)
    state, readings = suite.step(state, q, v, a, wrenches)
    readings.values[..., suite.slices["l_leg_ft"]]

Settings are frozen, and a `SensorState` is a value. The random numbers of a tick depend on the seed, the sensor's name,
the row of the batch and the number of the tick: nothing else changes what is read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from floatbase.compiler.function import Function
from floatbase.compiler.gpu.libraries import on_device
from floatbase.errors import ArgumentError, ShapeError, unknown_name
from floatbase.progress import compile_with_progress
from floatbase.robot import Robot
from floatbase.simulation.grounds import Flat
from floatbase.simulation.laws import Ground
from floatbase.simulation.libraries import alike
from floatbase.simulation.sensors.programs import Layout, ideal_function, tick_function
from floatbase.simulation.sensors.random_numbers import Stream
from floatbase.simulation.sensors.sampling import may_be_due
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.sides import sides_of
from floatbase.simulation.simulator import Simulator, State
from floatbase.spatial.arrays import Array

_DRAWN_AHEAD = 1 << 18  # random numbers that are drawn at once, about
GIVEN = ("acceleration", "torques")


class SensorState(NamedTuple):
    """What sensors remember (..., memory_size), the seed, the number of the next tick, the number of the first row."""

    memory: Any
    seed: int = 0
    tick: int = 0
    first_row: int = 0


class Readings(NamedTuple):
    """What is read: `values` (..., size), and `fresh` (..., sensors), 1 where a sample arrived at this tick, else 0."""

    values: Any
    fresh: Any


@dataclass(frozen=True, eq=False)
class SensorSuite:
    """Settings of the sensors of a robot.

    dt: s, time between ticks. wrenches, pushes: frames at which the environment's wrenches are given with each tick, in
    two arrays, as simulators have them. given: "acceleration" if `a`, the derivative of v, is given; "torques" if those
    of the joints are, from which the program computes the acceleration. ground: what cells of skin are near to, the
    plane z = 0 by default. inertial: whether inertial parameters (..., 10 n_bodies) are given with each tick; of bodies
    with a sensor inside, what they differ from the robot's counts for the side of the link that names the body.
    """

    robot: Robot
    sensors: tuple[Sensor, ...]
    dt: float = 1e-3
    wrenches: tuple[str, ...] = ()
    pushes: tuple[str, ...] = ()
    given: str = "acceleration"
    ground: Ground | None = None
    inertial: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.robot, Robot):
            raise ArgumentError(f"sensors are those of a floatbase.Robot, got {self.robot!r}")
        if not (isinstance(self.dt, float | int) and math.isfinite(self.dt) and self.dt > 0.0):
            raise ArgumentError(f"dt is {self.dt!r}; it must be a positive, finite number of seconds")
        if self.given not in GIVEN:
            raise ArgumentError(f"given is {self.given!r}; the valid choices are {', '.join(GIVEN)}")
        object.__setattr__(self, "sensors", tuple(self.sensors))
        object.__setattr__(self, "wrenches", tuple(self.wrenches))
        object.__setattr__(self, "pushes", tuple(self.pushes))
        if not self.sensors:
            raise ArgumentError("there are no sensors; give at least one")
        names: set[str] = set()
        for sensor in self.sensors:
            if not isinstance(sensor, Sensor):
                raise ArgumentError(f"sensors has {sensor!r}; it must be a Sensor")
            if sensor.name in names:
                raise ArgumentError(f"there are two sensors named {sensor.name!r}; names must be unique")
            names.add(sensor.name)
            sensor.check(self.robot)
            sensor.errors.check(f"sensor {sensor.name!r}", sensor.size)
            sensor.sampling.check(f"sensor {sensor.name!r}", self.dt)
        for frame in (*self.wrenches, *self.pushes):
            if frame not in self.robot.tree.frames:
                raise unknown_name("frame of wrenches", frame, self.robot.tree.frames)

    # -- what is read ---------------------------------------------------------------------------------------

    @cached_property
    def slices(self) -> dict[str, slice]:
        """Where the reading of each sensor stands among the values."""
        found, start = {}, 0
        for sensor in self.sensors:
            found[sensor.name] = slice(start, start + sensor.size)
            start += sensor.size
        return found

    @property
    def size(self) -> int:
        """How many numbers are read."""
        return sum(sensor.size for sensor in self.sensors)

    @property
    def channels(self) -> tuple[str, ...]:
        """Names such as "l_leg_ft.fx"."""
        return tuple(f"{sensor.name}.{channel}" for sensor in self.sensors for channel in sensor.channels)

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each number."""
        return tuple(unit for sensor in self.sensors for unit in sensor.units)

    def pick(self, values: Any, name: str) -> Any:
        """The part of values (..., size) that a sensor reads."""
        if name not in self.slices:
            raise unknown_name("sensor", name, self.slices)
        return values[..., self.slices[name]]

    def with_settings(self, **changes: Any) -> Self:
        """The same with other settings."""
        return replace(self, **changes)

    # -- ticks ----------------------------------------------------------------------------------------------

    @cached_property
    def layout(self) -> Layout:
        """What a tick is as a function of arrays of numbers or symbols."""
        sides = sides_of(self.robot, [joint for sensor in self.sensors for joint in sensor.cuts])
        torques = self.given == "torques"
        ground = self.ground or Flat()
        return Layout(sides, self.sensors, self.wrenches, self.pushes, ground, self.dt, torques, self.inertial)

    @property
    def memory_size(self) -> int:
        """How many numbers are remembered."""
        return self.layout.memory_size

    @cached_property
    def random_size(self) -> int:
        """How many random numbers a tick needs."""
        return sum(map(sum, self.layout.per_tick))

    def init(self, batch: Sequence[int] = (), *, seed: int = 0, first_row: int = 0) -> SensorState:
        """The state before the first tick; `first_row`: number of the batch's first row, if it is part of a larger one.

        Rows with the same number, seed and motion read the same.
        """
        batch = tuple(batch)
        rows = first_row + np.arange(math.prod(batch))
        draws = self._start_stream.draw(seed, 0, rows, at_start=True)[0]
        memory = self.layout.begin(draws.reshape((*batch, draws.shape[-1])))
        return SensorState(memory, seed, 0, first_row)

    def draw(self, state: SensorState) -> Array:
        """The random numbers (..., random_size) of the next tick: zero for sensors that do not sample then."""
        batch = tuple(state.memory.shape[:-1])
        rows = math.prod(batch)
        ahead = max(1, _DRAWN_AHEAD // max(1, rows * self.random_size))
        first = state.tick - state.tick % ahead
        key = (state.seed, state.first_row, rows, first)
        if key not in self._drawn:
            self._drawn.clear()
            steps, numbers = first + np.arange(ahead), state.first_row + np.arange(rows)
            block = np.zeros((ahead, rows, self.random_size))
            for clock, stream, columns in self._streams:
                ticks = np.flatnonzero(may_be_due(clock, steps))
                block[ticks[:, None, None], np.arange(rows)[:, None], columns] = stream.draw(
                    state.seed, steps[ticks], numbers
                )
            self._drawn[key] = block
        result: Array = self._drawn[key][state.tick - first].reshape((*batch, self.random_size))
        return result

    def step(
        self,
        state: SensorState,
        q: Any,
        v: Any,
        a: Any,
        wrenches: Any = None,
        pushes: Any = None,
        inertial: Any = None,
        *,
        random: Any = None,
        threads: int | None = None,
    ) -> tuple[SensorState, Readings]:
        """The state after a tick, and what is read at it.

        q: (..., nq); v: (..., nv); a: (..., nv) the derivative of v, or the torques of joints (..., joint rates) if
        `given` is "torques"; wrenches, pushes: (..., 6 frames), or by frame, zero if not given; inertial:
        (..., 10 n_bodies) if the suite says so; random: (..., random_size) instead of the numbers of `draw`.
        """
        memory = state.memory
        if type(memory) is np.ndarray and _elsewhere(q):
            memory = alike(q, memory)
        arrays = [*self._motion(q, v, a, wrenches, pushes, inertial), memory]
        if self.random_size:
            if random is None:
                random = self.draw(state)
                random = alike(q, random) if _elsewhere(q) else random
            arrays.append(random)
        values, fresh, memory = self.function(*arrays, threads=threads)
        return state._replace(memory=memory, tick=state.tick + 1), Readings(values, fresh)

    def ideal(self, q: Any, v: Any, a: Any, wrenches: Any = None, pushes: Any = None, inertial: Any = None) -> Any:
        """What perfect sensors would read (..., size); arguments as those of `step`."""
        return self.ideal_function(*self._motion(q, v, a, wrenches, pushes, inertial))

    @classmethod
    def of_simulator(cls, simulator: Simulator, sensors: Sequence[Sensor]) -> Self:
        """Sensors of a simulated robot, with the simulator's frames, ground and time, for `sense`."""
        return cls(
            simulator.robot,
            tuple(sensors),
            simulator.dt,
            tuple(simulator.physics.frames),
            simulator.pushes,
            "torques",
            simulator.ground,
            simulator.inertial is not None,
        )

    def sense(
        self,
        state: SensorState,
        simulated: State,
        pushes: Any = None,
        inertial: Any = None,
        *,
        random: Any = None,
        threads: int | None = None,
    ) -> tuple[SensorState, Readings]:
        """`step` at a simulator's state, for a suite `of_simulator`.

        Forces are those of the step that led to the state. One that no step led to has none: the robot falls. pushes
        and inertial: what the simulator was given.
        """
        if self.given != "torques":
            raise ArgumentError("sense needs a suite that is given torques: make it by SensorSuite.of_simulator")
        if simulated.multipliers is not None:
            raise ArgumentError(
                "the forces of constraints are no wrenches at frames: give this state's acceleration to the step of a "
                "suite without force/torque sensors"
            )
        torques = simulated.torques
        if torques is None:
            torques = alike(simulated.q, np.zeros(self.robot.tree.joint_nv))
        return self.step(
            state,
            simulated.q,
            simulated.v,
            torques,
            simulated.wrenches,
            pushes,
            inertial,
            random=random,
            threads=threads,
        )

    @cached_property
    def function(self) -> Function:
        """The compiled function of a tick, of q, v, a (or torques), wrenches, pushes, inertial, memory, random.

        Inputs without entries are left out. It gives values, fresh and memory_end, and can be called without anything
        of this class in between.
        """
        return tick_function(self.layout)

    @cached_property
    def ideal_function(self) -> Function:
        """The compiled function of what perfect sensors read: q, v, a (or torques), wrenches, pushes, inertial."""
        return ideal_function(self.layout)

    def prepare(self, batch: bool = True, dtypes: Sequence[str] = ("float64",), gpu: int | None = None) -> Self:
        """Compile ahead, with a progress bar; see `Robot.prepare`."""
        compile_with_progress([self.function], dtypes=dtypes, batch=batch, gpu=gpu)
        return self

    def _motion(self, q: Any, v: Any, a: Any, wrenches: Any, pushes: Any, inertial: Any) -> list[Any]:
        arrays = [q, v] if self.given == "torques" and not self.robot.tree.joint_nv else [q, v, a]
        for name, frames, given in (("wrenches", self.wrenches, wrenches), ("pushes", self.pushes, pushes)):
            if frames:
                given = _ordered(frames, given) if isinstance(given, Mapping) else given
                arrays.append(alike(q, np.zeros(6 * len(frames))) if given is None else given)
            elif given is not None and len(given):
                raise ArgumentError(f"{name} are given to sensors without: name their frames, SensorSuite({name}=...)")
        if self.inertial != (inertial is not None):
            raise ArgumentError(
                f"inertial parameters {'must' if self.inertial else 'cannot'} be given to these sensors"
            )
        return arrays if inertial is None else [*arrays, inertial]

    @cached_property
    def _streams(self) -> list[tuple[tuple[float, float], Stream, Array]]:
        """For each clock the numbers of its sensors, and their places among those of a tick."""
        counts = self.layout.per_tick
        ends = np.cumsum([0, *map(sum, counts)])
        groups: dict[tuple[float, float], list[int]] = {}
        for k, sensor in enumerate(self.sensors):
            if sum(counts[k]):
                groups.setdefault(sensor.sampling.clock(self.dt), []).append(k)
        return [
            (
                clock,
                Stream([self.sensors[k].name for k in members], [counts[k] for k in members]),
                np.concatenate([np.arange(ends[k], ends[k + 1]) for k in members]),
            )
            for clock, members in groups.items()
        ]

    @cached_property
    def _start_stream(self) -> Stream:
        return Stream([sensor.name for sensor in self.sensors], self.layout.at_start)

    @cached_property
    def _drawn(self) -> dict[Any, Array]:
        return {}


def _elsewhere(q: Any) -> bool:
    """Whether arrays that go with q are not of NumPy's in float64."""
    return on_device((q,)) or getattr(q, "dtype", None) == np.float32


def _ordered(frames: tuple[str, ...], wrenches: Mapping[str, Any]) -> Array:
    """Wrenches by frame, one after the other; zero where there is none."""
    for frame, wrench in wrenches.items():
        if frame not in frames:
            raise unknown_name("frame of wrenches", frame, frames)
        if np.shape(wrench)[-1:] != (6,):
            raise ShapeError(f"the wrench at {frame!r} has shape {np.shape(wrench)}; it must be (..., 6)")
    parts = [np.asarray(wrenches.get(frame, np.zeros(6)), dtype=float) for frame in frames]
    return np.concatenate(np.broadcast_arrays(*parts), axis=-1)
