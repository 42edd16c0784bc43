"""Trajectories of joints: polynomials, splines, trapezoids, moves of least jerk, sweeps, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError, UnknownNameError
from floatbase.simulation.sensors import JointTrajectory, PointToPoint, Trapezoid, TwoAxisSweep, random_cartesian
from floatbase.spatial import rotation_logarithm


def knots(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.uniform(0.05, 0.3, 30)), rng.standard_normal((30, 3))


def test_a_series_becomes_the_cubic_spline_through_it() -> None:
    time, position = knots()
    trajectory, spline = JointTrajectory(time, position), CubicSpline(time, position)
    t = np.linspace(time[0], time[-1], 1000)
    for order, values in enumerate(trajectory(t)):
        expected = spline(t, order)
        np.testing.assert_allclose(values, expected, atol=1e-10 * np.abs(expected).max())


def test_polynomials_of_degree_five_are_kept() -> None:
    time, coefficients = knots()[0], np.random.default_rng(1).standard_normal((6, 2))
    p, v, a = (np.polynomial.polynomial.polyder(coefficients, order) if order else coefficients for order in range(3))
    at = [np.moveaxis(np.polynomial.polynomial.polyval(time, c), 0, -1) for c in (p, v, a)]
    trajectory = JointTrajectory(time, *at)
    t = np.linspace(time[0], time[-1], 200)
    for values, c in zip(trajectory(t), (p, v, a)):
        expected = np.moveaxis(np.polynomial.polynomial.polyval(t, c), 0, -1)
        np.testing.assert_allclose(values, expected, atol=1e-10 * np.abs(expected).max())


def test_resampling_keeps_the_motion() -> None:
    trajectory = JointTrajectory(*knots())
    fine = trajectory.resampled(1000.0)
    np.testing.assert_allclose(np.diff(fine.time), 1e-3, atol=1e-12)
    t = fine.time[:-1] + 5e-4
    np.testing.assert_allclose(fine(t).position, trajectory(t).position, atol=1e-6)


def test_a_trapezoid_keeps_speeds_and_accelerations() -> None:
    speed, acceleration = np.array([1.0, 0.5]), np.array([2.0, 4.0])
    for goal in ([3.0, -1.0], [0.1, 0.2], [0.0, 1.0], [0.0, 0.0]):
        move = Trapezoid(np.zeros(2), np.array(goal), speed, acceleration)
        t = np.linspace(-0.1, move.duration + 0.1, 20_001)
        motion = move(t)
        np.testing.assert_allclose(motion.position[[0, -1]], [[0.0, 0.0], goal], atol=1e-12)
        assert (np.abs(motion.velocity) <= speed + 1e-9).all()
        assert (np.abs(motion.acceleration) <= acceleration + 1e-9).all()
        np.testing.assert_allclose(np.gradient(motion.position, t, axis=0), motion.velocity, atol=1e-3)
        moved = np.abs(goal) > np.zeros(2)
        if moved.any():  # as fast as it may be: something is at its limit
            at_limit = np.r_[
                np.abs(motion.velocity).max(axis=0) / speed, np.abs(motion.acceleration).max(axis=0) / acceleration
            ]
            assert at_limit.max() == pytest.approx(1.0, rel=1e-6)


def test_moves_of_least_jerk() -> None:
    move = PointToPoint.random([-1.0, 0.0], [1.0, 2.0], 2.0, duration=60.0, seed=3, start=[0.0, 1.0])
    assert move.duration == 60.0 and len(move.targets) == 31
    np.testing.assert_array_equal(move(0.0).position, [0.0, 1.0])
    ends = move(2.0 * np.arange(31))
    np.testing.assert_allclose(ends.position, move.targets, atol=1e-12)
    np.testing.assert_allclose(ends.velocity, 0.0, atol=1e-12)
    np.testing.assert_allclose(ends.acceleration, 0.0, atol=1e-10)
    t = np.linspace(0.0, 60.0, 60_001)
    motion = move(t)
    assert (motion.position >= [-1.0, 0.0]).all() and (motion.position <= [1.0, 2.0]).all()
    np.testing.assert_allclose(np.gradient(motion.position, t, axis=0)[1:-1], motion.velocity[1:-1], atol=1e-5)
    np.testing.assert_allclose(np.gradient(motion.velocity, t, axis=0)[1:-1], motion.acceleration[1:-1], atol=1e-2)
    fastest = np.abs(np.diff(move.targets, axis=0)).max(axis=0) * 15.0 / 8.0 / 2.0
    np.testing.assert_allclose(np.abs(motion.velocity).max(axis=0), fastest, rtol=1e-6)
    np.testing.assert_array_equal(motion.position, PointToPoint(move.targets, 2.0)(t).position)


def test_a_sweep_covers_its_ranges_slowly() -> None:
    sweep = TwoAxisSweep()
    t = np.linspace(0.0, 4000.0, 100_001)
    motion = sweep(t)
    np.testing.assert_allclose(np.rad2deg(np.ptp(motion.position, axis=0)), [70.0, 90.0], rtol=1e-3)
    assert np.rad2deg(np.abs(motion.velocity).max()) == pytest.approx(2.0, rel=1e-6)
    np.testing.assert_allclose(np.gradient(motion.velocity, t, axis=0)[1:-1], motion.acceleration[1:-1], atol=1e-8)


def test_a_hand_moves_at_random() -> None:
    """In a box about its start, within the limits of the joints, which are followed to a millimetre."""
    robot = fb.load("icub")
    joints = [name for name in robot.joint_names if name.startswith(("l_shoulder", "l_elbow", "l_wrist"))]
    q = robot.neutral()
    places = [7 + robot.joint_names.index(name) for name in joints]
    q[places] = np.array([-0.5, 0.6, 0.2, 1.0, 0.0, 0.0, 0.0])[: len(places)]
    motion = random_cartesian(robot, "l_hand", q, joints, box=(0.05, 0.03, 0.04), angle=0.2, duration=8.0, seed=2)
    motion.check_limits(robot, tuple(joints))
    again = random_cartesian(robot, "l_hand", q, joints, box=(0.05, 0.03, 0.04), angle=0.2, duration=8.0, seed=2)
    np.testing.assert_array_equal(motion.position, again.position)
    qs = np.tile(q, (len(motion.time), 1))
    qs[:, places] = motion.position
    poses = robot.pose(qs, "l_hand")
    away = poses[:, :3, 3] - poses[0, :3, 3]
    assert (np.abs(away) <= np.array([0.05, 0.03, 0.04]) + 2e-3).all()
    assert np.ptp(away, axis=0).min() > 0.02
    turned = rotation_logarithm(poses[0, :3, :3].T @ poses[:, :3, :3])
    assert 0.05 < np.linalg.norm(turned, axis=1).max() < 0.22
    with pytest.raises(UnknownNameError, match="l_hand"):
        random_cartesian(robot, "l_hend", q, joints)
    with pytest.raises(UnknownNameError, match="l_elbow"):
        random_cartesian(robot, "l_hand", q, ["l_elbo"])
    with pytest.raises(ShapeError, match="q has shape"):
        random_cartesian(robot, "l_hand", q[:5], joints)
    with pytest.raises(ShapeError, match="box has shape"):
        random_cartesian(robot, "l_hand", q, joints, box=(0.1,))
    with pytest.raises(ArgumentError, match="names of joints"):
        random_cartesian(robot, "l_hand", q, "l_elbow")


def test_limits_of_joints_are_checked() -> None:
    robot = fb.load("icub")
    joint = next(item for item in robot.model.joints if item.name == "l_knee")
    time, middle = np.linspace(0.0, 10.0, 21), 0.5 * (joint.limits.lower + joint.limits.upper)
    JointTrajectory(time, np.full((21, 1), middle)).check_limits(robot, ("l_knee",))
    outside = np.full((21, 1), middle)
    outside[7] = joint.limits.upper + 0.5
    with pytest.raises(ArgumentError, match=r"position of joint 'l_knee' is .* at 3.5 s; it must be from"):
        JointTrajectory(time, outside).check_limits(robot, ("l_knee",))
    with pytest.raises(ShapeError, match="32 names"):
        JointTrajectory(time, outside).check_limits(robot)
    with pytest.raises(ArgumentError, match="no joint 'knee'"):
        JointTrajectory(time, outside).check_limits(robot, ("knee",))


def test_bad_series_are_refused() -> None:
    time, position = knots()
    broken, back = position.copy(), time.copy()
    broken[4, 1], back[7] = np.nan, back[5]
    for make, error, message in (
        (lambda: JointTrajectory(time[:3], position[:3]), ShapeError, "at least four"),
        (lambda: JointTrajectory(time, position[:-1]), ShapeError, "must be"),
        (lambda: JointTrajectory(time, broken), ArgumentError, r"position contains NaN or infinity at \[4, 1\]"),
        (lambda: JointTrajectory(back, position), ArgumentError, "time does not increase"),
        (lambda: JointTrajectory(time, position, position), ArgumentError, "both be given"),
        (lambda: JointTrajectory(time, position, position[:, :1], position), ShapeError, "velocity has shape"),
        (lambda: JointTrajectory(time, position)(time[-1] + 1.0), ArgumentError, "the trajectory is from"),
        (lambda: Trapezoid([0.0], [1.0], 0.0, 1.0), ArgumentError, "speed"),
        (lambda: Trapezoid([0.0], [1.0, 2.0], 1.0, 1.0), ShapeError, "goal"),
        (lambda: Trapezoid([0.0], [np.inf], 1.0, 1.0), ArgumentError, "goal is"),
        (lambda: PointToPoint(np.zeros((1, 2)), 1.0), ShapeError, "at least two"),
        (lambda: PointToPoint(np.full((2, 2), np.nan), 1.0), ArgumentError, "NaN"),
        (lambda: PointToPoint.random([1.0], [0.0], 1.0), ArgumentError, "lower not above upper"),
        (lambda: PointToPoint.random([0.0], [1.0, 2.0], 1.0), ShapeError, "upper"),
        (lambda: TwoAxisSweep(speed=0.0), ArgumentError, "speed"),
        (lambda: TwoAxisSweep(ranges=(1.0,)), ShapeError, "two finite numbers"),
    ):
        with pytest.raises(error, match=message):
            make()
