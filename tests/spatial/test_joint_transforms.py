"""Transforms across joints of one coordinate, and their derivatives by it."""

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose, assert_array_equal
from tests.random_trees import random_rotation

from floatbase import spatial
from floatbase.errors import ShapeError

KINDS = ("revolute", "prismatic", "helical")
STEP = 1e-20


@pytest.fixture(params=KINDS)
def joints(request, rng):
    """Motion subspaces (60, 6) of a kind and coordinates (60,), some of them large."""
    axes = np.concatenate([np.eye(3), *(random_rotation(rng)[None, 0] for _ in range(57))])
    subspaces = spatial.motion_subspace(request.param, axes, rng.uniform(-0.5, 0.5, 60))
    s = rng.uniform(-3.0, 3.0, 60)
    s[:4] = 0.0, 1e-9, np.pi, 20.0
    return subspaces, s


def test_transforms_are_exponentials(joints):
    for G, s in zip(*joints, strict=True):
        expected = scipy.linalg.expm(-s * spatial.twist_cross(G))
        assert_allclose(spatial.joint_transform(G, s), expected, atol=1e-12)


def test_blocks_of_the_table(joints):
    """R = exp(-e^ s) with the origin at -s e or -h s e."""
    for G, s in zip(*joints, strict=True):
        R = spatial.rotation_exponential(-s * G[3:])
        expected = spatial.adjoint(spatial.pose_from(R, -s * G[:3]))
        assert_allclose(spatial.joint_transform(G, s), expected, atol=1e-14)


def test_derivatives_are_products_and_differences(joints):
    step = 1e-6
    for G, s in zip(*joints, strict=True):
        X, rate = spatial.joint_transform(G, s), spatial.joint_transform_derivative(G, s)
        assert_allclose(rate, -spatial.twist_cross(G) @ X, atol=1e-12)
        assert_allclose(rate, -X @ spatial.twist_cross(G), atol=1e-12)
        sides = [spatial.joint_transform(G, s + h) for h in (step, -step)]
        assert_allclose(rate, (sides[0] - sides[1]) / (2.0 * step), atol=1e-8)
        assert_allclose(rate, spatial.joint_transform(G, s + 1j * STEP).imag / STEP, atol=1e-12)


def test_products_of_the_derivative(joints, rng):
    v, f = rng.standard_normal((2, 6))
    for G, s in zip(*joints, strict=True):
        X, rate = spatial.joint_transform(G, s), spatial.joint_transform_derivative(G, s)
        assert_allclose(rate @ v, spatial.twist_cross(X @ v) @ G, atol=1e-12)
        assert_allclose(rate.T @ f, X.T @ spatial.wrench_cross(G) @ f, atol=1e-12)


def test_a_helical_joint_without_pitch_is_revolute(rng):
    axis, s = random_rotation(rng)[0], 0.7
    helical, revolute = spatial.motion_subspace("helical", axis, 0.0), spatial.motion_subspace("revolute", axis)
    for function in (spatial.joint_transform, spatial.joint_transform_derivative):
        assert_allclose(function(helical, s), function(revolute, s), atol=1e-15)


def test_batches(joints):
    for function in (spatial.joint_transform, spatial.joint_transform_derivative):
        assert_array_equal(function(*joints)[7], function(joints[0][7], joints[1][7]))
        assert function(joints[0][0], joints[1]).shape == (60, 6, 6)
    with pytest.raises(ShapeError, match=r"shape \(5,\)"):
        spatial.joint_transform(np.ones(5), 0.3)
