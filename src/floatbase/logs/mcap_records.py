"""MCAP files: their messages in the order of the file.

After a magic number come records: a kind, a size of 8 bytes, the content. Schemas name types, channels have a topic and
a schema, messages have a channel; chunks hold such records, packed or not. Indices and attachments are passed over.

"MCAP Format Specification", mcap.dev.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from floatbase.errors import LogError
from floatbase.logs.limits import Limits
from floatbase.logs.record_bytes import CutError, Fields, mapped, unpacked

MAGIC = b"\x89MCAP0\r\n"
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _DATA_END = 3, 4, 5, 6, 15
Found = tuple[str, str, str, int, memoryview]


def read(path: Path, limits: Limits, allow_cut: bool) -> Iterator[Found]:
    """Topic, type, encoding, time of recording (nanoseconds) and data of each message."""
    with mapped(path) as view:
        reader = _Reader(path, limits)
        try:
            yield from reader.records(view[len(MAGIC) :], True)
        except CutError as error:
            if not allow_cut:
                raise LogError(f"{path}: {error}; allow_cut=True reads what is there") from None


class _Reader:
    def __init__(self, path: Path, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.schemas: dict[int, str] = {}
        self.channels: dict[int, tuple[str, str, str]] = {}

    def records(self, view: memoryview, outside: bool) -> Iterator[Found]:
        records = Fields(view, "the recording" if outside else "a chunk")
        while outside or records.left:
            kind, size = records.number("B"), records.number("Q")
            content = Fields(records.bytes(size), "a record")
            try:
                if kind == _DATA_END and outside:
                    return
                if kind == _CHUNK:
                    if not outside:
                        raise LogError(f"{self.path}: a chunk lies in a chunk")
                    yield from self.records(self.chunk(content), False)
                elif kind == _SCHEMA:
                    number = content.number("H")
                    self.schemas[number] = content.text()
                elif kind == _CHANNEL:
                    number, schema = content.number("H"), content.number("H")
                    self.channels[number] = (content.text(), self.schemas.get(schema, ""), content.text())
                elif kind == _MESSAGE:
                    yield self.message(content)
            except CutError as error:  # not the end of the file, but a record that contradicts itself
                raise LogError(f"{self.path}: {error}") from None

    def chunk(self, content: Fields) -> memoryview:
        content.bytes(16)  # times of its first and last message
        size, checksum, packed = content.number("Q"), content.number("I"), content.text()
        data = content.bytes(content.number("Q"))
        found = unpacked(self.path, packed, data, size, self.limits)
        if checksum and zlib.crc32(found) != checksum:
            raise LogError(f"{self.path}: a chunk is damaged: its checksum is another")
        return found

    def message(self, content: Fields) -> Found:
        number = content.number("H")
        if number not in self.channels:
            raise LogError(f"{self.path}: a message has channel {number}, which does not exist")
        content.bytes(4)  # a counter
        recorded = content.number("Q")
        content.bytes(8)  # time of publication
        return (*self.channels[number], recorded, content.bytes(content.left))
