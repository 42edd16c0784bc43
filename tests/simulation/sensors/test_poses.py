"""Errors and faults of attitudes and poses: equations, statistics, odometry, lost tracking, and bad input."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError
from floatbase.model import Inertia, Link, Model
from floatbase.simulation.sensors import (
    Attitude,
    AttitudeErrors,
    PoseErrors,
    PoseTracker,
    SensorSuite,
    camera,
    motion_capture,
)
from floatbase.spatial import (
    invert_pose,
    pose_exponential,
    pose_from,
    rotation_exponential,
    rotation_from_quaternion,
    rotation_logarithm,
)

T = 0.05
SWING = np.array([0.4, -0.2, 0.1, 0.3, 0.5, -0.2])


@pytest.fixture(scope="module")
def body() -> fb.Robot:
    return fb.Robot(Model("body", (Link("body", Inertia(1.0, np.zeros(3), np.eye(3))),), (), root="body"))


def poses(count: int) -> np.ndarray:
    """A screw motion, (count, 4, 4), and its configurations."""
    return np.array([pose_exponential(SWING * T * k) for k in range(count)])


def configuration(pose: np.ndarray) -> np.ndarray:
    return np.concatenate([pose[..., :3, 3], fb.spatial.quaternion_from_rotation(pose[..., :3, :3])], axis=-1)


def read(suite: SensorSuite, motion: np.ndarray, seed: int = 0, rows: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Values (ticks, rows, n) and freshness."""
    state, values, fresh = suite.init((rows,), seed=seed), [], []
    zero = np.zeros((rows, 6))
    for pose in motion:
        q = np.tile(configuration(pose), (rows, 1))
        state, readings = suite.step(state, q, zero, zero)
        values.append(readings.values)
        fresh.append(readings.fresh)
    return np.array(values), np.array(fresh)


def as_poses(values: np.ndarray) -> np.ndarray:
    return pose_from(rotation_from_quaternion(values[..., 3:]), values[..., :3])


def test_an_attitude_has_the_errors_of_its_equation(body: fb.Robot) -> None:
    """R_m = R_eI R R_e0 exp(w_d t), exactly without noise."""
    earth, mounting, drift = np.array([0.1, -0.2, 0.3]), np.array([0.0, 0.2, -0.1]), np.array([0.01, 0.02, -0.03])
    errors = AttitudeErrors(earth_error=tuple(earth), misalignment=tuple(mounting), drift=tuple(drift))
    motion = poses(40)
    values, _ = read(SensorSuite(body, (Attitude("imu", "body", errors=errors),), dt=T), motion)
    for k, pose in enumerate(motion):
        error = rotation_exponential(mounting) @ rotation_exponential(drift * T * k)
        expected = rotation_exponential(earth) @ pose[:3, :3] @ error
        np.testing.assert_allclose(rotation_from_quaternion(values[k, 0]), expected, atol=1e-13)
    assert (values[..., 0] >= 0.0).all()


def test_noise_of_an_attitude_is_about_each_axis(body: fb.Robot) -> None:
    errors = AttitudeErrors(noise=0.01, misalignment_spread=0.05, random_walk=0.02)
    values, _ = read(
        SensorSuite(body, (Attitude("imu", "body", errors=errors),), dt=T), np.tile(np.eye(4), (21, 1, 1)), rows=4000
    )
    turns = rotation_logarithm(rotation_from_quaternion(values))
    np.testing.assert_allclose(turns[0].std(axis=0), np.hypot(0.01, 0.05), rtol=0.04)
    np.testing.assert_allclose(turns[20].std(axis=0), np.sqrt(0.01**2 + 0.05**2 + 0.02**2 * 20 * T), rtol=0.04)


def test_odometry_starts_at_the_first_pose_in_a_unit_of_its_own(body: fb.Robot) -> None:
    first = pose_exponential(np.array([1.0, 2.0, 3.0, 0.5, -0.4, 0.2]))
    motion = first @ poses(20)
    tracker = PoseTracker("eye", "body", errors=PoseErrors(scale=2.5, from_start=True))
    values, _ = read(SensorSuite(body, (tracker,), dt=T), motion)
    expected = invert_pose(first) @ motion
    expected[:, :3, 3] /= 2.5
    np.testing.assert_allclose(as_poses(values[:, 0]), expected, atol=1e-12)


def test_noise_and_bias_of_a_pose(body: fb.Robot) -> None:
    errors = PoseErrors(noise=0.02, rotation_noise=0.01, bias=(0.1, 0.0, -0.2), rotation_bias=(0.0, 0.05, 0.0))
    values, _ = read(SensorSuite(body, (PoseTracker("eye", "body", errors=errors),), dt=T), poses(3), rows=4000)
    pose = poses(3)[2]
    np.testing.assert_allclose(values[2, :, :3].mean(axis=0), pose[:3, 3] + [0.1, 0.0, -0.2], atol=2e-3)
    np.testing.assert_allclose(values[2, :, :3].std(axis=0), 0.02, rtol=0.05)
    expected = pose[:3, :3] @ rotation_exponential(np.array([0.0, 0.05, 0.0]))
    turns = rotation_logarithm(expected.T @ rotation_from_quaternion(values[2, :, 3:]))
    np.testing.assert_allclose(turns.std(axis=0), 0.01, rtol=0.05)
    np.testing.assert_allclose(turns.mean(axis=0), 0.0, atol=1e-3)


