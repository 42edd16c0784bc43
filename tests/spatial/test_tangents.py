"""Jacobians of exponentials against finite differences, at small and large angles."""

import mpmath
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


def test_rate_of_the_logarithm_has_its_published_values():
    """A worked example, angular part first there: gamma = log H moves at B(gamma) V while H moves at H V."""
    gamma = spatial.angular_first(np.array([0.4, -0.7, 1.1, 0.3, -0.2, 0.9]))
    V = spatial.angular_first(np.array([0.2, -0.5, 0.7, 1.0, -0.3, 0.4]))
    B = tangents.pose_right_jacobian_inverse(gamma)
    expected = [0.23929196, -0.52225670, 0.67154866, 1.07166036, 0.17943250, 0.68755081]
    assert_allclose(spatial.angular_first(B @ V), expected, atol=1e-8)
    expected = [0.39986548, -0.73701568, 1.09103368, 0.50000987, -0.22827644, 0.80927504]
    assert_allclose(spatial.angular_first(B.T @ gamma), expected, atol=1e-8)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.0999, 0.1, 0.1001, 0.999, 1.001, 3.0, 6.0])
def test_rate_of_the_logarithm_in_powers_of_the_adjoint(angle, rng):
    """1 + ad / 2 + f1 ad^2 + f2 ad^4, which leaves gamma itself alone; the factors in many digits, as they cancel."""
    with mpmath.workdps(60):
        t = mpmath.mpf(angle)
        if angle > 0.0:
            f1 = 2 / t**2 + (t + 3 * mpmath.sin(t)) / (4 * t * (mpmath.cos(t) - 1))
            f2 = 1 / t**4 + (t + mpmath.sin(t)) / (4 * t**3 * (mpmath.cos(t) - 1))
        else:
            f1, f2 = mpmath.mpf(1) / 12, -mpmath.mpf(1) / 720
        f1, f2 = float(f1), float(f2)
    for gamma in rng.standard_normal((100, 6)):
        gamma[3:] *= angle / np.linalg.norm(gamma[3:])
        B, ad = tangents.pose_right_jacobian_inverse(gamma), spatial.twist_cross(gamma)
        assert_allclose(B @ gamma, gamma, atol=1e-12)
        expected = np.eye(6) + ad / 2 + f1 * ad @ ad + f2 * ad @ ad @ ad @ ad
        assert_allclose(B, expected, rtol=0.0, atol=1e-12 * max(1.0, np.abs(B).max()))


def test_rate_of_the_logarithm_along_a_motion(rng):
    """Against differences of the logarithm along a motion of constant body twist."""
    step = 1e-6
    gamma, V = rng.uniform(-1.5, 1.5, (100, 6)), rng.standard_normal((100, 6))
    H = spatial.pose_exponential(gamma)
    sides = [spatial.pose_logarithm(H @ spatial.pose_exponential(h * V)) for h in (step, -step)]
    rates = (tangents.pose_right_jacobian_inverse(gamma) @ V[..., None])[..., 0]
    assert_allclose(rates, (sides[0] - sides[1]) / (2.0 * step), atol=1e-8)
