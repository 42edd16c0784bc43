"""Steps, their derivatives and products as methods: named results, shapes, trajectories, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase import algorithms, results
from floatbase.errors import ArgumentError, FloatbaseError, ShapeError, StateError

DT = 2e-3


@pytest.fixture
def robot():
    return fb.load("quadrotor_with_arm")


@pytest.fixture
def state(robot, rng):
    q, v = robot.random(rng, n=3)
    tau = rng.standard_normal(v.shape)
    return q, v, tau


@pytest.mark.parametrize("method", results.STEPS)
def test_named_results_of_batches_and_single_states(robot, state, method, rng):
    n, m = robot.nv, robot.nv - 6
    z, p, u = rng.standard_normal((3, 2 * n)), rng.standard_normal((3, 2 * n)), rng.standard_normal((3, m))
    cases = [
        (robot.step, (), results.Step, [(robot.nq,), (n,)]),
        (robot.step_derivatives, (), results.StepDerivatives, [(2 * n, 2 * n), (2 * n, m)]),
        (robot.step_parameter_derivatives, (), None, [(2 * n, 10 * robot.n_bodies)]),
        (robot.step_product, (z, u), None, [(2 * n,)]),
        (robot.step_gradient, (p,), results.StateGradient, [(2 * n,), (m,)]),
    ]
    for function, more, form, shapes in cases:
        many = function(*state, DT, *more, method=method)
        assert form is None or type(many) is form
        parts = many if form else (many,)
        assert [part.shape for part in parts] == [(3, *shape) for shape in shapes]
        one = function(*(array[1] for array in state), DT, *(array[1] for array in more), method=method)
        for whole, part in zip(parts, one if form else (one,), strict=True):
            np.testing.assert_array_equal(whole[1], part)


@pytest.mark.parametrize("method", results.STEPS)
def test_compiled_and_interpreted_steps_agree(robot, state, method):
    compiled = robot.step_derivatives(*state, DT, method=method)
    direct = algorithms.step_derivatives(robot.tree, *state, DT, method=method)
    for ours, other in zip(compiled, direct, strict=True):
        np.testing.assert_allclose(ours, other, atol=1e-12 * np.abs(other).max())


def test_products_are_those_of_the_matrices(robot, state, rng):
    z, p = rng.standard_normal((2, 3, 2 * robot.nv))
    u, w = rng.standard_normal((3, robot.nv - 6)), rng.standard_normal((3, robot.nv))
    A, B = robot.linearize(*state)
    np.testing.assert_allclose(
        robot.linearize_product(*state, z, u), (A @ z[..., None] + B @ u[..., None])[..., 0], atol=1e-9
    )
    gradient = robot.linearize_gradient(*state, p)
    np.testing.assert_allclose(gradient.state, (p[:, None] @ A)[:, 0], atol=1e-9)
    np.testing.assert_allclose(gradient.forces, (p[:, None] @ B)[:, 0], atol=1e-9)
    by = robot.inverse_dynamics_derivatives(*state)
    for ours, matrix in zip(robot.inverse_dynamics_gradient(*state, w), by, strict=True):
        np.testing.assert_allclose(ours, (w[:, None] @ matrix)[:, 0], atol=1e-10)
    by = robot.forward_dynamics_derivatives(*state)
    for ours, matrix in zip(robot.forward_dynamics_gradient(*state, w), by, strict=True):
        np.testing.assert_allclose(ours, (w[:, None] @ matrix)[:, 0], atol=1e-9)
    alpha = robot.forward_dynamics_product(*state, z, u)
    np.testing.assert_allclose(alpha, robot.linearize_product(*state, z, u)[:, robot.nv :], atol=1e-10)


def test_second_derivatives_and_their_pattern(robot, state, rng):
    w = rng.standard_normal((3, robot.nv))
    contracted = robot.inverse_dynamics_hessian(*state, w)
    tensors = robot.second_derivative_pattern.dense(robot.inverse_dynamics_second_derivatives(*state))
    for ours, tensor in zip(contracted, tensors, strict=True):
        np.testing.assert_allclose(ours, np.einsum("bi,bijk->bjk", w, tensor), atol=1e-11)


def test_a_step_size_for_each_state(robot, state):
    sizes = np.array([1e-3, 2e-3, 4e-3])
    together = robot.step(*state, sizes)
    for k, dt in enumerate(sizes):
        np.testing.assert_array_equal(together.q[k], robot.step(*(array[k] for array in state), dt).q)


@pytest.mark.parametrize("method", results.STEPS)
def test_sensitivities_of_a_trajectory(robot, state, method, rng):
    q, v, tau = (array[0] for array in state)
    forces = tau + rng.standard_normal((4, robot.nv))
    phi = robot.inertial_parameters
    motion = robot.trajectory_sensitivities(q, v, forces, DT, method=method)
    assert motion.q.shape == (5, robot.nq)
    assert motion.by_parameters.shape == (5, 2 * robot.nv, 10 * robot.n_bodies)

    def end(q, v, phi):
        for tau in forces:
            q, v = robot.step(q, v, tau, DT, method=method, parameters=phi)
        return q, v

    z, change = rng.standard_normal(2 * robot.nv), phi * rng.standard_normal(phi.shape)

    def moved(size):
        start = robot.integrate(q, size * z[: robot.nv]), v + size * z[robot.nv :]
        found = end(*start, phi + size * change)
        return np.concatenate([robot.difference(motion.q[-1], found[0]), found[1] - motion.v[-1]])

    expected = (moved(1e-5) - moved(-1e-5)) / 2e-5
    found = motion.by_start[-1] @ z + motion.by_parameters[-1] @ change
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())


def test_sensitivities_of_a_batch_of_trajectories(robot, state, rng):
    q, v, tau = state
    forces = tau[:, None] + rng.standard_normal((3, 4, robot.nv))
    together = robot.trajectory_sensitivities(q, v, forces, DT)
    for k in range(3):
        one = robot.trajectory_sensitivities(q[k], v[k], forces[k], DT)
        for ours, other in zip(together, one, strict=True):
            np.testing.assert_allclose(ours[k], other, atol=1e-12 * max(1.0, np.abs(other).max()))


class TestWhatIsRefused:
    def test_methods(self, robot, state):
        with pytest.raises(ArgumentError, match="semi-implicit"):
            robot.step(*state, DT, method="euler")

    @pytest.mark.parametrize("dt", [np.nan, np.inf])
    def test_step_sizes_that_are_no_numbers(self, robot, state, dt):
        with pytest.raises(StateError, match="dt"):
            robot.step(*state, dt)

    def test_shapes(self, robot, state):
        q, v, tau = state
        with pytest.raises(ShapeError):
            robot.step_product(q, v, tau, DT, v, tau)
        with pytest.raises(ShapeError, match="K steps"):
            robot.trajectory_sensitivities(q[0], v[0], tau[0], DT)

    def test_a_midpoint_step_that_has_no_solution(self, robot, state):
        q, v, tau = state
        with pytest.raises(FloatbaseError, match="does not converge"):
            robot.step(q, 100.0 * v, tau, 3.0, method="midpoint")
