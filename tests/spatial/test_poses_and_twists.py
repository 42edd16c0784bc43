"""Poses, twists, wrenches and accelerations: identities of the theory."""

import numpy as np
import pytest
import scipy.linalg
from tests.random_trees import random_quaternion

from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError

FORMS = ("mixed", "body", "inertial")
STEP = 1e-20


@pytest.fixture(params=[(), (3,), (2, 1)], ids=str)
def shape(request):
    return request.param


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def poses(rng, shape):
    R = spatial.rotation_from_quaternion(random_quaternion(rng, shape))
    return spatial.pose_from(R, rng.uniform(-1, 1, (*shape, 3)))


def test_hat_and_vee(rng, shape):
    w, u = rng.standard_normal((2, *shape, 3))
    np.testing.assert_allclose((spatial.hat(w) @ u[..., None])[..., 0], np.cross(w, u), atol=1e-15)
    np.testing.assert_array_equal(spatial.vee(spatial.hat(w)), w)


def test_poses(rng, shape):
    H, G = poses(rng, shape), poses(rng, shape)
    identity = np.broadcast_to(np.eye(4), H.shape)
    np.testing.assert_allclose(H @ spatial.invert_pose(H), identity, atol=1e-15)
    p = rng.standard_normal((*shape, 3))
    np.testing.assert_allclose(
        spatial.apply_pose(H @ G, p), spatial.apply_pose(H, spatial.apply_pose(G, p)), atol=1e-14
    )
    spatial.check_pose("H", H)


@pytest.mark.parametrize(
    "angle",
    [0.0, 1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 0.009, 0.05, 0.099, 0.101, 1.0, 3.0, np.pi - 2e-3, np.pi - 1e-6, np.pi - 1e-9],
)
def test_pose_exponential_and_logarithm(rng, angle):
    w = rng.standard_normal((100, 3))
    twist = np.concatenate([rng.standard_normal((100, 3)), angle * w / np.linalg.norm(w, axis=1)[:, None]], axis=1)
    H = spatial.pose_exponential(twist)
    np.testing.assert_allclose(H, scipy.linalg.expm(spatial.twist_matrix(twist)), atol=2e-14)
    back = spatial.pose_logarithm(H)
    np.testing.assert_allclose(spatial.pose_exponential(back), H, atol=4e-14)
    np.testing.assert_allclose(back, twist, atol=1e-12)
    np.testing.assert_allclose(H @ spatial.invert_pose(H), np.broadcast_to(np.eye(4), H.shape), atol=1e-14)


def test_logarithm_at_half_a_turn(rng):
    """The sign of the axis is free there; whichever comes back leads to the pose."""
    w = rng.standard_normal((500, 3))
    w = np.concatenate([w, np.eye(3), -np.eye(3), [[1.0, 1.0, 0.0], [0.0, -1.0, 1.0]]])
    twists = rng.standard_normal((len(w), 6))
    twists[:, 3:] = np.pi * w / np.linalg.norm(w, axis=1)[:, None]
    H = spatial.pose_exponential(twists)
    back = spatial.pose_logarithm(H)
    np.testing.assert_allclose(spatial.pose_exponential(back), H, atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(back[:, 3:], axis=1), np.pi, atol=1e-14)


def test_adjoints(rng, shape):
    H, G = poses(rng, shape), poses(rng, shape)
    twist, wrench = rng.standard_normal((2, *shape, 6))
    X = spatial.adjoint(H)
    np.testing.assert_allclose(spatial.adjoint(H @ G), X @ spatial.adjoint(G), atol=1e-14)
    np.testing.assert_allclose(spatial.wrench_adjoint(H), np.linalg.inv(X).swapaxes(-1, -2), atol=1e-13)
    np.testing.assert_allclose(spatial.transform_twist(H, twist), (X @ twist[..., None])[..., 0], atol=1e-14)
    moved = spatial.transform_wrench(H, wrench)
    np.testing.assert_allclose(moved, (spatial.wrench_adjoint(H) @ wrench[..., None])[..., 0], atol=1e-14)
    power = np.sum(moved * spatial.transform_twist(H, twist), axis=-1)
    np.testing.assert_allclose(power, np.sum(wrench * twist, axis=-1), atol=1e-13)


