"""Logs in files: signals that are read when they are asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from floatbase.errors import unknown_name
from floatbase.logs.layout import row_bytes
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log, between_rows, find_name, matching_names
from floatbase.logs.signals import Array, Signal, as_time


class LogFile(ABC):
    """An open file of a log. What it holds is known; samples are read signal by signal.

    path: of the file.
    layout: its signals without samples, with rates and metadata.
    counts: the number of samples of each group.
    """

    path: Path
    layout: Log
    counts: Mapping[str, int]

    def __init__(self, path: Path, layout: Log, counts: Mapping[str, int], limits: Limits = STANDARD) -> None:
        self.path, self.layout, self.counts, self._limits = path, layout, counts, limits
        self._times: dict[str, Array] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}: {len(self.layout)} signals>"

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals."""
        return self.layout.names

    @property
    def size(self) -> int:
        """Bytes of all samples once they are read."""
        return sum(self.counts[name] * row_bytes(signals) for name, signals in self.layout.groups.items())

    def time(self, group: str = "") -> Array:
        """Time stamps (n,) of a group, seconds."""
        if group not in self.counts:
            raise unknown_name("group", group, self.counts)
        if group not in self._times:
            self._limits.require_memory(self.path, f"the time stamps of {group!r}", 8 * self.counts[group])
            self._times[group] = as_time(group, self._read_time(group))
        return self._times[group]

    def read(self, name: str, start: float | None = None, stop: float | None = None) -> Signal:
        """The samples of one signal with `start <= time < stop`, seconds."""
        item = self.layout[find_name(name, dict.fromkeys(self.names))]
        time = self.time(item.group)
        rows = slice(0, len(time))
        if not (start is None and stop is None):
            rows = between_rows(item.group, time, start, stop)
        count = (rows.stop - rows.start) * row_bytes([item])
        self._limits.require_memory(self.path, f"the samples of {item.name!r}", count)
        return item.with_values(self._read_values(item, rows), time=time[rows])

    def signals(self, *patterns: str, start: float | None = None, stop: float | None = None) -> Iterator[Signal]:
        """Signals one after the other, all or those of some names; only the last one need stay in memory."""
        wanted = matching_names(patterns or ("*",), self.names)
        for name in self.names:
            if name in wanted:
                yield self.read(name, start, stop)

    def load(self, *patterns: str, start: float | None = None, stop: float | None = None) -> Log:
        """A log in memory, of all signals or those of some names, with `start <= time < stop`, seconds."""
        layout = self.layout.select(*patterns) if patterns else self.layout
        rows = {name: slice(0, self.counts[name]) for name in layout.groups}
        if not (start is None and stop is None):
            rows = {name: between_rows(name, self.time(name), start, stop) for name in layout.groups}
        count = sum((rows[name].stop - rows[name].start) * row_bytes(group) for name, group in layout.groups.items())
        self._limits.require_memory(self.path, "the samples", count)
        times = {name: self.time(name)[rows[name]] for name in layout.groups}
        return layout.replacing(
            *(
                item.with_values(self._read_values(item, rows[item.group]), time=times[item.group])
                for item in layout.signals
            )
        )

    @abstractmethod
    def close(self) -> None:
        """Let the file go."""

    @abstractmethod
    def _read_time(self, group: str) -> Array: ...

    @abstractmethod
    def _read_values(self, item: Signal, rows: slice) -> Array: ...


def empty_values(item: Signal, count: int) -> Array:
    """Room for samples; columns lie one after the other, since most work goes along columns."""
    shape = (count, len(item.columns)) if item.columns else (count,)
    return np.empty(shape, item.values.dtype, order="F")
