"""Calibration of an attitude, odometry, screening and wrenches for a pendulum on a hook, with the published lengths."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.sensors import (
    BandLimitedWrench,
    Screen,
    calibrate_attitude,
    odometry_in_world,
    odometry_scale,
    odometry_start,
    pendulum_pose,
    reference_wrench,
    screen_from_log,
    true_attitude,
)
from floatbase.spatial import (
    invert_pose,
    pose_exponential,
    rotation_exponential,
    rotation_logarithm,
)

LENGTH, DT = 3.4832, 0.05
PIVOT = (0.0, 0.0, LENGTH)


def swing(count: int) -> np.ndarray:
    """Attitudes (count, 3, 3) of a swing in two planes that also yaws."""
    t = DT * np.arange(count)[:, None]
    w = 2.0 * np.pi / 3.76
    return rotation_exponential(
        np.concatenate([0.25 * np.cos(w * t), 0.12 * np.sin(w * t), 0.1 * np.sin(0.3 * t)], axis=1)
    )


def test_the_pose_of_a_pendulum_follows_from_its_attitude() -> None:
    poses = pendulum_pose(swing(50), PIVOT)
    pivot = poses @ np.array([*PIVOT, 1.0])
    np.testing.assert_allclose(pivot, np.tile([0.0, 0.0, 0.0, 1.0], (50, 1)), atol=1e-13)
    np.testing.assert_allclose(pendulum_pose(np.eye(3), PIVOT)[:3, 3], [0.0, 0.0, -LENGTH])


def measured(
    count: int, drift: np.ndarray, noise: float = 0.0, seed: int = 5
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Reference, readings, and the errors of the earth frame and of the mounting."""
    rng = np.random.default_rng(seed)
    earth, mounting = rotation_exponential(np.array([0.3, -0.1, 1.0])), rotation_exponential(np.array([0.1, 0.2, -0.3]))
    reference = swing(count)
    errors = mounting @ rotation_exponential(drift * DT * np.arange(count)[:, None])
    noisy = rotation_exponential(noise * rng.standard_normal((count, 3)))
    return reference, earth @ reference @ errors @ noisy, earth, mounting


def test_calibration_is_exact_without_noise() -> None:
    drift = np.array([1e-3, -5e-4, 2e-3])
    reference, readings, earth, mounting = measured(400, drift)
    found = calibrate_attitude(readings, reference, DT, earth)
    np.testing.assert_allclose(found.drift, drift, atol=1e-12)  # rad/s; asked for is 1e-8
    np.testing.assert_allclose(found.misalignment, mounting, atol=1e-12)
    attitudes = found.attitude(readings, DT * np.arange(400))
    np.testing.assert_allclose(attitudes, reference, atol=1e-12)
    error = mounting @ rotation_exponential(drift * DT * 7)
    np.testing.assert_allclose(true_attitude(readings[7], earth, error), reference[7], atol=1e-13)


def test_calibration_with_noise_has_the_accuracy_it_says() -> None:
    """20 s at 20 Hz with 0.2 degrees; then a minute without the reference."""
    drift = np.array([1e-3, -5e-4, 2e-3])
    reference, readings, earth, mounting = measured(1200, drift, np.deg2rad(0.2))
    found = calibrate_attitude(readings[:400], reference[:400], DT, earth)
    turn = rotation_logarithm(found.misalignment @ mounting.T)
    deviations = np.sqrt(np.diag(found.covariance))
    assert np.linalg.norm(turn) < 1e-3
    assert np.abs(found.drift - drift).max() < 1e-4
    assert (np.abs(np.r_[turn, found.drift - drift]) < 4.0 * deviations).all()
    assert found.residual == pytest.approx(np.sqrt(3.0) * np.deg2rad(0.2), rel=0.1)