def test_cross_products(rng, shape):
    v, w = rng.standard_normal((2, *shape, 6))
    V, W = spatial.twist_cross(v), spatial.twist_cross(w)
    vw = (V @ w[..., None])[..., 0]
    bracket = spatial.twist_matrix(v) @ spatial.twist_matrix(w) - spatial.twist_matrix(w) @ spatial.twist_matrix(v)
    np.testing.assert_allclose(spatial.twist_of_matrix(bracket), vw, atol=1e-14)
    np.testing.assert_allclose((V @ v[..., None])[..., 0], 0.0, atol=1e-15)
    np.testing.assert_allclose(spatial.twist_cross(vw), V @ W - W @ V, atol=1e-14)
    np.testing.assert_array_equal(spatial.wrench_cross(v), -V.swapaxes(-1, -2))
    H = poses(rng, shape)
    X = spatial.adjoint(H)
    moved = spatial.twist_cross(spatial.transform_twist(H, v))
    np.testing.assert_allclose(moved, X @ V @ spatial.adjoint(spatial.invert_pose(H)), atol=1e-13)


def test_adjoints_of_many(rng):
    """Products, exponentials and powers, a hundred at a time."""
    H, G = poses(rng, (100,)), poses(rng, (100,))
    x = rng.uniform(-1.5, 1.5, (100, 6))
    X = spatial.adjoint(H)
    np.testing.assert_allclose(spatial.adjoint(H @ G), X @ spatial.adjoint(G), atol=1e-13)
    np.testing.assert_allclose(
        spatial.adjoint(spatial.pose_exponential(x)), scipy.linalg.expm(spatial.twist_cross(x)), atol=1e-12
    )
    np.testing.assert_array_equal(spatial.wrench_cross(x), -spatial.twist_cross(x).swapaxes(-1, -2))
    dual = spatial.adjoint(spatial.invert_pose(H)).swapaxes(-1, -2)
    np.testing.assert_allclose(spatial.wrench_adjoint(H), dual, atol=1e-14)
    twist, wrench = rng.standard_normal((2, 100, 6))
    for form in FORMS:
        power = spatial.change_twist(twist, "body", form, H) * spatial.change_wrench(wrench, "body", form, H)
        np.testing.assert_allclose(power.sum(axis=-1), (twist * wrench).sum(axis=-1), atol=1e-12)


def test_rates_of_transforms(rng):
    H, v = poses(rng, (100,)), rng.standard_normal((100, 6))
    moving = H + 1j * STEP * (H @ spatial.twist_matrix(v))
    ahead, behind = (H @ spatial.pose_exponential(h * v) for h in (1e-5, -1e-5))
    for function, product in ((spatial.adjoint, spatial.twist_cross), (spatial.wrench_adjoint, spatial.wrench_cross)):
        rate = function(moving).imag / STEP
        np.testing.assert_allclose(rate, function(H) @ product(v), atol=1e-13)
        np.testing.assert_allclose((function(ahead) - function(behind)) / 2e-5, rate, atol=1e-8)


@pytest.mark.parametrize("source", FORMS)
@pytest.mark.parametrize("target", FORMS)
def test_twists_and_wrenches_change_form(rng, shape, source, target):
    H = poses(rng, shape)
    twist, wrench = rng.standard_normal((2, *shape, 6))
    new_twist = spatial.change_twist(twist, source, target, H)
    new_wrench = spatial.change_wrench(wrench, source, target, H)
    np.testing.assert_allclose(spatial.change_twist(new_twist, target, source, H), twist, atol=1e-13)
    np.testing.assert_allclose(np.sum(new_twist * new_wrench, -1), np.sum(twist * wrench, -1), atol=1e-13)
    T = spatial.representation_matrix(target, H)
    from_body = spatial.change_twist(twist, "body", target, H)
    np.testing.assert_allclose((T @ twist[..., None])[..., 0], from_body, atol=1e-14)


