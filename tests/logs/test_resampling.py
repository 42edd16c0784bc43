"""Signals at other times: straight lines, held values, turns, gaps, and one clock for all."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase import logs
from floatbase.errors import ArgumentError
from floatbase.spatial import quaternion_exponential, quaternion_logarithm


def test_lines_and_held_values():
    x = logs.signal("x", [0.0, 1.0, 3.0], [0.0, 2.0, -2.0], "m")
    time = [0.0, 0.25, 1.0, 2.0, 3.0]
    np.testing.assert_array_equal(logs.resample(x, time).values, [0.0, 0.5, 2.0, 0.0, -2.0])
    np.testing.assert_array_equal(logs.resample(x, time, method="hold").values, [0.0, 0.0, 2.0, 2.0, -2.0])
    again = logs.resample(x, x.time)
    np.testing.assert_array_equal(again.values, x.values)
    assert again.unit == "m"


def test_there_is_no_value_outside_in_gaps_and_beside_nan():
    x = logs.signal("x", [0.0, 1.0, 4.0, 5.0], [[0.0, 0.0], [1.0, 1.0], [4.0, np.nan], [5.0, 5.0]])
    found = logs.resample(x, [-0.1, 0.5, 1.0, 2.0, 4.0, 4.5, 5.0, 5.1], longest_gap=1.5).values
    nan = np.nan
    np.testing.assert_array_equal(found[:, 0], [nan, 0.5, 1.0, nan, 4.0, 4.5, 5.0, nan])
    np.testing.assert_array_equal(found[:, 1], [nan, 0.5, 1.0, nan, nan, nan, 5.0, nan])


def test_whole_numbers_and_truth_values_are_held():
    count = logs.signal("n", [0.0, 1.0, 2.0], np.array([1, 2, 3]))
    np.testing.assert_array_equal(logs.resample(count, [0.5, 1.5]).values, [1, 2])
    np.testing.assert_array_equal(logs.resample(count, [0.5], method="linear").values, [1.5])
    ready = logs.signal("ready", [0.0, 1.0], [False, True])
    assert logs.resample(ready, [0.9, 1.0]).values.tolist() == [False, True]
    with pytest.raises(ArgumentError, match="between which there are none"):
        logs.resample(ready, [0.5], method="linear")
    with pytest.raises(ArgumentError, match=r"has none at 2.5 s"):
        logs.resample(count, [0.5, 2.5])


def test_orientations_turn_at_a_constant_rate():
    rng = np.random.default_rng(0)
    rate = rng.standard_normal(3)
    time = np.linspace(0.0, 2.0, 9)
    known = quaternion_exponential(time[:, None] * rate)
    known[1::2] *= -1.0  # the same rotations
    turn = logs.signal("q", time, known, orientation=True)
    wanted = np.linspace(0.0, 2.0, 37)
    found = logs.resample(turn, wanted).values
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1.0, rtol=1e-14)
    exact = quaternion_exponential(wanted[:, None] * rate)
    np.testing.assert_allclose(np.abs((found * exact).sum(axis=1)), 1.0, rtol=1e-14)
    half = logs.resample(
        logs.signal("q", [0.0, 1.0], np.array([[1.0, 0, 0, 0], [0, 0, 0, 1.0]]), orientation=True), [0.5]
    )
    np.testing.assert_allclose(quaternion_logarithm(half.values[0]), [0.0, 0.0, np.pi / 2], atol=1e-15)


def test_one_clock_for_all(log):
    same = logs.align(log, rate=50.0)
    assert same.rates == {"joints": 50.0, "imu": 50.0}
    np.testing.assert_allclose(same.time("imu"), np.arange(248) / 50, atol=1e-15)
    np.testing.assert_array_equal(same.time("imu"), same.time("joints"))
    assert not same.check()
    np.testing.assert_allclose(same["position"].values, log["position"].values[:496:2], atol=1e-15)
    slow = logs.align(log, group="imu")
    np.testing.assert_array_equal(slow["imu/acceleration"].values, log["imu/acceleration"].values)
    assert len(logs.align(log, time=[0.1, 0.2])["ready"].values) == 2
    for arguments, text in (
        ({}, "one of rate, time and group; got none"),
        ({"rate": 1.0, "group": "imu"}, "got rate, group"),
        ({"rate": 0.0}, "positive number"),
        ({"time": [1.0, 1.0]}, "time stamps that increase"),
    ):
        with pytest.raises(ArgumentError, match=text):
            logs.align(log, **arguments)
    with pytest.raises(ArgumentError, match="no common span"):
        logs.align(logs.merge(log.select("imu/*"), log.select("joints/*").shifted(100.0)), rate=10.0)


def test_short_gaps_are_filled():
    time = np.arange(8.0)
    values = np.array([np.nan, 1.0, np.nan, 3.0, np.nan, np.nan, 6.0, np.nan])
    x = logs.signal("x", time, np.stack([values, time], 1))
    nan = np.nan
    np.testing.assert_array_equal(logs.fill(x, 2.0).values[:, 0], [nan, 1.0, 2.0, 3.0, nan, nan, 6.0, nan])
    np.testing.assert_array_equal(logs.fill(x, 3.0).values[:, 0], [nan, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, nan])
    np.testing.assert_array_equal(logs.fill(x, 3.0).values[:, 1], time)
    turns = quaternion_exponential(0.1 * time[:, None] * np.array([0.0, 0.0, 1.0]))
    holes = turns.copy()
    holes[3, 1] = np.nan
    np.testing.assert_allclose(
        logs.fill(logs.signal("q", time, holes, orientation=True), 2.0).values, turns, atol=1e-15
    )


def test_wrong_requests_are_refused():
    x = logs.signal("x", [0.0, 1.0, 1.0], [0.0, 2.0, -2.0])
    with pytest.raises(ArgumentError, match=r"stamp 2 is .*1.0.* s after"):
        logs.resample(x, [0.5])
    good = x.rows(slice(0, 2))
    with pytest.raises(ArgumentError, match="method is 'cubic'"):
        logs.resample(good, [0.5], method="cubic")
    with pytest.raises(ArgumentError, match="longest_gap is 0"):
        logs.resample(good, [0.5], longest_gap=0)
    assert np.isnan(logs.resample(x.rows(slice(0, 0)), [0.5]).values).all()