def test_outliers_come_with_their_probability_and_size(body: fb.Robot) -> None:
    errors = PoseErrors(outliers=0.1, outlier_size=2.0, outlier_angle=0.3)
    values, _ = read(SensorSuite(body, (PoseTracker("eye", "body", errors=errors),), dt=T), poses(10), rows=1000)
    jumps = values[..., :3] - poses(10)[:, None, :3, 3]
    is_outlier = np.abs(jumps).max(axis=-1) > 1e-9
    assert is_outlier.mean() == pytest.approx(0.1, abs=0.01)
    assert jumps[is_outlier].std() == pytest.approx(2.0, rel=0.05)


def test_lost_tracking_goes_on_at_the_last_velocity(body: fb.Robot) -> None:
    errors = PoseErrors(loss_rate=2.0, loss_time=1e9)
    motion = poses(60)
    values, _ = read(SensorSuite(body, (PoseTracker("eye", "body", errors=errors),), dt=T), motion, rows=50)
    found = as_poses(values)
    wrong = np.abs(found - motion[:, None]).max(axis=(-2, -1)) > 1e-9
    assert not wrong[0].any() and (wrong[1:] >= wrong[:-1]).all()  # once lost, always lost
    rate = wrong[20].mean()
    assert rate == pytest.approx(1.0 - np.exp(-2.0 * 20 * T), abs=0.15)
    row = int(np.flatnonzero(wrong[30] & ~wrong[5])[0])
    k = int(np.argmax(wrong[:, row]))  # the first sample that is lost
    step = values[k - 1, row, :3] - values[k - 2, row, :3]
    for ahead in range(5):
        expected = motion[k - 1, :3, 3] + (ahead + 1) * step
        np.testing.assert_allclose(values[k + ahead, row, :3], expected, atol=1e-12)
        turned = motion[k - 1, :3, :3] @ rotation_exponential(SWING[3:] * T * (ahead + 1))
        np.testing.assert_allclose(found[k + ahead, row, :3, :3], turned, atol=1e-9)


def test_frozen_streams_hold_and_recover(body: fb.Robot) -> None:
    errors = PoseErrors(freeze_rate=1.0, freeze_time=0.3)
    motion = poses(400)
    values, _ = read(SensorSuite(body, (PoseTracker("eye", "body", errors=errors),), dt=T), motion, rows=20)
    still = np.abs(np.diff(values, axis=0)).max(axis=-1) == 0.0
    right = np.abs(as_poses(values) - motion[:, None]).max(axis=(-2, -1)) < 1e-9
    np.testing.assert_array_equal(still, ~right[1:])
    assert still.mean() == pytest.approx(0.3 / (1.0 + 0.3), abs=0.05)  # of a cycle of 1 s and 0.3 s


def test_motion_capture_and_camera_have_their_rates(body: fb.Robot) -> None:
    suite = SensorSuite(body, (motion_capture("vicon", "body"), camera("eye", "body", scale=3.0)), dt=0.01)
    values, fresh = read(suite, poses(100), rows=30)
    assert fresh[..., 0].mean() == pytest.approx(0.2 * 0.99, abs=0.005)
    assert fresh[..., 1].mean() == pytest.approx(0.19, abs=0.001)  # the first one is 50 ms late
    assert values.shape == (100, 30, 14)


def test_bad_settings_are_refused(body: fb.Robot) -> None:
    for make, message in (
        (lambda: AttitudeErrors(noise=-1.0), "noise is -1.0"),
        (lambda: AttitudeErrors(drift=(1.0, 2.0)), "drift"),
        (lambda: PoseErrors(scale=0.0), "scale is 0.0"),
        (lambda: PoseErrors(outliers=1.5), "outliers is 1.5"),
        (lambda: PoseErrors(bias=(np.nan, 0.0, 0.0)), "bias"),
        (lambda: PoseErrors(loss_time=np.inf), "loss_time is inf"),
        (lambda: SensorSuite(body, (PoseTracker("p", "body", errors=AttitudeErrors()),)), "7 channels"),
        (lambda: SensorSuite(body, (Attitude("a", "body", errors=PoseErrors()),)), "4 channels"),
        (lambda: PoseTracker("p", "body", np.eye(4), np.zeros((4, 4))), "reference_H_world of 'p'"),
        (lambda: motion_capture("m", "bodi") and SensorSuite(body, (motion_capture("m", "bodi"),)), "bodi"),
    ):
        with pytest.raises(ArgumentError, match=message):
            make()
