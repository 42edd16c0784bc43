"""Bags of ROS 1, version 2.0: their messages in the order of the file.

Records are a header of fields `name=value`, and data. Connections have a topic and a type, messages a connection;
chunks hold both, packed by bz2, lz4 or not. Indices are passed over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from floatbase.errors import LogError
from floatbase.logs.limits import Limits
from floatbase.logs.record_bytes import CutError, Fields, mapped, unpacked

MAGIC = b"#ROSBAG V2.0\n"
_MESSAGE, _BAG, _CHUNK, _CONNECTION = 2, 3, 5, 7
Found = tuple[str, str, str, int, memoryview]


def read(path: Path, limits: Limits, allow_cut: bool) -> Iterator[Found]:
    """Topic, type, encoding, time of recording (nanoseconds) and data of each message."""
    connections: dict[int, tuple[str, str]] = {}
    with mapped(path) as view:
        try:
            yield from _records(path, view[len(MAGIC) :], connections, limits, True)
        except CutError as error:
            if not allow_cut:
                raise LogError(f"{path}: {error}; allow_cut=True reads what is there") from None


def _records(
    path: Path, view: memoryview, connections: dict[int, tuple[str, str]], limits: Limits, outside: bool
) -> Iterator[Found]:
    records = Fields(view, "the recording" if outside else "a chunk")
    while records.left:
        header = _fields(records.bytes(records.number("I")))
        data = records.bytes(records.number("I"))
        kind = _value(path, header, "op", "B")
        if kind == _BAG and header.get("encryptor"):
            raise LogError(f"{path}: it is encrypted")
        if kind == _CHUNK:
            if not outside:
                raise LogError(f"{path}: a chunk lies in a chunk")
            packed = header.get("compression", b"none").decode("latin-1")
            chunk = unpacked(path, packed, data, _value(path, header, "size", "I"), limits)
            try:
                yield from _records(path, chunk, connections, limits, False)
            except CutError as error:  # not the end of the file, but a chunk that contradicts itself
                raise LogError(f"{path}: {error}") from None
        elif kind == _CONNECTION:
            about = _fields(data)
            topic = header.get("topic", about.get("topic", b"")).decode("utf-8", "replace")
            name = about.get("type", b"").decode("utf-8", "replace")
            connections[_value(path, header, "conn", "I")] = (topic, name)
        elif kind == _MESSAGE:
            number, time = _value(path, header, "conn", "I"), _value(path, header, "time", "Q")
            if number not in connections:
                raise LogError(f"{path}: a message has connection {number}, which does not exist")
            topic, name = connections[number]
            yield topic, name, "ros1", 1_000_000_000 * (time & 0xFFFFFFFF) + (time >> 32), data


def _fields(view: memoryview) -> dict[str, bytes]:
    found = {}
    fields = Fields(view, "a header")
    while fields.left:
        name, mark, value = bytes(fields.bytes(fields.number("I"))).partition(b"=")
        if mark:
            found[name.decode("latin-1")] = value
    return found


def _value(path: Path, header: dict[str, bytes], name: str, form: str) -> int:
    value = header.get(name, b"")
    if len(value) != struct.calcsize(form):
        raise LogError(f"{path}: the field {name!r} of a record is missing or damaged")
    return int(struct.unpack("<" + form, value)[0])
