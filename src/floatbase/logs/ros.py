"""Logs from recordings of ROS: MCAP files, bags of ROS 1, bags of ROS 2 (SQLite or MCAP, a file or a folder)."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, LogError, unknown_name
from floatbase.logs import mcap_records, rosbag_records, sqlite_records
from floatbase.logs.atomic import as_path
from floatbase.logs.columns import TimeOrder, ordered
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.ros_messages import Memory, Message, decode, is_known
from floatbase.logs.signals import Signal, signal

_LINEAR = {"rad": "m", "rad/s": "m/s", "N m": "N"}
_MOST_STREAMS = 1000


class Record(NamedTuple):
    """A message as recorded. recorded: nanoseconds, when it was received."""

    topic: str
    kind: str
    encoding: str
    recorded: int
    data: memoryview


@dataclass
class _Stream:
    """Messages of one topic with the same joints and the same parts."""

    first: Message
    stamps: array[int] = field(default_factory=lambda: array("q"))
    recorded: array[int] = field(default_factory=lambda: array("q"))
    values: list[array[float]] = field(default_factory=list)


def read_ros(
    path: object,
    *,
    topics: Collection[str] | None = None,
    stamps: Literal["header", "recorded"] = "header",
    prismatic: Collection[str] = (),
    allow_cut: bool = False,
    time_order: TimeOrder = "raise",
    limits: Limits = STANDARD,
) -> Log:
    """A log of the JointState, Imu and WrenchStamped messages in a recording; each topic is a group.

    topics: only these. Those of other types are named in the metadata, as "left out".
    stamps: when a sample was taken, by its header, or when it was recorded.
    prismatic: names of joints whose numbers are metres and newtons; messages do not tell them from others.
    allow_cut: read what is there of a recording whose end is missing.

    Time begins with the earliest stamp, which the metadata hold as "start", in nanoseconds. If messages of a topic
    differ in their joints, each kind makes a group: `joint_states`, `joint_states-2`. Quaternions become w x y z.
    """
    path = as_path(path)
    if stamps not in ("header", "recorded"):
        raise ArgumentError(f"stamps is {stamps!r}; it must be 'header' or 'recorded'")
    streams: dict[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], _Stream] = {}
    left_out: dict[str, str] = {}
    seen: set[str] = set()
    memories: dict[str, Memory] = {}
    used = 0
    for number, record in enumerate(_records(path, limits, allow_cut)):
        seen.add(record.topic)
        if topics is not None and record.topic not in topics:
            continue
        if not is_known(record.kind) or record.encoding not in ("cdr", "ros1"):
            left_out[record.topic] = record.kind if is_known(record.kind) else record.kind or "unknown"
            continue
        try:
            memory = memories.setdefault(record.topic, {})
            message = decode(record.kind, record.data, record.encoding == "cdr", memory)
        except LogError as error:
            raise LogError(f"{path}: message {number} ({record.kind} of {record.topic}) is damaged: {error}") from None
        key = (record.topic, tuple((part.name, part.columns) for part in message.parts))
        stream = streams.get(key)
        if stream is None:
            if len(streams) == _MOST_STREAMS:
                raise LogError(f"{path}: its topics have more than {_MOST_STREAMS} different sets of joints")
            stream = streams[key] = _Stream(message, values=[array("d") for _ in message.parts])
        stream.stamps.append(message.stamp)
        stream.recorded.append(min(record.recorded, (1 << 63) - 1))
        used += 16
        for values, part in zip(stream.values, message.parts, strict=True):
            values.extend(part.values)
            used += 16 * len(part.values)  # with the copy that the log is
        limits.require_memory(path, "its samples", used)
    for topic in topics or ():
        if topic not in seen:
            raise unknown_name("topic", topic, seen)
    if not streams:
        others = ", ".join(f"{name} ({kind})" for name, kind in list(left_out.items())[:8])
        raise LogError(
            f"{path}: no messages of JointState, Imu or WrenchStamped{f'; it has {others}' if others else ''}"
        )
    return ordered(path, _log(path, streams, stamps, set(prismatic), left_out), time_order)


def _log(
    path: Path,
    streams: dict[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], _Stream],
    stamps: str,
    prismatic: set[str],
    left_out: dict[str, str],
) -> Log:
    times = []
    for (topic, _), stream in streams.items():
        time = np.array(stream.stamps if stamps == "header" else stream.recorded, np.int64)
        if stamps == "header" and not time.all():
            raise LogError(f"{path}: messages of {topic} have no stamp in their header; use stamps='recorded'")
        times.append(time)
    start = min(int(time.min()) for time in times)
    signals: list[Signal] = []
    taken: set[str] = set()
    for ((topic, _), stream), time in zip(streams.items(), times, strict=True):
        base = topic.strip("/") or "messages"
        group, number = base, 1
        while group in taken:
            number += 1
            group = f"{base}-{number}"
        taken.add(group)
        order = np.argsort(np.array(stream.recorded, np.int64), kind="stable")
        clock = (time[order] - start) / 1e9
        for part, values in zip(stream.first.parts, stream.values, strict=True):
            table = np.frombuffer(values, np.float64).reshape(-1, len(part.columns))[order]
            units = [
                _LINEAR.get(unit, unit) if column in prismatic else unit
                for column, unit in zip(part.columns, part.units, strict=True)
            ]
            made = signal(
                f"{group}/{part.name}",
                clock,
                table,
                units,
                columns=part.columns,
                frame=stream.first.frame,
                orientation=part.orientation,
            )
            signals.append(made)
    metadata = {"start": start, **({"left out": left_out} if left_out else {})}
    return Log(tuple(signals), metadata=metadata)


def _records(path: Path, limits: Limits, allow_cut: bool) -> Iterator[Record]:
    files = [path]
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix in (".mcap", ".db3"))
        if not files:
            raise LogError(f"{path}: the folder holds no .mcap or .db3 file")
    for file in files:
        try:
            with open(file, "rb") as stream:
                start = stream.read(16)
        except OSError as error:
            raise LogError(f"{file}: cannot be read: {error.strerror or error}") from None
        for magic, read in (
            (mcap_records.MAGIC, mcap_records.read),
            (rosbag_records.MAGIC, rosbag_records.read),
            (sqlite_records.MAGIC, sqlite_records.read),
        ):
            if start.startswith(magic):
                for found in read(file, limits, allow_cut):
                    yield Record(*found)
                break
        else:
            raise LogError(f"{file}: it is no MCAP file, bag of ROS 1, or SQLite bag of ROS 2")
