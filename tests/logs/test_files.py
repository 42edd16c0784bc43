"""Logs as Parquet files: what comes back, what other programs see, and damaged files."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.logs.conftest import assert_same, make_log

from floatbase import logs
from floatbase.errors import ArgumentError, LogError, UnknownNameError
from floatbase.logs import parquet


@pytest.mark.parametrize("compression", ["lz4", "zstd", "none"])
def test_a_log_comes_back(log, tmp_path, compression):
    logs.save(log, tmp_path / "a.parquet", compression=compression)
    assert_same(logs.load(tmp_path / "a.parquet"), log)
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_every_type_and_no_samples_come_back(tmp_path):
    time = np.arange(3.0)
    names = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]
    log = logs.Log(tuple(logs.signal(name, time, np.array([0, 1, 1], name)) for name in names))
    log = logs.merge(log, logs.Log((logs.signal("none/at_all", [], np.empty((0, 2))),)))
    logs.save(log, tmp_path / "a.parquet")
    assert_same(logs.load(tmp_path / "a.parquet"), log)
    logs.save(logs.Log(()), tmp_path / "b.parquet")
    assert len(logs.load(tmp_path / "b.parquet")) == 0


def test_parts_are_read_across_blocks(log, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "_ROWS", 1024)
    long = make_log(5000)
    logs.save(long, tmp_path / "a.parquet")
    assert pq.ParquetFile(tmp_path / "a.parquet").num_row_groups == 5
    with logs.open_log(tmp_path / "a.parquet") as file:
        assert file.names == long.names
        assert file.size == long.size
        part = file.read("position", 9.9, 30.7)
        np.testing.assert_array_equal(part.values, long.between(9.9, 30.7)["position"].values)
        np.testing.assert_array_equal(file.time("imu"), long.time("imu"))
        assert [item.name for item in file.signals("imu/*")] == ["imu/acceleration", "imu/orientation"]
        assert_same(file.load("imu/*", start=1.0, stop=2.0), long.select("imu/*").between(1.0, 2.0))
        with pytest.raises(UnknownNameError, match="did you mean 'joints/ready'"):
            file.read("joints/redy")
        with pytest.raises(UnknownNameError, match="unknown group"):
            file.time("arm")
    assert_same(logs.load(tmp_path / "a.parquet"), long)


def test_other_programs_see_a_plain_table(log, tmp_path):
    logs.save(log, tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.num_rows == 500
    np.testing.assert_array_equal(table["joints/position/knee"].to_numpy(), log["position"].column("knee"))
    assert table["imu/time"].null_count == 400
    assert table["imu/time"].drop_null().to_numpy()[-1] == log.time("imu")[-1]


def test_nothing_is_written_over_unless_asked(log, tmp_path):
    path = tmp_path / "a.parquet"
    logs.save(log, path)
    before = path.read_bytes()
    with pytest.raises(ArgumentError, match="exists; choose another name, or overwrite=True"):
        logs.save(log.select("imu/*"), path)
    assert path.read_bytes() == before
    logs.save(log.select("imu/*"), path, overwrite=True)
    assert len(logs.load(path)) == 2
    with pytest.raises(ArgumentError, match="is a folder"):
        logs.save(log, tmp_path, overwrite=True)
    with pytest.raises(LogError, match="cannot be written"):
        logs.save(log, tmp_path / "no" / "a.parquet")
    with pytest.raises(ArgumentError, match="compression is 'zip'"):
        logs.save(log, tmp_path / "b.parquet", compression="zip")
    assert os.listdir(tmp_path) == ["a.parquet"]


def test_the_same_log_makes_the_same_bytes(log, tmp_path):
    logs.save(log, tmp_path / "a.parquet")
    logs.save(log, tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_columns_that_would_have_one_name_are_refused(tmp_path):
    log = logs.Log((logs.signal("imu/time", [0.0], [1.0]),))
    with pytest.raises(ArgumentError, match="two columns of the file would be called 'imu/time'"):
        logs.save(log, tmp_path / "a.parquet")


def _rewritten(path: Path, change) -> Path:
    """A file with other metadata or columns."""
    table = pq.read_table(path)
    content = json.loads(table.schema.metadata[b"floatbase.log"])
    table = change(table, content) or table
    table = table.replace_schema_metadata({b"floatbase.log": json.dumps(content).encode()})
    new = path.with_name("changed.parquet")
    pq.write_table(table, new, use_dictionary=False)
    return new


def _set(*keys):
    *keys, last, value = keys

    def change(table, content):
        for key in keys:
            content = content[key]
        content[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (_set("version", 7), "format has version 7; this is read: 1"),
        (_set("samples", "joints", 10**12), "numbers of samples"),
        (_set("samples", "joints", -1), "numbers of samples"),
        (_set("samples", "joints", 3.5), "numbers of samples"),
        (_set("samples", "imu", 500), "missing"),
        (_set("samples", []), "numbers of samples"),
        (_set("signals", 0, "units", ["m"]), "damaged"),
        (_set("signals", 0, "units", ["rod", "rod"]), "damaged"),
        (_set("signals", 0, "columns", ["hip", "hip"]), "damaged"),
        (_set("signals", 0, "columns", ["hip", "toe"]), "columns are not those"),
        (_set("signals", 0, "dtype", "object"), "none of bool"),
        (_set("signals", 0, "dtype", "float32"), "holds double, not float32"),
        (_set("signals", 0, "name", "x" * 999), "damaged"),
        (_set("signals", "all"), "damaged"),
        (_set("rates", {"joints": "fast"}), "damaged"),
        (_set("metadata", None), "damaged"),
        (lambda table, content: table.drop_columns(["joints/ready"]), "columns are not those"),
        (lambda table, content: content.clear(), "damaged"),
    ],
)
def test_files_that_contradict_themselves_are_refused(log, tmp_path, change, text):
    logs.save(log, tmp_path / "a.parquet")
    with pytest.raises(LogError, match=text):
        logs.load(_rewritten(tmp_path / "a.parquet", change))


def test_time_that_is_no_number_is_refused(tmp_path):
    def change(table, content):
        return table.set_column(0, table.schema.field(0), pa.array([0.0, np.nan, 1.0]))

    logs.save(logs.Log((logs.signal("x", np.arange(3.0), np.arange(3.0)),)), tmp_path / "a.parquet")
    with pytest.raises(LogError, match="contain NaN"):
        logs.load(_rewritten(tmp_path / "a.parquet", change))


def test_a_file_that_unpacks_to_too_much_is_refused(tmp_path):
    count = 2_000_000
    time = np.zeros(count)
    logs.save(logs.Log((logs.signal("x", time, time),)), tmp_path / "a.parquet", compression="zstd")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    with pytest.raises(LogError, match="would take 32 MB, more than the 10 MB allowed"):
        logs.load(tmp_path / "a.parquet", limits=logs.Limits(memory=10**7))
    with pytest.raises(LogError, match="columns, more than the 1 allowed"):
        logs.load(tmp_path / "a.parquet", limits=logs.Limits(columns=1))
    with pytest.raises(ArgumentError, match="must be a positive whole number"):
        logs.Limits(memory=0)


def test_pages_that_tell_more_than_the_file_declares_are_refused(tmp_path):
    """The header of the first page: its second number is the unpacked size, here made a million."""
    for name, read, text in (
        ("a.parquet", logs.load, "more than its samples take"),
        ("b.parquet", logs.read_table, "cannot be read as Parquet"),  # within its wider bound, but not so
    ):
        path = tmp_path / name
        log = logs.Log((logs.signal("x", np.arange(20_000.0), np.zeros(20_000)),))
        logs.save(log, path, compression="zstd")
        column = pq.ParquetFile(path).metadata.row_group(0).column(1)
        data = bytearray(path.read_bytes())
        place = column.data_page_offset
        assert data[place : place + 6] == b"\x15\x00\x15\x80\xc4\x13"  # a data page of 160000 bytes
        data[place + 3 : place + 6] = b"\xfe\xff\x7f"
        path.write_bytes(data)
        with pytest.raises(LogError, match=text):
            read(path)
    numbers = np.random.default_rng(0).integers(0, 9, 50_000)  # as a dictionary and its places
    table = pa.table({"time": np.arange(50_000.0), "few": numbers, "null": pa.array([None, *numbers[1:]])})
    for version in ("1.0", "2.0"):
        pq.write_table(table, tmp_path / "c.parquet", data_page_version=version, row_group_size=9000)
        np.testing.assert_array_equal(logs.read_table(tmp_path / "c.parquet")["few"].values, numbers)


def test_damaged_statistics_do_not_end_the_process(tmp_path):
    """Arrow's own functions that tell about columns end it where these are damaged."""
    logs.save(make_log(100), tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    footer = int.from_bytes(data[-8:-4], "little")
    rng = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(data)
        broken[len(data) - 8 - int(rng.integers(1, footer))] = rng.integers(0, 256)
        (tmp_path / "b.parquet").write_bytes(broken)
        with suppress(LogError, ArgumentError):
            logs.load(tmp_path / "b.parquet")


def test_damaged_files_give_errors(log, tmp_path):
    logs.save(log.between(0.0, 0.5), tmp_path / "a.parquet")
    data = (tmp_path / "a.parquet").read_bytes()
    rng = np.random.default_rng(0)
    path = tmp_path / "b.parquet"
    read = 0
    for k in range(150):
        broken = bytearray(data)
        if k % 3 == 0:
            broken = broken[: rng.integers(0, len(data))]
        else:
            for place in rng.integers(4 if k % 2 else len(data) - 4000, len(data), 1 + k % 5):
                broken[place] = rng.integers(0, 256)
        path.write_bytes(broken)
        try:
            logs.load(path)
            read += 1  # where samples alone changed
        except (LogError, ArgumentError):
            pass
    assert read < 100


def test_what_is_no_log_is_told(tmp_path):
    with pytest.raises(LogError, match="no such file"):
        logs.load(tmp_path / "none.parquet")
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(LogError, match="it is empty"):
        logs.load(tmp_path / "empty")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    with pytest.raises(LogError, match=r"not a log of floatbase.*read_table"):
        logs.load(tmp_path / "other.parquet")
    (tmp_path / "text.csv").write_text("time,a\n0,1\n")
    with pytest.raises(LogError, match="no log of floatbase; load reads"):
        logs.open_log(tmp_path / "text.csv")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(LogError, match="no regular file"):
        logs.load(tmp_path / "pipe")
    with pytest.raises(ArgumentError, match="given by its path"):
        logs.load(3)
    with pytest.raises(ArgumentError, match="not the name of a file"):
        logs.load("a\0b")
