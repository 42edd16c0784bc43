"""What a Parquet file tells about its pages, read before anything unpacks them.

A column's samples in a block are pages, each behind a header that tells its size unpacked and in the file. Where the
pages begin is told at the end of the file. Both are in Thrift's compact form: fields with a type and the distance from
the number of the field before, whole numbers of variable length whose lowest bit is the sign. Arrow's own functions to
ask for this end the process where statistics in the file are damaged, so they are not used.

Apache Parquet, "Parquet Format", 2024; Apache Thrift, "Compact Protocol".
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from floatbase.errors import LogError

_HEADER = 1 << 16  # bytes of a page's header at most
_TRUE, _FALSE, _BYTE, _WHOLE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCTURE = 1, 2, 3, (4, 5, 6), 7, 8, 9, 10, 12
_DEPTH = 8


@dataclass(frozen=True)
class Block:
    """Rows of a file. columns: where the pages of each column begin, and their bytes."""

    rows: int
    columns: tuple[tuple[int, int], ...]


def blocks(path: object, file: BinaryIO) -> list[Block]:
    """The blocks ("row groups") of a file."""
    size = file.seek(0, 2)
    file.seek(max(0, size - 8))
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != b"PAR1" or length > size - 12:
        raise LogError(f"{path}: cannot be read as Parquet: its end is missing")
    file.seek(size - 8 - length)
    reader = _Reader(path, file.read(length))
    found: list[Block] = []
    for number, kind in reader.fields():
        if number == 4 and kind == _LIST:
            found = [_block(path, reader) for _ in range(reader.structures())]
        else:
            reader.skip(kind)
    return found


def require_pages(path: object, file: BinaryIO, place: tuple[int, int], most: int) -> None:
    """Raise unless the pages in a stretch of a file tell that they unpack to so many bytes at most, all together."""
    start, size = place
    stop, total = start + size, 0
    if start < 4 or size < 0:
        raise LogError(f"{path}: a column is said to be where it cannot be")
    while start < stop:
        file.seek(start)
        reader = _Reader(path, file.read(min(_HEADER, stop - start)))
        found = {2: -1, 3: -1}
        for number, kind in reader.fields():
            if number in found and kind in _WHOLE:
                found[number] = reader.whole()
            else:
                reader.skip(kind)
        unpacked, packed = found[2], found[3]
        if unpacked < 0 or packed < 0 or packed > stop - start - reader.place:
            raise LogError(f"{path}: a page tells {packed} bytes, which are not there")
        total += unpacked
        if total > most:
            raise LogError(f"{path}: a page unpacks to {unpacked} bytes, more than its samples take")
        start += reader.place + packed


def _block(path: object, reader: _Reader) -> Block:
    rows = -1
    columns: tuple[tuple[int, int], ...] = ()
    for number, kind in reader.fields():
        if number == 1 and kind == _LIST:
            columns = tuple(_column(path, reader) for _ in range(reader.structures()))
        elif number == 3 and kind in _WHOLE:
            rows = reader.whole()
        else:
            reader.skip(kind)
    if rows < 0:
        raise reader.wrong()
    return Block(rows, columns)


def _column(path: object, reader: _Reader) -> tuple[int, int]:
    place = (-1, -1)
    for number, kind in reader.fields():
        if number == 1 and kind == _BINARY:
            raise LogError(f"{path}: a column is kept in another file, which is not read")
        if number == 3 and kind == _STRUCTURE:
            found = {7: -1, 9: -1, 11: 0}  # size, place of the first page, place of the dictionary
            for inner, inner_kind in reader.fields():
                if inner in found and inner_kind in _WHOLE:
                    found[inner] = reader.whole()
                else:
                    reader.skip(inner_kind)
            place = (found[11] if 0 < found[11] < found[9] else found[9], found[7])
        else:
            reader.skip(kind)
    return place


class _Reader:
    """Fields in Thrift's compact form; whoever asks for one has to read or skip it."""

    def __init__(self, path: object, data: bytes) -> None:
        self.path, self.data, self.place = path, data, 0

    def wrong(self) -> LogError:
        return LogError(f"{self.path}: cannot be read as Parquet: what it tells about its pages is damaged")

    def fields(self) -> Iterator[tuple[int, int]]:
        """Numbers and types of the fields of a structure, up to its end."""
        number = 0
        while kind := self.byte():
            number = number + (kind >> 4) if kind >> 4 else self.whole()
            yield number, kind & 15

    def structures(self) -> int:
        """The length of a list of structures, which follow."""
        kind, count = self.list()
        if kind != _STRUCTURE:
            raise self.wrong()
        return count

    def list(self) -> tuple[int, int]:
        """The type and the number of a list's items, which follow."""
        start = self.byte()
        count = start >> 4 if start >> 4 < 15 else self.length()
        if count > len(self.data) - self.place:
            raise self.wrong()
        return start & 15, count

    def byte(self) -> int:
        if self.place >= len(self.data):
            raise self.wrong()
        self.place += 1
        return self.data[self.place - 1]

    def length(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise self.wrong()

    def whole(self) -> int:
        value = self.length()
        return value >> 1 ^ -(value & 1)

    def skip(self, kind: int, depth: int = 0) -> None:
        if depth > _DEPTH:
            raise self.wrong()
        if kind in (_TRUE, _FALSE):
            return
        if kind in _WHOLE:
            self.length()
        elif kind == _BYTE:
            self.byte()
        elif kind == _DOUBLE:
            self.place += 8
        elif kind == _BINARY:
            count = self.length()
            self.place += count
        elif kind in (_LIST, _SET):
            inner, count = self.list()
            for _ in range(count):
                if inner in (_TRUE, _FALSE):
                    self.byte()
                else:
                    self.skip(inner, depth + 1)
        elif kind == _STRUCTURE:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        else:
            raise self.wrong()
