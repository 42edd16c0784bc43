"""Coordinates of changes of a state: what each holds fixed, and derivatives and steps in all of them."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, TOLERANCE, error
from tests.algorithms.change_of_variables import base_matrix
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_state, random_tree, with_representation

from floatbase.algorithms import (
    chart_matrix,
    difference,
    finite_difference,
    forward_dynamics,
    forward_dynamics_derivatives,
    integrate,
    inverse_dynamics,
    inverse_dynamics_derivatives,
    linearize,
    step,
    step_derivatives,
)
from floatbase.compiler import interpret, trace
from floatbase.results import STEPS

POSES = {"body": "body", "mixed": "mixed", "inertial": "inertial", "tangent": "body", "world": "body"}
TWISTS = {"body": "body", "mixed": "mixed", "inertial": "inertial", "tangent": "inertial", "world": "inertial"}
DT = 0.02


@pytest.fixture(params=REPRESENTATIONS)
def tree(request, rng):
    return random_tree(rng, 6, representation=request.param, kinds=KINDS)


@pytest.fixture(params=POSES)
def chart(request):
    return request.param


def state_of(tree, rng):
    q, v = random_state(rng, tree)
    return q, v, rng.standard_normal(tree.nv)


def changed(tree, chart, q, v, z):
    """The state changed by coordinates in a chart, which says in what frame the twist is held and added to."""
    n = tree.nv
    moved = integrate(with_representation(tree, POSES[chart]), q, z[:n])
    own, there = (lambda q, name=name: base_matrix(name, q) for name in (tree.representation, TWISTS[chart]))
    twist = there(q) @ np.linalg.solve(own(q), v[:6])
    change = z[n : n + 6] if chart != "tangent" else base_matrix("inertial", q) @ z[n : n + 6]
    base = own(moved) @ np.linalg.solve(there(moved), twist + change)
    return moved, np.concatenate([base, v[6:] + z[n + 6 :]])


def by_chart(function, tree, chart, q, v):
    """Derivatives of a function of the state by the coordinates of a chart."""
    return finite_difference(
        lambda z: function(*changed(tree, chart, q, v, z)), np.zeros(2 * tree.nv), method="complex"
    )


def test_what_is_held_fixed(tree, chart, rng):
    q, v, tau = state_of(tree, rng)
    n = tree.nv
    expected = by_chart(lambda q, v: inverse_dynamics(tree, q, v, tau), tree, chart, q, v)
    found = inverse_dynamics_derivatives(tree, q, v, tau, chart=chart)
    assert error(found.dq, expected[:, :n]) < 1e-10
    assert error(found.dv, expected[:, n:]) < 1e-10
    expected = by_chart(lambda q, v: forward_dynamics(tree, q, v, tau), tree, chart, q, v)
    found = forward_dynamics_derivatives(tree, q, v, tau, chart=chart)
    assert error(found.dq, expected[:, :n]) < 1e-9  # the mass matrix is inverted in between
    assert error(found.dv, expected[:, n:]) < 1e-9


def test_the_matrix_of_a_chart(tree, chart, rng):
    q, v, _ = state_of(tree, rng)
    T = chart_matrix(tree, q, v, chart)
    small = 1e-30j

    def own(z):
        moved, other = changed(tree, chart, q, v, small * z)
        return np.concatenate([difference(tree, q, moved), other - v]).imag / small.imag

    expected = np.stack([own(unit) for unit in np.eye(2 * tree.nv)], axis=-1)
    np.testing.assert_allclose(T @ expected, np.eye(2 * tree.nv), atol=1e-11)
    np.testing.assert_array_equal(chart_matrix(tree, q, v), np.eye(2 * tree.nv))


def test_linearisation(tree, chart, rng):
    """(T A + T') / T with the rate of T along the motion, by complex step."""
    q, v, tau = state_of(tree, rng)
    own, found = linearize(tree, q, v, tau), linearize(tree, q, v, tau, chart=chart)
    a, T = forward_dynamics(tree, q, v, tau), chart_matrix(tree, q, v, chart)
    rate = chart_matrix(tree, integrate(tree, q, 1e-30j * v), v + 1e-30j * a, chart).imag / 1e-30
    assert error(found.A, (T @ own.A + rate) @ np.linalg.inv(T)) < 1e-10
    assert error(found.B, T @ own.B) < 1e-12
    if chart in ("tangent", "world"):
        assert not found.A[:6, :6].any()


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_a_chart_is_the_same_in_every_representation(chart, representation, rng):
    tree = random_tree(rng, 6, kinds=KINDS)
    q, v, tau = state_of(tree, rng)
    tau[:6] = 0.0  # a wrench on the base would be held fixed in other axes
    T = base_matrix(representation, q)
    other = linearize(
        with_representation(tree, representation), q, np.concatenate([T @ v[:6], v[6:]]), tau, chart=chart
    )
    body = linearize(tree, q, v, tau, chart=chart)
    assert error(other.A, body.A) < 1e-9
    assert error(other.B, body.B) < 1e-9


@pytest.mark.parametrize("method", STEPS)
def test_steps(tree, chart, method, rng):
    q, v, tau = state_of(tree, rng)
    own = step_derivatives(tree, q, v, tau, DT, method=method)
    found = step_derivatives(tree, q, v, tau, DT, method=method, chart=chart)
    before = chart_matrix(tree, q, v, chart)
    after = chart_matrix(tree, *step(tree, q, v, tau, DT, method=method), chart)
    assert error(found.A, after @ own.A @ np.linalg.inv(before)) < 1e-11
    assert error(found.B, after @ own.B) < 1e-11


def test_symbols_and_batches(tree, chart, rng):
    q, v = random_state(rng, tree, (3,))
    tau = rng.standard_normal(v.shape)

    def everything(q, v, tau):
        found = [*linearize(tree, q, v, tau, chart=chart), *step_derivatives(tree, q, v, tau, DT, chart=chart)]
        found += [*inverse_dynamics_derivatives(tree, q, v, tau, chart=chart), chart_matrix(tree, q, v, chart)]
        return {f"x{k}": part for k, part in enumerate(found)}

    batch = everything(q, v, tau)
    program = trace(everything, {"q": tree.nq, "v": tree.nv, "tau": tree.nv})
    for ours, many in zip(interpret(program, q, v, tau), batch.values(), strict=True):
        assert error(ours, many) < TOLERANCE[np.float64]
    for name, one in everything(q[1], v[1], tau[1]).items():
        assert error(one, batch[name][1]) < 1e-12
