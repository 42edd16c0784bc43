"""A log: signals by name, in groups that each have a clock of their own."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, unknown_name
from floatbase.logs.check import Finding, check_clock
from floatbase.logs.signals import Array, Signal, metadata_copy
from floatbase.logs.units import coherent


@dataclass(frozen=True, eq=False)
class Log:
    """Signals by name, `group/signal`. What changes one gives a new log, which shares the samples.

    signals: those of a group have the same time stamps.
    rates: samples per second that the clocks of groups were meant to have; a group may lack one.
    metadata: what JSON can hold.
    """

    signals: tuple[Signal, ...]
    rates: Mapping[str, float] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signals", tuple(self.signals))
        object.__setattr__(self, "metadata", metadata_copy(self.metadata))
        if len(self._by_name) != len(self.signals):
            names = list(self.names)
            twice = next(name for name in names if names.count(name) > 1)
            raise ArgumentError(f"two signals are called {twice!r}; rename one")
        for name, signals in self.groups.items():
            time = signals[0].time
            for signal in signals[1:]:
                if signal.time is not time and not np.array_equal(signal.time, time):
                    raise ArgumentError(
                        f"signals {signals[0].name!r} and {signal.name!r} are in one group, but have other time "
                        "stamps; give them groups of their own, or resample them"
                    )
            if name and name in self._by_name:
                raise ArgumentError(f"{name!r} is the name of a signal and of a group; rename one")
        for name, rate in self.rates.items():
            if name not in self.groups:
                raise unknown_name("group", name, self.groups)
            if not (np.isfinite(rate) and rate > 0):
                raise ArgumentError(f"the rate of group {name!r} is {rate!r}; it must be a positive number, in Hz")
        object.__setattr__(self, "rates", {name: float(rate) for name, rate in self.rates.items()})

    def __repr__(self) -> str:
        return f"<Log: {', '.join(map(repr, self.signals[:8]))}{', ...' if len(self.signals) > 8 else ''}>"

    def __iter__(self) -> Iterator[Signal]:
        return iter(self.signals)

    def __len__(self) -> int:
        return len(self.signals)

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> Signal:
        """A signal by its name, or by the part after the last slash where only one has it."""
        return self._by_name[find_name(name, self._by_name)]

    @cached_property
    def _by_name(self) -> dict[str, Signal]:
        return {signal.name: signal for signal in self.signals}

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the signals."""
        return tuple(signal.name for signal in self.signals)

    @cached_property
    def groups(self) -> Mapping[str, tuple[Signal, ...]]:
        """Signals by their groups; the name of those without one is empty."""
        found: dict[str, list[Signal]] = {}
        for signal in self.signals:
            found.setdefault(signal.group, []).append(signal)
        return {name: tuple(signals) for name, signals in found.items()}

    def time(self, group: str = "") -> Array:
        """Time stamps (n,) of a group, seconds."""
        if group not in self.groups:
            raise unknown_name("group", group, self.groups)
        return self.groups[group][0].time

    @property
    def span(self) -> tuple[float, float]:
        """The earliest and the latest stamp, seconds; NaN without samples."""
        times = [signals[0].time for signals in self.groups.values() if signals[0].time.size]
        if not times:
            return float("nan"), float("nan")
        return min(float(time.min()) for time in times), max(float(time.max()) for time in times)

    @property
    def size(self) -> int:
        """Bytes of all samples."""
        clocks = sum(signals[0].time.nbytes for signals in self.groups.values())
        return clocks + sum(signal.values.nbytes for signal in self.signals)

    def select(self, *patterns: str) -> Log:
        """The signals of some names, in the order of the log; `imu/*` stands for all of a group."""
        wanted = matching_names(patterns, self.names)
        return self._with([signal for signal in self.signals if signal.name in wanted])

    def without(self, *patterns: str) -> Log:
        """All signals but those of some names."""
        unwanted = matching_names(patterns, self.names)
        return self._with([signal for signal in self.signals if signal.name not in unwanted])

    def between(self, start: float | None = None, stop: float | None = None) -> Log:
        """The samples with `start <= time < stop`, seconds; needs stamps that do not go back."""
        return self._by_group(lambda name, time: between_rows(name, time, start, stop))

    def in_order(self) -> Log:
        """Without the samples whose stamp is not later than all before."""

        def later(name: str, time: Array) -> Array:
            before = np.maximum.accumulate(np.concatenate(([-np.inf], time[:-1]))) if time.size else time
            return time > before

        return self._by_group(later)

    def shifted(self, seconds: float) -> Log:
        """All stamps later by a number of seconds."""
        times = {name: signals[0].time + seconds for name, signals in self.groups.items()}
        return self._with([replace(signal, time=times[signal.group]) for signal in self.signals])

    def rename(self, names: Mapping[str, str]) -> Log:
        """Other names for signals, or for groups."""
        chosen: dict[str, str] = {}
        for old, new in names.items():
            if old in self.groups and old not in self._by_name:
                chosen |= {signal.name: f"{new}/{signal.name.rpartition('/')[2]}" for signal in self.groups[old]}
            else:
                chosen[find_name(old, self._by_name)] = new
        signals = [signal.renamed(chosen.get(signal.name, signal.name)) for signal in self.signals]
        rates = {
            new.group: self.rates[old.group]
            for old, new in zip(self.signals, signals, strict=True)
            if old.group in self.rates
        }
        return Log(tuple(signals), rates, self.metadata)

    def in_units(self, units: Mapping[str, str] | None = None) -> Log:
        """Signals in other units, by name; without names all in those of the international system."""
        if units is not None:
            wanted = {find_name(name, self._by_name): unit for name, unit in units.items()}
            return self.replacing(*(self._by_name[name].in_unit(unit) for name, unit in wanted.items()))
        changed = []
        for signal in self.signals:
            names = [coherent(name) for name in signal.units]
            if tuple(names) == signal.units:
                continue
            if len(set(names)) == 1:
                changed.append(signal.in_unit(names[0]))
                continue
            columns = [
                replace(signal, values=signal.values[:, [k]], columns=(signal.columns[k],), units=(old,))
                for k, old in enumerate(signal.units)
            ]
            values = [
                column.in_unit(name).values if name else column.values
                for column, name in zip(columns, names, strict=True)
            ]
            changed.append(signal.with_values(np.concatenate(values, axis=1), units=names))
        return self.replacing(*changed)

    def replacing(self, *signals: Signal) -> Log:
        """With some signals in the place of those of the same names, and new ones at the end."""
        new = {signal.name: signal for signal in signals}
        kept = [new.pop(signal.name, signal) for signal in self.signals]
        return self._with([*kept, *new.values()])

    def with_metadata(self, **metadata: Any) -> Log:
        """With further metadata, or others by the same names."""
        return replace(self, metadata={**self.metadata, **metadata})

    def check(self) -> tuple[Finding, ...]:
        """What is doubtful: stamps that repeat or go back, gaps, another rate than meant, NaN, wrong quaternions."""
        found: list[Finding] = []
        for name, signals in self.groups.items():
            found += check_clock(name, signals[0].time, self.rates.get(name))
            found += [finding for signal in signals for finding in _check_values(signal)]
        return tuple(found)

    def _with(self, signals: list[Signal]) -> Log:
        groups = {signal.group for signal in signals}
        return Log(tuple(signals), {key: rate for key, rate in self.rates.items() if key in groups}, self.metadata)

    def _by_group(self, choose: Any) -> Log:
        rows = {name: choose(name, signals[0].time) for name, signals in self.groups.items()}
        times = {name: signals[0].time[rows[name]] for name, signals in self.groups.items()}
        return self._with(
            [replace(item, time=times[item.group], values=item.values[rows[item.group]]) for item in self.signals]
        )


