"""Recording: samples are added row by row, and are safe from a killed process at the latest half a second later."""

from __future__ import annotations

import fcntl
import os
import time as clock
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, LogError, ShapeError, name_hint, unknown_name
from floatbase.logs.atomic import as_path, require_free, written
from floatbase.logs.journal import JournalLog, chunk, header
from floatbase.logs.layout import layout_of, require_same_layout, row_bytes
from floatbase.logs.log import Log
from floatbase.logs.parquet import Compression, write_blocks
from floatbase.logs.signals import Array, Signal

SUFFIX = ".journal"
_BUFFER_ROWS, LARGEST_BLOCK = 1024, 1 << 23


def journal_of(path: Path) -> Path:
    """The journal beside the file of a log."""
    return path.with_name(path.name + SUFFIX)


class LogWriter:
    """A log in the making: `NAME.journal` while it is written, the Parquet file `NAME` once it is finished.

    Samples are kept back until the oldest of them is `hold` seconds old, by the log's time or by the machine's, then
    handed to the operating system. A process that is killed loses these at most; `load` reads its journal. (When the
    machine itself fails, what is lost is what the operating system had not put on the disk.)

    Used in a `with` statement, it is finished at the end, or left as a journal if there is an exception.
    """

    def __init__(
        self,
        path: object,
        layout: Log | list[Signal],
        *,
        overwrite: bool = False,
        resume: bool = False,
        until: float | None = None,
        hold: float = 0.5,
        compression: Compression = "lz4",
    ) -> None:
        """Begin a log, or go on with one.

        layout: the signals, see `channel`; samples in them are not written.
        resume: go on with the journal of a process that ended, if there is one. Its layout has to be the same.
        until: with `resume`, leave out what was written with later stamps, seconds.
        hold: in seconds, at most 1.
        """
        if not 0.0 <= hold <= 1.0:
            raise ArgumentError(f"hold is {hold!r}; it must be from 0 to 1 s")
        if until is not None and not resume:
            raise ArgumentError("until is for resume=True")
        self.path = as_path(path)
        self.layout = layout_of(layout if isinstance(layout, Log) else Log(tuple(layout)))
        if not self.layout.signals:
            raise ArgumentError("a log needs at least one signal")
        self._hold, self._compression, self._overwrite = hold, compression, overwrite
        self._journal = journal_of(self.path)
        require_free(self.path, overwrite)
        self._groups = {name: _Buffer(k, signals) for k, (name, signals) in enumerate(self.layout.groups.items())}
        try:
            self._descriptor = self._open(overwrite, resume, until)
        except OSError as error:
            raise LogError(f"{self._journal}: cannot be written: {error.strerror or error}") from None
        self._oldest, self._since = np.inf, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None and self._descriptor >= 0:
            self.finish()
        else:
            self.close()

    def last(self, group: str = "") -> float:
        """The latest stamp of a group, seconds; minus infinity before the first."""
        return self._buffer(group).last

    def append(self, group: str, time: npt.ArrayLike, values: Mapping[str, npt.ArrayLike]) -> None:
        """Add a sample of every signal of a group, or several.

        time: a stamp, later than all before, or (n,) of them; seconds.
        values: by the part of the names after the last slash: (), or (k,) for signals with columns; (n,), (n, k) for
            several stamps.
        """
        if self._descriptor < 0:
            raise ArgumentError(f"{self.path}: the log is closed; nothing can be added")
        buffer = self._buffer(group)
        if isinstance(time, float | int | np.number):
            latest = buffer.add(float(time), values)
            now = clock.monotonic()
            if self._oldest == np.inf:
                self._oldest, self._since = latest, now
            late = abs(latest - self._oldest) >= self._hold or now - self._since >= self._hold
            if late or buffer.count == buffer.rows:
                self.flush()
        else:
            block = buffer.block(np.asarray(time), values)
            self.flush()
            if block:
                self._write(block)

    def flush(self) -> None:
        """Hand what was kept back to the operating system."""
        self._write(b"".join(buffer.taken() for buffer in self._groups.values() if buffer.count))
        self._oldest = np.inf

    def finish(self) -> None:
        """Write the Parquet file and remove the journal."""
        if self._descriptor < 0:
            raise ArgumentError(f"{self.path}: the log is closed")
        self.flush()
        try:
            part = self.path.with_name(f".{self.path.name}.part")
            with JournalLog(self._journal) as journal, written(self.path, self._overwrite, part) as place:
                write_blocks(place, journal.layout, journal.counts, journal.rows, self._compression)
            os.unlink(self._journal)
        finally:
            self.close()

    def close(self) -> None:
        """Leave the log as a journal, which `load` reads and `resume=True` goes on with."""
        if self._descriptor < 0:
            return
        try:
            self.flush()
        finally:
            os.close(self._descriptor)
            self._descriptor = -1

    def _buffer(self, group: str) -> _Buffer:
        if group not in self._groups:
            raise unknown_name("group", group, self._groups)
        return self._groups[group]

    def _write(self, data: bytes) -> None:
        view, size = memoryview(data), os.fstat(self._descriptor).st_size
        while view:
            try:
                view = view[os.write(self._descriptor, view) :]
            except OSError as error:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, size)  # no half of a chunk stays before the next one
                raise LogError(f"{self._journal}: cannot be written: {error.strerror or error}") from None

    def _open(self, overwrite: bool, resume: bool, until: float | None) -> int:
        if resume and self._journal.exists():
            return self._go_on(until)
        if not overwrite and self._journal.exists():
            raise ArgumentError(
                f"{self._journal} exists, as a log leaves it that was not finished: read it with load, go on with "
                "resume=True, or begin anew with overwrite=True"
            )
        if overwrite and self._journal.exists():
            os.close(_locked(self._journal))  # nobody is writing it
        return self._begin(header(self.layout), (), overwrite)

    def _begin(self, start: bytes, rest: Iterable[bytes], overwrite: bool) -> int:
        """Make a journal with its first bytes, whole or not at all."""
        part = self._journal.with_name(f".{self._journal.name}.{os.getpid()}.part")
        descriptor = os.open(part, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._descriptor = descriptor
            self._write(start)
            for data in rest:
                self._write(data)
            if overwrite:
                os.replace(part, self._journal)
            else:
                os.link(part, self._journal)
        except FileExistsError:
            os.close(descriptor)
            raise ArgumentError(f"{self._journal} exists; another process began it") from None
        except BaseException:
            os.close(descriptor)
            raise
        finally:
            with suppress(OSError):
                os.unlink(part)
        return descriptor

    def _go_on(self, until: float | None) -> int:
        descriptor = _locked(self._journal)
        try:
            with JournalLog(self._journal) as journal:
                require_same_layout(self._journal, journal.layout, self.layout)
                limit = np.inf if until is None else until
                times = {name: journal.time(name) for name in journal.counts}
                kept = {name: int(np.searchsorted(time, limit, "right")) for name, time in times.items()}
                for name, count in kept.items():
                    self._groups[name].last = float(times[name][count - 1]) if count else -np.inf
                if kept == dict(journal.counts):
                    size = os.fstat(descriptor).st_size
                    os.ftruncate(descriptor, size - journal.ignored)
                    return descriptor
                rest = (
                    chunk(k, *journal.rows(name, start, min(count, start + self._groups[name].rows)))
                    for k, (name, count) in enumerate(kept.items())
                    for start in range(0, count, self._groups[name].rows)
                )
                new = self._begin(header(self.layout), rest, overwrite=True)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return new


class _Buffer:
    """Samples of a group that are kept back."""

    def __init__(self, number: int, signals: tuple[Signal, ...]) -> None:
        self.number, self.signals = number, signals
        self.names = tuple(item.name.rpartition("/")[2] for item in signals)
        self.shapes = tuple((len(item.columns),) if item.columns else () for item in signals)
        self.width = row_bytes(signals)
        if self.width > LARGEST_BLOCK:
            raise ArgumentError(f"a sample of a group has {self.width} bytes, more than the {LARGEST_BLOCK} allowed")
        self.rows = min(_BUFFER_ROWS, LARGEST_BLOCK // self.width)
        self.time = np.empty(self.rows)
        self.values = [
            np.empty((self.rows, *shape), item.values.dtype) for item, shape in zip(signals, self.shapes, strict=True)
        ]
        self.count, self.last = 0, -np.inf

    def add(self, time: float, values: Mapping[str, npt.ArrayLike]) -> float:
        """Keep one sample of every signal."""
        if not self.last < time < np.inf:
            self._refuse(time)
        if len(values) != len(self.names):
            self._check_names(values)
        k = self.count
        for name, shape, room in zip(self.names, self.shapes, self.values, strict=True):
            try:
                value = values[name]
            except KeyError:
                self._check_names(values)
                raise
            if np.shape(value) != shape:
                raise ShapeError(f"{name!r} has shape {np.shape(value)}; it must be {shape}")
            if room.dtype.kind != "f" and not np.can_cast(np.asarray(value).dtype, room.dtype, "same_kind"):
                raise ArgumentError(f"{name!r} is {np.asarray(value).dtype}; it must be {room.dtype}")
            room[k] = value
        self.time[k] = time
        self.count, self.last = k + 1, time
        return time

    def block(self, time: Array, values: Mapping[str, npt.ArrayLike]) -> bytes:
        """Several samples of every signal, as bytes."""
        if time.ndim != 1 or time.dtype.kind not in "fiu":
            raise ShapeError(f"time is {time.dtype} of shape {time.shape}; it must be numbers (n,), seconds")
        time = time.astype(np.float64)
        if not len(time):
            return b""
        self._check_names(values)
        before = np.concatenate(([self.last], time[:-1]))
        wrong = ~((time > before) & (time < np.inf))
        if wrong.any():
            k = int(np.argmax(wrong))
            self._refuse(float(time[k]), float(before[k]))
        arrays = []
        for name, shape, room in zip(self.names, self.shapes, self.values, strict=True):
            array = np.asarray(values[name])
            if array.shape != (len(time), *shape) or not np.can_cast(array.dtype, room.dtype, "same_kind"):
                raise ShapeError(
                    f"{name!r} is {array.dtype} of shape {array.shape}; it must be {room.dtype} {(len(time), *shape)}"
                )
            arrays.append(array.astype(room.dtype, copy=False))
        self.last = float(time[-1])
        rows = LARGEST_BLOCK // self.width
        parts = [
            chunk(self.number, time[k : k + rows], [array[k : k + rows] for array in arrays])
            for k in range(0, len(time), rows)
        ]
        return b"".join([self.taken(), *parts])

    def taken(self) -> bytes:
        """What was kept, which is kept no longer."""
        count, self.count = self.count, 0
        return chunk(self.number, self.time[:count], [room[:count] for room in self.values]) if count else b""

    def _refuse(self, time: float, before: float | None = None) -> None:
        before = self.last if before is None else before
        raise ArgumentError(f"the stamp {time!r} s is not later than the one before, {before!r} s")

    def _check_names(self, values: Mapping[str, Any]) -> None:
        for name in values:
            if name not in self.names:
                raise ArgumentError(f"unknown signal {name!r}; {name_hint(name, self.names)}")
        missing = [name for name in self.names if name not in values]
        if missing:
            raise ArgumentError(f"a sample needs every signal of its group; missing: {', '.join(missing)}")


def _locked(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise ArgumentError(f"{path}: another process is writing it") from None
    return descriptor
