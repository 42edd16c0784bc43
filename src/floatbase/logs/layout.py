"""The layout of a log: its signals without samples, as a `Log`, and as the JSON text that files hold."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, FloatbaseError, LogError
from floatbase.logs.log import Log
from floatbase.logs.signals import Array, Signal, signal

_WHOLE = (f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
DTYPES = ("bool", "float32", "float64", *_WHOLE)
_KEYS = {"name", "dtype", "columns", "units", "frame", "orientation"}


def channel(
    name: str,
    unit: str | Sequence[str] = "",
    *,
    columns: Sequence[str] | int = 0,
    frame: str = "",
    orientation: bool = False,
    dtype: npt.DTypeLike = np.float64,
) -> Signal:
    """A signal without samples: what `LogWriter` is told of each.

    columns: names of the columns or their number; 0 for values without columns.
    """
    width = columns if isinstance(columns, int) else len(columns)
    names: Sequence[str] = () if isinstance(columns, int) else columns
    if orientation and width == 0:
        width = 4
    empty = np.empty((0, width) if width else 0, dtype)
    return signal(name, np.empty(0), empty, unit, columns=names, frame=frame, orientation=orientation)


def layout_of(log: Log) -> Log:
    """A log without its samples."""
    times = {name: signals[0].time[:0] for name, signals in log.groups.items()}
    return log.replacing(*(item.with_values(item.values[:0], time=times[item.group]) for item in log.signals))


def row_bytes(signals: Sequence[Signal]) -> int:
    """Bytes of one sample of a group, with its stamp."""
    return 8 + sum(item.values.dtype.itemsize * max(len(item.columns), 1) for item in signals)


def to_text(log: Log, **more: Any) -> str:
    """The layout of a log as JSON."""
    signals = [
        {
            "name": item.name,
            "dtype": item.values.dtype.name,
            "columns": list(item.columns),
            "units": list(item.units),
            "frame": item.frame,
            "orientation": item.orientation,
        }
        for item in log.signals
    ]
    content = {"signals": signals, "rates": dict(log.rates), "metadata": dict(log.metadata), **more}
    return json.dumps(content, ensure_ascii=False)


def from_text(text: str | bytes, path: object) -> tuple[Log, dict[str, Any]]:
    """The layout that JSON tells, and everything JSON tells; whatever is not as written by `to_text` is an error."""
    try:
        content = json.loads(text)
        if not isinstance(content, dict):
            raise ValueError("it is no mapping")
        signals = tuple(_signal(item) for item in content["signals"])
        times: dict[str, Array] = {}
        shared = [item.with_values(item.values, time=times.setdefault(item.group, item.time)) for item in signals]
        log = Log(tuple(shared), content["rates"], content["metadata"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, FloatbaseError) as error:
        raise LogError(f"{path}: the description of its signals is damaged: {str(error)[:300]}") from None
    return log, content


def require_same_layout(path: object, found: Log, asked: Log) -> None:
    """Raise if a log has other signals than asked for."""
    a, b = json.loads(to_text(found)), json.loads(to_text(asked))
    for old, new in zip(a["signals"], b["signals"], strict=False):
        for key in sorted(_KEYS):
            if old[key] != new[key]:
                raise ArgumentError(f"{path}: the {key} of {old['name']!r} is {old[key]!r}, not {new[key]!r}")
    if len(a["signals"]) != len(b["signals"]):
        raise ArgumentError(f"{path}: it has {len(a['signals'])} signals, not {len(b['signals'])}")
    for key in ("rates", "metadata"):
        if a[key] != b[key]:
            raise ArgumentError(f"{path}: its {key} are {a[key]!r}, not {b[key]!r}")


def _signal(item: Any) -> Signal:
    if not isinstance(item, dict) or set(item) != _KEYS:
        raise ValueError(f"a signal is described by {', '.join(sorted(_KEYS))}")
    if item["dtype"] not in DTYPES:
        raise ValueError(f"the type {item['dtype']!r} is none of {', '.join(DTYPES)}")
    for key in ("columns", "units"):
        if not (isinstance(item[key], list) and all(isinstance(name, str) for name in item[key])):
            raise ValueError(f"{key} is no list of names")
    if not (isinstance(item["frame"], str) and isinstance(item["orientation"], bool)):
        raise ValueError("a frame is text, and an orientation true or false")
    empty = np.empty((0, len(item["columns"])) if item["columns"] else 0, item["dtype"])
    return Signal(
        item["name"],
        np.empty(0),
        empty,
        tuple(item["columns"]),
        tuple(item["units"]),
        item["frame"],
        item["orientation"],
    )
