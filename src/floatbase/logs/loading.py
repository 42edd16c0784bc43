"""Opening whatever a file is."""

from __future__ import annotations

from pathlib import Path

from floatbase.errors import LogError
from floatbase.logs import journal, mcap_records, parquet, rosbag_records, sqlite_records
from floatbase.logs.atomic import as_path
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.mat import HDF5, read_mat
from floatbase.logs.ros import read_ros
from floatbase.logs.source import LogFile
from floatbase.logs.tables import read_csv
from floatbase.logs.writer import journal_of
from floatbase.logs.yarp import read_yarp


def load(
    path: object,
    *patterns: str,
    start: float | None = None,
    stop: float | None = None,
    limits: Limits = STANDARD,
) -> Log:
    """A log in memory from a file of any kind that is known: our own, CSV, MATLAB, MCAP, bags of ROS, YARP's text.

    patterns: names of signals; all without them. start, stop: `start <= time < stop`, seconds.

    Where `NAME` does not exist, but `NAME.journal` does, what a recording that was killed left behind is read. Files of
    others have functions with more to say: `read_csv`, `read_table`, `read_mat`, `read_ros`, `read_yarp`.
    """
    path = as_path(path)
    kind = kind_of(path)
    if kind in ("log", "journal"):
        with open_log(path, limits=limits) as file:
            return file.load(*patterns, start=start, stop=stop)
    if kind == "matlab":
        log = read_mat(path, limits=limits)
    elif kind == "ros":
        log = read_ros(path, limits=limits)
    elif kind == "yarp":
        log = read_yarp(path, limits=limits)
    else:
        log = read_csv(path, limits=limits)
    log = log.select(*patterns) if patterns else log
    return log if start is None and stop is None else log.between(start, stop)


def open_log(path: object, *, limits: Limits = STANDARD) -> LogFile:
    """Open a log of ours, whose signals are read when they are asked for; a recording that was killed too."""
    path = as_path(path)
    kind = kind_of(path)
    if kind == "log":
        return parquet.ParquetLog(path, limits)
    if kind == "journal":
        return journal.JournalLog(path if path.exists() else journal_of(path), limits)
    raise LogError(f"{path}: it is no log of floatbase; load reads the files of others")


def kind_of(path: Path) -> str:
    """What a file is by its first bytes: "log", "journal", "matlab", "ros", "yarp" or "text"."""
    if path.is_dir():
        return "yarp" if (path / "data.log").is_file() else "ros"
    if not path.exists() and journal_of(path).is_file():
        return "journal"
    try:
        if not path.is_file():
            raise LogError(f"{path}: there is no such file" if not path.exists() else f"{path}: it is no regular file")
        with open(path, "rb") as file:
            first = file.read(520)
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    if not first:
        raise LogError(f"{path}: it is empty")
    for magic, kind in (
        (parquet.MAGIC, "log"),
        (journal.MAGIC, "journal"),
        (mcap_records.MAGIC, "ros"),
        (rosbag_records.MAGIC, "ros"),
        (sqlite_records.MAGIC, "ros"),
        (HDF5, "matlab"),
    ):
        if first.startswith(magic):
            return kind
    if first[126:128] in (b"IM", b"MI") or first[512:520] == HDF5:
        return "matlab"
    return "yarp" if path.name == "data.log" else "text"
