"""The linearised motion of a robot: against differences on groups, flows, other charts, bases and representations."""

from __future__ import annotations

import numpy as np
import pytest
from tests.agreement.random_models import random_model
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error, trees
from tests.algorithms.change_of_variables import base_matrix, base_matrix_rate, extended
from tests.algorithms.every_kind import EXACT, along, by_complex_step, robot_of_every_kind
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_state, random_tree, with_representation

from floatbase import spatial
from floatbase.algorithms import (
    difference,
    disturbance_rate,
    forward_dynamics,
    integrate,
    jacobian,
    linearize,
    pose,
    step,
)
from floatbase.compiler import interpret, trace
from floatbase.errors import ArgumentError
from floatbase.model import build_tree
from floatbase.spatial import groups

CASES = [
    *trees(4, kinds=KINDS, backwards=0.5, armature=True),
    *trees(2, seed=1, mimic=True),
    *trees(2, seed=2, kinds=("planar", "spherical", "floating"), backwards=1.0),
]


def state_of(tree, rng):
    q, v = random_state(rng, tree)
    return q, v, rng.standard_normal(tree.nv)


@pytest.mark.parametrize("tree", list(trees(3, seed=4, floating=True)))
def test_a_field_on_a_group_is_linearised_alike(tree, rng):
    """The state as an element of SE(3) x R^n x R^6 x R^n, by differences (Bos 2019, (2.38))."""
    q, v, tau = state_of(tree, rng)
    n = tree.joint_nv
    group = groups.product(groups.poses, groups.vectors(n), groups.vectors(6), groups.vectors(n))
    element = (pose(tree, q, "link0"), q[7:], v[:6], v[6:])

    def field(g, u):
        position = np.concatenate([g[0][:3, 3], spatial.quaternion_from_rotation(g[0][:3, :3]), g[1]])
        rates = np.concatenate(g[2:])
        return np.concatenate([rates, forward_dynamics(tree, position, rates, np.concatenate([tau[:6], u]))])

    A, B = spatial.linearize(group, field, element, tau[6:])
    found = linearize(tree, q, v, tau)
    assert error(found.A, A) < 1e-7
    assert error(found.B, B) < 1e-7


@pytest.mark.parametrize("tree", list(trees(3, seed=5, floating=True)))
def test_charts_are_changes_of_variables(tree, rng):
    q, v, tau = state_of(tree, rng)
    n, a = tree.nv, forward_dynamics(tree, q, v, tau)
    body = linearize(tree, q, v, tau, chart="body")
    X = spatial.adjoint(pose(tree, q, "link0"))
    T, T_rate = np.eye(2 * n), np.zeros((2 * n, 2 * n))
    T[n : n + 6, :6], T_rate[n : n + 6, :6] = -spatial.twist_cross(v[:6]), -spatial.twist_cross(a[:6])
    tangent = linearize(tree, q, v, tau, chart="tangent")
    np.testing.assert_allclose(tangent.A, (T @ body.A + T_rate) @ np.linalg.inv(T), atol=1e-11)
    np.testing.assert_allclose(tangent.B, T @ body.B, atol=1e-11)
    T_rate[n : n + 6] = X @ (T_rate[n : n + 6] + spatial.twist_cross(v[:6]) @ T[n : n + 6])
    T[n : n + 6] = X @ T[n : n + 6]
    world = linearize(tree, q, v, tau, chart="world")
    np.testing.assert_allclose(world.A, (T @ body.A + T_rate) @ np.linalg.inv(T), atol=1e-10)
    np.testing.assert_allclose(world.B, T @ body.B, atol=1e-11)


def test_the_tangent_chart_is_that_of_the_tangent_group(rng):
    tree = random_tree(rng, 1)
    q, v, tau = state_of(tree, rng)
    group = groups.tangent(groups.poses)

    def field(g, u):
        position = np.concatenate([g[0][:3, 3], spatial.quaternion_from_rotation(g[0][:3, :3])])
        return np.concatenate([g[1], forward_dynamics(tree, position, g[1], u)])

    A, _ = spatial.linearize(group, field, (pose(tree, q, "link0"), v), tau)
    assert error(linearize(tree, q, v, tau, chart="tangent").A, A) < 1e-7


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", CASES)
def test_disturbances_turn_with_the_tangent_space(tree, representation, rng):
    """Two configurations that move at two velocities: the rate of their difference, by differences."""
    tree = with_representation(tree, representation)
    q, v = random_state(rng, tree)
    small, dt = 1e-4 * rng.standard_normal((2, tree.nv)), 1e-4
    other = integrate(tree, q, small[0])

    def apart(t):
        return difference(tree, integrate(tree, q, t * v), integrate(tree, other, t * (v + small[1])))

    rate = (apart(dt) - apart(-dt)) / (2 * dt)
    assert error(rate, disturbance_rate(tree, v) @ small[0] + small[1]) < 1e-3  # of second order in `small`


