"""Suites: samples in time, drop-out and delay, random numbers, batches and chunks, compiled and interpreted."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError, UnknownNameError
from floatbase.simulation.sensors import (
    Accelerometer,
    Errors,
    Gyroscope,
    JointEncoders,
    Sampling,
    SensorSuite,
    SensorWarning,
    sensors_of,
)
from floatbase.simulation.sensors.random_numbers import Stream, philox


@pytest.fixture(scope="module")
def arm() -> fb.Robot:
    return fb.load("pendulum")


def read(suite: SensorSuite, positions: np.ndarray, **init) -> tuple[np.ndarray, np.ndarray]:
    """Values and freshness over ticks, of a pendulum at given positions (ticks,)."""
    state, values, fresh = suite.init(**init), [], []
    for position in positions:
        state, readings = suite.step(state, np.array([position]), np.zeros(1), np.zeros(1))
        values.append(readings.values)
        fresh.append(readings.fresh)
    return np.array(values), np.array(fresh)


def encoder(arm: fb.Robot, name: str = "s", **settings) -> JointEncoders:
    return JointEncoders(name, arm.joint_names, **settings)


TICKS = np.arange(20.0)


@pytest.mark.parametrize(
    ("sampling", "dt", "times"),
    [
        (Sampling(), 1e-3, list(range(20))),
        (Sampling(200.0), 1e-3, [0, 5, 10, 15]),
        (Sampling(400.0), 1e-3, [0, 3, 5, 8, 10, 13, 15, 18]),  # the first ticks at or after 0, 2.5, 5, ...
        (Sampling(140.0), 1 / 5000, [0]),
        (Sampling(200.0, phase=2e-3), 1e-3, [0, 2, 7, 12, 17]),
        (Sampling(1000.0), 1e-3, list(range(20))),
    ],
)
def test_samples_are_taken_at_their_times_and_held(arm: fb.Robot, sampling: Sampling, dt: float, times) -> None:
    values, fresh = read(SensorSuite(arm, (encoder(arm, sampling=sampling),), dt=dt), TICKS)
    assert np.flatnonzero(fresh[:, 0]).tolist() == times
    expected = [max(t for t in times if t <= k) for k in range(20)]
    np.testing.assert_array_equal(values[:, 0], expected)


def test_samples_come_late(arm: fb.Robot) -> None:
    sampling = Sampling(200.0, delay=3e-3)
    values, fresh = read(SensorSuite(arm, (encoder(arm, sampling=sampling),), dt=1e-3), TICKS)
    assert np.flatnonzero(fresh[:, 0]).tolist() == [3, 8, 13, 18]
    expected = [0.0] * 8 + [5.0] * 5 + [10.0] * 5 + [15.0] * 2
    np.testing.assert_array_equal(values[:, 0], expected)


def test_samples_are_lost_and_held_over(arm: fb.Robot) -> None:
    suite = SensorSuite(arm, (encoder(arm, sampling=Sampling(dropout=0.3)),), dt=1e-3)
    ticks = np.arange(4000.0)
    values, fresh = read(suite, ticks, seed=4)
    assert fresh[0, 0] == 1.0
    assert fresh.mean() == pytest.approx(0.7, abs=0.03)
    last = np.maximum.accumulate(np.where(fresh[:, 0] > 0.5, ticks, 0.0))
    np.testing.assert_array_equal(values[:, 0], last)


def test_philox_gives_the_published_words() -> None:
    """Known answers of the authors' Random123 1.14, file kat_vectors."""
    ones = [0xFFFFFFFF] * 4
    pi = [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344]
    for counter, key, words in (
        ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        (ones, ones[:2], "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (pi, [0xA4093822, 0x299F31D0], "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ):
        assert " ".join(f"{int(word):08x}" for word in philox(counter, key)) == words


def test_random_numbers_have_their_distributions() -> None:
    stream = Stream(["a", "b"], [(5, 2), (0, 3)])
    found = stream.draw(1, np.arange(2000), np.arange(10))
    assert found.shape == (2000, 10, 10)
    normals, uniforms = found[..., :5].reshape(-1, 5), found[..., 5:].reshape(-1, 5)
    np.testing.assert_allclose(normals.mean(axis=0), 0.0, atol=0.03)
    np.testing.assert_allclose(np.cov(normals.T), np.eye(5), atol=0.04)
    assert np.mean(normals**4) == pytest.approx(3.0, rel=0.05)
    assert uniforms.min() > 0.0 and uniforms.max() < 1.0
    np.testing.assert_allclose(np.cov(uniforms.T), np.eye(5) / 12.0, atol=0.004)
    assert not np.intersect1d(found[0], stream.draw(2, 0, np.arange(10))).size
    assert not np.intersect1d(found[0], stream.draw(1, 0, np.arange(10), at_start=True)).size


def noisy(robot: fb.Robot, *names: str) -> tuple:
    errors = Errors(noise=0.1, bias_spread=1.0, bias_instability=0.3, random_walk=0.1)
    return tuple(Gyroscope(name, robot.base, errors=errors, sampling=Sampling(500.0, dropout=0.2)) for name in names)


def test_what_is_read_depends_on_seed_name_and_row_alone() -> None:
    robot = fb.load("quadrotor_with_arm")
    rng = np.random.default_rng(1)
    q, v = robot.random(rng, 13)
    a = rng.standard_normal(v.shape)

    def run(suite: SensorSuite, rows: slice, ticks: int = 7, seed: int = 5) -> np.ndarray:
        start = rows.start or 0
        state = suite.init((len(q[rows]),), seed=seed, first_row=start)
        found = []
        for _ in range(ticks):
            state, readings = suite.step(state, q[rows], v[rows], a[rows])
            found.append(np.concatenate([readings.values, readings.fresh], axis=-1))
        return np.array(found)

    both = SensorSuite(robot, noisy(robot, "a", "b"))
    whole = run(both, slice(0, 13))
    chunks = np.concatenate([run(both, slice(0, 4)), run(both, slice(4, 5)), run(both, slice(5, 13))], axis=1)
    np.testing.assert_array_equal(whole, chunks)
    alone = run(SensorSuite(robot, noisy(robot, "b")), slice(0, 13))
    np.testing.assert_array_equal(whole[..., [3, 4, 5, 7]], alone)
    other = run(both, slice(0, 13), seed=6)
    assert np.abs(whole[..., :6] - other[..., :6]).min() > 0.0
    single = both.init(seed=5, first_row=3)
    _, readings = both.step(single, q[3], v[3], a[3])
    np.testing.assert_array_equal(readings.values, whole[0, 3, :6])


def test_numbers_are_drawn_when_samples_are_due(arm: fb.Robot) -> None:
    """Others would change nothing; every sample has its own."""
    errors = Errors(noise=0.1)
    rates = {"a": None, "b": 500.0, "c": 140.0, "d": 333.0, "e": 400.0}
    sensors = tuple(
        encoder(arm, name, errors=errors, sampling=Sampling(rate, phase=0.004 * (name == "d")))
        for name, rate in rates.items()
    )
    suite = SensorSuite(arm, sensors, dt=1e-3)
    state, zero, found = suite.init(seed=3), np.zeros(1), []
    for tick in range(300):
        random = suite.draw(state)
        every = np.array([Stream([name], [(1, 0)]).draw(3, tick, 0)[0, 0, 0] for name in rates])
        drawn = random != 0.0
        np.testing.assert_array_equal(random[drawn], every[drawn])
        state, readings = suite.step(state, zero, zero, zero)
        due = readings.fresh > 0.5
        assert drawn[due].all()
        np.testing.assert_allclose(readings.values[due], 0.1 * every[due], rtol=1e-12)
        found.append(drawn)
    shares = np.mean(found, axis=0)
    np.testing.assert_allclose(shares[:2], [1.0, 0.5])  # others are drawn at a few ticks more
    assert (shares[2:] < [0.2, 0.4, 0.65]).all()


def test_ticks_can_be_taken_up_again_from_a_state() -> None:
    robot = fb.load("quadrotor_with_arm")
    suite = SensorSuite(robot, noisy(robot, "a"))
    q, v = robot.random(2)
    states, found = [suite.init(seed=1)], []
    for _ in range(6):
        state, readings = suite.step(states[-1], q, v, v)
        states.append(state)
        found.append(readings.values)
    again = SensorSuite(robot, noisy(robot, "a"))
    for k in (4, 2):
        np.testing.assert_array_equal(again.step(states[k], q, v, v)[1].values, found[k])


def test_compiled_readings_are_those_of_numbers() -> None:
    """Of all sensors of iCub with their errors: the program, and the same functions on arrays of numbers."""
    robot = fb.load("icub")
    frames = ("l_sole", "r_sole")
    suite = SensorSuite(robot, sensors_of(robot), wrenches=frames)
    assert suite.size == len(suite.channels) == len(suite.units) == 341
    rng = np.random.default_rng(2)
    q, v = robot.random(rng, 3)
    a, wrenches = rng.standard_normal(v.shape), rng.standard_normal((3, 12))
    state = suite.init((3,), seed=8)
    for _ in range(12):
        random = suite.draw(state)
        values, fresh, memory = suite.layout.tick([q, v, a, wrenches], state.memory, random)
        state, readings = suite.step(state, q, v, a, wrenches)
        steps = np.array([sensor.errors.resolution for sensor in suite.sensors if hasattr(sensor.errors, "resolution")])
        assert np.isfinite(steps).all()
        close = np.isclose(readings.values, values, rtol=1e-9, atol=1e-9)
        assert close.mean() > 0.999  # the nearest step can be another one after rounding
        np.testing.assert_array_equal(readings.fresh, fresh)
        np.testing.assert_allclose(state.memory[:, :20], memory[:, :20], atol=1e-12)
    by_name = {frame: wrenches[:, 6 * k : 6 * k + 6] for k, frame in enumerate(frames)}
    again = suite.init((3,), seed=8)
    for _ in range(12):
        again, last = suite.step(again, q, v, a, by_name)
    np.testing.assert_array_equal(last.values, readings.values)


def test_single_precision() -> None:
    robot = fb.load("quadrotor_with_arm")
    suite = SensorSuite(robot, noisy(robot, "a"), dt=1e-3)
    q, v = robot.random(4, 6)
    exact, single = suite.init((6,), seed=1), suite.init((6,), seed=1)
    for _ in range(40):
        exact, expected = suite.step(exact, q, v, v)
        single, found = suite.step(single, q.astype(np.float32), v.astype(np.float32), v.astype(np.float32))
    assert found.values.dtype == single.memory.dtype == np.float32
    np.testing.assert_array_equal(found.fresh, expected.fresh)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-5)


