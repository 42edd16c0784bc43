"""Bags of ROS 2 in SQLite: their messages in the order of recording.

The database is opened for reading only, and only if `topics` and `messages` are plain tables: views, virtual tables and
computed columns, which could run what the file holds, are refused.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from floatbase.errors import LogError
from floatbase.logs.limits import Limits

MAGIC = b"SQLite format 3\0"
_LARGEST_MESSAGE = 1 << 26
Found = tuple[str, str, str, int, memoryview]


def read(path: Path, limits: Limits, allow_cut: bool) -> Iterator[Found]:
    """Topic, type, encoding, time of recording (nanoseconds) and data of each message."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as base:
            base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_MESSAGE)
            base.execute("PRAGMA trusted_schema = OFF")
            for name in ("topics", "messages"):
                _require_plain(path, base, name)
            topics = {
                number: (str(topic), str(kind), str(encoding))
                for number, topic, kind, encoding in base.execute(
                    "SELECT id, name, type, serialization_format FROM topics"
                )
            }
            if len(topics) > limits.columns:
                raise LogError(f"{path}: it has {len(topics)} topics, more than the {limits.columns} allowed")
            for number, recorded, data in base.execute("SELECT topic_id, timestamp, data FROM messages ORDER BY id"):
                if number not in topics:
                    raise LogError(f"{path}: a message has topic {number!r}, which does not exist")
                if not (isinstance(recorded, int) and isinstance(data, bytes)):
                    raise LogError(f"{path}: a message of {topics[number][0]} has no time or no data")
                yield (*topics[number], recorded, memoryview(data))
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        if not (allow_cut and isinstance(error, sqlite3.DatabaseError) and "malformed" in str(error)):
            raise LogError(f"{path}: cannot be read as a bag of ROS 2: {error}") from None


def _require_plain(path: Path, base: sqlite3.Connection, name: str) -> None:
    rows = base.execute("SELECT type, sql FROM sqlite_master WHERE lower(name) = ?", (name,)).fetchall()
    if len(rows) != 1:
        raise LogError(f"{path}: it has no table {name!r}, as a bag of ROS 2 has")
    kind, text = rows[0]
    words = " ".join(str(text).upper().split())
    if kind != "table" or not words.startswith("CREATE TABLE") or " AS " in words or " AS(" in words:
        raise LogError(f"{path}: {name!r} is no plain table")
