"""Jacobians of exponentials against finite differences, at small and large angles."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from floatbase import spatial
from floatbase.spatial import tangents

ANGLES = (0.0, 1e-9, 1e-4, 0.05, 0.5, 0.999, 1.001, 2.0, 3.0, np.pi - 1e-9, np.pi)
STEP = 1e-20


@pytest.fixture(params=ANGLES, ids=str)
def twist(request, rng):
    w = rng.standard_normal(3)
    return np.concatenate([rng.standard_normal(3), request.param * w / np.linalg.norm(w)])


def slopes(function, size):
    return np.stack([function(1j * STEP * row).imag / STEP for row in np.eye(size)], axis=-1)


def test_rotations(twist):
    w = twist[3:]
    R = spatial.rotation_exponential(w)
    left = slopes(lambda d: spatial.vee(spatial.rotation_exponential(w + d) @ R.T), 3)
    assert_allclose(tangents.rotation_left_jacobian(w), left, atol=1e-12)
    right = slopes(lambda d: spatial.vee(R.T @ spatial.rotation_exponential(w + d)), 3)
    assert_allclose(tangents.rotation_right_jacobian(w), right, atol=1e-12)
    assert_allclose(
        tangents.rotation_left_jacobian(w) @ tangents.rotation_left_jacobian_inverse(w), np.eye(3), atol=1e-12
    )
    assert_allclose(tangents.rotation_right_jacobian(w), R.T @ tangents.rotation_left_jacobian(w), atol=1e-12)
    assert_allclose(
        tangents.rotation_right_jacobian_inverse(w) @ tangents.rotation_right_jacobian(w), np.eye(3), atol=1e-12
    )


def test_poses(twist):
    H = spatial.pose_exponential(twist)
    back = spatial.invert_pose(H)
    left = slopes(lambda d: spatial.twist_of_matrix(spatial.pose_exponential(twist + d) @ back), 6)
    assert_allclose(tangents.pose_left_jacobian(twist), left, atol=2e-11)
    right = slopes(lambda d: spatial.twist_of_matrix(back @ spatial.pose_exponential(twist + d)), 6)
    assert_allclose(tangents.pose_right_jacobian(twist), right, atol=2e-11)
    one = tangents.pose_left_jacobian_inverse(twist) @ tangents.pose_left_jacobian(twist)
    assert_allclose(one, np.eye(6), atol=1e-11)
    one = tangents.pose_right_jacobian_inverse(twist) @ tangents.pose_right_jacobian(twist)
    assert_allclose(one, np.eye(6), atol=1e-11)


@pytest.mark.parametrize("angle", [1e-6, 0.3, 2.5])
def test_inverses_are_derivatives_of_the_logarithm(angle, rng):
    twist = rng.standard_normal(6)
    twist[3:] *= angle / np.linalg.norm(twist[3:])
    H = spatial.pose_exponential(twist)
    left = slopes(lambda d: spatial.pose_logarithm(spatial.pose_exponential(d) @ H), 6)
    assert_allclose(tangents.pose_left_jacobian_inverse(twist), left, atol=1e-9)


def test_batches(rng):
    twists = rng.standard_normal((2, 3, 6))
    batch = tangents.pose_left_jacobian(twists)
    assert batch.shape == (2, 3, 6, 6)
    assert_allclose(batch[1, 2], tangents.pose_left_jacobian(twists[1, 2]), atol=1e-14)
