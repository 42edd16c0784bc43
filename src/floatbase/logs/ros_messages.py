"""Messages of ROS that become signals: JointState, Imu, WrenchStamped, as ROS 1 and as CDR (ROS 2) lay them out.

ROS 1 writes numbers little-endian one after the other. CDR begins with 4 bytes that tell the byte order, and aligns
each number to its size, counted from there; texts end in a null that is counted. Lengths that messages tell are
compared with the bytes that are left before anything is taken.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import NamedTuple

from floatbase.errors import LogError


class Part(NamedTuple):
    """Numbers of one sample of a signal."""

    name: str
    values: tuple[float, ...]
    columns: tuple[str, ...]
    units: tuple[str, ...]
    orientation: bool = False


class Message(NamedTuple):
    """One sample. stamp: nanoseconds, of the header."""

    stamp: int
    frame: str
    parts: tuple[Part, ...]


class Names(NamedTuple):
    """Names of joints in a message, and the bytes they are: in most messages they are those of the one before."""

    start: int
    raw: bytes
    names: tuple[str, ...]


Memory = dict[str, Names]  # of messages of one topic


class _Reader:
    def __init__(self, data: memoryview, cdr: bool, memory: Memory) -> None:
        self.data, self.cdr, self.place, self.start, self.order = data, cdr, 0, 0, "<"
        self.memory = memory
        if not cdr:
            return
        kind = bytes(data[:2])
        if len(data) < 4 or kind not in (b"\0\0", b"\0\1"):
            raise LogError(f"it is no plain CDR: it begins with {kind.hex()}")
        self.order, self.place, self.start = ">" if kind == b"\0\0" else "<", 4, 4

    def take(self, form: str, size: int, count: int = 1) -> tuple[float, ...]:
        if self.cdr and count:
            self.place += -(self.place - self.start) % size
        if size * count > len(self.data) - self.place:
            raise LogError(f"{size * count} bytes are needed where {max(0, len(self.data) - self.place)} are left")
        found = struct.unpack_from(f"{self.order}{count}{form}", self.data, self.place)
        self.place += size * count
        return found

    def whole(self) -> int:
        return int(self.take("I", 4)[0])

    def text(self) -> str:
        count = self.whole()
        if count > len(self.data) - self.place:
            raise LogError(f"a text of {count} bytes is told where {len(self.data) - self.place} are left")
        raw = bytes(self.data[self.place : self.place + count])
        self.place += count
        return (raw[:-1] if self.cdr and raw.endswith(b"\0") else raw).decode("utf-8", "replace")

    def numbers(self) -> tuple[float, ...]:
        count = self.whole()
        return self.take("d", 8, count)

    def names(self) -> tuple[str, ...]:
        start, before = self.place, self.memory.get("names")
        if before is not None and before.start == start and self.data[start : start + len(before.raw)] == before.raw:
            self.place += len(before.raw)
            return before.names
        count = self.whole()
        if 4 * count > len(self.data) - self.place:
            raise LogError(f"{count} names are told where {len(self.data) - self.place} bytes are left")
        names = tuple(self.text() for _ in range(count))
        if len(set(names)) != count:
            raise LogError("two joints have the same name")
        self.memory["names"] = Names(start, bytes(self.data[start : self.place]), names)
        return names

    def header(self) -> tuple[int, str]:
        if not self.cdr:
            self.whole()  # a counter
        seconds = int(self.take("i" if self.cdr else "I", 4)[0])
        stamp = 1_000_000_000 * seconds + self.whole()
        return stamp, self.text()


_X, _Q = ("x", "y", "z"), ("w", "x", "y", "z")


def _joint_state(reader: _Reader) -> Message:
    stamp, frame = reader.header()
    names = reader.names()
    count, parts = len(names), []
    for name, unit in (("position", "rad"), ("velocity", "rad/s"), ("effort", "N m")):
        values = reader.numbers()
        if values and len(values) != count:
            raise LogError(f"{len(values)} numbers of {name} are told for {count} joints")
        if values:
            parts.append(Part(name, values, names, (unit,) * count))
    return Message(stamp, frame, tuple(parts))


def _imu(reader: _Reader) -> Message:
    stamp, frame = reader.header()
    x, y, z, w = reader.take("d", 8, 4)
    parts = []
    if reader.take("d", 8, 9)[0] != -1.0:  # a first covariance of -1 says that there is no such measurement
        parts.append(Part("orientation", (w, x, y, z), _Q, ("",) * 4, True))
    for name, unit in (("angular_velocity", "rad/s"), ("linear_acceleration", "m/s^2")):
        values = reader.take("d", 8, 3)
        if reader.take("d", 8, 9)[0] != -1.0:
            parts.append(Part(name, values, _X, (unit,) * 3))
    return Message(stamp, frame, tuple(parts))


def _wrench(reader: _Reader) -> Message:
    stamp, frame = reader.header()
    force, torque = reader.take("d", 8, 3), reader.take("d", 8, 3)
    columns = tuple(f"{kind}_{axis}" for kind in ("force", "torque") for axis in _X)
    return Message(stamp, frame, (Part("wrench", force + torque, columns, ("N",) * 3 + ("N m",) * 3),))


_DECODERS: dict[str, Callable[[_Reader], Message]] = {
    "sensor_msgs/JointState": _joint_state,
    "sensor_msgs/Imu": _imu,
    "geometry_msgs/WrenchStamped": _wrench,
}


def is_known(kind: str) -> bool:
    """Whether messages of a type become signals."""
    return kind.replace("/msg/", "/") in _DECODERS


def decode(kind: str, data: memoryview, cdr: bool, memory: Memory) -> Message:
    """The sample that a message holds; what it does not hold as it should is an error.

    memory: of the topic, empty at first.
    """
    return _DECODERS[kind.replace("/msg/", "/")](_Reader(data, cdr, memory))
