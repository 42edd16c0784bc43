"""Accelerometers, gyroscopes, magnetometers, attitudes, encoders and trackers against kinematics and differences."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.sensors.humanoid import Motion, motion

import floatbase as fb
from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.simulation.sensors import (
    Accelerometer,
    Attitude,
    Gyroscope,
    JointEncoders,
    Magnetometer,
    PoseTracker,
    SensorSuite,
)
from floatbase.spatial import (
    pose_from,
    quaternion_from_rotation,
    rotation_exponential,
    rotation_from_quaternion,
    rotation_logarithm,
)

MOUNTED = pose_from(rotation_exponential(np.array([0.3, -0.8, 0.5])), np.array([0.03, -0.02, 0.05]))
G = np.array([0.0, 0.0, -9.81])


@pytest.fixture(scope="module")
def robot() -> fb.Robot:
    return fb.load("icub")


def read(robot: fb.Robot, sensor, q, v, a) -> np.ndarray:
    return np.concatenate(SensorSuite(robot, (sensor,)).layout.ideal([q, v, a]), axis=-1)


def sensor_pose(robot: fb.Robot, q: np.ndarray, link: str) -> np.ndarray:
    return robot.pose(q, link) @ MOUNTED


def test_readings_are_those_of_kinematics(robot: fb.Robot) -> None:
    now = motion(robot, 1, ())
    link = "r_forearm"
    H, twist = sensor_pose(robot, now.q, link), robot.velocity(now.q, now.v, link)
    rate = robot.acceleration(now.q, now.v, now.a, link)
    arm = H[:3, 3] - robot.pose(now.q, link)[:3, 3]
    omega, omega_dot = twist[3:], rate[3:]
    acceleration = rate[:3] + np.cross(omega_dot, arm) + np.cross(omega, np.cross(omega, arm))
    field = np.array([2.0, -1.0, 3.0])
    earth = quaternion_from_rotation(rotation_exponential(np.array([0.1, 0.2, 2.0])))
    expected = {
        Accelerometer("s", link, MOUNTED): H[:3, :3].T @ (acceleration - G),
        Gyroscope("s", link, MOUNTED): H[:3, :3].T @ omega,
        Magnetometer("s", link, MOUNTED, tuple(field)): H[:3, :3].T @ field,
        PoseTracker("s", link, MOUNTED): np.r_[H[:3, 3], quaternion_from_rotation(H[:3, :3])],
    }
    for sensor, value in expected.items():
        np.testing.assert_allclose(read(robot, sensor, now.q, now.v, now.a), value, rtol=1e-11, atol=1e-11)
    seen = read(robot, Attitude("s", link, MOUNTED, tuple(earth)), now.q, now.v, now.a)
    expected_attitude = rotation_from_quaternion(earth) @ H[:3, :3]
    np.testing.assert_allclose(rotation_from_quaternion(seen), expected_attitude, atol=1e-12)


def test_a_tracker_reports_in_the_frame_of_the_measuring_system(robot: fb.Robot) -> None:
    now = motion(robot, 2, ())
    reference = pose_from(rotation_exponential(np.array([0.0, 0.4, 1.0])), np.array([1.0, 2.0, 3.0]))
    seen = read(robot, PoseTracker("s", "head", MOUNTED, reference), now.q, now.v, now.a)
    expected = reference @ sensor_pose(robot, now.q, "head")
    np.testing.assert_allclose(seen[:3], expected[:3, 3], atol=1e-12)
    np.testing.assert_allclose(rotation_from_quaternion(seen[3:]), expected[:3, :3], atol=1e-12)


def test_an_accelerometer_at_rest_points_up_with_the_length_of_gravity(robot: fb.Robot) -> None:
    q, _ = robot.random(np.random.default_rng(3), 20)
    zero = np.zeros((20, robot.nv))
    seen = read(robot, Accelerometer("s", "l_forearm", MOUNTED), q, zero, zero)
    np.testing.assert_allclose(np.linalg.norm(seen, axis=-1), 9.81, rtol=1e-12)
    up = np.einsum("nij,nj->ni", sensor_pose(robot, q, "l_forearm")[:, :3, :3], seen)
    np.testing.assert_allclose(up, np.tile([0.0, 0.0, 9.81], (20, 1)), atol=1e-11)


def test_an_accelerometer_in_free_fall_reads_nothing(robot: fb.Robot) -> None:
    q = robot.neutral()
    v, a = np.zeros(robot.nv), np.zeros(robot.nv)
    v[:3], a[:3] = [1.0, 2.0, 3.0], G
    np.testing.assert_allclose(read(robot, Accelerometer("s", "head", MOUNTED), q, v, a), 0.0, atol=1e-12)


def test_readings_are_derivatives_of_the_pose(robot: fb.Robot) -> None:
    """Central differences along a motion with constant acceleration."""
    rng = np.random.default_rng(4)
    q, v = robot.random(rng)
    now = Motion(q, v, rng.standard_normal(robot.nv), {})
    h, link = 1e-4, "l_forearm"

    def at(t: float) -> np.ndarray:
        middle = robot.integrate(now.q, now.v + 0.5 * t * now.a, t)
        return sensor_pose(robot, middle, link)

    before, here, after = at(-h), at(0.0), at(h)
    acceleration = (after[:3, 3] - 2.0 * here[:3, 3] + before[:3, 3]) / h**2
    R = here[:3, :3]
    seen = read(robot, Accelerometer("s", link, MOUNTED), now.q, now.v, now.a)
    np.testing.assert_allclose(seen, R.T @ (acceleration - G), atol=1e-5 * np.abs(seen).max())
    omega = rotation_logarithm(before[:3, :3].T @ after[:3, :3]) / (2.0 * h)
    np.testing.assert_allclose(read(robot, Gyroscope("s", link, MOUNTED), now.q, now.v, now.a), omega, atol=1e-6)


def test_a_magnetometer_does_not_see_translations(robot: fb.Robot) -> None:
    now = motion(robot, 5, ())
    moved = now.q.copy()
    moved[:3] += [1.0, -2.0, 3.0]
    sensor = Magnetometer("s", "chest")
    here, there = read(robot, sensor, now.q, now.v, now.a), read(robot, sensor, moved, now.v, now.a)
    np.testing.assert_allclose(here, there, atol=1e-20)
    assert np.linalg.norm(here) == pytest.approx(np.hypot(22e-6, 42e-6), rel=1e-12)


def test_encoders_read_joints(robot: fb.Robot) -> None:
    now = motion(robot, 6, ())
    names = robot.joint_names
    chosen = (names[3], names[-1], names[0])
    places = [names.index(name) for name in chosen]
    np.testing.assert_array_equal(read(robot, JointEncoders("s", chosen), *now[:3]), now.q[7:][places])
    np.testing.assert_array_equal(read(robot, JointEncoders("s", chosen, velocity=True), *now[:3]), now.v[6:][places])


def test_bad_sensors_are_refused(robot: fb.Robot) -> None:
    for make, message in (
        (lambda: SensorSuite(robot, (Accelerometer("s", "heat"),)), "head"),
        (lambda: SensorSuite(robot, (JointEncoders("s", ("knee",)),)), "knee"),
        (lambda: JointEncoders("s", "l_knee"), r"write \('l_knee',\)"),
        (lambda: JointEncoders("s", ()), "no joints"),
        (lambda: Accelerometer("s", "head", np.ones((4, 4))), "link_H_sensor of 's'"),
        (lambda: Magnetometer("s", "head", np.eye(4), (0.0, 1.0)), "world_field"),
        (lambda: Attitude("s", "head", np.eye(4), (1.0, 1.0, 0.0, 0.0)), "earth_Q_world"),
        (lambda: Accelerometer("", "head"), "not empty"),
        (lambda: Accelerometer("s", "head", errors=3), "must be a Distortion"),
        (lambda: Accelerometer("s", "head", sampling=100.0), "must be a Sampling"),
    ):
        with pytest.raises((ArgumentError, UnknownNameError), match=message):
            make()
