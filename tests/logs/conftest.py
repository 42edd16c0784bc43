"""A log of two groups with clocks of their own."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase import logs


def make_log(samples: int = 500, rate: float = 100.0) -> logs.Log:
    rng = np.random.default_rng(1)
    time = np.arange(samples) / rate
    slow = time[::5]
    turn = 0.3 * slow
    orientation = np.stack([np.cos(turn / 2), 0 * turn, 0 * turn, np.sin(turn / 2)], axis=1)
    return logs.Log(
        (
            logs.signal(
                "joints/position", time, np.stack([np.sin(time), np.cos(time)], 1), "rad", columns=["hip", "knee"]
            ),
            logs.signal("joints/ready", time, time > 2.0),
            logs.signal("joints/count", time, np.arange(samples, dtype=np.int32), "1"),
            logs.signal(
                "imu/acceleration", slow, rng.standard_normal((len(slow), 3)).astype(np.float32), "m/s^2", frame="imu"
            ),
            logs.signal("imu/orientation", slow, orientation, orientation=True, frame="imu"),
        ),
        {"joints": rate},
        {"robot": "pendulum", "trial": 3, "gains": [1.5, 2.0]},
    )


@pytest.fixture
def log() -> logs.Log:
    return make_log()


def assert_same(a: logs.Log, b: logs.Log) -> None:
    assert a.names == b.names
    assert a.rates == b.rates
    assert a.metadata == b.metadata
    for one, other in zip(a, b):
        assert (one.columns, one.units, one.frame, one.orientation) == (
            other.columns,
            other.units,
            other.frame,
            other.orientation,
        )
        assert one.values.dtype == other.values.dtype
        np.testing.assert_array_equal(one.time, other.time)
        np.testing.assert_array_equal(one.values, other.values)
