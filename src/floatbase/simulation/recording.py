"""Signals of a simulation over time, in arrays that are allocated before it begins."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, SimulationError, unknown_name
from floatbase.kernels import Kernel
from floatbase.robot import Robot
from floatbase.robot.quantities import QUANTITIES
from floatbase.simulation.libraries import on_host
from floatbase.simulation.simulator import Simulator, State
from floatbase.spatial.arrays import Array

LARGEST = 4 * 2**30  # bytes of all arrays together
FIELDS = ("q", "v", "memory", "wrenches", "torques", "work", "residual", "multipliers")
Signal = Any  # a field of the state, "command", a quantity of the robot, a kernel, or a function of the state


@dataclass(frozen=True)
class Recording:
    """What was recorded: `time` (n,) in s and signals by name, (n, ..., shape); `state` is the last one.

    `interrupted` tells whether an interrupt from the keyboard ended the simulation.
    """

    time: Array
    signals: dict[str, Array]
    state: State
    interrupted: bool = False

    def __getitem__(self, name: str) -> Array:
        if name == "time":
            return self.time
        if name not in self.signals:
            raise unknown_name("signal", name, ["time", *self.signals])
        return self.signals[name]

    def __len__(self) -> int:
        return len(self.time)


@dataclass
class Recorder:
    """Arrays for `count` samples of signals, given as functions of a state and the command that led to it."""

    signals: dict[str, Callable[[State, Any], Any]]
    count: int
    largest: int = LARGEST

    def __post_init__(self) -> None:
        self.filled = 0
        self._time = np.empty(self.count)
        self._arrays: dict[str, Array] = {}

    def add(self, state: State, command: Any) -> None:
        """Write one sample."""
        row = self.filled
        values = {name: np.asarray(on_host(signal(state, command))) for name, signal in self.signals.items()}
        if not self._arrays:
            self._allocate(values)
        for name, value in values.items():
            first = self._arrays[name].shape[1:]
            if value.shape != first:
                raise ShapeError(
                    f"record: {name!r} has shape {value.shape} at t = {state.time:.6g} s, but {first} at the "
                    "beginning; for a batch of commands begin with a batch of states"
                )
        for name, value in values.items():
            self._arrays[name][row] = value
        self._time[row] = state.time
        self.filled = row + 1

    def result(self, state: State, interrupted: bool) -> Recording:
        """What was recorded so far."""
        kept = {name: array[: self.filled] for name, array in self._arrays.items()}
        return Recording(self._time[: self.filled], kept, state, interrupted)

    def _allocate(self, values: dict[str, Array]) -> None:
        size = sum(self.count * prod(value.shape) * value.dtype.itemsize for value in values.values())
        if size > self.largest:
            raise SimulationError(
                f"{self.count} samples of {', '.join(values)} take {size / 2**30:.1f} GiB, more than "
                f"{self.largest / 2**30:.1f}; record fewer signals, or only every so many periods (every=...)"
            )
        for name, value in values.items():
            self._arrays[name] = np.zeros((self.count, *value.shape), value.dtype)


def signals_of(simulator: Simulator, record: Sequence[Signal]) -> dict[str, Callable[[State, Any], Any]]:
    """Functions for the signals that are asked for, by their names."""
    if isinstance(record, str):
        record = [record]
    if not isinstance(record, Iterable):
        raise ArgumentError(f"record is {record!r}; it must be a sequence of signals, which may be empty")
    found: dict[str, Callable[[State, Any], Any]] = {}
    for item in record:
        name, signal = _signal(simulator, item)
        if name in found:
            raise ArgumentError(f"record asks for {name!r} twice")
        found[name] = signal
    return found


def _signal(simulator: Simulator, item: Signal) -> tuple[str, Callable[[State, Any], Any]]:
    robot = simulator.robot
    if isinstance(item, str) and item in FIELDS:
        return item, _field(simulator, item)
    if item == "command":
        return "command", lambda state, command: _or_zeros(command, state, simulator.command_size)
    frames = simulator.physics.frames
    if isinstance(item, str) and item in frames:
        place = frames.index(item)
        all_wrenches = _field(simulator, "wrenches")
        return item, lambda state, command: all_wrenches(state, command)[..., 6 * place : 6 * place + 6]
    if isinstance(item, str) and item not in QUANTITIES:
        raise unknown_name("signal", item, {*FIELDS, "command", *frames, *QUANTITIES})
    if isinstance(item, Kernel):
        return item.name, _of_state(item.name, item.arguments, lambda *arrays: item(robot, *arrays))
    if isinstance(item, str | tuple):
        return _quantity(robot, item)
    if callable(item):
        return getattr(item, "__name__", type(item).__name__), lambda state, command: item(state)
    raise ArgumentError(
        f"record: {item!r} is no signal; it must be one of {FIELDS}, 'command', a frame in contact, a quantity of the "
        "robot such as 'com' or ('pose', 'l_sole'), a kernel, or a function of the state"
    )


def _field(simulator: Simulator, name: str) -> Callable[[State, Any], Any]:
    sizes = {
        "wrenches": 6 * len(simulator.physics.frames),
        "torques": simulator.physics.tree.joint_nv,
        "work": 3,
        "residual": 1,
        "multipliers": simulator.physics.multiplier_size,
    }
    return lambda state, command: _or_zeros(getattr(state, name), state, sizes.get(name, 0))


def _or_zeros(value: Any, state: State, size: int) -> Any:
    return np.zeros((*state.q.shape[:-1], size)) if value is None else value


def _quantity(robot: Robot, item: Any) -> tuple[str, Callable[[State, Any], Any]]:
    function = robot.function(item)
    name = item if isinstance(item, str) else "_".join(map(str, item))
    return name, _of_state(name, [port.name for port in function.signature.inputs], function)


def _of_state(name: str, arguments: Sequence[str], function: Callable[..., Any]) -> Callable[[State, Any], Any]:
    unknown = [argument for argument in arguments if argument not in State._fields]
    if unknown:
        raise ArgumentError(
            f"record: {name!r} needs {', '.join(unknown)}; signals are functions of {', '.join(State._fields)}"
        )
    places = [State._fields.index(argument) for argument in arguments]
    return lambda state, command: function(*(state[place] for place in places))
