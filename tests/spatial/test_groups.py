"""Lie groups, linearised systems on them, integration and feedback."""

import numpy as np
import pytest
import scipy.linalg
from numpy.testing import assert_allclose
from tests.random_trees import random_pose, random_rotation

from floatbase import spatial
from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial import groups

GROUPS = {
    "rotations": groups.rotations,
    "poses": groups.poses,
    "vectors": groups.vectors(4),
    "state of a robot": groups.product(groups.poses, groups.vectors(2), groups.vectors(6), groups.vectors(2)),
    "tangent of rotations": groups.tangent(groups.rotations),
    "tangent of poses": groups.tangent(groups.poses),
}


@pytest.fixture(params=GROUPS)
def group(request):
    return GROUPS[request.param]


def parts(g):
    return np.concatenate([parts(item) for item in g]) if isinstance(g, tuple) else np.ravel(g)


def elements(group, rng, n):
    return [group.exponential(rng.uniform(-1.0, 1.0, group.dimension)) for _ in range(n)]


def test_axioms(group, rng):
    for _ in range(100):
        a, b, c = elements(group, rng, 3)
        one = group.multiply(group.multiply(a, b), c)
        assert_allclose(parts(one), parts(group.multiply(a, group.multiply(b, c))), atol=1e-12)
        assert_allclose(parts(group.multiply(a, group.inverse(a))), parts(group.identity), atol=1e-12)
        assert_allclose(parts(group.multiply(group.identity, a)), parts(a), atol=1e-15)


def test_exponentials_and_logarithms(group, rng):
    for _ in range(100):
        x = rng.uniform(-1.0, 1.0, group.dimension)
        g = group.exponential(x)
        assert_allclose(group.logarithm(g), x, atol=1e-12)
        assert_allclose(parts(group.multiply(g, group.exponential(-x))), parts(group.identity), atol=1e-12)
        (other,) = elements(group, rng, 1)
        assert_allclose(parts(group.plus(g, group.minus(other, g))), parts(other), atol=1e-12)


def test_adjoints(group, rng):
    a, b = elements(group, rng, 2)
    x, y = rng.standard_normal((2, group.dimension))
    assert_allclose(group.adjoint(group.multiply(a, b)), group.adjoint(a) @ group.adjoint(b), atol=1e-12)
    moved = group.multiply(group.multiply(a, group.exponential(1e-6 * x)), group.inverse(a))
    assert_allclose(group.adjoint(a) @ x, group.logarithm(moved) * 1e6, atol=1e-5)
    slope = (group.adjoint(group.exponential(1e-5 * x)) - group.adjoint(group.exponential(-1e-5 * x))) / 2e-5
    assert_allclose(group.bracket(x), slope, atol=1e-8)
    assert_allclose(group.bracket(x) @ y, -group.bracket(y) @ x, atol=1e-14)
    for x in rng.uniform(-1.0, 1.0, (100, group.dimension)):
        assert_allclose(group.adjoint(group.exponential(x)), scipy.linalg.expm(group.bracket(x)), atol=1e-12)


def test_jacobians_of_exponentials(group, rng):
    x, d = rng.uniform(-1.0, 1.0, (2, group.dimension))
    sides = [group.minus(group.exponential(x + h * d), group.exponential(x)) for h in (1e-6, -1e-6)]
    assert_allclose(group.right_jacobian(x) @ d, (sides[0] - sides[1]) / 2e-6, atol=1e-8)


def test_vectors_are_a_matrix_group(rng):
    a, b = rng.standard_normal((2, 5))
    assert_allclose(groups.vector_matrix(a) @ groups.vector_matrix(b), groups.vector_matrix(a + b), atol=1e-15)


def test_coadjoint_maps_are_transposes(rng):
    H, twist = random_pose(rng), rng.standard_normal(6)
    assert_allclose(spatial.wrench_adjoint(H), groups.poses.adjoint(spatial.invert_pose(H)).T, atol=1e-14)
    assert_allclose(spatial.wrench_cross(twist), -groups.poses.bracket(twist).T, atol=0.0)
    wrench, x = rng.standard_normal((2, 6))
    assert (groups.poses.adjoint(H).T @ wrench) @ x == pytest.approx(wrench @ (groups.poses.adjoint(H) @ x))
    assert_allclose(groups.rotations.bracket(twist[:3]).T, -spatial.hat(twist[:3]), atol=0.0)


