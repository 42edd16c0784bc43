"""From a table of columns to a log: which columns make which signal, and which is the clock."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from floatbase.errors import ArgumentError, LogError, name_hint
from floatbase.logs.log import Log
from floatbase.logs.signals import Array, signal
from floatbase.logs.units import conversion, unit

TimeOrder = Literal["raise", "keep", "drop"]
_CLOCKS = ("time", "t", "timestamp", "stamp", "times", "time_s", "seconds")
_WITH_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\[\]()]*)[\])]$")


@dataclass(frozen=True)
class Columns:
    """Which columns of a file make a signal.

    names: of the columns, one or several.
    unit: of the values in the file; empty if the file tells or nobody knows.
    into: the unit the signal shall have, if another.
    frame, orientation: see `Signal`. Quaternions in the order x y z w have `scalar_last`.
    """

    names: str | Sequence[str]
    unit: str = ""
    into: str = ""
    frame: str = ""
    orientation: bool = False
    scalar_last: bool = False


ColumnMap = Mapping[str, "Columns | str | Sequence[str]"]
_Get = Callable[[str], Array]


def build(
    path: object,
    known: Sequence[str],
    get: _Get,
    columns: ColumnMap | None = None,
    *,
    time: str | None = None,
    time_unit: str = "",
    rate: float | None = None,
    time_order: TimeOrder = "raise",
    metadata: Mapping[str, Any] | None = None,
) -> Log:
    """A log from columns that are asked for by name.

    columns: signals by name; without it every column but the clock is a signal of its own. A unit in brackets at the
        end of a column's name, `position [deg]`, is its unit.
    time: the column that is the clock; without it, one that is called so. With `rate` and no such column, samples are
        counted from 0 s.
    time_unit: of the clock; seconds if neither this nor the column's name tells.
    """
    units = {name: _split(name) for name in known}
    clock = clock_of(path, known, time, rate)
    if clock is None:
        first = next(iter(columns.values())) if columns else known[0]
        length = len(get(_find(path, source_names(first)[0], known, units)))
        assert rate is not None
        stamps = np.arange(length) / rate
    else:
        stamps = _stamps(path, clock, get(clock), time_unit or units[clock][1])
    if columns is None:
        columns = {units[name][0]: Columns(name) for name in known if name != clock}
        if len(columns) < len(known) - (clock is not None):
            raise LogError(f"{path}: several columns have one name; say which is which with columns=")
    signals = []
    for name, chosen in columns.items():
        item = chosen if isinstance(chosen, Columns) else Columns(chosen)
        sources = [_find(path, source, known, units) for source in source_names(item)]
        if not sources:
            raise ArgumentError(f"signal {name!r} is made of no column")
        arrays = [get(source) for source in sources]
        for source, array in zip(sources, arrays, strict=True):
            if len(array) != len(stamps):
                raise LogError(f"{path}: {source!r} has {len(array)} samples, but there are {len(stamps)} stamps")
        values = arrays[0] if isinstance(item.names, str) or arrays[0].ndim == 2 else np.stack(arrays, axis=1)
        if values.ndim == 2 and len(sources) > 1 and arrays[0].ndim == 2:
            raise ArgumentError(f"signal {name!r}: {sources[0]!r} has columns of its own; name it alone")
        if item.scalar_last and item.orientation and values.ndim == 2:
            values = values[:, [3, 0, 1, 2]]
        declared: str | list[str] = item.unit or [units[source][1] for source in sources]
        labels = () if values.ndim == 1 or item.orientation else [units[source][0] for source in sources]
        if arrays[0].ndim == 2:
            labels, declared = (), item.unit or units[sources[0]][1]
        made = signal(name, stamps, values, declared, columns=labels, frame=item.frame, orientation=item.orientation)
        signals.append(made.in_unit(item.into) if item.into else made)
    groups = {item.group for item in signals}
    log = Log(tuple(signals), dict.fromkeys(groups, rate) if rate else {}, metadata or {})
    return ordered(path, log, time_order)


def ordered(path: object, log: Log, time_order: TimeOrder) -> Log:
    """What to do about stamps that go back: refuse, keep, or drop such samples. Equal stamps are kept."""
    if time_order not in ("raise", "keep", "drop"):
        raise ArgumentError(f"time_order is {time_order!r}; it must be 'raise', 'keep' or 'drop'")
    if time_order == "keep":
        return log
    for name in log.groups:
        time = log.time(name)
        back = np.flatnonzero(np.diff(time) < 0.0)
        if back.size and time_order == "raise":
            k = int(back[0])
            raise LogError(
                f"{path}: time{f' of {name!r}' if name else ''} goes back {back.size} times, first from "
                f"{time[k]:.9g} s to {time[k + 1]:.9g} s at sample {k + 1}; time_order='drop' leaves such samples out, "
                "'keep' keeps them"
            )
        if back.size:
            return log.in_order()
    return log


def clock_of(path: object, known: Sequence[str], time: str | None, rate: float | None) -> str | None:
    """The column that is the clock, by its name or by a usual one; None if samples are counted."""
    units = {name: _split(name) for name in known}
    if rate is not None and not (np.isfinite(rate) and rate > 0):
        raise ArgumentError(f"the rate is {rate!r}; it must be a positive number, in Hz")
    if time is not None:
        return _find(path, time, known, units)
    for name in known:
        if units[name][0].lower().rpartition("/")[2].rpartition(".")[2] in _CLOCKS:
            return name
    if rate is None:
        raise LogError(
            f"{path}: none of its columns is called {', '.join(_CLOCKS[:3])} or the like; say which is the clock with "
            f"time=, or give the rate. Its columns: {', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"
        )
    return None


def _stamps(path: object, name: str, values: Array, time_unit: str) -> Array:
    factor, offset = conversion(time_unit or "s", "s")
    if values.ndim != 1 or values.dtype.kind not in "fiu":
        raise LogError(f"{path}: {name!r} cannot be the clock: it is {values.dtype} of shape {values.shape}")
    wrong = ~np.isfinite(values)
    if wrong.any():
        raise LogError(f"{path}: the clock {name!r} has no number at sample {int(np.argmax(wrong))}")
    return values.astype(np.float64) * factor + offset


def source_names(item: Columns | str | Sequence[str]) -> list[str]:
    """The columns of a file that a signal is made of."""
    names = item.names if isinstance(item, Columns) else item
    return [names] if isinstance(names, str) else list(names)


def _find(path: object, name: str, known: Sequence[str], units: Mapping[str, tuple[str, str]]) -> str:
    if name in known:
        return name
    plain = [full for full in known if units[full][0] == name]
    if len(plain) == 1:
        return plain[0]
    raise LogError(f"{path}: it has no column {name!r}; {name_hint(name, known)}")


def _split(name: str) -> tuple[str, str]:
    """A column's name without the unit in brackets, and the unit; all of it where the brackets hold none."""
    found = _WITH_UNIT.match(name)
    if found and found[1]:
        try:
            return found[1], unit(found[2]).name
        except ArgumentError:
            pass
    return name, ""
