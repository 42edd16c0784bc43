"""What a loop is made of: blocks with frozen settings and explicit states."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.loop.plant import Plant
from floatbase.simulation.loop.signals import Channel, Slice, channels_of
from floatbase.simulation.sensors import Sensor, SensorState, SensorSuite

TIME = "time"  # the input that is the time of a tick, s, a number


@runtime_checkable
class Block(Protocol):
    """Sensors, an estimator, a controller: something that is stepped at a rate of its own.

    Its state is made of arrays, numbers, None, tuples, named tuples and dictionaries of these, which can be stored.
    `inputs` are sizes by name; an input "time" is the time of the tick. Arrays have the batch axes of the plant.
    """

    @property
    def inputs(self) -> Mapping[str, int]:
        """The sizes of what it takes, by name."""

    @property
    def outputs(self) -> tuple[Channel, ...]:
        """What it gives."""

    @property
    def parts(self) -> Mapping[str, Slice]:
        """Parts of outputs that have names of their own."""

    def init(self, batch: tuple[int, ...], seed: int) -> Any:
        """The state before the first tick."""

    def step(self, state: Any, inputs: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """The state after a tick, and the outputs at it by name."""


@dataclass(frozen=True, eq=False)
class FunctionBlock:
    """A block of a plain function: `function(inputs)` gives the outputs by name, or the only one as an array.

    inputs: sizes by name. outputs: sizes or channels by name. With a `start`, the function is
    `function(state, inputs)`, gives the state and the outputs, and `start(batch, seed)` gives the first state.
    """

    function: Callable[..., Any]
    inputs: Mapping[str, int]
    given: Mapping[str, int | Channel]
    start: Callable[[tuple[int, ...], int], Any] | None = None
    parts: Mapping[str, Slice] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(f"a block needs a function, got {self.function!r}")
        if not self.given:
            raise ArgumentError("a block needs at least one output")
        channels_of(self.given)

    @property
    def outputs(self) -> tuple[Channel, ...]:
        """What the function gives."""
        return channels_of(self.given)

    def init(self, batch: tuple[int, ...], seed: int) -> Any:
        """None, or what `start` gives."""
        return None if self.start is None else self.start(batch, seed)

    def step(self, state: Any, inputs: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
        """Call the function."""
        if self.start is None:
            result = self.function(inputs)
        else:
            state, result = self.function(state, inputs)
        if not isinstance(result, Mapping):
            if len(self.given) != 1:
                raise ArgumentError(f"the function of a block must give {', '.join(self.given)} by name")
            result = {next(iter(self.given)): result}
        return state, result


def block(
    function: Callable[..., Any],
    inputs: Mapping[str, int],
    outputs: Mapping[str, int | Channel],
    start: Callable[[tuple[int, ...], int], Any] | None = None,
) -> FunctionBlock:
    """A block of a plain function; see `FunctionBlock`."""
    return FunctionBlock(function, inputs, outputs, start)


@dataclass(frozen=True, eq=False)
class Sensing:
    """The sensors of whatever robot and physics the loop has; a part of `values` is named after each sensor."""

    sensors: Sequence[Sensor]

    def of(self, plant: Plant, dt: float) -> SuiteBlock:
        """The block for a plant, with a tick every `dt` seconds."""
        suite, sources = plant.suite(self.sensors, dt)
        return SuiteBlock(suite, sources, getattr(plant, "inertial", None) if suite.inertial else None)


@dataclass(frozen=True, eq=False)
class SuiteBlock:
    """A suite of sensors as a block; `sources` are the outputs of the plant that its step takes, in order."""

    suite: SensorSuite
    sources: tuple[str, ...]
    inertial: Any = None

    @property
    def inputs(self) -> Mapping[str, int]:
        """Configuration, velocity, acceleration or torques, wrenches and pushes."""
        tree = self.suite.robot.tree
        third = tree.joint_nv if self.suite.given == "torques" else tree.nv
        sizes = (tree.nq, tree.nv, third, 6 * len(self.suite.wrenches), 6 * len(self.suite.pushes))
        return dict(zip(self.sources, sizes, strict=True))

    @property
    def outputs(self) -> tuple[Channel, ...]:
        """All values, and which sensors have a fresh sample."""
        suite = self.suite
        names = tuple(sensor.name for sensor in suite.sensors)
        return Channel("values", suite.size, suite.units, suite.channels), Channel("fresh", len(names), "", names)

    @property
    def parts(self) -> dict[str, Slice]:
        """The values of each sensor."""
        return {
            sensor.name: Slice(
                "values",
                self.suite.slices[sensor.name],
                Channel(sensor.name, sensor.size, tuple(sensor.units), tuple(sensor.channels)),
            )
            for sensor in self.suite.sensors
        }

    def init(self, batch: tuple[int, ...], seed: int) -> SensorState:
        """Sensors before their first sample."""
        return self.suite.init(batch, seed=seed)

    def step(self, state: SensorState, inputs: Mapping[str, Any]) -> tuple[SensorState, Mapping[str, Any]]:
        """Sense."""
        q, v, third, wrenches, pushes = (inputs[name] for name in self.sources)
        suite = self.suite
        state, found = suite.step(
            state,
            q,
            v,
            third,
            wrenches if suite.wrenches else None,
            pushes if suite.pushes else None,
            self.inertial,
        )
        return state, {"values": found.values, "fresh": found.fresh}


@dataclass(frozen=True, eq=False)
class JointControl:
    r"""Torques $\tau = K_p (s_d - s) + K_d (\dot s_d - \dot s) + \tau_{ff}$ of the positions and rates it is given.

    posture: (n,), or a function of the time that gives $s_d$ (n,), or $s_d$, $\dot s_d$ and $\tau_{ff}$, of which the
    last may be left out. proportional, derivative: N m/rad and N m s/rad, of all joints or of each.
    """

    posture: Any
    proportional: Any
    derivative: Any
    joints: int | None = None

    def __post_init__(self) -> None:
        for name in ("proportional", "derivative"):
            gain = np.asarray(getattr(self, name), dtype=float)
            if not (np.isfinite(gain).all() and (gain >= 0.0).all()):
                raise ArgumentError(f"{name} is {getattr(self, name)!r}; gains must be finite and not negative")
        if callable(self.posture) and self.joints is None:
            raise ArgumentError("say how many joints a posture has that is a function: JointControl(..., joints=n)")

    @property
    def size(self) -> int:
        """The number of joints."""
        return int(np.shape(self.posture)[-1]) if self.joints is None else self.joints

    @property
    def inputs(self) -> Mapping[str, int]:
        """Positions, rates, and the time."""
        return {"joint_positions": self.size, "joint_velocities": self.size, TIME: 1}

    @property
    def outputs(self) -> tuple[Channel, ...]:
        """The torques."""
        return (Channel("command", self.size),)

    @property
    def parts(self) -> Mapping[str, Slice]:
        """None."""
        return {}

    def init(self, batch: tuple[int, ...], seed: int) -> None:
        """Nothing is remembered."""

    def step(self, state: None, inputs: Mapping[str, Any]) -> tuple[None, Mapping[str, Any]]:
        """The torques at a tick."""
        target = self.posture(inputs[TIME]) if callable(self.posture) else self.posture
        rate: Any = 0.0
        forward: Any = 0.0
        if isinstance(target, tuple):
            target, rate, *more = target
            forward = more[0] if more else 0.0
        error = self.proportional * (target - inputs["joint_positions"])
        return None, {"command": error + self.derivative * (rate - inputs["joint_velocities"]) + forward}
