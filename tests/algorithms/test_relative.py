"""One frame relative to another, and inverse dynamics from an inertial measurement unit."""

from dataclasses import replace

import numpy as np
from numpy.testing import assert_allclose
from tests.algorithms.test_identities import STEP, case, moved  # noqa: F401

from floatbase import algorithms, spatial


def test_relative_kinematics(case):  # noqa: F811
    tree, q, v, _ = case
    names = list(tree.frames)
    for reference, frame in ((names[-1], names[1]), (names[len(names) // 2], names[-1]), (names[-1], names[-1])):
        expected = spatial.invert_pose(algorithms.pose(tree, q, reference)) @ algorithms.pose(tree, q, frame)
        H = algorithms.relative_pose(tree, q, reference, frame)
        assert_allclose(H, expected, atol=1e-12)
        after = algorithms.relative_pose(tree, moved(tree, q, v, 1j * STEP), reference, frame).imag / STEP
        twist = spatial.twist_of_matrix(spatial.invert_pose(H) @ after)
        written = spatial.change_twist(twist, "body", tree.representation, H)
        assert_allclose(algorithms.relative_velocity(tree, q, v, reference, frame), written, atol=1e-11)
        assert_allclose(algorithms.relative_jacobian(tree, q, reference, frame) @ v, written, atol=1e-11)


def test_inverse_dynamics_from_an_inertial_unit(case):  # noqa: F811
    tree, q, v, rng = case
    if not tree.floating:
        return
    tree = replace(tree, representation="body")
    a = rng.standard_normal(tree.nv)
    R = spatial.rotation_from_quaternion(q[3:7])
    alpha = a[:6].copy()
    alpha[:3] += np.cross(v[3:6], v[:3]) - R.T @ np.array(tree.gravity)
    result = algorithms.sensor_inverse_dynamics(tree, q[7:], v[6:], a[6:], alpha, v[3:6])
    assert_allclose(result, algorithms.inverse_dynamics(tree, q, v, a), atol=1e-9)
    still = np.zeros(tree.joint_nv)
    assert_allclose(
        algorithms.sensor_inverse_dynamics(tree, q[7:], still, still, np.zeros(6), np.zeros(3)), 0.0, atol=1e-13
    )


def test_rate_of_the_relative_jacobian(case):  # noqa: F811
    tree, q, v, _ = case
    names = list(tree.frames)
    for reference, frame in ((names[-1], names[1]), (names[len(names) // 2], names[-1]), (names[-1], names[-1])):
        slope = algorithms.relative_jacobian(tree, moved(tree, q, v, 1j * STEP), reference, frame).imag / STEP
        rate = algorithms.relative_jacobian_rate(tree, q, v, reference, frame)
        assert_allclose(rate, slope, atol=1e-11)
    assert_allclose(algorithms.relative_jacobian_rate(tree, q, v, names[-1], names[-1]), 0.0, atol=1e-14)
