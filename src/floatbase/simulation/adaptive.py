r"""Motions of one robot to a given accuracy, through the adaptive solvers of SciPy, with dense output and events.

The solver sees exponential coordinates $u$ around a configuration $q_0$, the velocity and the work of contacts, joints
and pushes,

$$ y = (u, \nu, W), \qquad \dot u = J(u)^{-1} \nu, \quad \dot\nu = f(q_0 \oplus u, \nu), \quad \dot W = P , $$

and goes on around a new $q_0$ when an attitude has turned by more than a radian. What laws remember moves on after each
step of the solver, whose length it chooses; laws of joints that sample their inputs need the periods of `simulate`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.configuration import turning_velocities
from floatbase.compiler.gpu.libraries import on_device
from floatbase.errors import ArgumentError, SimulationError, missing_dependency
from floatbase.simulation.laws import JointLaw, require_positive
from floatbase.simulation.numbers import seconds
from floatbase.simulation.programs import rate_function, remember_function
from floatbase.simulation.simulator import Simulator, State
from floatbase.spatial.arrays import Array

SOLVERS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")
WIDEST = 1.0  # rad: of a rotation in one chart
Policy = Callable[[float, State], Any]
Event = Callable[[State], float]


class Occurrence(NamedTuple):
    """That an event's function became zero: which one, and the state then."""

    event: int
    state: State


class Piece(NamedTuple):
    """A step of the solver: where it begins and ends, around which configuration, its interpolant, the memory in it."""

    start: float
    end: float
    center: Array
    interpolant: Callable[[float], Array]
    memory: Array


@dataclass(frozen=True, eq=False)
class Flow:
    """A motion: the states at the ends of the solver's steps, the events, and every state between by `at`.

    `state` is the last one; `work` in a state is that since the beginning. `evaluations`: of accelerations.
    """

    simulator: Simulator
    states: tuple[State, ...]
    occurrences: tuple[Occurrence, ...]
    pieces: tuple[Piece, ...]
    evaluations: int

    @property
    def state(self) -> State:
        """The last state."""
        return self.states[-1]

    @property
    def time(self) -> Array:
        """The times of `states`."""
        return np.array([state.time for state in self.states])

    def at(self, time: float) -> State:
        """The state at any time between the first and the last, by the solver's dense output."""
        first, last = self.states[0].time, self.states[-1].time
        if not first <= time <= last:
            raise ArgumentError(f"at: time is {time!r}; the motion is known from {first:.9g} to {last:.9g} s")
        if not self.pieces:
            return self.states[0]
        ends = [piece.end for piece in self.pieces]
        piece = self.pieces[min(int(np.searchsorted(ends, time)), len(ends) - 1)]
        return _state(self.simulator, piece, time)


def flow(
    simulator: Simulator,
    policy: Policy | Any = None,
    state: State | Any = None,
    duration: float = 1.0,
    *,
    solver: str = "DOP853",
    rtol: float = 1e-10,
    atol: float = 1e-12,
    events: Sequence[Event] = (),
    pushes: Any = None,
    longest: float = np.inf,
) -> Flow:
    """Follow the motion of one robot for a `duration` [s] to relative and absolute tolerances.

    policy: a command, or a function of time and state that gives it, called as often as the solver likes. events:
    functions of the state that are watched for becoming zero; if one has an attribute `terminal` that is true, the
    motion ends there. pushes: as of `Simulator.step`, all the time. longest: step [s]. solver: one of SciPy's.
    """
    if solver not in SOLVERS:
        raise ArgumentError(f"solver is {solver!r}; it must be one of {SOLVERS}")
    _check_laws(simulator)
    duration = seconds("duration", duration, zero=True)
    require_positive(rtol=rtol, atol=atol)
    if not longest > 0.0:
        raise ArgumentError(f"longest is {longest!r}; it must be a positive number of seconds")
    if state is None:
        state = simulator.robot.neutral()
    if not isinstance(state, State):
        state = simulator.init(state)
    if on_device((state.q,)) or np.ndim(state.q) != 1:
        raise ArgumentError(f"flow follows one robot on a CPU, got states of shape {tuple(state.q.shape)}")
    march = _March(simulator, policy, pushes, solver, rtol, atol, longest)
    return march.run(state, state.time + duration, events)