@pytest.mark.parametrize("source", [*FORMS, "sensor"])
@pytest.mark.parametrize("target", FORMS)
def test_accelerations_are_derivatives_of_components(rng, source, target):
    """Along a motion with known body twist and rate, by complex step."""
    H, v, rate = poses(rng, ()), rng.standard_normal(6), rng.standard_normal(6)
    later_H, later_v = H + 1j * STEP * (H @ spatial.twist_matrix(v)), v + 1j * STEP * rate

    def derivative(form):
        return spatial.change_twist(later_v, "body", form, later_H).imag / STEP

    sensed = rate + np.concatenate([np.cross(v[3:], v[:3]), np.zeros(3)])
    given = sensed if source == "sensor" else derivative(source)
    np.testing.assert_allclose(spatial.change_acceleration(given, source, target, H, v), derivative(target), atol=1e-13)
    back = spatial.change_acceleration(derivative(target), target, source, H, v)
    np.testing.assert_allclose(back, given, atol=1e-13)


def test_spinning_wheel():
    """Closed forms for a point on the rim of a wheel: frame at distance r from the centre of a turn about z."""
    r, angle, rate, rate_dot, g = 0.3, 0.7, 1.3, -0.4, 9.81
    center = np.array([0.5, -0.2, 0.1])
    c, s = np.cos(angle), np.sin(angle)
    R = spatial.rotation_about_axis(np.array([0.0, 0.0, 1.0]), angle)
    H = spatial.pose_from(R, center + R @ [0.0, r, 0.0])
    twist = np.array([-r, 0, 0, 0, 0, 1.0]) * rate
    body = np.array([-r, 0, 0, 0, 0, 1.0]) * rate_dot
    inertial = np.array([center[1], -center[0], 0, 0, 0, 1.0])
    np.testing.assert_allclose(spatial.change_twist(twist, "body", "inertial", H), inertial * rate, atol=1e-15)
    mixed = np.array([-r * c, -r * s, 0, 0, 0, 1.0])
    np.testing.assert_allclose(spatial.change_twist(twist, "body", "mixed", H), mixed * rate, atol=1e-15)
    expected = {
        "inertial": inertial * rate_dot,
        "mixed": mixed * rate_dot + np.array([r * s, -r * c, 0, 0, 0, 0]) * rate**2,
        "sensor": np.array([-r * rate_dot, -r * rate**2, 0, 0, 0, rate_dot]),
    }
    for form, value in expected.items():
        np.testing.assert_allclose(spatial.change_acceleration(body, "body", form, H, twist), value, atol=1e-15)
    proper = spatial.proper_acceleration(expected["sensor"], "sensor", H, (0.0, -g, 0.0))
    np.testing.assert_allclose(proper - expected["sensor"], [g * s, g * c, 0, 0, 0, 0], atol=1e-15)


def test_bad_input(rng):
    H = poses(rng, ())
    with pytest.raises(ArgumentError, match="valid choices are mixed, body, inertial"):
        spatial.change_twist(np.zeros(6), "left", "body", H)
    with pytest.raises(ShapeError, match=r"R has shape \(4, 4\)"):
        spatial.check_rotation("R", H)
    with pytest.raises(ArgumentError, match="not orthonormal"):
        spatial.check_rotation("R", 1.001 * H[:3, :3])
    with pytest.raises(ArgumentError, match="reflection"):
        spatial.check_rotation("R", -H[:3, :3])
    with pytest.raises(ArgumentError, match="NaN"):
        spatial.check_rotation("R", np.full((3, 3), np.nan))
    H[3, 0] = 1e-3
    with pytest.raises(ArgumentError, match="last row"):
        spatial.check_pose("H", H)