def between_rows(name: str, time: Array, start: float | None, stop: float | None) -> slice:
    """The rows with `start <= time < stop`."""
    back = np.flatnonzero(np.diff(time) < 0.0)
    if back.size:
        k = int(back[0])
        raise ArgumentError(
            f"samples of {name!r} cannot be chosen by time, which goes back from {float(time[k])!r} s to "
            f"{float(time[k + 1])!r} s at sample {k + 1}; log.in_order() leaves such samples out"
        )
    first = 0 if start is None else int(np.searchsorted(time, start, "left"))
    last = len(time) if stop is None else int(np.searchsorted(time, stop, "left"))
    return slice(first, max(first, last))


def find_name(name: str, known: Mapping[str, Any]) -> str:
    """The full name of a signal, from it or from the part after the last slash."""
    if name in known:
        return name
    short = [full for full in known if full.rpartition("/")[2] == name]
    if len(short) > 1:
        raise ArgumentError(f"several signals are called {name!r}: {', '.join(short[:12])}; give the full name")
    if not short:
        raise unknown_name("signal", name, known)
    return short[0]


def matching_names(patterns: tuple[str, ...], names: tuple[str, ...]) -> set[str]:
    """Names that fit; every pattern has to fit one at the least."""
    known = dict.fromkeys(names)
    found: set[str] = set()
    for pattern in patterns:
        if set(pattern) & set("*?["):
            fitting = {name for name in names if fnmatch.fnmatchcase(name, pattern)}
            if not fitting:
                raise unknown_name("signals", pattern, names)
            found |= fitting
        else:
            found.add(find_name(pattern, known))
    return found