def test_positions_of_a_calibrated_imu_are_as_good_as_published() -> None:
    """0.018 m over a minute after a calibration of 20 s; 0.32 m at its end if the drift is left in."""
    drift, rms, away = np.array([1e-3, -5e-4, 2e-3]), [], []
    for seed in range(10):
        reference, readings, earth, _ = measured(1200, drift, np.deg2rad(0.2), seed)
        found = calibrate_attitude(readings[:400], reference[:400], DT, earth)
        truth = pendulum_pose(reference, PIVOT)[:, :3, 3]
        seen = pendulum_pose(found.attitude(readings, DT * np.arange(1200)), PIVOT)[:, :3, 3]
        rms.append(np.sqrt(np.mean(np.sum((seen - truth) ** 2, axis=1))))
        uncorrected = pendulum_pose(true_attitude(readings, earth, found.misalignment), PIVOT)[:, :3, 3]
        away.append(np.linalg.norm(uncorrected[-40:] - truth[-40:], axis=1).mean())
    assert np.mean(rms) == pytest.approx(0.018, rel=0.1)
    assert np.mean(away) == pytest.approx(0.32, rel=0.1)


def test_large_drifts_are_found() -> None:
    drift = np.array([0.02, -0.05, 0.1])  # more than a turn in the window
    reference, readings, earth, _ = measured(1500, drift, 1e-3)
    found = calibrate_attitude(readings, reference, DT, earth)
    np.testing.assert_allclose(found.drift, drift, atol=1e-5)


def test_the_scale_of_odometry_is_exact_without_noise() -> None:
    poses = pendulum_pose(swing(100), PIVOT)
    start = poses[0]
    relative = invert_pose(start) @ poses
    seen = relative.copy()
    seen[:, :3, 3] /= 1.7
    scale = odometry_scale(seen[:, :3, 3], relative[:, :3, 3])
    assert scale == pytest.approx(1.7, rel=1e-12)
    found = odometry_start(seen[:10], poses[:10], scale)
    np.testing.assert_allclose(found, start, atol=1e-12)
    np.testing.assert_allclose(odometry_in_world(seen, scale, found), poses, atol=1e-12)


def test_a_static_log_has_no_scale() -> None:
    with pytest.raises(ArgumentError, match="without motion there is no scale"):
        odometry_scale(np.zeros((10, 3)), np.zeros((10, 3)))
    with pytest.raises(ArgumentError, match="without motion"):
        odometry_scale(np.ones((10, 3)), 1e-12 * np.ones((10, 3)))


