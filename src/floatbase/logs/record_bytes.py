"""Bytes of recordings: fields with lengths, and chunks that are unpacked with a bound."""

from __future__ import annotations

import bz2
import mmap
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from floatbase.errors import FloatbaseError, LogError, missing_dependency
from floatbase.logs.limits import Limits

LARGEST_CHUNK = 1 << 30
_WINDOW = 1 << 27  # of zstd: how far it may refer back


class CutError(LogError):
    """A recording ends before what it tells."""


@contextmanager
def mapped(path: Path) -> Iterator[memoryview]:
    """The bytes of a file, read where they are looked at."""
    try:
        with open(path, "rb") as file:
            if os.fstat(file.fileno()).st_size == 0:
                raise LogError(f"{path}: it is empty")
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: cannot be read: {error}") from None
    view = memoryview(data)
    try:
        yield view
    finally:
        with suppress(BufferError):  # somebody still looks at a part; it goes when they do
            view.release()
            data.close()


class Fields:
    """A cursor in bytes: numbers, little-endian, and texts and bytes with their lengths before them."""

    def __init__(self, data: memoryview, what: str) -> None:
        self.data, self.what, self.place = data, what, 0

    def number(self, form: str) -> int:
        """An unsigned number: "B", "H", "I" or "Q"."""
        return int(struct.unpack("<" + form, self.bytes(struct.calcsize(form)))[0])

    def bytes(self, count: int) -> memoryview:
        """So many bytes."""
        if count > len(self.data) - self.place:
            raise CutError(f"{self.what} is cut off at byte {self.place}: {count} bytes are told, {self.left} left")
        self.place += count
        return self.data[self.place - count : self.place]

    def text(self) -> str:
        """A text with its length in 4 bytes before it."""
        return bytes(self.bytes(self.number("I"))).decode("utf-8", "replace")

    @property
    def left(self) -> int:
        """Bytes that are left."""
        return len(self.data) - self.place


def unpacked(path: Path, kind: str, data: memoryview, size: int, limits: Limits) -> memoryview:
    """The `size` bytes that a chunk holds; never more are unpacked."""
    if kind in ("", "none"):
        if len(data) != size:
            raise LogError(f"{path}: a chunk tells {size} bytes, but has {len(data)}")
        return data
    if size > LARGEST_CHUNK:
        raise LogError(f"{path}: a chunk tells {size} bytes, more than the {LARGEST_CHUNK} allowed")
    limits.require_memory(path, "a chunk", size)
    try:
        found = _unpack(path, kind, data, size)
    except FloatbaseError:
        raise
    except Exception as error:  # each library has its own errors
        raise LogError(f"{path}: a chunk packed by {kind} is damaged: {str(error)[:200]}") from None
    if len(found) != size:
        more = "more" if len(found) > size else "fewer"
        raise LogError(f"{path}: a chunk unpacks to {more} bytes than the {size} it tells")
    return memoryview(found)


def _unpack(path: Path, kind: str, data: memoryview, size: int) -> Any:
    if kind == "bz2":
        return bz2.BZ2Decompressor().decompress(data, size + 1)
    if kind == "zstd":
        try:
            import zstandard
        except ImportError:
            raise missing_dependency("zstandard", "logs", "reading recordings packed by zstd") from None
        with zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(data) as stream:
            return stream.read(size + 1)
    if kind == "lz4":
        try:
            from lz4 import frame
        except ImportError:
            raise missing_dependency("lz4", "logs", "reading recordings packed by lz4") from None
        return frame.LZ4FrameDecompressor().decompress(data, max_length=size + 1)
    raise LogError(f"{path}: a chunk is packed by {kind[:40]!r}; lz4, zstd, bz2 and none are read")
