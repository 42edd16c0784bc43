"""Recording: samples survive a killed process, and a log that is gone on with ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.logs.conftest import assert_same, make_log

from floatbase import logs
from floatbase.errors import ArgumentError, LogError, ShapeError, UnknownNameError

LAYOUT = [
    logs.channel("joints/position", "rad", columns=["hip", "knee"]),
    logs.channel("joints/ready", dtype=bool),
    logs.channel("imu/acceleration", "m/s^2", columns=3, dtype=np.float32, frame="imu"),
    logs.channel("imu/orientation", orientation=True),
]


def recorded(writer: logs.LogWriter, log: logs.Log, start: float = 0.0, stop: float = np.inf) -> None:
    """Append the samples of a log one by one, in the order of time."""
    rows = []
    for group, signals in log.groups.items():
        rows += [(float(stamp), group, k, signals) for k, stamp in enumerate(log.time(group)) if start <= stamp < stop]
    for stamp, group, k, signals in sorted(rows, key=lambda row: row[:2]):
        writer.append(group, stamp, {item.name.rpartition("/")[2]: item.values[k] for item in signals})


def test_what_is_recorded_row_by_row_is_the_log(log, tmp_path):
    with logs.LogWriter(tmp_path / "a.parquet", log) as writer:
        recorded(writer, log)
        assert writer.last("joints") == 4.99
    assert os.listdir(tmp_path) == ["a.parquet"]
    assert_same(logs.load(tmp_path / "a.parquet"), log)


def test_blocks_and_rows_make_the_same_file(log, tmp_path):
    with logs.LogWriter(tmp_path / "rows.parquet", log) as writer:
        recorded(writer, log)
    with logs.LogWriter(tmp_path / "blocks.parquet", log) as writer:
        for part in (log.between(None, 1.3), log.between(1.3, None)):
            for group, signals in part.groups.items():
                writer.append(group, part.time(group), {item.name.rpartition("/")[2]: item.values for item in signals})
    assert (tmp_path / "rows.parquet").read_bytes() == (tmp_path / "blocks.parquet").read_bytes()


def test_a_recording_that_is_under_way_is_readable(log, tmp_path):
    writer = logs.LogWriter(tmp_path / "a.parquet", log, hold=0.1)
    recorded(writer, log)
    found = logs.load(tmp_path / "a.parquet")  # the journal, since there is no such file yet
    assert 4.99 - 0.1 <= found.time("joints")[-1] <= 4.99
    writer.close()
    assert_same(logs.load(tmp_path / "a.parquet.journal"), log)
    with pytest.raises(ArgumentError, match="the log is closed"):
        writer.append("joints", 9.0, {})
    with pytest.raises(ArgumentError, match="the log is closed"):
        writer.finish()
    with logs.open_log(tmp_path / "a.parquet") as file:
        assert_same(file.load("imu/*", start=1.0, stop=2.02), log.select("imu/*").between(1.0, 2.02))
        np.testing.assert_array_equal(file.read("ready", 1.0, 2.0).values, log.between(1.0, 2.0)["ready"].values)


def test_an_exception_leaves_the_journal(log, tmp_path):
    with pytest.raises(RuntimeError, match="fell over"), logs.LogWriter(tmp_path / "a.parquet", log) as writer:
        recorded(writer, log, stop=1.0)
        raise RuntimeError("the robot fell over")
    assert os.listdir(tmp_path) == ["a.parquet.journal"]
    assert_same(logs.load(tmp_path / "a.parquet"), log.between(None, 1.0))


def test_slow_groups_are_not_held_back_by_fast_ones(tmp_path):
    writer = logs.LogWriter(tmp_path / "a.parquet", LAYOUT, hold=0.5)
    writer.append("imu", 0.0, {"acceleration": np.zeros(3), "orientation": np.array([1.0, 0, 0, 0])})
    for k in range(100):
        writer.append("joints", k / 100, {"position": np.zeros(2), "ready": True})
    found = logs.load(tmp_path / "a.parquet")
    assert len(found.time("imu")) == 1
    assert found.time("joints")[-1] > 0.4
    writer.close()


@pytest.mark.parametrize("until", [0.0, 0.777, 2.5])
def test_resumed_from_an_earlier_time_it_ends_with_the_same_bytes(log, tmp_path, until):
    with logs.LogWriter(tmp_path / "whole.parquet", log) as writer:
        recorded(writer, log)
    writer = logs.LogWriter(tmp_path / "a.parquet", log)
    recorded(writer, log, stop=3.0)
    writer.close()
    with open(tmp_path / "a.parquet.journal", "ab") as file:
        file.write(b"ROWS and half a chunk")
    with logs.open_log(tmp_path / "a.parquet") as journal:
        assert journal.ignored == 21
    with logs.LogWriter(tmp_path / "a.parquet", log, resume=True, until=until) as writer:
        assert writer.last("joints") <= until
        recorded(writer, log, start=np.nextafter(until, 9.0))
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_resuming_without_a_limit_goes_on_after_the_last_whole_chunk(log, tmp_path):
    writer = logs.LogWriter(tmp_path / "a.parquet", log)
    recorded(writer, log, stop=3.0)
    writer.close()
    place = tmp_path / "a.parquet.journal"
    place.write_bytes(place.read_bytes()[:-5])
    with logs.LogWriter(tmp_path / "a.parquet", log, resume=True) as writer:
        last = max(writer.last("joints"), writer.last("imu"))
        assert 2.0 < last < 3.0
        first = {name: writer.last(name) for name in log.groups}
        for name in log.groups:
            recorded(writer, log.select(f"{name}/*"), start=np.nextafter(first[name], 9.0))
    assert_same(logs.load(tmp_path / "a.parquet"), log)


def test_resume_begins_where_there_is_nothing(log, tmp_path):
    with logs.LogWriter(tmp_path / "a.parquet", log, resume=True) as writer:
        assert writer.last("imu") == -np.inf
        recorded(writer, log)
    assert_same(logs.load(tmp_path / "a.parquet"), log)


def test_one_writer_at_a_time_and_nothing_written_over(log, tmp_path):
    path = tmp_path / "a.parquet"
    writer = logs.LogWriter(path, log)
    with pytest.raises(ArgumentError, match="exists, as a log leaves it that was not finished"):
        logs.LogWriter(path, log)
    with pytest.raises(ArgumentError, match="another process is writing it"):
        logs.LogWriter(path, log, resume=True)
    with pytest.raises(ArgumentError, match="another process is writing it"):
        logs.LogWriter(path, log, overwrite=True)
    writer.close()
    with pytest.raises(ArgumentError, match=r"units of 'joints/position' is .*not"):
        logs.LogWriter(path, log.in_units({"position": "deg"}), resume=True)
    with pytest.raises(ArgumentError, match="5 signals, not 4"):
        logs.LogWriter(path, logs.Log(log.signals[:4], log.rates, log.metadata), resume=True)
    with pytest.raises(ArgumentError, match="its metadata are"):
        logs.LogWriter(path, log.with_metadata(trial=4), resume=True)
    logs.LogWriter(path, log, overwrite=True).finish()
    with pytest.raises(ArgumentError, match="exists; choose another name"):
        logs.LogWriter(path, log, resume=True)
    with pytest.raises(ArgumentError, match="until is for resume"):
        logs.LogWriter(tmp_path / "b.parquet", log, until=1.0)
    with pytest.raises(ArgumentError, match="hold is 3"):
        logs.LogWriter(tmp_path / "b.parquet", log, hold=3)
    with pytest.raises(ArgumentError, match="at least one signal"):
        logs.LogWriter(tmp_path / "b.parquet", [])
    with pytest.raises(LogError, match="cannot be written"):
        logs.LogWriter(tmp_path / "no" / "b.parquet", log)


def test_wrong_samples_are_refused_and_leave_the_log_as_it_was(tmp_path):
    writer = logs.LogWriter(tmp_path / "a.parquet", LAYOUT)
    good = {"position": [0.0, 1.0], "ready": True}
    writer.append("joints", 1.0, good)
    for time_, values, error, text in (
        (1.0, good, ArgumentError, "1.0 s is not later than the one before, 1.0 s"),
        (0.5, good, ArgumentError, "not later"),
        (np.nan, good, ArgumentError, "nan s is not later"),
        (np.inf, good, ArgumentError, "inf s is not later"),
        (2.0, {"position": [0.0, 1.0]}, ArgumentError, "missing: ready"),
        (2.0, {**good, "speed": 1.0}, ArgumentError, "unknown signal 'speed'"),
        (2.0, {"positon": [0.0, 1.0], "ready": True}, ArgumentError, "did you mean 'position'"),
        (2.0, {**good, "position": [0.0]}, ShapeError, r"shape \(1,\); it must be \(2,\)"),
        (2.0, {**good, "position": 0.0}, ShapeError, r"shape \(\); it must be \(2,\)"),
        (2.0, {**good, "ready": 0.5}, ArgumentError, "is float64; it must be bool"),
        ([2.0, 2.0], {"position": np.zeros((2, 2)), "ready": [True, True]}, ArgumentError, "not later"),
        ([2.0, 3.0], {"position": np.zeros((3, 2)), "ready": [True, True]}, ShapeError, "must be float64"),
        ([[2.0]], good, ShapeError, r"must be numbers \(n,\)"),
    ):
        with pytest.raises(error, match=text):
            writer.append("joints", time_, values)
    with pytest.raises(UnknownNameError, match="did you mean 'joints'"):
        writer.append("joint", 2.0, good)
    writer.append("joints", np.float32(1.5), good)
    writer.append("joints", [], {"position": np.zeros((0, 2)), "ready": np.zeros(0, bool)})
    writer.finish()
    np.testing.assert_array_equal(logs.load(tmp_path / "a.parquet").time("joints"), [1.0, 1.5])


def test_a_journal_cut_anywhere_gives_its_beginning(tmp_path):
    log = make_log(60)
    writer = logs.LogWriter(tmp_path / "a.parquet", log, hold=0.05)
    recorded(writer, log)
    writer.close()
    place = tmp_path / "a.parquet.journal"
    data = place.read_bytes()
    whole, before = 0, -1
    for length in range(0, len(data), 37):
        place.write_bytes(data[:length])
        try:
            found = logs.load(place)
        except LogError:
            assert whole == 0  # the description was cut, not the samples
            continue
        whole += 1
        count = len(found.time("joints"))
        assert count >= before
        before = count
        np.testing.assert_array_equal(found["position"].values, log["position"].values[:count])
    assert whole > 50


def test_damaged_journals_give_errors_or_their_beginning(tmp_path):
    log = make_log(60)
    writer = logs.LogWriter(tmp_path / "a.parquet", log, hold=0.05)
    recorded(writer, log)
    writer.close()
    place = tmp_path / "a.parquet.journal"
    data = place.read_bytes()
    rng = np.random.default_rng(2)
    for _ in range(200):
        broken = bytearray(data)
        broken[rng.integers(0, len(data))] ^= 1 << int(rng.integers(0, 8))
        place.write_bytes(broken)
        try:
            found = logs.load(place)
        except LogError:
            continue
        count = len(found.time("joints"))  # no sample is other than recorded
        np.testing.assert_array_equal(found["position"].values, log["position"].values[:count])


WRITING = """
import os, sys, time, mmap, struct
import numpy as np
from floatbase import logs
path, told, resume = sys.argv[1], sys.argv[2], sys.argv[3] == "resume"
layout = [logs.channel("a/x", "m", columns=4), logs.channel("a/n", dtype=np.int64), logs.channel("b/y", "N")]
start, until = 0, None
if resume and os.path.exists(path + ".journal"):
    with logs.open_log(path) as file:  # go on from a checkpoint, as one that simulates does
        stamps = file.time("a")
        start = len(stamps) // 500 * 500
        until = (start - 1) / 1000