def test_variations_of_velocities(rng):
    """Where a motion is varied by g exp(eps eta), its velocity changes by ad_xi eta and the rate of eta."""
    group = groups.poses
    start, xi, eta, eta_rate = random_pose(rng), *rng.standard_normal((3, 6))

    def velocity(eps):
        def pose(t):
            return group.plus(group.plus(start, t * xi), eps * (eta + t * eta_rate))

        return group.minus(pose(1e-4), pose(-1e-4)) / 2e-4

    change = (velocity(1e-4) - velocity(-1e-4)) / 2e-4
    assert_allclose(change, group.bracket(xi) @ eta + eta_rate, atol=1e-6)


def test_a_constant_velocity_makes_changes_turn(rng):
    xi, nothing = rng.standard_normal(6), np.zeros(0)
    A, B = spatial.linearize(groups.poses, lambda g, u: xi, random_pose(rng), nothing)
    assert_allclose(A, -spatial.twist_cross(xi), atol=1e-12)
    assert B.shape == (6, 0)


def test_a_turning_body_linearised(rng):
    """On (R, omega) with torques: A = [-omega^, 1; 0, J^-1 ((J omega)^ - omega^ J)], B = [0; J^-1]."""
    J = np.diag([0.3, 0.5, 0.6])
    group = groups.product(groups.rotations, groups.vectors(3))
    omega, torque = rng.standard_normal((2, 3))

    def field(g, u):
        return np.r_[g[1], np.linalg.solve(J, u - np.cross(g[1], J @ g[1]))]

    A, B = spatial.linearize(group, field, (random_rotation(rng), omega), torque)
    gyration = np.linalg.solve(J, spatial.hat(J @ omega) - spatial.hat(omega) @ J)
    assert_allclose(A, np.block([[-spatial.hat(omega), np.eye(3)], [np.zeros((3, 3)), gyration]]), atol=1e-8)
    assert_allclose(B, np.r_[np.zeros((3, 3)), np.linalg.inv(J)], atol=1e-8)
    with pytest.raises(ShapeError, match="field"):
        spatial.linearize(group, lambda g, u: omega, (np.eye(3), omega), torque)


@pytest.mark.parametrize(("step", "order"), [("runge_kutta_step", 4), ("midpoint_step", 2), ("projected_step", 4)])
def test_orders_of_steps(rng, step, order):
    start, a, b = random_pose(rng), *rng.standard_normal((2, 6))

    def velocity(time, H):
        return np.cos(3.0 * time) * a + np.r_[np.zeros(3), H[0, :3]] + time * b

    def end(n):
        H = start
        for k in range(n):
            arguments = (velocity, k / n, H, 1.0 / n)
            take = getattr(spatial, step)
            H = take(*arguments) if step == "projected_step" else take(groups.poses, *arguments)
        return H

    exact = end(320 if order == 4 else 1280)
    coarse, fine = (np.abs(end(n) - exact).max() for n in (20, 40))
    assert np.log2(coarse / fine) == pytest.approx(order, abs=0.3)
    spatial.check_rotation("R", end(20)[:3, :3])
    assert_allclose(end(20)[:3, :3] @ end(20)[:3, :3].T, np.eye(3), atol=1e-14)


@pytest.mark.parametrize("side", ["left", "right"])
def test_proportional_feedback_converges_exponentially(rng, side):
    """A gain of 5 per second takes an angle of 3.0 to 3 exp(-5) in a second."""
    group, axis = groups.rotations, np.array([0.6, 0.0, 0.8])
    desired = random_rotation(rng)
    error = group.exponential(3.0 * axis)
    R = desired @ error if side == "left" else error @ desired

    def velocity(_time, g):
        v = spatial.proportional_velocity(group, g, desired, np.zeros(3), 5.0, side)
        return v if side == "left" else g.T @ v

    for k in range(400):
        R = spatial.runge_kutta_step(group, velocity, 0.0025 * k, R, 0.0025)
    left = np.linalg.norm(group.minus(R, desired))
    assert left == pytest.approx(3.0 * np.exp(-5.0), rel=1e-3)


def test_feedback_of_second_order_converges(rng):
    group = groups.poses
    state_group = groups.product(group, groups.vectors(6))
    desired, nothing = random_pose(rng), np.zeros(6)
    g = (group.plus(desired, rng.standard_normal(6)), nothing)

    def velocity(_time, g):
        a = spatial.proportional_derivative_acceleration(
            group, g[0], g[1], desired, nothing, nothing, 25.0 * np.eye(6), 10.0, "left"
        )
        return np.r_[g[1], a]

    for k in range(300):
        g = spatial.runge_kutta_step(state_group, velocity, 0.01 * k, g, 0.01)
    assert np.linalg.norm(group.minus(g[0], desired)) < 1e-4
    with pytest.raises(ArgumentError, match="side is 'top'; the valid choices are left, right"):
        spatial.group_error(group, g[0], desired, "top")
