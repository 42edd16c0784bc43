"""What `floatbase log` does: tell what a file holds, convert it, plot it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from floatbase.errors import ArgumentError
from floatbase.logs.atomic import as_path, require_free
from floatbase.logs.check import Finding, check_clock
from floatbase.logs.journal import JournalLog
from floatbase.logs.limits import STANDARD, Limits, bytes_text
from floatbase.logs.loading import kind_of, load, open_log
from floatbase.logs.log import Log
from floatbase.logs.parquet import Compression, save
from floatbase.logs.plots import Drawing, drawing
from floatbase.logs.resampling import align
from floatbase.logs.signals import Array
from floatbase.logs.source import LogFile
from floatbase.logs.tables import write_csv


def info(console: Console, path: object, *, check: bool = True, limits: Limits = STANDARD) -> tuple[Finding, ...]:
    """Print what a file of any known kind holds; its signals, clocks, metadata, and what is doubtful about it.

    check: look for doubtful things; without it only the clocks of our own files are read.
    """
    path = as_path(path)
    if kind_of(path) not in ("log", "journal"):
        log = load(path, limits=limits)
        found = log.check() if check else ()
        _print(console, path, log, {name: log.time(name) for name in log.groups}, log.size, "")
    else:
        with open_log(path, limits=limits) as file:
            times = {name: file.time(name) for name in file.counts}
            found = _findings(file) if check else ()
            note = ""
            if isinstance(file, JournalLog):
                note = "not finished: the journal of a recording"
                note += f", {file.ignored} bytes at its end left out" if file.ignored else ""
            _print(console, file.path, file.layout, times, file.size, note)
    for finding in found:
        console.print(Text(f"! {finding}", style="yellow"))
    if check and not found:
        console.print("nothing doubtful")
    return found


def convert(
    source: object,
    target: object,
    *,
    names: Sequence[str] = (),
    start: float | None = None,
    stop: float | None = None,
    rate: float | None = None,
    group: str | None = None,
    compression: Compression = "lz4",
    overwrite: bool = False,
    limits: Limits = STANDARD,
) -> Log:
    """Read a file of any known kind and write it as `.parquet` or `.csv`; gives what was written.

    names: of signals, or patterns. start, stop: seconds. rate: put all signals on one clock, Hz. group: for CSV.
    """
    target = as_path(target)
    ending = target.suffix.lower()
    if ending not in (".parquet", ".csv"):
        raise ArgumentError(f"{target}: a log is written as .parquet or .csv")
    if group is not None and ending != ".csv":
        raise ArgumentError("group is for CSV files; choose signals by names")
    require_free(target, overwrite)
    log = load(source, *names, start=start, stop=stop, limits=limits)
    if rate is not None:
        log = align(log, rate=rate)
    if ending == ".csv":
        write_csv(log, target, group=group, overwrite=overwrite)
    else:
        save(log, target, compression=compression, overwrite=overwrite)
    return log


def plot(
    path: object,
    *,
    names: Sequence[str] = (),
    start: float | None = None,
    stop: float | None = None,
    limits: Limits = STANDARD,
) -> Drawing:
    """A drawing of signals of a file; of our own files one signal after the other is read.

    `report.draw_png(drawing.draw, drawing.size)` makes a picture for light pages and one for dark pages of it.
    """
    path = as_path(path)
    if kind_of(path) in ("log", "journal"):
        with open_log(path, limits=limits) as file:
            return drawing(file.signals(*names, start=start, stop=stop))
    return drawing(load(path, *names, start=start, stop=stop, limits=limits).signals)


def _findings(file: LogFile) -> tuple[Finding, ...]:
    found = [
        finding for name in file.counts for finding in check_clock(name, file.time(name), file.layout.rates.get(name))
    ]
    for signal in file.signals() if len(file.layout) else ():
        found += [item for item in Log((signal,)).check() if item.where == signal.name]
    return tuple(found)


def _print(console: Console, path: Path, layout: Log, times: dict[str, Array], size: int, note: str) -> None:
    console.print(Text(f"{path}: {len(layout)} signals, {bytes_text(size)} of samples", style="bold"))
    if note:
        console.print(Text(note, style="yellow"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("signal", "samples", "columns", "type", "unit", "frame"):
        table.add_column(title, justify="right" if title in ("samples", "columns") else "left", overflow="fold")
    for signal in layout.signals:
        count = len(times[signal.group])
        units = ", ".join(unit or "?" for unit in dict.fromkeys(signal.units))
        cells = (signal.name, str(count), str(max(len(signal.columns), 1)), signal.values.dtype.name, units)
        table.add_row(*(Text(cell) for cell in (*cells, signal.frame)))
    console.print(table)
    for name in layout.groups:
        console.print(Text(_clock_text(name, times[name], layout.rates.get(name))))
    for key, value in layout.metadata.items():
        console.print(Text(f"{key}: {str(value)[:200]}"))


def _clock_text(name: str, stamps: Array, rate: float | None) -> str:
    text = f"clock {name or '(no group)'}: "
    if not len(stamps):
        return text + "no samples"
    text += f"{stamps[0]:.6g} s to {stamps[-1]:.6g} s"
    if len(stamps) > 1 and np.median(np.diff(stamps)) > 0:
        text += f", {1.0 / np.median(np.diff(stamps)):.6g} Hz by the median step"
    return text + (f" ({rate:g} Hz stated)" if rate else "")
