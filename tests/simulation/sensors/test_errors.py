"""Errors of vectors: each term against its law, statistics over many rows, Allan deviations, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError
from floatbase.model import Inertia, Link, Model
from floatbase.simulation.sensors import Accelerometer, Errors, Gyroscope, Sampling, SensorSuite, allan_deviation

T = 0.01


def simulate(errors: Errors, ideal: np.ndarray, ticks: int, seed: int = 0) -> np.ndarray:
    """Samples (ticks, ..., n) of a constant ideal reading (..., n)."""
    rng = np.random.default_rng(seed)
    size, batch = ideal.shape[-1], ideal.shape[:-1]
    memory = errors.begin(size, rng.standard_normal((*batch, errors.at_start(size).normals)), np.zeros((*batch, 0)))
    assert memory.shape == (*batch, errors.memory_size(size))
    found = []
    for k in range(ticks):
        normals = rng.standard_normal((*batch, errors.per_sample(size).normals))
        value, memory = errors.sample(ideal, memory, normals, np.zeros((*batch, 0)), T, k == 0)
        found.append(value)
    return np.array(found)


def test_without_errors_the_ideal_is_read() -> None:
    ideal = np.array([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(simulate(Errors(), ideal, 3), np.tile(ideal, (3, 1, 1)))
    assert Errors().memory_size(3) == 0 and sum(Errors().per_sample(3)) == 0


def test_constant_errors() -> None:
    errors = Errors(bias=(0.1, 0.2), gain=((2.0, 0.5), (0.0, 1.0)))
    np.testing.assert_allclose(simulate(errors, np.array([1.0, 10.0]), 1)[0], [2.0 + 5.0 + 0.1, 10.2])
    drifting = simulate(Errors(drift=(1.0, -2.0)), np.zeros(2), 101)
    np.testing.assert_allclose(drifting[100], [1.0, -2.0], rtol=1e-12)


def test_steps_and_limits() -> None:
    errors = Errors(resolution=0.5, limit=(2.0, np.inf))
    np.testing.assert_array_equal(simulate(errors, np.array([0.7, 0.7]), 1)[0], [0.5, 0.5])
    np.testing.assert_array_equal(simulate(errors, np.array([-7.0, -7.0]), 1)[0], [-2.0, -7.0])
    fine = simulate(Errors(resolution=0.1), np.linspace(-1, 1, 1000)[:, None], 1)[0]
    error = fine - np.linspace(-1, 1, 1000)[:, None]
    assert np.abs(error).max() <= 0.05 + 1e-12
    assert error.std() == pytest.approx(0.1 / np.sqrt(12.0), rel=0.02)


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        (Errors(noise=0.3), 0.3),
        (Errors(noise_density=0.02), 0.02 / np.sqrt(T)),
        (Errors(noise=0.3, noise_density=0.04), np.hypot(0.3, 0.4)),
        (Errors(bias_spread=0.7), 0.7),
        (Errors(bias_instability=0.5), 0.5),
    ],
)
def test_spread_of_samples(errors: Errors, expected: float) -> None:
    last = simulate(errors, np.zeros((20_000, 2)), 3)[-1]
    assert last.std() == pytest.approx(expected, rel=0.02)
    assert abs(last.mean()) < 0.02 * expected


def test_scale_errors_are_in_proportion() -> None:
    last = simulate(Errors(scale_spread=0.01), np.full((20_000, 1), 50.0), 1)[-1]
    assert last.std() == pytest.approx(0.5, rel=0.02)


def test_a_random_walk_spreads_with_the_root_of_time() -> None:
    walk = simulate(Errors(random_walk=0.2), np.zeros((5000, 2)), 101)
    assert walk[100].std() == pytest.approx(0.2 * np.sqrt(100 * T), rel=0.03)
    assert walk[25].std() == pytest.approx(0.2 * np.sqrt(25 * T), rel=0.03)


def test_a_wandering_bias_is_correlated_as_its_time_says() -> None:
    errors = Errors(bias_instability=1.0, correlation_time=0.5)
    found = simulate(errors, np.zeros((20_000, 1)), 51)[..., 0]
    for lag in (10, 50):
        assert np.mean(found[0] * found[lag]) == pytest.approx(np.exp(-lag * T / 0.5), abs=0.02)
        assert found[lag].std() == pytest.approx(1.0, rel=0.02)  # stationary from the start


def test_imus_have_the_allan_deviation_of_their_settings() -> None:
    """A hundred units at rest for a minute, through the compiled program of the suite."""
    robot = fb.Robot(Model("imu", (Link("imu", Inertia(1.0, np.zeros(3), np.eye(3))),), (), root="imu"))
    gyro = Errors(noise_density=2e-3, bias_instability=3e-3, correlation_time=2.0, bias_spread=0.1)
    accelerometer = Errors(noise_density=0.02, random_walk=0.02, bias=0.3)
    sensors = (Gyroscope("gyro", "imu", errors=gyro), Accelerometer("acc", "imu", errors=accelerometer))
    suite = SensorSuite(robot, sensors, dt=T)
    units, ticks = 100, 6000
    q, v = np.tile(robot.neutral(), (units, 1)), np.zeros((units, 6))
    state = suite.init((units,), seed=3)
    found = np.empty((ticks, units, 6))
    for k in range(ticks):
        state, readings = suite.step(state, q, v, v)
        found[k] = readings.values
    clusters = [1, 4, 20, 100, 400]
    for part, errors in ((found[..., :3], gyro), (found[..., 3:], accelerometer)):
        times, deviation = allan_deviation(part, T, clusters)
        np.testing.assert_allclose(times, np.array(clusters) * T)
        measured = np.sqrt(np.mean(deviation**2, axis=(0, 1)))
        np.testing.assert_allclose(measured, errors.allan_deviation(times), rtol=0.05)
    bias = found[..., :3].mean(axis=0)
    assert bias.std() == pytest.approx(0.1, rel=0.15)  # of 300 numbers
    np.testing.assert_allclose(found[0, :, 3:].mean(axis=0), [0.3, 0.3, 9.81 + 0.3], atol=0.06)
    steps = np.diff(found[..., :3], axis=0)
    assert steps.std() == pytest.approx(np.sqrt(2.0) * 2e-3 / np.sqrt(T), rel=0.01)


def test_biases_over_a_hundred_seeds() -> None:
    """Three axes each: their mean and spread, and that no two seeds share one."""
    robot = fb.Robot(Model("imu", (Link("imu", Inertia(1.0, np.zeros(3), np.eye(3))),), (), root="imu"))
    suite = SensorSuite(robot, (Gyroscope("gyro", "imu", errors=Errors(bias_spread=0.2, bias=1.0)),), dt=T)
    q, v, found = robot.neutral(), np.zeros(6), []
    for seed in range(100):
        state = suite.init(seed=seed)
        found.append([suite.step(state, q, v, v)[1].values for _ in range(2)])
    biases = np.array(found)
    np.testing.assert_array_equal(biases[:, 0], biases[:, 1])
    assert biases.mean() == pytest.approx(1.0, abs=3 * 0.2 / np.sqrt(300))
    assert biases.std() == pytest.approx(0.2, rel=0.12)
    assert len(np.unique(biases[:, 0])) == 300


def test_the_allan_deviation_of_known_signals() -> None:
    ramp = np.arange(1000.0) * T
    times, deviation = allan_deviation(ramp, T)
    np.testing.assert_allclose(deviation, times / np.sqrt(2.0), rtol=1e-9)
    np.testing.assert_allclose(Errors(drift=1.0).allan_deviation(times), times / np.sqrt(2.0), rtol=1e-12)
    quick = allan_deviation(np.random.default_rng(0).standard_normal(100_000), 1.0, [1, 10, 100])[1]
    np.testing.assert_allclose(quick, [1.0, 10**-0.5, 0.1], rtol=0.05)
    shifted = allan_deviation(ramp + 1e6, T)[1]
    np.testing.assert_allclose(shifted, deviation, rtol=1e-6)


def test_bad_settings_are_refused() -> None:
    for make, error, message in (
        (lambda: Errors(noise=-1.0), ArgumentError, "noise is -1.0; it must be finite and not negative"),
        (lambda: Errors(bias=np.nan), ArgumentError, "bias is nan"),
        (lambda: Errors(correlation_time=0.0), ArgumentError, "correlation_time is 0.0"),
        (lambda: Errors(limit=0.0), ArgumentError, "limit"),
        (lambda: Errors(limit=np.nan), ArgumentError, "limit"),
        (lambda: Errors(noise=np.ones((2, 2))), ShapeError, "noise has shape"),
        (lambda: Errors(gain=((1.0, 2.0),)), ShapeError, "square"),
        (lambda: Errors(noise=(1.0, 2.0)).check("sensor 's'", 3), ShapeError, "sensor 's': noise has 2 numbers"),
        (lambda: Errors(gain=((1.0,),)).check("sensor 's'", 3), ShapeError, "gain has 1 rows"),
        (lambda: Errors(noise=(1.0, 2.0)).allan_deviation(1.0), ArgumentError, "one channel"),
        (lambda: allan_deviation([1.0, 2.0], 1.0), ShapeError, "at least 3"),
        (lambda: allan_deviation([1.0, np.nan, 2.0], 1.0), ArgumentError, "NaN"),
        (lambda: allan_deviation(np.ones(10), 1.0, [6]), ArgumentError, "from 1 to 5"),
        (lambda: allan_deviation(np.ones(10), 0.0), ArgumentError, "dt"),
        (lambda: Sampling(rate=0.0), ArgumentError, "rate is 0.0"),
        (lambda: Sampling(delay=-1.0), ArgumentError, "delay is -1.0"),
        (lambda: Sampling(dropout=1.0), ArgumentError, "dropout is 1.0"),
        (lambda: Sampling(2000.0).check("sensor 's'", 1e-3), ArgumentError, "2000 Hz, but the loop runs at 1000 Hz"),
        (lambda: Sampling(delay=11.0).check("sensor 's'", 1e-3), ArgumentError, "ticks"),
    ):
        with pytest.raises(error, match=message):
            make()