writer = logs.LogWriter(path, layout, resume=resume, until=until)
with open(told, "r+b") as file:
    progress = mmap.mmap(file.fileno(), 16)
    for k in range(start, 40_000):
        stamp = k / 1000
        writer.append("a", stamp, {"x": np.full(4, stamp), "n": k})
        if k % 250 == 0:
            writer.append("b", stamp, {"y": stamp})
        struct.pack_into("<dd", progress, 0, time.time(), stamp)
writer.finish()
"""


def test_a_process_killed_at_random_times_loses_less_than_a_second(tmp_path):
    """Of the log's time; samples come about a hundred times faster than in reality, so much is at stake."""
    random.seed(3)
    killed = 0
    for number in range(20):
        path, told = tmp_path / f"{number}.parquet", tmp_path / "told"
        told.write_bytes(bytes(16))
        process = subprocess.Popen([sys.executable, "-c", WRITING, str(path), str(told), "new"])
        deadline = time.monotonic() + 20.0
        while not any(told.read_bytes()) and time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.002)
        time.sleep(random.uniform(0.0, 0.25))
        process.send_signal(signal.SIGKILL)
        process.wait()
        stamp = float(np.frombuffer(told.read_bytes())[1])
        log = logs.load(path)
        killed += not path.exists()
        time_ = log.time("a")
        assert len(time_) > 0 or stamp < 1.0
        if len(time_):
            assert stamp - time_[-1] <= 1.0
            np.testing.assert_array_equal(time_, np.arange(len(time_)) / 1000)
            np.testing.assert_array_equal(log["a/x"].values, np.tile(time_[:, None], 4))
            np.testing.assert_array_equal(log["a/n"].values, np.arange(len(time_)))
            slow = log.time("b")
            np.testing.assert_array_equal(slow, np.arange(len(slow)) / 4)
            assert stamp - slow[-1] <= 1.25
    assert killed >= 10


def test_a_log_killed_again_and_again_ends_with_the_bytes_of_an_undisturbed_one(tmp_path):
    random.seed(4)
    told = tmp_path / "told"
    told.write_bytes(bytes(16))
    subprocess.run([sys.executable, "-c", WRITING, str(tmp_path / "whole.parquet"), str(told), "new"], check=True)
    path = tmp_path / "a.parquet"
    for _ in range(5):
        process = subprocess.Popen([sys.executable, "-c", WRITING, str(path), str(told), "resume"])
        wait_for(process, path)
        time.sleep(random.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, "-c", WRITING, str(path), str(told), "resume"], check=not path.exists())
    assert path.read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def wait_for(process: subprocess.Popen[bytes], path: Path) -> None:
    """Until the journal grows, or the process ends."""
    journal = path.with_name(path.name + ".journal")
    before = journal.stat().st_size if journal.exists() else 0
    deadline = time.monotonic() + 20.0
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() or (journal.exists() and journal.stat().st_size > before):
            return
        time.sleep(0.002)
