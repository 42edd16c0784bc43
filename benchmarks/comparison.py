"""From adapters to records: every function of a robot, and one robot over batch sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.contender import Array, Contender, Function, limited
from benchmarks.measure import measure
from benchmarks.options import Options
from benchmarks.peers import pinocchio
from benchmarks.records import OURS, Record, from_outcomes
from benchmarks.robots import Robot
from benchmarks.states import States, sample

SCALED: tuple[Function, ...] = ("inverse dynamics", "forward dynamics")
SINGLE = 64  # how many different states the loop over one state goes through


def compare(
    robot: Robot,
    adapters: Sequence[Any],
    functions: Sequence[Function],
    batches: Sequence[int],
    options: Options,
    rounds: int,
    burst: float,
    console: Console,
) -> list[Record]:
    """All functions of one robot: one state, and batches, of every library."""
    every = sample(robot, max(SINGLE, *batches))
    one, *many = samples = [every.first(SINGLE), *(every.first(size) for size in batches)]
    entries = _entries(robot, adapters, one, many[0] if many else every.first(0), options, console)
    able = {entry.peer for entry in entries if entry.mode == "batch"}
    for states in many[1:]:
        batched = [adapter for adapter in adapters if adapter.NAME in able]
        entries += _entries(robot, batched, every.first(0), states, options, console)
    records: list[Record] = []
    for function in functions:
        group = [entry for entry in entries if entry.function == function]
        expected: dict[int, Array] = {}
        for states in samples:
            chosen = limited(function, states)
            expected[len(chosen)] = _expected(robot, function, chosen, group, options)
        with console.status("") as status:
            outcomes = measure(
                group, expected, rounds, burst, lambda text, f=function: status.update(f"{robot.name}: {f}: {text}")
            )
        records += from_outcomes(robot, outcomes)
    return records


def scale(
    robot: Robot,
    adapters: Sequence[Any],
    sizes: Sequence[int],
    options: Options,
    rounds: int,
    burst: float,
    console: Console,
) -> list[Record]:
    """Inverse and forward dynamics of one robot over batch sizes, by libraries that take batches."""
    every = sample(robot, max(sizes))
    batched = [adapter for adapter in adapters if adapter.NAME in ("floatbase", "Pinocchio", "frax")]
    records: list[Record] = []
    for size in sizes:
        states = every.first(size)
        entries = _entries(robot, batched, every.first(0), states, options, console)
        for function in SCALED:
            group = [entry for entry in entries if entry.function == function]
            expected = {size: _expected(robot, function, states, group, options)}
            with console.status(f"{robot.name}: {function}: batch of {size}"):
                outcomes = measure(group, expected, rounds, burst, lambda text: None)
            records += from_outcomes(robot, outcomes)
    return records


def _entries(
    robot: Robot, adapters: Sequence[Any], one: States, batch: States, options: Options, console: Console
) -> list[Contender]:
    entries: list[Contender] = []
    for adapter in adapters:
        try:
            entries += adapter.contenders(robot, one, batch, options)
        except Exception as reason:  # a library that cannot load a robot is told about, and the others go on
            if adapter.NAME == OURS:
                raise
            console.print(
                f"{robot.name}: {adapter.NAME} takes no part: {type(reason).__name__}: {reason}", markup=False
            )
    return [entry for entry in entries if entry.count]


def _expected(robot: Robot, function: Function, states: States, group: Sequence[Contender], options: Options) -> Array:
    """Pinocchio's result, call by call; where it has none, that of the first library in the list that does."""
    references = pinocchio.contenders(robot, states, states.first(0), options)
    candidates = [entry for entry in [*references, *group] if entry.function == function and entry.count == len(states)]
    return candidates[0].evaluate() if candidates else np.empty(0)
