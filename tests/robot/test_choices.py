"""Derivatives with choices as methods: charts, inputs, how wrenches are held; compiled, and alone or in programs."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import ArgumentError, ShapeError

DT = 2e-3


@pytest.fixture
def robot():
    return fb.load("quadrotor_with_arm")


@pytest.fixture
def state(robot, rng):
    q, v = robot.random(rng, n=3)
    return q, v, rng.standard_normal(v.shape)


def frame_of(robot):
    return robot.frame_names[-1]


def close(ours, others):
    for one, other in zip(ours, others, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-11 * max(1.0, np.abs(other).max()))


@pytest.mark.parametrize("chart", ["body", "mixed", "inertial", "tangent", "world"])
def test_charts(robot, state, chart):
    tree = robot.tree
    close(robot.linearize(*state, chart=chart), algorithms.linearize(tree, *state, chart=chart))
    close(robot.step_derivatives(*state, DT, chart=chart), algorithms.step_derivatives(tree, *state, DT, chart=chart))
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives"):
        close(getattr(robot, name)(*state, chart=chart), getattr(algorithms, name)(tree, *state, chart=chart))
    T, A = robot.chart_matrix(*state[:2], chart), robot.linearize(*state, chart=chart).A
    assert T.shape == A.shape == (3, 2 * robot.nv, 2 * robot.nv)
    close([robot.linearize(*state, chart=chart).B], [T @ robot.linearize(*state).B])


def test_sensitivity_to_thrusts(robot, state, rng):
    """A constant map from thrusts to generalised forces, in the axes of the body."""
    robot = robot.with_representation("body")
    q, v, _ = (x[0] for x in state)
    S = np.zeros((robot.nv, 4))
    S[2], S[3:5], S[5] = 1.0, rng.standard_normal((2, 4)), [0.02, -0.02, 0.02, -0.02]
    thrusts = rng.uniform(1.0, 3.0, 4)
    expected = algorithms.finite_difference(
        lambda f: algorithms.forward_dynamics(robot.tree, q, v, S @ f), thrusts, method="complex"
    )
    A, B = robot.linearize(q, v, S @ thrusts, inputs="all")
    np.testing.assert_allclose((B @ S)[robot.nv :], expected, rtol=1e-10, atol=1e-10)
    u, z, p = rng.standard_normal(4), *rng.standard_normal((2, 2 * robot.nv))
    product = robot.linearize_product(q, v, S @ thrusts, z, S @ u, inputs="all")
    np.testing.assert_allclose(product, A @ z + B @ S @ u, atol=1e-9)
    gradient = robot.linearize_gradient(q, v, S @ thrusts, p, inputs="all")
    np.testing.assert_allclose(S.T @ gradient.forces, (B @ S).T @ p, atol=1e-9)
    step = robot.step_derivatives(q, v, S @ thrusts, DT, inputs="all")
    assert step.B.shape == (2 * robot.nv, robot.nv)
    product = robot.step_product(q, v, S @ thrusts, DT, z, S @ u, inputs="all")
    np.testing.assert_allclose(product, step.A @ z + step.B @ S @ u, atol=1e-9)
    gradient = robot.step_gradient(q, v, S @ thrusts, DT, p, inputs="all")
    np.testing.assert_allclose(S.T @ gradient.forces, (step.B @ S).T @ p, atol=1e-9)


def test_both_kinds_of_inputs_in_one_program(robot, state, rng):
    z, u, all_of_u = rng.standard_normal(2 * robot.nv), rng.standard_normal(robot.nv - 6), rng.standard_normal(robot.nv)
    both = robot.function(["linearize_product", ("linearize_product", "all")])
    assert [port.name for port in both.program.inputs] == ["q", "v", "tau", "z", "u", "u_all"]
    q, v, tau = (x[0] for x in state)
    ours = both(q, v, tau, z, u, all_of_u)
    close(
        ours, [robot.linearize_product(q, v, tau, z, u), robot.linearize_product(q, v, tau, z, all_of_u, inputs="all")]
    )


@pytest.mark.parametrize("fixed", ["link", "directions", "world"])
def test_wrenches(robot, state, fixed, rng):
    tree, settings = robot.tree, {"wrenches_fixed": fixed}
    load = {frame_of(robot): rng.standard_normal((3, 6))}
    z, w = rng.standard_normal((3, 2 * robot.nv)), rng.standard_normal((3, robot.nv))
    for name in ("inverse_dynamics_derivatives", "forward_dynamics_derivatives", "linearize"):
        close(getattr(robot, name)(*state, load, **settings), getattr(algorithms, name)(tree, *state, load, **settings))
    product = robot.inverse_dynamics_product(*state, z, w, load, **settings)
    D = robot.inverse_dynamics_derivatives(*state, load, **settings)
    expected = np.concatenate(D, axis=-1) @ np.concatenate([z, w], axis=-1)[..., None]
    close([product], [expected[..., 0]])
    close(robot.inverse_dynamics_gradient(*state, w, load, **settings), [(w[:, None] @ part)[:, 0] for part in D])


@pytest.mark.parametrize("fixed", [None, "link", "world"])
def test_second_derivatives_with_wrenches(robot, state, fixed, rng):
    load, w = {frame_of(robot): rng.standard_normal((3, 6))}, rng.standard_normal((3, robot.nv))
    pattern = robot.loaded_second_derivative_pattern(load, fixed)
    tensors = pattern.dense(robot.inverse_dynamics_second_derivatives(*state, load, wrenches_fixed=fixed))
    hessian = robot.inverse_dynamics_hessian(*state, w, load, wrenches_fixed=fixed)
    close([np.einsum("bi,bijk->bjk", w, tensor) for tensor in tensors], hessian)


def test_trajectories_in_contact(robot, state, rng):
    q, v, tau = (x[0] for x in state)
    forces, load = tau + rng.standard_normal((4, robot.nv)), rng.standard_normal((4, 6))
    phi, frame = robot.inertial_parameters, frame_of(robot)
    motion = robot.trajectory_sensitivities(q, v, forces, DT, {frame: load})
    z, change = rng.standard_normal(2 * robot.nv), phi * rng.standard_normal(phi.shape)

    def moved(size):
        now = robot.integrate(q, size * z[: robot.nv]), v + size * z[robot.nv :]
        for tau, wrench in zip(forces, load, strict=True):
            now = robot.step(*now, tau, DT, {frame: wrench}, parameters=phi + size * change)
        return np.concatenate([robot.difference(motion.q[-1], now[0]), now[1] - motion.v[-1]])

    expected = (moved(1e-5) - moved(-1e-5)) / 2e-5
    found = motion.by_start[-1] @ z + motion.by_parameters[-1] @ change
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7 * np.abs(expected).max())
    same = robot.trajectory_sensitivities(q, v, forces, DT, {frame: load[0]})
    each = robot.trajectory_sensitivities(q, v, forces, DT, {frame: np.tile(load[0], (4, 1))})
    close(same, each)
    with pytest.raises(ShapeError, match=r"must be \(6,\) or \(..., 4, 6\)"):
        robot.trajectory_sensitivities(q, v, forces, DT, {frame: load[:3]})


def test_names_in_a_tuple_are_a_name_with_choices_or_several(robot, state):
    alone = robot.function(("forward_dynamics_derivatives", "tangent"))
    close(alone(*state), robot.forward_dynamics_derivatives(*state, chart="tangent"))
    several = robot.function(("inverse_dynamics_derivatives", "mass_matrix"))
    _, mass = several(*state)
    close([mass], [robot.mass_matrix(state[0])])


def test_defaults_that_are_said_are_the_same_function(robot, state):
    plain = robot.linearize(*state)
    said = robot.linearize(*state, chart="mixed", inputs="joints", wrenches_fixed="directions")
    close(said, plain)
    names = {request for request in robot._entries if request[0] == "linearize"}
    assert names == {("linearize", "mixed")}


def test_what_is_refused(robot, state):
    with pytest.raises(ArgumentError, match=r"chart must be one of \('mixed', 'body'"):
        robot.linearize(*state, chart="base")
    with pytest.raises(ArgumentError, match=r"inputs must be one of \('joints', 'all'\)"):
        robot.linearize(*state, inputs="base")
    with pytest.raises(ArgumentError, match=r"wrenches_fixed must be one of \('directions', 'link', 'world'\)"):
        robot.forward_dynamics_derivatives(*state, wrenches_fixed="frame")
    with pytest.raises(ArgumentError, match=r"linearize.*'chart'"):
        robot.function([("linearize", "mixed", "all", "link", "more")])