def changed(tree, representation, q, v):
    """T with T z the change of a state in another representation of the twist."""
    base = base_matrix(representation, q)
    result = np.kron(np.eye(2), extended(base, tree.nv))
    for k, unit in enumerate(np.eye(6)):
        result[tree.nv : tree.nv + 6, k] = base_matrix_rate(representation, q, unit) @ v[:6]
    return result


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_change_of_representation(representation, rng):
    tree = random_tree(rng, 7, kinds=KINDS)
    q, v, tau = state_of(tree, rng)
    tau[:6] = 0.0  # a wrench on the base would be held fixed in other axes
    other, T = with_representation(tree, representation), changed(tree, representation, q, v)
    a, step = forward_dynamics(tree, q, v, tau), 1e-5
    near, before = (changed(tree, representation, integrate(tree, q, s * v), v + s * a) for s in (step, -step))
    found, body = (
        linearize(other, q, T[: tree.nv, : tree.nv] @ v, tau),
        linearize(tree, q, v, tau),
    )
    expected = (T @ body.A + (near - before) / (2 * step)) @ np.linalg.inv(T)
    assert error(found.A, expected) < 1e-8
    assert error(found.B, T @ body.B) < 1e-10


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("number", range(6))
def test_change_of_base(number, representation, rng):
    """The same robot from the link in its middle and from its last one."""
    tree = robot_of_every_kind(4 * number, representation)
    q, v, tau = state_of(tree, rng)
    tau[:6] = 0.0
    a, found = forward_dynamics(tree, q, v, tau), linearize(tree, q, v, tau)
    for link in ("link6", list(tree.frames)[-1]):
        there = build_tree(random_model(4 * number), link, floating=True, representation=representation)
        assert there.velocity_names[6:] == tree.velocity_names[6:]

        def velocity_matrix(q, link=link):
            """From velocities to those seen from there, which moves configurations alike."""
            joints = np.broadcast_to(np.eye(tree.nv)[6:], (*q.shape[:-1], tree.nv - 6, tree.nv))
            return np.concatenate([jacobian(tree, q, link), joints], axis=-2)

        def state_matrix(q, v, of=velocity_matrix):
            zero, V = np.zeros((tree.nv, tree.nv)), of(q)
            return np.block([[V, zero], [along(lambda q: of(q) @ v, tree, q), V]])

        def rate(width, of=state_matrix):
            return of(integrate(tree, q, width * v), v + width * a) - of(integrate(tree, q, -width * v), v - width * a)

        T, h = state_matrix(q, v), 1e-3
        T_rate = (45.0 * rate(h) - 9.0 * rate(2.0 * h) + rate(3.0 * h)) / (60.0 * h)
        world_H_link = pose(tree, q, link)
        quaternion = spatial.quaternion_from_rotation(world_H_link[:3, :3])
        q_there = np.concatenate([world_H_link[:3, 3], quaternion, q[7:]])
        other = linearize(there, q_there, T[: tree.nv, : tree.nv] @ v, tau)
        assert error(other.A, (T @ found.A + T_rate) @ np.linalg.inv(T)) < EXACT
        assert error(other.B, T @ found.B) < EXACT


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("name", ["panda", "anymal_c", "g1", "talos", "icub"])
def test_state_transition_of_a_millisecond(name, representation, load_robot, rng):
    r"""$\dot\Phi = A \Phi$ along the motion, against derivatives of where the motion leads, by complex steps."""
    robot = load_robot(name, representation)
    tree, n, h = robot.tree, robot.nv, 1e-3 / 4
    (q, v), tau = robot.random(rng), rng.standard_normal(robot.nv)
    states = [(q, v)]
    for _ in range(8):
        states.append(step(tree, *states[-1], tau, h / 2, method="rk4"))
    A, one = [linearize(tree, *state, tau).A for state in states], np.eye(2 * n)
    transition = one
    for first, middle, last in zip(A[:-1:2], A[1::2], A[2::2]):
        k1 = first @ transition
        k2 = middle @ (transition + 0.5 * h * k1)
        k3 = middle @ (transition + 0.5 * h * k2)
        k4 = last @ (transition + h * k3)
        transition = transition + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)

    def end(z):
        q_far, v_far = integrate(tree, q, z[:, :n]), v + z[:, n:]
        for _ in range(4):
            q_far, v_far = step(tree, q_far, v_far, tau, h, method="rk4")
        return np.concatenate([difference(tree, states[-1][0], q_far), v_far - v], axis=-1)

    flow = by_complex_step(end, np.zeros(2 * n))
    assert np.linalg.norm(transition - flow) < 1e-7 * np.linalg.norm(flow - one)


@pytest.mark.parametrize("floating", [True, False])
def test_symbols_and_batches(floating, rng):
    tree = random_tree(rng, 5, floating, kinds=("revolute", "spherical"))
    q, v = random_state(rng, tree, (3,))
    tau = rng.standard_normal(v.shape)
    for chart in ("body", "tangent", "world") if floating else ("body",):
        sizes = {"q": tree.nq, "v": tree.nv, "tau": tree.nv}
        program = trace(lambda *x, chart=chart: linearize(tree, *x, chart=chart)._asdict(), sizes)
        batch = linearize(tree, q, v, tau, chart=chart)
        for ours, many in zip(interpret(program, q, v, tau), batch):
            assert error(ours, many) < TOLERANCE[np.float64]
        for k in range(3):
            assert error(linearize(tree, q[k], v[k], tau[k], chart=chart).A, batch.A[k]) < 1e-12


def test_charts_that_do_not_exist(rng):
    tree = random_tree(rng, 2, representation="mixed")
    q, v, tau = state_of(tree, rng)
    with pytest.raises(ArgumentError, match=r"must be one of \('mixed', 'body'"):
        linearize(tree, q, v, tau, chart="base")
    tree = random_tree(rng, 2, floating=False)
    q, v, tau = state_of(tree, rng)
    with pytest.raises(ArgumentError, match=r"must be one of \('body',\), since charts differ in .* a floating base"):
        linearize(tree, q, v, tau, chart="world")
