"""Logs in memory: choosing, renaming, merging, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from tests.logs.conftest import assert_same, make_log

from floatbase import logs
from floatbase.errors import ArgumentError, ShapeError, UnknownNameError


def test_signals_are_found_by_full_and_short_names(log):
    assert log["joints/position"] is log["position"]
    assert set(log.groups) == {"joints", "imu"}
    assert log["position"].column("knee")[0] == 1.0
    assert log.span == (0.0, 4.99)
    assert len(log) == 5
    assert "joints/ready" in log


def test_misspelt_names_get_hints(log):
    with pytest.raises(UnknownNameError, match="did you mean 'joints/position'"):
        log["joints/positon"]
    with pytest.raises(UnknownNameError, match="unknown signals 'arm/\\*'"):
        log.select("arm/*")
    with pytest.raises(ArgumentError, match="no column 'kne'; did you mean 'knee'"):
        log["position"].column("kne")
    both = logs.merge(log, log.rename({"joints": "left", "imu": "right"}))
    with pytest.raises(ArgumentError, match="several signals are called 'position': joints/position, left/position"):
        both["position"]


def test_samples_cannot_be_written_to(log):
    with pytest.raises(ValueError, match="read-only"):
        log["position"].values[0] = 3.0
    with pytest.raises(AttributeError):
        log["position"].name = "x"


def test_choosing_by_name_and_time(log):
    part = log.select("imu/*", "position").between(1.0, 2.0)
    assert part.names == ("joints/position", "imu/acceleration", "imu/orientation")
    np.testing.assert_array_equal(part.time("joints"), np.arange(100, 200) / 100)
    assert len(part.time("imu")) == 20
    assert log.without("imu/*").names == log.select("joints/*").names
    assert part.rates == {"joints": 100.0}
    assert log.between(10.0).span != log.between(10.0).span  # nothing is left: NaN


def test_renaming_signals_and_groups(log):
    new = log.rename({"joints": "legs", "imu/orientation": "imu/attitude"})
    assert new.names[0] == "legs/position"
    assert new.names[-1] == "imu/attitude"
    assert new.rates == {"legs": 100.0}


def test_units_change_by_name_and_all_together(log):
    degrees = log.in_units({"position": "deg"})
    np.testing.assert_allclose(degrees["position"].values, np.rad2deg(log["position"].values), rtol=1e-15)
    assert degrees["position"].unit == "deg"
    np.testing.assert_allclose(degrees.in_units()["position"].values, log["position"].values, rtol=1e-14)
    with pytest.raises(ArgumentError, match="cannot become 'm'"):
        log.in_units({"position": "m"})
    mixed = logs.signal("w", [0.0], [[1.0, 2.0, 3.0]], ["kN", "N mm", ""])
    np.testing.assert_allclose(logs.Log((mixed,)).in_units()["w"].values, [[1000.0, 0.002, 3.0]])
    assert logs.Log((mixed,)).in_units()["w"].units == ("N", "N m", "")
    with pytest.raises(ArgumentError, match="several units"):
        _ = mixed.unit


def test_float32_stays_float32_in_another_unit(log):
    assert log["acceleration"].in_unit("g0").values.dtype == np.float32


def test_merging_and_joining(log):
    assert_same(logs.merge(log.select("imu/*"), log.select("joints/*")).select(*log.names), _reordered(log))
    assert_same(logs.join(log.between(None, 2.0), log.between(2.0, None)), log)
    with pytest.raises(ArgumentError, match="two signals are called 'joints/position'"):
        logs.merge(log, log)
    with pytest.raises(ArgumentError, match="in one group, but have other time"):
        logs.merge(log.select("position"), log.select("ready").shifted(0.1))
    with pytest.raises(ArgumentError, match="joints/position are not in all"):
        logs.join(log, log.without("position"))
    with pytest.raises(ArgumentError, match="other columns, units"):
        logs.join(log, log.in_units({"position": "deg"}))
    with pytest.raises(ArgumentError, match="no log to join"):
        logs.join()


def _reordered(log):
    return logs.merge(log.select("imu/*"), log.select("joints/*"))


def test_logs_pickle(log):
    again = pickle.loads(pickle.dumps(log))
    assert_same(again, log)
    assert not again["position"].values.flags.writeable


def test_a_healthy_log_has_no_findings(log):
    assert log.check() == ()


def test_doubtful_clocks_and_values_are_found():
    time = np.arange(1000) / 100
    time[300:] += 0.05  # a gap
    time[500:] += 30.0  # a jump
    time[700] = time[699]
    time[800] = time[798]
    values = np.zeros(1000)
    values[[3, 4]] = np.nan
    values[9] = np.inf
    turn = np.tile([1.0, 0.0, 0.0, 0.0], (1000, 1))
    turn[5] *= 2
    log = logs.Log((logs.signal("a/x", time, values), logs.signal("a/q", time, turn, orientation=True)), {"a": 120.0})
    found = {item.kind: item for item in log.check()}
    assert set(found) == {"duplicate", "backwards", "gap", "jump", "rate", "NaN", "infinity", "length"}
    assert found["NaN"].count == 2
    assert found["jump"].count == 1
    assert found["jump"].time == pytest.approx(35.05)
    assert found["gap"].time == pytest.approx(3.05)
    assert "a: 1 steps" in str(found["jump"])
    with pytest.raises(ArgumentError, match=r"cannot be chosen by time, which goes back .* at sample 800"):
        log.between(0.0, 1.0)
    ordered = log.in_order()
    assert (np.diff(ordered.time("a")) > 0).all()
    assert len(ordered.time("a")) == 998  # without the equal one and the earlier one


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("x", [0.0, 1.0], [1.0]), ShapeError, "1 samples, but 2 time stamps"),
        (("x", [0.0, np.nan], [1.0, 2.0]), ArgumentError, "NaN or infinity: stamp 1"),
        (("x", [[0.0]], [1.0]), ShapeError, r"must be numbers \(n,\)"),
        (("x", [0.0], ["a"]), ArgumentError, "must be real numbers"),
        (("x", [0.0], [1j]), ArgumentError, "must be real numbers"),
        (("x", [0.0], np.array([object()])), ArgumentError, "must be real numbers"),
        (("x", [0.0], np.zeros((1, 1, 1))), ShapeError, r"must be \(n,\) or \(n, k\)"),
        (("x", [0.0], np.zeros((1, 0))), ShapeError, "0 columns"),
        (("", [0.0], [1.0]), ArgumentError, "cannot be the name"),
        (("a\nb", [0.0], [1.0]), ArgumentError, "cannot be the name"),
        (("a*", [0.0], [1.0]), ArgumentError, "cannot be the name"),
        ((3, [0.0], [1.0]), ArgumentError, "the name of a signal is text"),
        (("x", [0.0], [1.0], "furlong"), UnknownNameError, "unknown unit 'furlong'"),
        (("x", [0.0], [[1.0, 2.0]], ["m"]), ShapeError, "2 columns, but 1 units"),
    ],
)
def test_what_is_no_signal_is_refused(arguments, error, text):
    with pytest.raises(error, match=text):
        logs.signal(*arguments)


def test_columns_and_metadata_are_checked():
    with pytest.raises(ArgumentError, match="columns of the same name"):
        logs.signal("x", [0.0], [[1.0, 2.0]], columns=["a", "a"])
    with pytest.raises(ShapeError, match="4 columns w x y z"):
        logs.signal("x", [0.0], [[1.0, 2.0]], orientation=True)
    one = logs.signal("x", [0.0], [1.0])
    with pytest.raises(ArgumentError, match="metadata hold text"):
        logs.Log((one,), metadata={"f": print})
    with pytest.raises(UnknownNameError, match="unknown group 'y'"):
        logs.Log((one,), {"y": 1.0})
    with pytest.raises(ArgumentError, match="must be a positive number"):
        logs.Log((one,), {"": -1.0})
    with pytest.raises(ArgumentError, match="the name of a signal and of a group"):
        logs.Log((one, logs.signal("x/y", [0.0], [1.0])))


def test_what_logs_look_like(log):
    assert repr(log["position"]) == "<Signal joints/position: 500 x 2 float64 [rad]>"
    assert repr(make_log(5).select("ready")) == "<Log: <Signal joints/ready: 5 bool>>"
