"""From adapters to records: every function of a robot, and one robot over batch sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.contender import Array, Contender
from benchmarks.measure import measure
from benchmarks.options import Options
from benchmarks.peers import pinocchio
from benchmarks.records import OURS, Record, from_outcomes
from benchmarks.robots import Robot
from benchmarks.states import States, sample

SINGLE = 64  # how many different states the loop over one state goes through


def compare(
    robot: Robot,
    adapters: Sequence[Any],
    functions: Sequence[str],
    batch: int,
    options: Options,
    rounds: int,
    burst: float,
    console: Console,
) -> list[Record]:
    """All functions of one robot: one state, and a batch, of every library."""
    many = sample(robot, max(batch, SINGLE))
    one, many = many.first(SINGLE), many.first(batch)
    entries = _entries(robot, adapters, one, many, options, console)
    references = {len(states): _references(robot, states, options) for states in (one, many)}
    records: list[Record] = []
    for function in functions:
        group = [entry for entry in entries if entry.function == function]
        expected = {count: _expected(function, table, group, count) for count, table in references.items()}
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
        references = _references(robot, states, options)
        for function in ("inverse dynamics", "forward dynamics"):
            group = [entry for entry in entries if entry.function == function]
            with console.status(f"{robot.name}: {function}: batch of {size}"):
                outcomes = measure(group, {size: references[function]}, rounds, burst, lambda text: None)
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


def _references(robot: Robot, states: States, options: Options) -> dict[str, Array]:
    """Pinocchio's results, call by call."""
    entries = pinocchio.contenders(robot, states, states.first(0), options)
    return {entry.function: entry.evaluate() for entry in entries}


def _expected(function: str, table: dict[str, Array], group: Sequence[Contender], count: int) -> Array:
    """Pinocchio's result; where it has none, that of the first library in the list that does."""
    if function in table:
        return table[function]
    others = (entry.evaluate() for entry in group if entry.count == count)
    return next(others, np.empty(0))
