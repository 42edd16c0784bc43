"""Rotations: round trips at every angle, derivatives, conventions."""

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation
from tests.random_trees import random_quaternion

from floatbase import spatial
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace

ANGLES = [0.0, 1e-12, 1e-8, 1e-5, 0.009, 0.011, 0.09, 0.11, 0.5, 1.0, 2.0, 3.0, np.pi - 1e-4, np.pi - 1e-9, np.pi]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


def random_axes(rng, n):
    axes = np.concatenate([rng.standard_normal((n, 3)), np.eye(3)])
    return axes / np.linalg.norm(axes, axis=1, keepdims=True)


@pytest.mark.parametrize("angle", ANGLES)
def test_exponential_and_logarithm(rng, angle):
    for axis in random_axes(rng, 100):
        w = angle * axis
        R = spatial.rotation_exponential(w)
        np.testing.assert_allclose(R, scipy.linalg.expm(spatial.hat(w)), atol=2e-15)
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=2e-15)
        back = spatial.rotation_logarithm(R)
        np.testing.assert_allclose(spatial.rotation_exponential(back), R, atol=4e-15)
        if angle < np.pi - 1e-6:
            np.testing.assert_allclose(back, w, atol=1e-14)
        assert np.linalg.norm(back) <= np.pi + 1e-12


def test_beyond_half_a_turn(rng):
    w = 4.0 * random_axes(rng, 4)
    np.testing.assert_allclose(spatial.rotation_exponential(w), Rotation.from_rotvec(w).as_matrix(), atol=1e-14)
    back = spatial.rotation_logarithm(spatial.rotation_exponential(w))
    np.testing.assert_allclose(np.linalg.norm(back, axis=1), 2 * np.pi - 4.0)


def test_relative_accuracy_of_small_rotations(rng):
    w = 1e-9 * random_axes(rng, 4)
    Q = spatial.quaternion_exponential(w)
    np.testing.assert_allclose(spatial.quaternion_logarithm(Q), w, rtol=1e-14)


def test_quaternions(rng):
    Q, P = random_quaternion(rng, (50,)), random_quaternion(rng, (50,))
    R = spatial.rotation_from_quaternion(Q)
    np.testing.assert_allclose(R, Rotation.from_quat(Q[:, [1, 2, 3, 0]]).as_matrix(), atol=1e-15)
    product = spatial.rotation_from_quaternion(spatial.multiply_quaternions(Q, P))
    np.testing.assert_allclose(product, R @ spatial.rotation_from_quaternion(P), atol=4e-15)
    back = spatial.quaternion_from_rotation(R)
    assert (back[:, 0] >= 0.0).all()
    np.testing.assert_allclose(back, Q * np.sign(Q[:, :1]), atol=1e-15)


@pytest.mark.parametrize("quaternion", np.concatenate([np.eye(4), np.array([[0, 0.6, 0.8, 0], [0, 0, 0.6, -0.8]])]))
def test_quaternion_of_half_turns(quaternion):
    R = spatial.rotation_from_quaternion(quaternion)
    Q = spatial.quaternion_from_rotation(R)
    np.testing.assert_allclose(spatial.rotation_from_quaternion(Q), R, atol=1e-15)


def test_roll_pitch_yaw(rng):
    rpy = rng.uniform([-np.pi, -1.5, -np.pi], [np.pi, 1.5, np.pi], (20, 3))
    R = spatial.rotation_from_rpy(rpy)
    np.testing.assert_allclose(R, Rotation.from_euler("xyz", rpy).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(spatial.rpy_from_rotation(R), rpy, atol=1e-13)


def test_about_an_axis():
    R = spatial.rotation_about_axis(np.array([0.0, 0.0, 1.0]), np.pi / 2)
    np.testing.assert_allclose(R @ [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], atol=1e-15)


@pytest.mark.parametrize("angle", [0.0, 1e-5, 0.009, 0.011, 1.0, 3.0])
def test_complex_step(rng, angle):
    w, direction = angle * random_axes(rng, 1)[0], rng.standard_normal(3)
    step = 1e-20j
    by_step = spatial.rotation_logarithm(spatial.rotation_exponential(w + step * direction)).imag / 1e-20
    np.testing.assert_allclose(by_step, direction, atol=1e-12)


def test_symbols(rng):
    w = rng.standard_normal((6, 3)) * np.array([[0.0], [1e-5], [0.5], [1.0], [2.0], [1e-3]])
    program = trace(lambda w: spatial.rotation_logarithm(spatial.rotation_exponential(w)), {"w": 3})
    (result,) = interpret(program, w)
    expected = spatial.rotation_logarithm(spatial.rotation_exponential(w))
    np.testing.assert_allclose(result, expected, atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.longdouble])
def test_dtypes(rng, dtype):
    w = random_axes(rng, 3).astype(dtype)
    R = spatial.rotation_exponential(w)
    assert R.dtype == dtype
    np.testing.assert_allclose(spatial.rotation_logarithm(R), w, atol=200 * np.finfo(dtype).eps)