def merge(*logs: Log) -> Log:
    """One log of the signals of several, whose names differ; a group in two of them needs the same time stamps.

    Of metadata and rates by the same name the first is kept.
    """
    rates: dict[str, float] = {}
    metadata: dict[str, Any] = {}
    for log in logs:
        rates = {**log.rates, **rates}
        metadata = {**log.metadata, **metadata}
    return Log(tuple(signal for log in logs for signal in log.signals), rates, metadata)


def join(*logs: Log) -> Log:
    """One log of several that follow one another in time, of the same signals with the same columns and units."""
    if not logs:
        raise ArgumentError("there is no log to join")
    first = logs[0]
    for log in logs[1:]:
        if set(log.names) != set(first.names):
            different = sorted(set(log.names) ^ set(first.names))
            raise ArgumentError(f"the logs have other signals: {', '.join(different[:12])} are not in all of them")
        for signal in log.signals:
            other = first[signal.name]
            if (signal.columns, signal.units, signal.frame) != (other.columns, other.units, other.frame):
                raise ArgumentError(f"{signal.name!r} has other columns, units or another frame in one of the logs")
    times = {name: np.concatenate([log.time(name) for log in logs]) for name in first.groups}
    return first._with(
        [
            replace(
                item, time=times[item.group], values=np.concatenate([log._by_name[item.name].values for log in logs])
            )
            for item in first.signals
        ]
    )


def _check_values(signal: Signal) -> Iterator[Finding]:
    if signal.values.dtype.kind != "f":
        return
    missing = np.isnan(signal.values)
    infinite = np.isinf(signal.values)
    for word, wrong in (("NaN", missing), ("infinity", infinite)):
        count = int(wrong.sum())
        if count:
            row = int(np.argmax(wrong.any(axis=1) if wrong.ndim == 2 else wrong))
            time = float(signal.time[row])
            yield Finding(signal.name, word, count, time, f"{count} values are {word}, the first at {time:.6g} s")
    if signal.orientation:
        off = np.abs(np.linalg.norm(signal.values.astype(np.float64), axis=1) - 1.0) > 1e-3
        count = int(off.sum())
        if count:
            time = float(signal.time[int(np.argmax(off))])
            text = f"{count} quaternions are not of unit length, the first at {time:.6g} s"
            yield Finding(signal.name, "length", count, time, text)
