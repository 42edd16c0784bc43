"""A `Simulator` as a plant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.robot import Robot
from floatbase.simulation.laws import Law
from floatbase.simulation.loop.plant import joint_parts, state_channels, wrench_channel, wrench_parts
from floatbase.simulation.loop.randomisation import Randomisation
from floatbase.simulation.loop.signals import Channel, Slice
from floatbase.simulation.sensors import Sensor, SensorSuite
from floatbase.simulation.simulator import Simulator, State
from floatbase.spatial.arrays import Array

_FRICTION, _GAINS = ("friction",), ("proportional", "derivative", "integral")


class SimulatedState(NamedTuple):
    """A state of the simulator, and the pushes of the period that led there."""

    state: State
    pushed: Array


@dataclass(frozen=True, eq=False)
class SimulatedPlant:
    """A simulator's robot; with a randomisation, rows of robots that differ."""

    simulator: Simulator
    randomisation: Randomisation | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.simulator, Simulator):
            raise ArgumentError(f"a simulated plant is made of a Simulator, got {self.simulator!r}")
        if self.randomisation is not None:
            if self.simulator.batch:
                raise ArgumentError("the simulator has rows of its own already; randomise one robot")
            object.__setattr__(self, "simulator", _varied(self.simulator, self.randomisation))

    @property
    def robot(self) -> Robot:
        """The simulator's."""
        return self.simulator.robot

    @property
    def dt(self) -> float:
        """The simulator's."""
        return self.simulator.dt

    @property
    def batch(self) -> tuple[int, ...]:
        """The simulator's."""
        return self.simulator.batch

    @property
    def command_size(self) -> int:
        """The simulator's."""
        return self.simulator.command_size

    @property
    def pushes(self) -> tuple[str, ...]:
        """The simulator's."""
        return self.simulator.pushes

    @property
    def inertial(self) -> Any:
        """The simulator's."""
        return self.simulator.inertial

    @cached_property
    def outputs(self) -> tuple[Channel, ...]:
        """q, v, torques; wrenches at the frames in contact; pushes."""
        frames = list(self.simulator.contacts)
        own = state_channels(self.robot)
        return (*own, wrench_channel("wrenches", frames), wrench_channel("pushed", self.pushes))

    @cached_property
    def parts(self) -> dict[str, Slice]:
        """Positions and velocities of joints, wrenches at frames."""
        return {**joint_parts(self.robot), **wrench_parts("wrenches", list(self.simulator.contacts))}

    def rest(self, state: SimulatedState) -> Array:
        """The command that asks for nothing at a state."""
        return self.simulator.rest(state.state)

    def init(self, q: Any = None, v: Any = None) -> SimulatedState:
        """The state at the beginning."""
        state = self.simulator.init(self.robot.neutral() if q is None else q, v)
        return SimulatedState(state, np.zeros((*state.q.shape[:-1], 6 * len(self.pushes))))

    def step(self, state: SimulatedState, command: Any = None, pushes: Any = None) -> SimulatedState:
        """The state a period later."""
        after = self.simulator.step(state.state, command, pushes if self.pushes else None)
        pushed = np.zeros_like(state.pushed) if pushes is None else np.broadcast_to(pushes, state.pushed.shape)
        return SimulatedState(after, pushed)

    def measure(self, state: SimulatedState) -> dict[str, Array]:
        """The outputs at a state."""
        now = state.state
        torques, wrenches = now.torques, now.wrenches
        batch = now.q.shape[:-1]
        if torques is None:
            torques = np.zeros((*batch, self.robot.tree.joint_nv))
        if wrenches is None:
            wrenches = np.zeros((*batch, 6 * len(self.simulator.contacts)))
        return {"q": now.q, "v": now.v, "torques": torques, "wrenches": wrenches, "pushed": state.pushed}

    def suite(self, sensors: Sequence[Sensor], dt: float) -> tuple[SensorSuite, tuple[str, ...]]:
        """Sensors that sense the simulator's motion: from its torques, wrenches and pushes."""
        if self.simulator.constraints:
            raise ArgumentError(
                "forces of constraints are no wrenches at frames: sensors cannot be had with constraints"
            )
        suite = SensorSuite.of_simulator(self.simulator, sensors).with_settings(dt=dt)
        return suite, ("q", "v", "torques", "wrenches", "pushed")


def _varied(simulator: Simulator, randomisation: Randomisation) -> Simulator:
    factors = randomisation.draw(simulator.robot)
    changes: dict[str, Any] = {}
    if factors.inertial is not None:
        changes["inertial"] = factors.inertial
    if factors.friction is not None:
        scaled = {name: _scaled(law, _FRICTION, factors.friction) for name, law in simulator.contacts.items()}
        changes["contacts"] = _changed("friction", "contact", simulator.contacts, scaled)
    if factors.gains is not None:
        laws: Mapping[Any, Any] = simulator.joints if isinstance(simulator.joints, Mapping) else {"": simulator.joints}
        laws = {key: law for key, law in laws.items() if law is not None}
        scaled = {name: _scaled(law, _GAINS, factors.gains) for name, law in laws.items()}
        found = _changed("gains", "joints", laws, scaled)
        changes["joints"] = found if isinstance(simulator.joints, Mapping) else found[""]
    return simulator.with_settings(**changes)


def _scaled(law: Law, parameters: tuple[str, ...], factors: Array) -> Law:
    """The law with some parameters times factors (rows,), or itself if it has none of them."""
    names = law.parameter_names()
    chosen = [k for k, name in enumerate(names) if name.partition("[")[0].rpartition(".")[2] in parameters]
    if not chosen:
        return law
    values = np.array(np.broadcast_to(law.parameters, (len(factors), len(names))))
    values[:, chosen] *= factors[:, None]
    return law.with_parameters(values)


def _changed(what: str, kind: str, before: Mapping[Any, Law], after: dict[Any, Any]) -> dict[Any, Any]:
    if all(after[key] is law for key, law in before.items()):
        raise ArgumentError(f"the randomisation is to change {what}, but no law of {kind} has any")
    return after