class _March:
    """The loop over the solver's steps."""

    def __init__(
        self, simulator: Simulator, policy: Any, pushes: Any, solver: str, rtol: float, atol: float, longest: float
    ) -> None:
        try:
            self.kind = getattr(import_module("scipy.integrate"), solver)
            self.zero_between = import_module("scipy.optimize").brentq
        except ImportError:
            raise missing_dependency("scipy", "simulation", "flow") from None
        self.simulator, self.policy, self.pushes = simulator, policy, pushes
        self.settings = {"rtol": rtol, "atol": atol, "max_step": longest}
        self.rate = rate_function(simulator.stepper, simulator.inertial is not None)
        self.remember = remember_function(simulator.stepper) if simulator.physics.memory_size else None
        self.nv, self.evaluations = simulator.robot.nv, 0

    def run(self, state: State, end: float, events: Sequence[Event]) -> Flow:
        """The motion from a state to a time."""
        states, pieces, occurrences = [state._replace(work=np.zeros(3))], list[Piece](), list[Occurrence]()
        values = [event(state) for event in events]
        memory, running, ends = state.memory, None, False
        while states[-1].time < end and not ends:
            if running is None:
                center = states[-1].q
                running = self._solver(states[-1], center, memory, end, pieces)
            message = running.step()
            if running.status == "failed":
                raise SimulationError(f"the motion cannot be followed beyond t = {running.t:.6g} s: {message}")
            piece = Piece(running.t_old, running.t, center, running.dense_output(), memory)
            after = _state(self.simulator, piece, running.t)
            for number, event in enumerate(events):
                value = event(after)
                if values[number] * value < 0.0 or (value == 0.0 and values[number] != 0.0):
                    occurrences.append(Occurrence(number, self._zero(piece, event)))
                values[number] = value
            found = [item for item in occurrences if item.state.time >= piece.start]
            final = [item for item in found if getattr(events[item.event], "terminal", False)]
            if final:
                after, ends = min((item.state for item in final), key=lambda item: item.time), True
                occurrences = [item for item in occurrences if item.state.time <= after.time]
                piece = piece._replace(end=after.time)
            pieces.append(piece)
            if self.remember is not None:
                memory = self._remembered(after, memory, piece.end - piece.start)
                if not np.array_equal(memory, piece.memory):
                    running = None
            after = after._replace(memory=memory)
            states.append(after)
            if running is not None and self._is_wide(running.y):
                running = None
        return Flow(self.simulator, tuple(states), tuple(occurrences), tuple(pieces), self.evaluations)

    def _solver(self, state: State, center: Array, memory: Array, end: float, pieces: Sequence[Piece]) -> Any:
        def derivative(time: float, y: Array) -> Array:
            self.evaluations += 1
            here = State(self.simulator.robot.integrate(center, y[: self.nv]), y[self.nv : -3], memory, time)
            arrays = self.simulator.arrays(here, self._command(time, here), self.pushes)
            return self.rate(y[: self.nv], center, *arrays[1:-1])

        y = np.concatenate([np.zeros(self.nv), state.v, state.work])
        first = min(pieces[-1].end - pieces[-1].start, end - state.time) if pieces else None
        if first is not None:
            first = max(first, 1e-14 * max(1.0, abs(end)))
        return self.kind(derivative, state.time, y, end, first_step=first, **self.settings)

    def _command(self, time: float, state: State) -> Any:
        return self.policy(time, state) if callable(self.policy) else self.policy

    def _remembered(self, state: State, memory: Array, dt: float) -> Array:
        assert self.remember is not None
        arrays = self.simulator.arrays(state._replace(memory=memory), self._command(state.time, state), self.pushes)
        return self.remember(*arrays[:-1], dt)

    def _is_wide(self, y: Array) -> bool:
        places = turning_velocities(self.simulator.robot.tree)
        return any(float(np.linalg.norm(y[: self.nv][place][-3:])) > WIDEST for place in places)

    def _zero(self, piece: Piece, event: Event) -> State:
        def value(time: float) -> float:
            return event(_state(self.simulator, piece, time))

        time = self.zero_between(value, piece.start, piece.end, xtol=1e-13, rtol=1e-14)
        return _state(self.simulator, piece, float(time))


def _state(simulator: Simulator, piece: Piece, time: float) -> State:
    y, nv = piece.interpolant(time), simulator.robot.nv
    q = simulator.robot.integrate(piece.center, y[:nv])
    return State(q, y[nv:-3], piece.memory, float(time), work=y[-3:])


def _check_laws(simulator: Simulator) -> None:
    if not isinstance(simulator, Simulator):
        raise ArgumentError(f"flow needs a Simulator, got {simulator!r}")
    if simulator.physics.hard:
        raise ArgumentError("flow: hard contacts act in impulses; use simulate, or a soft law of contact")
    for drive in simulator.physics.drives:
        if drive.remembers and type(drive.law).sample is not JointLaw.sample:
            raise ArgumentError(
                f"flow: {type(drive.law).__name__} samples its inputs in periods; use simulate, which has them"
            )
