"""CSV files and tables of other programs: maps of columns, units, and lines that are wrong."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from floatbase import logs
from floatbase.errors import ArgumentError, LogError
from floatbase.logs import Columns

TEXT = """# recorded on a Tuesday
time [ms],hip [deg],knee [deg],w,x,y,z,ok
0,0,90,1,0,0,0,1
10,1,89,1,0,0,0,1
20,,88,1,0,0,0,0
"""


@pytest.fixture
def written(tmp_path):
    def write(text: str | bytes, name: str = "a.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_every_column_becomes_a_signal(written):
    log = logs.read_csv(written(TEXT))
    assert log.names == ("hip", "knee", "w", "x", "y", "z", "ok")
    np.testing.assert_array_equal(log.time(), [0.0, 0.01, 0.02])
    assert log["hip"].unit == "deg"
    np.testing.assert_array_equal(log["hip"].values, [0.0, 1.0, np.nan])
    assert [item.kind for item in log.check()] == ["NaN"]


def test_a_map_makes_signals_of_columns(written):
    log = logs.read_csv(
        written(TEXT),
        {
            "joints/position": Columns(("hip", "knee"), into="rad", frame="legs"),
            "imu/attitude": Columns(("x", "y", "z", "w"), orientation=True, scalar_last=True),
            "ok": "ok",
        },
    )
    position = log["position"]
    assert (position.columns, position.unit, position.frame) == (("hip", "knee"), "rad", "legs")
    assert position.values[0, 1] == pytest.approx(np.pi / 2)
    np.testing.assert_array_equal(log["attitude"].values[0], [1.0, 0.0, 0.0, 0.0])
    assert log["attitude"].columns == ("w", "x", "y", "z")


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("t;a\n0,0;1,5\n0,1;2,5\n", {"decimal": ","}),
        ("t\ta\n0\t1.5\n0.1\t2.5\n", {}),
        ("t|a\r\n0|1.5\r\n0.1|2.5\r\n", {}),
        ("\ufefft,a\n0,1.5\n0.1,2.5\n", {}),
        ('"t","a"\n"0","1.5"\n"0.1","2.5"\n', {}),
        ("  t   a\n0  1.5\n0.1 2.5", {}),
        ("t , a\n\n0 , 1.5\n% note\n0.1 , 2.5\n\n", {"comment": "%"}),
    ],
)
def test_usual_forms_are_understood(written, text, options):
    log = logs.read_csv(written(text), **options)
    np.testing.assert_array_equal(log.time(), [0.0, 0.1])
    np.testing.assert_array_equal(log["a"].values, [1.5, 2.5])


def test_files_without_a_header_or_a_clock(written):
    log = logs.read_csv(written("0,5\n0.5,6\n"), time="0")
    np.testing.assert_array_equal(log["1"].values, [5.0, 6.0])
    log = logs.read_csv(written("a,b\n1,2\n3,4\n"), rate=10.0)
    np.testing.assert_array_equal(log.time(), [0.0, 0.1])
    assert log.rates == {"": 10.0}
    log = logs.read_csv(written("stamp,a\n5,1\n6,2\n"), time_unit="us")
    np.testing.assert_allclose(log.time(), [5e-6, 6e-6])


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("", {}, "no lines"),
        ("\n# only this\n", {}, "no lines"),
        ("t,a\n0,1\n1\n", {}, "line 3 has 1 fields, but the first has 2"),
        ("t,a\n0,1\n1,2,3\n", {}, "line 3 has 3 fields"),
        ("t,a\n0,1\n1,two\n", {}, "line 3, field 2: 'two' is no number"),
        ("t,a\n0,1\n1,0x10\n", {}, "no number"),
        ("t,a\n0,1\n1,1_000\n", {}, "no number"),
        ("t,a\n0,1\n,2\n", {}, "the clock 't' has no number at sample 1"),
        ("t,a\n0,1\n2,1\n1,1\n", {}, "time goes back 1 times, first from 2 s to 1 s at sample 2"),
        ("t,a,a\n0,1,2\n", {}, "not all different"),
        ("t,a,\n0,1,2\n", {}, "one is empty"),
        ("t,a [m],a [rad]\n0,1,2\n", {}, "several columns have one name"),
        ("b,a\n0,1\n", {}, "say which is the clock with time="),
        ("t,a\n0,1\n", {"time": "stmp"}, "no column 'stmp'"),
        ("t,a\n0,1\n", {"columns": {"x": "aa"}}, "no column 'aa'; did you mean 'a'"),
        ("t,a\n0,1\n", {"columns": {"x": ()}}, "made of no column"),
        ("t,a\n0,1\n", {"time_unit": "m"}, "cannot become 's'"),
        ("t,a\n0,1\n", {"columns": {"x": Columns("a", "deg", into="m")}}, "cannot become 'm'"),
        ("t,a\n0,1\n", {"columns": {"x": Columns("a", into="m")}}, "not known"),
        ("t,a\n0,1\n", {"rate": -1.0}, "must be a positive number"),
        ("t,a\n0,1\n", {"decimal": "x"}, "decimal is 'x'"),
        ("t,a\n0,1\n", {"time_order": "sort"}, "time_order is 'sort'"),
        ("t,a\n0,\0\n", {}, "null character"),
        (b"t,a\n0,\xff\xfe\n", {}, "no number"),
        ("t," + "a" * 3000 + "\n", {"limits": logs.Limits(text=1000)}, "line 1 has more than 1000 characters"),
        (",".join(f"c{k}" for k in range(200)) + "\n", {"limits": logs.Limits(columns=100)}, "200 columns, more"),
        ("t,a\n" + "0,1\n" * 10000, {"limits": logs.Limits(memory=1000)}, "more than the 1 kB allowed"),
        ('t,a\n0,"1\n', {}, "line 2 has a quotation mark without another"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(written, text, options, message):
    with pytest.raises((LogError, ArgumentError), match=message):
        logs.read_csv(written(text), **options)


def test_time_that_goes_back_can_be_kept_or_dropped(written):
    path = written("t,a\n0,1\n2,2\n1,3\n3,4\n3,5\n")
    kept = logs.read_csv(path, time_order="keep")
    assert {item.kind for item in kept.check()} == {"backwards", "duplicate"}
    np.testing.assert_array_equal(logs.read_csv(path, time_order="drop")["a"].values, [1.0, 2.0, 4.0])


def test_long_files_are_read_in_pieces(written):
    rows = np.random.default_rng(0).standard_normal((20_000, 3))
    rows[:, 0] = np.arange(20_000)
    text = "t,a,b\n" + "\n".join(",".join(map(repr, row)) for row in rows.tolist())
    log = logs.read_csv(written(text))
    np.testing.assert_array_equal(log["b"].values, rows[:, 2])


def test_what_is_written_as_csv_comes_back_exactly(log, tmp_path):
    joints = log.select("joints/*")
    logs.write_csv(log, tmp_path / "a.csv", group="joints")
    again = logs.read_csv(
        tmp_path / "a.csv",
        {"joints/position": ("joints/position/hip", "joints/position/knee"), "ready": "joints/ready"},
    )
    np.testing.assert_array_equal(again["position"].values, joints["position"].values)
    np.testing.assert_array_equal(again.time("joints"), joints.time("joints"))
    assert again["position"].unit == "rad"
    with pytest.raises(ArgumentError, match="one clock; groups 'joints' and 'imu'"):
        logs.write_csv(log, tmp_path / "b.csv")
    with pytest.raises(ArgumentError, match="exists"):
        logs.write_csv(joints, tmp_path / "a.csv")
    logs.write_csv(logs.align(log, rate=20.0), tmp_path / "c.csv")
    assert len(logs.load(tmp_path / "c.csv")) == 11


def test_tables_of_other_programs(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"stamp": [0, 1, 2], "a": [1.0, None, 3.0], "name": ["x", "y", "z"], "b": [True, False, True]})
    pq.write_table(table, path)
    log = logs.read_table(path, time="stamp", time_unit="ms")
    np.testing.assert_array_equal(log.time(), [0.0, 0.001, 0.002])
    np.testing.assert_array_equal(log["a"].values, [1.0, np.nan, 3.0])
    assert log["b"].values.dtype == bool
    with pytest.raises(LogError, match="column 'name' holds string, no numbers"):
        logs.read_table(path, {"n": "name"})
    with pytest.raises(LogError, match="more than the 10 bytes allowed"):
        logs.read_table(path, limits=logs.Limits(memory=10))
    pq.write_table(table.select(["name"]), path)
    with pytest.raises(LogError, match="none of its columns holds numbers"):
        logs.read_table(path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(LogError, match="cannot be read as Parquet"):
        logs.read_table(path)


def test_noise_is_refused_or_read_but_nothing_else_happens(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "a.csv"
    for _ in range(100):
        text = bytearray(TEXT.encode())
        for place in rng.integers(0, len(text), 4):
            text[place] = rng.integers(0, 256)
        path.write_bytes(text)
        with suppress(LogError, ArgumentError):
            logs.read_csv(path)