def test_the_sensors_of_icub_are_those_of_its_file() -> None:
    robot = fb.load("icub")
    sensors = {sensor.name: sensor for sensor in sensors_of(robot)}
    kinds = [type(sensor).__name__ for sensor in sensors.values()]
    counts = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    assert counts == {"Accelerometer": 63, "Attitude": 1, "ForceTorque": 6, "Gyroscope": 16, "JointEncoders": 2}
    assert sensors["l_leg_ft"].sampling.rate == 100.0
    assert sensors["root_link_imu_acc.gyroscope"].sampling.rate == 400.0
    assert sensors["chest_mtb_acc_0b7"].errors.resolution == pytest.approx(7.81e-3 * 9.80665)
    for sensor in sensors_of(robot, perfect=True):
        assert not sensor.errors.memory_size(sensor.size) and sensor.sampling == Sampling()
    assert len(sensors_of(robot, encoders=False)) == len(sensors) - 2


def test_sensors_without_a_model_are_named() -> None:
    robot = fb.load("icub")
    from dataclasses import replace

    from floatbase.model import Sensor

    sensors = (Sensor("eye", "camera", link="head"), Sensor("knee_ft", "force_torque", "l_lower_leg", "l_knee"))
    with pytest.warns(SensorWarning, match=r"eye \(camera\), knee_ft \(force_torque\)"):
        found = sensors_of(fb.Robot(replace(robot.model, sensors=sensors)))
    assert [sensor.name for sensor in found] == ["joint_positions", "joint_velocities"]


