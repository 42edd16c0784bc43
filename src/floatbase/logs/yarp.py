"""Logs from text files of YARP's data dumper: a line per message, `counter stamp value value ...`.

With two stamps per line (of sending and of receiving) the first is the clock. Brackets around lists are passed over.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from floatbase.errors import ArgumentError, LogError, ShapeError
from floatbase.logs.atomic import as_path
from floatbase.logs.columns import TimeOrder, ordered
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.signals import signal
from floatbase.logs.tables import numbers_of, text_file, text_lines

_LINES = 8192
_PORT = re.compile(r"\[[\d.]+\]\s+(\S+)\s+\[connected\]")


def read_yarp(
    path: object,
    name: str = "",
    *,
    unit: str = "",
    columns: tuple[str, ...] = (),
    stamps: int = 1,
    time_order: TimeOrder = "raise",
    limits: Limits = STANDARD,
) -> Log:
    """A log of one signal from a `data.log`, or from the folder that holds it.

    name: of the signal; by default that of the port, told by the `info.log` beside it, else `data`.
    stamps: how many each line has, 1 or 2.

    Time begins with the first stamp, which the metadata hold as "start", in seconds. The counter is kept as a signal
    `.../counter`: steps other than 1 are messages that were lost.
    """
    path = as_path(path)
    if stamps not in (1, 2):
        raise ArgumentError(f"stamps is {stamps!r}; it must be 1 or 2")
    path = path / "data.log" if path.is_dir() else path
    blocks, width = [], 0
    with text_file(path) as file:
        waiting: list[tuple[int, str]] = []
        for number, line in text_lines(path, file, limits):
            plain = line.replace("(", " ").replace(")", " ").strip()
            if not width:
                width = len(plain.split())
                limits.require_columns(path, width)
                if width < 2 + stamps:
                    raise LogError(f"{path}: line {number} is no counter, {stamps} stamps and values: {line[:60]!r}")
            waiting.append((number, plain))
            if len(waiting) == _LINES:
                blocks.append(numbers_of(path, waiting, width, " ", "."))
                waiting = []
                limits.require_memory(path, "its numbers", 16 * len(blocks) * _LINES * width)
        if waiting:
            blocks.append(numbers_of(path, waiting, width, " ", "."))
    if not blocks:
        raise LogError(f"{path}: it has no lines with anything in them")
    table = np.concatenate(blocks)
    counter, time, values = table[:, 0], table[:, 1], table[:, 1 + stamps :]
    if not (np.isfinite(time).all() and np.isfinite(counter).all() and (np.abs(counter) < 2.0**62).all()):
        raise LogError(f"{path}: a counter or stamp is no finite number")
    group = name or _port(path.with_name("info.log"), limits)
    relative = time - time[0]
    if columns and len(columns) != values.shape[1]:
        raise ShapeError(f"{path}: it has {values.shape[1]} columns of values, but {len(columns)} names are given")
    signals = (
        signal(f"{group}/counter", relative, counter.astype(np.int64)),
        signal(f"{group}/values", relative, values, unit, columns=columns),
    )
    return ordered(path, Log(signals, metadata={"start": float(time[0])}), time_order)


def _port(path: Path, limits: Limits) -> str:
    """The name of the port that was recorded, without the slash before it."""
    if path.is_file():
        with text_file(path) as file:
            for _, line in text_lines(path, file, limits):
                found = _PORT.search(line)
                if found:
                    return found[1].strip("/")[:150] or "data"
    return "data"
