"""What the pages of a Parquet file tell they unpack to, read before anything unpacks them.

A column's samples in a block are pages, each behind a header in Thrift's compact form: fields with a type and the
distance from the number of the field before, whole numbers of variable length, of which the lowest bit is the sign. The
second field is the size of the unpacked page, the third the size in the file.

Apache Parquet, "Parquet Format", 2024; Apache Thrift, "Compact Protocol".
"""

from __future__ import annotations

from typing import BinaryIO

from floatbase.errors import LogError

_HEADER = 1 << 16  # bytes of a header at most; statistics of text could make one longer, but are not read here
_TRUE, _FALSE, _BYTE, _WHOLE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCTURE = 1, 2, 3, (4, 5, 6), 7, 8, 9, 10, 12
_DEPTH = 8


def unpacked_size(path: object, file: BinaryIO, start: int, size: int, most: int) -> int:
    """How many bytes the pages in a stretch of a file tell they unpack to; at most `most` are allowed."""
    place, total = start, 0
    while place < start + size:
        file.seek(place)
        header = _Header(path, file.read(min(_HEADER, start + size - place)))
        unpacked, packed = header.sizes()
        if unpacked < 0 or packed < 0 or packed > start + size - place - header.place:
            raise LogError(f"{path}: a page tells {packed} bytes, which are not there")
        total += unpacked
        if total > most:
            raise LogError(f"{path}: a page unpacks to {unpacked} bytes, more than its samples take")
        place += header.place + packed
    return total


class _Header:
    def __init__(self, path: object, data: bytes) -> None:
        self.path, self.data, self.place = path, data, 0

    def wrong(self) -> LogError:
        return LogError(f"{self.path}: the header of a page is damaged")

    def sizes(self) -> tuple[int, int]:
        """The unpacked size and the size in the file; the place is then behind the header."""
        found = {2: -1, 3: -1}
        number = 0
        while kind := self.byte():
            number = number + (kind >> 4) if kind >> 4 else self.whole()
            if number in found and kind & 15 in _WHOLE:
                found[number] = self.whole()
            else:
                self.skip(kind & 15, 0)
        return found[2], found[3]

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

    def skip(self, kind: int, depth: int) -> None:
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
            start = self.byte()
            count = start >> 4 if start >> 4 < 15 else self.length()
            if count > len(self.data):
                raise self.wrong()
            for _ in range(count):
                if start & 15 in (_TRUE, _FALSE):
                    self.byte()
                else:
                    self.skip(start & 15, depth + 1)
        elif kind == _STRUCTURE:
            while inner := self.byte():
                if not inner >> 4:
                    self.whole()
                self.skip(inner & 15, depth + 1)
        else:
            raise self.wrong()