def pendulum_log(count: int, noise: float = 0.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    poses = pendulum_pose(swing(count), PIVOT)
    return poses @ pose_exponential(noise * rng.standard_normal((count, 6)))


def test_a_perfect_pendulum_neither_slips_nor_stretches() -> None:
    screen = Screen(DT, PIVOT)
    state = screen.init()
    for pose in pendulum_log(100):
        state, verdict = screen.step(state, pose)
        assert verdict.accepted
        assert verdict.quantities["slip"] < 1e-12
        assert verdict.quantities["stretch"] < 1e-12


def test_faults_are_rejected_and_good_samples_are_not() -> None:
    noise = 1e-3
    screen = screen_from_log(pendulum_log(400, noise, 1), DT, PIVOT, repeats=1)
    stream = pendulum_log(400, noise, 2)
    assert screen.screen(stream).mean() > 0.995
    faulty = stream.copy()
    faulty[50, :3, 3] += [0.5, 0.0, 0.0]  # an outlier
    faulty[80] = np.nan
    faulty[100, :3, :3] *= 1.1
    faulty[120, :3, :3] = -faulty[120, :3, :3]
    faulty[150:155] = faulty[149]  # frozen
    accepted = screen.screen(faulty)
    assert not accepted[[50, 80, 100, 120, *range(150, 155)]].any()
    assert accepted[[49, 79, 99, 119, 149, 53, 81, 101, 121, 160]].all()
    assert accepted.mean() > 0.95


def test_lost_odometry_is_found_when_the_pendulum_would_stretch() -> None:
    """From the lowest point on at 1.163 m/s: 5 cm after 0.51 s."""
    dt, speed = 0.01, 1.163
    times = dt * np.arange(100)
    lost = np.tile(np.eye(4), (100, 1, 1))
    lost[:, :3, 3] = np.stack([speed * times, 0.0 * times, -LENGTH + 0.0 * times], axis=-1)
    accepted = Screen(dt, PIVOT, stretch=0.05).screen(lost)
    found = times[np.argmin(accepted)]
    assert found == pytest.approx(np.sqrt((LENGTH + 0.05) ** 2 - LENGTH**2) / speed, abs=dt)
    assert found == pytest.approx(0.51, abs=dt)


def test_samples_must_pass_for_a_while_after_a_rejection() -> None:
    stream = pendulum_log(30)
    stream[10] = np.nan
    for recovery in (1, 4):
        accepted = Screen(DT, PIVOT, stretch=0.01, recovery=recovery).screen(stream)
        assert np.flatnonzero(~accepted).tolist() == list(range(10, 10 + recovery))
    batch = np.stack([stream, pendulum_log(30)], axis=1)
    assert Screen(DT, PIVOT, stretch=0.01).screen(batch).sum(axis=0).tolist() == [29, 30]


def test_random_wrenches_stay_in_their_band_and_bounds() -> None:
    wrench = BandLimitedWrench(3, amplitude=(1.0, 2.0, 3.0, 0.1, 0.2, 0.0))
    t = np.arange(0.0, 100.0, 0.01)
    values = wrench(t)
    assert values.shape == (10_000, 6)
    assert (np.abs(values).max(axis=0) <= np.array(wrench.amplitude) + 1e-12).all()
    assert np.abs(values[:, 0]).max() > 0.3
    spectrum = np.abs(np.fft.rfft(values[:, :5] * np.hanning(len(t))[:, None], axis=0)) ** 2
    frequencies = np.fft.rfftfreq(len(t), 0.01)
    assert spectrum[frequencies > 5.1].sum() < 1e-6 * spectrum.sum()
    np.testing.assert_array_equal(values, BandLimitedWrench(3, amplitude=wrench.amplitude)(t))
    assert not np.allclose(values[:, 0], BandLimitedWrench(4, amplitude=wrench.amplitude)(t)[:, 0])


def test_the_reference_wrench() -> None:
    """Moments are the first three of each body, forces the next three."""
    found = reference_wrench(0.3, bodies=2)
    for place, i in enumerate([4, 5, 6, 1, 2, 3, 10, 11, 12, 7, 8, 9]):
        terms = (
            np.sin(np.pi * 0.3 + i) + 0.5 * np.sin(4 * np.pi * 0.3 + 2 * i) + 0.25 * np.sin(10 * np.pi * 0.3 + 3 * i)
        )
        assert found[place] == pytest.approx(20.0 * terms, rel=1e-12)
    assert reference_wrench(np.zeros((3, 2))).shape == (3, 2, 6)


def test_bad_input_is_refused() -> None:
    R, H = swing(20), pendulum_log(20)
    for make, error, message in (
        (lambda: calibrate_attitude(R[:2], R[:2], DT), ShapeError, "at least three"),
        (lambda: calibrate_attitude(2.0 * R, R, DT), ArgumentError, "measured"),
        (lambda: calibrate_attitude(R, R, 0.0), ArgumentError, "dt"),
        (lambda: odometry_scale(np.ones(3), np.ones(3)), ShapeError, "measured has shape"),
        (lambda: odometry_scale(np.full((4, 3), np.nan), np.ones((4, 3))), ArgumentError, "NaN"),
        (lambda: odometry_start(H, H[:3], 1.0), ShapeError, "must be"),
        (lambda: odometry_start(H, H, 0.0), ArgumentError, "scale"),
        (lambda: Screen(DT, speed=0.0), ArgumentError, "speed is 0.0; a threshold must be positive"),
        (lambda: Screen(DT, PIVOT, stretch=-1.0), ArgumentError, "stretch is -1.0"),
        (lambda: Screen(DT, stretch=1.0), ArgumentError, "give its pivot"),
        (lambda: Screen(DT, recovery=0), ArgumentError, "recovery is 0"),
        (lambda: Screen(DT).screen(np.eye(4)), ShapeError, "must be"),
        (lambda: screen_from_log(H[:5], DT), ShapeError, "ten samples"),
        (lambda: screen_from_log(np.full((20, 4, 4), np.nan), DT), ArgumentError, "poses"),
        (lambda: BandLimitedWrench(1, highest=0.05), ArgumentError, "above lowest"),
        (lambda: BandLimitedWrench(1, amplitude=(1.0,)), ShapeError, "six each"),
        (lambda: BandLimitedWrench(1, terms=0), ArgumentError, "terms is 0"),
        (lambda: reference_wrench(0.0, bodies=0), ArgumentError, "bodies is 0"),
    ):
        with pytest.raises(error, match=message):
            make()