def test_bad_suites_are_refused(arm: fb.Robot) -> None:
    one = encoder(arm)
    suite = SensorSuite(arm, (one,), wrenches=(arm.base,))
    state, zero = suite.init(), np.zeros(1)
    for make, error, message in (
        (lambda: SensorSuite(arm.model, (one,)), ArgumentError, "floatbase.Robot"),
        (lambda: SensorSuite(arm, ()), ArgumentError, "no sensors"),
        (lambda: SensorSuite(arm, (one, one)), ArgumentError, "two sensors named 's'"),
        (lambda: SensorSuite(arm, (3,)), ArgumentError, "must be a Sensor"),
        (lambda: SensorSuite(arm, (one,), dt=0.0), ArgumentError, "dt is 0.0"),
        (lambda: SensorSuite(arm, (one,), given="force"), ArgumentError, "acceleration, torques"),
        (lambda: SensorSuite(arm, (one,), wrenches=("sole",)), UnknownNameError, "frame of wrenches 'sole'"),
        (lambda: suite.pick(np.zeros(1), "t"), UnknownNameError, "sensor 't'"),
        (lambda: suite.step(state, zero, zero, zero, {"sole": np.zeros(6)}), UnknownNameError, "sole"),
        (lambda: suite.step(state, zero, zero, zero, {arm.base: np.zeros(5)}), ShapeError, "must be"),
        (lambda: suite.step(state, zero, zero, zero, None, None, zero), ArgumentError, "inertial parameters cannot"),
        (
            lambda: SensorSuite(arm, (one,)).step(state, zero, zero, zero, np.zeros(6)),
            ArgumentError,
            "name their frames",
        ),
        (lambda: suite.init(seed=0.5), ArgumentError, "seed is 0.5"),
        (lambda: suite.step(state, np.array([np.nan]), zero, zero), ArgumentError, "q"),
        (
            lambda: SensorSuite(arm, (Accelerometer("s", arm.base, errors=Errors(noise=(1.0, 2.0))),)),
            ShapeError,
            "sensor 's': noise has 2",
        ),
    ):
        with pytest.raises(error, match=message):
            make()
