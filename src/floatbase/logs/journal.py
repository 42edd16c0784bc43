"""Journals: logs that are being written, readable whenever their process ends.

A journal begins with a magic number, the length and the checksum (CRC-32) of a layout in JSON, and the layout. Chunks
follow, each of some samples of one group: a magic number, the number of the group, the number of samples, the checksum
of these and of the samples; then the stamps, and the values of one signal after the other, row by row, little-endian.
Chunks are only ever added at the end, so what a process leaves behind is a readable beginning and at most one chunk
that is cut; whatever follows the first chunk that is not whole is left out, and its size is told.
"""

from __future__ import annotations

import bisect
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import LogError
from floatbase.logs.layout import from_text, row_bytes, to_text
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.signals import Array, Signal
from floatbase.logs.source import LogFile, empty_values

MAGIC = b"FBLOG\x00\x01\n"
_START = struct.Struct("<8sII")
_CHUNK = struct.Struct("<4sIII")
_ROWS = b"ROWS"
LARGEST_LAYOUT, LARGEST_CHUNK = 1 << 24, 1 << 26


class Chunk(NamedTuple):
    """Where samples of a group are."""

    first: int  # number of its first sample within the group
    samples: int
    place: int  # of its stamps in the file, bytes


@dataclass(frozen=True)
class Index:
    """What a journal holds.

    end: where the last whole chunk ends, bytes; ignored: how many bytes follow.
    """

    layout: Log
    chunks: Mapping[str, list[Chunk]]
    counts: Mapping[str, int]
    end: int
    ignored: int


def header(layout: Log) -> bytes:
    """The beginning of a journal."""
    text = to_text(layout).encode()
    if len(text) > LARGEST_LAYOUT:
        raise LogError(f"the description of the signals takes {len(text)} bytes, more than {LARGEST_LAYOUT}")
    return _START.pack(MAGIC, len(text), zlib.crc32(text)) + text


def chunk(number: int, time: Array, values: list[Array]) -> bytes:
    """Samples of a group as bytes."""
    parts = [np.ascontiguousarray(part, part.dtype.newbyteorder("<")).tobytes() for part in (time, *values)]
    payload = b"".join(parts)
    return _CHUNK.pack(_ROWS, number, len(time), _checksum(number, len(time), payload)) + payload


def _checksum(number: int, count: int, payload: Any) -> int:
    return zlib.crc32(payload, zlib.crc32(struct.pack("<II", number, count)))


def index(path: Path, descriptor: int) -> Index:
    """Find the chunks of an open journal."""
    size = os.fstat(descriptor).st_size
    if size < _START.size:
        raise LogError(f"{path}: it is no journal of a log: it has {size} bytes")
    magic, length, checksum = _START.unpack(_at(descriptor, 0, _START.size))
    if magic != MAGIC:
        raise LogError(f"{path}: it is no journal of a log of this version")
    place = _START.size + length
    if length > LARGEST_LAYOUT or place > size:
        raise LogError(f"{path}: the description of its signals is cut off")
    text = _at(descriptor, _START.size, length)
    if zlib.crc32(text) != checksum:
        raise LogError(f"{path}: the description of its signals is damaged")
    layout, _ = from_text(text, path)
    names = list(layout.groups)
    widths = [row_bytes(layout.groups[name]) for name in names]
    chunks: list[list[Chunk]] = [[] for _ in names]
    counts = [0] * len(names)
    while place + _CHUNK.size <= size:
        kind, number, count, checksum = _CHUNK.unpack(_at(descriptor, place, _CHUNK.size))
        start = place + _CHUNK.size
        if kind != _ROWS or number >= len(names) or count == 0:
            break
        length = count * widths[number]
        if length > LARGEST_CHUNK or length > size - start:
            break
        if _checksum(number, count, _at(descriptor, start, length)) != checksum:
            break
        chunks[number].append(Chunk(counts[number], count, start))
        counts[number] += count
        place = start + length
    found = dict(zip(names, chunks, strict=True))
    return Index(layout, found, dict(zip(names, counts, strict=True)), place, size - place)


def _at(descriptor: int, place: int, size: int) -> bytes:
    data = os.pread(descriptor, size, place)
    if len(data) != size:
        raise LogError("the journal became shorter while it was read")
    return data


class JournalLog(LogFile):
    """The open journal of a log.

    ignored: bytes at the end that are no whole chunk, as a process leaves them that was killed while writing.
    """

    def __init__(self, path: Path, limits: Limits = STANDARD) -> None:
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError as error:
            raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
        try:
            found = index(path, self._descriptor)
        except BaseException:
            self.close()
            raise
        self._chunks, self.ignored = found.chunks, found.ignored
        self._offsets = {name: _offsets(signals) for name, signals in found.layout.groups.items()}
        super().__init__(path, found.layout, found.counts, limits)

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1

    def rows(self, group: str, start: int, stop: int) -> tuple[Array, list[Array]]:
        """Stamps and values of a group from row to row."""
        signals = self.layout.groups[group]
        time, values = np.empty(stop - start), [empty_values(item, stop - start) for item in signals]
        width = row_bytes(signals)
        for into, first, last, item in self._overlapping(group, start, stop):
            data = _at(self._descriptor, item.place, item.samples * width)
            for out, (offset, columns, dtype, shape) in zip((time, *values), self._offsets[group], strict=True):
                part = np.frombuffer(data, dtype, item.samples * columns, item.samples * offset)
                out[into] = part.reshape(item.samples, *shape)[first:last]
        return time, values

    def _read_time(self, group: str) -> Array:
        time = np.empty(self.counts[group])
        self._fill(time, group, 0, slice(0, len(time)))
        return time

    def _read_values(self, item: Signal, rows: slice) -> Array:
        values = empty_values(item, rows.stop - rows.start)
        names = [other.name for other in self.layout.groups[item.group]]
        self._fill(values, item.group, 1 + names.index(item.name), rows)
        return values

    def _fill(self, out: Array, group: str, k: int, rows: slice) -> None:
        """Samples of the clock for 0, of the group's signals from 1 on."""
        offset, columns, dtype, shape = self._offsets[group][k]
        for into, first, last, item in self._overlapping(group, rows.start, rows.stop):
            size = columns * dtype.itemsize
            data = _at(self._descriptor, item.place + item.samples * offset + first * size, (last - first) * size)
            out[into] = np.frombuffer(data, dtype).reshape(last - first, *shape)

    def _overlapping(self, group: str, start: int, stop: int) -> Iterator[tuple[slice, int, int, Chunk]]:
        """Chunks with rows of a range: where these go, which rows of the chunk they are, and the chunk."""
        chunks = self._chunks[group]
        for item in chunks[max(0, bisect.bisect_right(chunks, start, key=lambda item: item.first) - 1) :]:
            first, last = max(start, item.first), min(stop, item.first + item.samples)
            if item.first >= stop:
                return
            if first < last:
                yield slice(first - start, last - start), first - item.first, last - item.first, item


def _offsets(signals: tuple[Signal, ...]) -> list[tuple[int, int, Any, tuple[int, ...]]]:
    """For the clock and each signal: bytes of a sample before it, number of columns, type, shape of a sample."""
    found: list[tuple[int, int, Any, tuple[int, ...]]] = [(0, 1, np.dtype("<f8"), ())]
    place = 8
    for item in signals:
        width, dtype = max(len(item.columns), 1), item.values.dtype.newbyteorder("<")
        found.append((place, width, dtype, (width,) if item.columns else ()))
        place += width * dtype.itemsize
    return found
