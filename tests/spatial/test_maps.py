"""Attitudes, vectorised matrices, densities, pseudo-inverses, orders of components, and what is refused."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation
from tests.random_trees import random_parameters, random_pose, random_rotation

from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError

STEP = 1e-20


def test_axis_and_angle(rng):
    R = np.array([random_rotation(rng) for _ in range(20)])
    found = spatial.axis_angle_from_rotation(R)
    assert_allclose(np.linalg.norm(found.axis, axis=-1), 1.0, atol=1e-15)
    assert_allclose(spatial.rotation_about_axis(found.axis, found.angle), R, atol=1e-14)
    still = spatial.axis_angle_from_rotation(np.eye(3))
    assert still.angle == 0.0 and still.axis.tolist() == [1.0, 0.0, 0.0]


def test_rates_of_roll_pitch_yaw(rng):
    angles, rates = rng.uniform(-1.4, 1.4, 3), rng.standard_normal(3)
    R = spatial.rotation_from_rpy(angles + 1j * STEP * rates)
    omega = spatial.vee(R.real.T @ R.imag / STEP)
    E = spatial.rpy_rate_matrix(angles)
    assert_allclose(E @ rates, omega, atol=1e-14)
    assert abs(np.linalg.det(E)) == pytest.approx(abs(np.cos(angles[1])))
    assert abs(np.linalg.det(spatial.rpy_rate_matrix(np.array([0.3, np.pi / 2, 0.0])))) < 1e-15


def test_nearest_rotation(rng):
    R = random_rotation(rng)
    assert_allclose(spatial.nearest_rotation(R + 1e-3 * rng.standard_normal((3, 3))), R, atol=1e-2)
    noisy = R + 0.1 * rng.standard_normal((3, 3))
    found = spatial.nearest_rotation(noisy)
    spatial.check_rotation("R", found)
    for _ in range(20):
        other = found @ spatial.rotation_exponential(0.1 * rng.standard_normal(3))
        assert np.linalg.norm(noisy - found) <= np.linalg.norm(noisy - other)
    assert_allclose(spatial.nearest_rotation(np.diag([1.0, 1.0, -1e-9])), np.eye(3), atol=1e-15)
    with pytest.raises(ArgumentError, match="rank below 2"):
        spatial.nearest_rotation(np.diag([1.0, 0.0, 0.0]))


def test_vectorised_matrices(rng):
    A, X, B = rng.standard_normal((3, 3, 3))
    assert_allclose(spatial.vec(A @ X @ B), np.kron(B.T, A) @ spatial.vec(X), atol=1e-13)
    S = np.array([X + X.T, A + A.T])
    assert_allclose(spatial.tensor_of_vech(spatial.vech(S)), S, atol=0.0)
    phi, omega = random_parameters(rng), rng.standard_normal(3)
    momentum = spatial.momentum_of_parameters(np.r_[np.zeros(3), omega])[3:, 4:] @ phi[4:]
    assert_allclose(momentum, spatial.tensor_of_vech(phi[4:]) @ omega, atol=1e-14)


def test_parameters_of_points_and_solids(rng):
    masses, points = rng.uniform(0.1, 1.0, (2, 6)), rng.uniform(-1.0, 1.0, (2, 6, 3))
    phi = spatial.parameters_of_points(masses, points)
    for k in range(2):
        hats = spatial.hat(points[k])
        tensor = -np.einsum("n,nij->ij", masses[k], hats @ hats)
        assert_allclose(spatial.tensor_of_vech(phi[k, 4:]), tensor, atol=1e-13)
        assert_allclose(phi[k, 1:4], masses[k] @ points[k], atol=1e-14)
    assert spatial.is_physical(phi).all()
    nodes, weights = np.polynomial.legendre.leggauss(2)  # exact for second moments of a box
    sides = np.array([0.4, 0.7, 1.1])
    grid = np.stack(np.meshgrid(nodes, nodes, nodes), axis=-1).reshape(-1, 3) * sides / 2.0
    cloud = spatial.parameters_of_points(np.full(8, 2.5 / 8.0), grid)
    assert_allclose(cloud[[4, 7, 9]], spatial.box_moments(2.5, sides), atol=1e-14)
    assert_allclose(cloud[[1, 2, 3, 5, 6, 8]], 0.0, atol=1e-14)
    assert weights.tolist() == [1.0, 1.0]


def radii(power):
    """Radii and weights that integrate r^power times polynomials of fifth degree over 0 .. 1."""
    nodes, weights = np.polynomial.legendre.leggauss(6)
    r = 0.5 * (nodes + 1.0)
    return r, 0.5 * weights * r**power


def test_moments_of_round_solids():
    """Integrals over their uniform density, exact for polynomials of second degree."""
    r, weights = radii(2)
    octahedron = np.concatenate([np.eye(3), -np.eye(3)])  # averages such polynomials over a sphere
    ball = (r[:, None, None] * octahedron).reshape(-1, 3)
    shares = np.repeat(weights / weights.sum() / 6.0, 6)
    assert shares @ (ball**2).sum(axis=-1) == pytest.approx(0.6, rel=1e-14)
    half_axes = np.array([0.3, 0.5, 0.8])
    for axes in (half_axes, np.ones(3)):
        cloud = spatial.parameters_of_points(2.0 * shares, ball * axes)
        assert_allclose(cloud[[4, 7, 9]], spatial.ellipsoid_moments(2.0, axes), atol=1e-12)
        assert_allclose(cloud[[0, 1, 2, 3, 5, 6, 8]], [2.0, *np.zeros(6)], atol=1e-12)
    r, weights = radii(1)
    square = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    disk = (r[:, None, None] * square).reshape(-1, 2)
    drum = np.array([[0.3 * x, 0.3 * y, z] for x, y in disk for z in (-0.6 / np.sqrt(3.0), 0.6 / np.sqrt(3.0))])
    shares = np.repeat(weights / weights.sum() / 8.0, 8)
    cloud = spatial.parameters_of_points(2.0 * shares, drum)
    assert_allclose(cloud[[4, 7, 9]], spatial.cylinder_moments(2.0, 0.3, 1.2), atol=1e-12)
    assert_allclose(cloud[[0, 1, 2, 3, 5, 6, 8]], [2.0, *np.zeros(6)], atol=1e-12)


def test_a_box_has_any_second_moments(rng):
    """A uniform box along the principal axes with sides sqrt(12 L / m) has the parameters of L: two points a side."""
    corners = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    for _ in range(100):
        mass, center, axes = rng.uniform(0.1, 3.0), rng.uniform(-0.5, 0.5, 3), random_rotation(rng)
        L = rng.uniform(0.0, 1.0, 3)
        points = center + (corners * np.sqrt(12.0 * L / mass) / 2.0 / np.sqrt(3.0)) @ axes.T
        cloud = spatial.parameters_of_points(np.full(8, mass / 8.0), points)
        assert_allclose(cloud, spatial.parameters_from_principal(mass, center, axes, L), atol=1e-12)


@pytest.mark.filterwarnings("ignore::floatbase.spatial.InertiaWarning")
def test_predicates_of_ten_thousand_bodies(rng):
    """Second moments against the eigenvalues of the pseudo-inertia, inside, outside and on the boundary."""
    L = rng.uniform(-0.3, 1.0, (10000, 3))
    L[::10, 0] = 0.0
    axes = spatial.rotation_exponential(rng.uniform(-2.0, 2.0, (10000, 3)))
    mass, center = rng.uniform(0.1, 3.0, 10000), rng.uniform(-0.5, 0.5, (10000, 3))
    phi = spatial.parameters_from_principal(mass, center, axes, L)
    expected = (L >= 0.0).all(axis=-1)
    assert np.array_equal(spatial.is_physical(phi), expected)
    assert 0.2 < expected.mean() < 0.8
    matrices = spatial.inertia_matrix(phi)
    consistent = np.linalg.eigvalsh(matrices)[:, 0] >= -1e-9
    assert (consistent | ~expected).all() and (consistent & ~expected).any()  # necessary, not sufficient


def test_pseudo_inverses(rng):
    J = rng.standard_normal((4, 3, 6))
    W = np.eye(6) + 0.1 * np.ones((6, 6))
    right = spatial.right_inverse(J, W)
    assert_allclose(J @ right, np.broadcast_to(np.eye(3), (4, 3, 3)), atol=1e-12)
    assert_allclose(spatial.right_inverse(J), np.linalg.pinv(J), atol=1e-12)
    x = rng.standard_normal(3)
    y = right[0] @ x
    _, _, V = np.linalg.svd(J[0])
    for null in V[3:]:
        assert abs(y @ W @ null) < 1e-12  # least weighted norm
    tall = J.swapaxes(-1, -2)
    left = spatial.left_inverse(tall, W)
    assert_allclose(left @ tall, np.broadcast_to(np.eye(3), (4, 3, 3)), atol=1e-12)
    assert_allclose(left, spatial.right_inverse(J, W).swapaxes(-1, -2), atol=1e-12)
    force, velocity = rng.standard_normal(3), rng.standard_normal(6)
    assert (J[0].T @ force) @ velocity == pytest.approx(force @ (J[0] @ velocity))


def test_pseudo_inverses_refuse_what_has_none():
    J = np.array([[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    with pytest.raises(ArgumentError, match="rank 1 and needs 2; its smallest singular value is"):
        spatial.right_inverse(J)
    with pytest.raises(ShapeError, match="left inverse"):
        spatial.left_inverse(J)
    with pytest.raises(ArgumentError, match="positive definite"):
        spatial.right_inverse(np.eye(2, 3), -np.eye(3))
    with pytest.raises(ShapeError, match=r"must be \(..., 3, 3\)"):
        spatial.right_inverse(np.eye(2, 3), np.eye(2))


def test_products_of_twists_with_momenta(rng):
    v, f = rng.standard_normal((2, 3, 6))
    one = (spatial.wrench_cross(v) @ f[..., None])[..., 0]
    assert_allclose((spatial.momentum_cross(f) @ v[..., None])[..., 0], one, atol=1e-14)


def test_angular_first(rng):
    """Formulas of the literature with the angular part first are those of exchanged halves."""
    H, v, w = random_pose(rng), *rng.standard_normal((2, 6))
    R, p = H[:3, :3], spatial.hat(H[:3, 3])
    zero = np.zeros((3, 3))
    assert_allclose(spatial.angular_first_matrix(spatial.adjoint(H)), np.block([[R, zero], [p @ R, R]]), atol=1e-15)
    turning, moving = spatial.hat(v[3:]), spatial.hat(v[:3])
    ad = np.block([[turning, zero], [moving, turning]])
    assert_allclose(spatial.angular_first_matrix(spatial.twist_cross(v)), ad, atol=0.0)
    product = spatial.twist_cross(v) @ w
    assert_allclose(ad @ spatial.angular_first(w), spatial.angular_first(product), atol=1e-13)
    phi = spatial.parameters_from_center(2.0, np.zeros(3), np.diag([0.1, 0.2, 0.25]))
    inertia = spatial.angular_first_matrix(spatial.inertia_matrix(phi))
    assert_allclose(inertia, np.diag([0.1, 0.2, 0.25, 2.0, 2.0, 2.0]), atol=1e-15)


def test_checks_of_skew_matrices_and_inertias(rng):
    spatial.check_skew("W", spatial.hat(rng.standard_normal(3)))
    with pytest.raises(ArgumentError, match="not skew"):
        spatial.check_skew("W", np.eye(3))
    with pytest.raises(ArgumentError, match="NaN"):
        spatial.check_skew("W", np.full((3, 3), np.nan))
    M = spatial.inertia_matrix(random_parameters(rng))
    spatial.check_inertia("M", M)
    lopsided = M.copy()
    lopsided[3, 4] += 1.0
    for wrong, message in ((lopsided, "not symmetric"), (-M, "mass"), (M + np.diag([1.0, 0, 0, 0, 0, 0]), "blocks")):
        with pytest.raises(ArgumentError, match=message):
            spatial.check_inertia("M", wrong)
    with pytest.raises(ShapeError, match=r"\(3, 3\)"):
        spatial.check_inertia("M", np.eye(3))


def test_against_another_library(rng):
    R = random_rotation(rng)
    rotation = Rotation.from_matrix(R)
    found = spatial.axis_angle_from_rotation(R)
    assert_allclose(found.axis * found.angle, rotation.as_rotvec(), atol=1e-14)
