"""Signals of a loop over time: in arrays, or in the file of a log."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import SimulationError, unknown_name
from floatbase.logs.layout import channel
from floatbase.logs.log import Log
from floatbase.logs.signals import Signal
from floatbase.logs.writer import LogWriter
from floatbase.simulation.loop.loop import Loop, LoopState
from floatbase.simulation.loop.wiring import PLANT, Source
from floatbase.spatial.arrays import Array

LARGEST = 4 * 2**30  # bytes of all arrays together
_BUFFERED = 256


class Group(NamedTuple):
    """Signals of one block, which share their times: every how many ticks, and where each comes from."""

    owner: str
    period: int
    sources: dict[str, Source]


def groups_of(loop: Loop, record: Sequence[str] | None, every: int) -> tuple[Group, ...]:
    """The signals that names and patterns such as "plant.q", "sensors.*" mean; all of blocks, q and v if None."""
    wires = loop.wires
    known = {owner: wires.signals_of(owner) for owner in wires.owners}
    chosen: dict[str, dict[str, Source]] = {}
    if record is None:
        record = ["plant.q", "plant.v", *(f"{name}.*" for name in loop.made)]
    for pattern in [record] if isinstance(record, str) else record:
        owner, _, local = pattern.partition(".")
        if owner not in known:
            raise unknown_name("signal to record", pattern, [f"{o}.{n}" for o in known for n in known[o]])
        names = [local] if local in known[owner] else _matching(loop, owner, local, known[owner])
        if not names:
            raise unknown_name("signal to record", pattern, [f"{owner}.{name}" for name in known[owner]])
        for name in names:
            chosen.setdefault(owner, {})[name] = known[owner][name]
    return tuple(Group(owner, _period(loop, owner) * every, sources) for owner, sources in chosen.items())


def _period(loop: Loop, owner: str) -> int:
    return 1 if owner == PLANT else loop.period(owner)


def _matching(loop: Loop, owner: str, pattern: str, known: Mapping[str, Source]) -> list[str]:
    """What matches a pattern; outputs that are told part by part are left out."""
    parts = loop.wires.owners[owner].parts
    told = {part.output for part in parts.values()} if owner != PLANT else set()
    names = [name for name in known if name not in told]
    return fnmatch.filter(names, pattern)


@dataclass
class Arrays:
    """Signals in arrays (n, ..., size) of the ticks from `first` to `last`, allocated before the first of them."""

    groups: tuple[Group, ...]
    first: int
    last: int
    dt: float
    batch: tuple[int, ...]
    largest: int = LARGEST

    def __post_init__(self) -> None:
        self._starts = {group.owner: -(-self.first // group.period) for group in self.groups}
        counts = {group.owner: -(-self.last // group.period) - self._starts[group.owner] for group in self.groups}
        size = 8 * sum(
            counts[group.owner] * prod(self.batch) * source.channel.size
            for group in self.groups
            for source in group.sources.values()
        )
        if size > self.largest:
            raise SimulationError(
                f"what is recorded takes {size / 2**30:.1f} GiB, more than {self.largest / 2**30:.1f}; record fewer "
                "signals, only every so many of their samples (every=...), or to a file (log=...)"
            )
        self.signals = {
            f"{group.owner}.{name}": np.zeros((counts[group.owner], *self.batch, source.channel.size))
            for group in self.groups
            for name, source in group.sources.items()
        }
        self.counts = dict.fromkeys(counts, 0)

    def add(self, tick: int, signals: Mapping[tuple[str, str], Any]) -> None:
        """One tick."""
        for group in self.groups:
            if tick % group.period == 0:
                row = self.counts[group.owner]
                for name, source in group.sources.items():
                    self.signals[f"{group.owner}.{name}"][row] = source.of(signals, 0.0)
                self.counts[group.owner] = row + 1

    def times(self) -> dict[str, Array]:
        """The times of each block's samples, s."""
        return {
            group.owner: (self._starts[group.owner] + np.arange(self.counts[group.owner])) * group.period * self.dt
            for group in self.groups
        }

    def found(self) -> dict[str, Array]:
        """What was recorded so far."""
        return {name: array[: self.counts[name.partition(".")[0]]] for name, array in self.signals.items()}

    def flush(self) -> None:
        """Nothing is kept back."""

    def finish(self) -> None:
        """Nothing is to be done."""

    def close(self) -> None:
        """Nothing is to be done."""


class File:
    """Signals in the file of a log; robots of a batch are columns with their numbers."""

    def __init__(
        self,
        path: Path,
        loop: Loop,
        groups: tuple[Group, ...],
        batch: tuple[int, ...],
        metadata: Mapping[str, Any],
        *,
        overwrite: bool = False,
        until: float | None = None,
    ) -> None:
        """until: go on with a journal, without samples later than this."""
        dt = loop.plant.dt
        layout = Log(
            tuple(signal for group in groups for signal in _channels(group, batch)),
            rates={group.owner: 1.0 / (group.period * dt) for group in groups},
            metadata=dict(metadata),
        )
        self._groups, self._dt = groups, dt
        self._writer = LogWriter(path, layout, overwrite=overwrite, resume=until is not None, until=until)
        width = prod(batch)
        self._rows = {
            group.owner: {name: np.empty((_BUFFERED, width * s.channel.size)) for name, s in group.sources.items()}
            for group in groups
        }
        self._times = {group.owner: np.empty(_BUFFERED) for group in groups}
        self._counts = {group.owner: 0 for group in groups}

    def add(self, tick: int, signals: Mapping[tuple[str, str], Any]) -> None:
        """One tick."""
        for group in self._groups:
            if tick % group.period:
                continue
            owner = group.owner
            k, rows = self._counts[owner], self._rows[owner]
            for name, source in group.sources.items():
                value = source.of(signals, 0.0)
                rows[name][k] = value if value.ndim == 1 else value.ravel()
            self._times[owner][k] = tick * self._dt
            self._counts[owner] = k + 1
            if k + 1 == _BUFFERED:
                self._hand_over(owner)

    def _hand_over(self, owner: str) -> None:
        count = self._counts[owner]
        if count:
            values = {name: rows[:count] for name, rows in self._rows[owner].items()}
            self._writer.append(owner, self._times[owner][:count], values)
            self._counts[owner] = 0

    def flush(self) -> None:
        """Hand everything to the operating system."""
        for owner in self._counts:
            self._hand_over(owner)
        self._writer.flush()

    def finish(self) -> None:
        """Write the finished file."""
        self.flush()
        self._writer.finish()

    def close(self) -> None:
        """Leave a journal."""
        try:
            self.flush()
        finally:
            self._writer.close()


def _channels(group: Group, batch: tuple[int, ...]) -> list[Signal]:
    found = []
    for name, source in group.sources.items():
        told = source.channel
        units = (told.units,) * told.size if isinstance(told.units, str) else told.units
        columns = told.columns or tuple(str(k) for k in range(told.size))
        rows = [",".join(map(str, index)) for index in np.ndindex(*batch)] if batch else [""]
        names = [f"{row}:{column}" if row else column for row in rows for column in columns]
        if told.size:
            found.append(channel(f"{group.owner}/{name}", list(units) * len(rows), columns=names))
    return found


def state_batch(loop: Loop, state: LoopState) -> tuple[int, ...]:
    """The batch axes of a state."""
    shape: tuple[int, ...] = loop.plant.measure(state.plant)["q"].shape[:-1]
    return shape
