"""Sensitivities to all generalised forces, of which those to joint forces are a part."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, error
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_state, random_tree

from floatbase.algorithms import (
    difference,
    finite_difference,
    forward_dynamics,
    forward_dynamics_product,
    linearize,
    linearize_gradient,
    linearize_product,
    step,
    step_derivatives,
    step_gradient,
    step_product,
)
from floatbase.errors import ArgumentError, ShapeError
from floatbase.results import STEPS

DT = 0.02


@pytest.fixture(params=[(r, True) for r in REPRESENTATIONS] + [("mixed", False)], ids=str)
def tree(request, rng):
    representation, floating = request.param
    return random_tree(rng, 6, floating, representation, kinds=KINDS)


def state_of(tree, rng):
    q, v = random_state(rng, tree)
    return q, v, rng.standard_normal(tree.nv)


def test_linearisation(tree, rng):
    q, v, tau = state_of(tree, rng)
    n, first = tree.nv, tree.nv - tree.joint_nv
    by_joints, by_all = linearize(tree, q, v, tau), linearize(tree, q, v, tau, inputs="all")
    expected = finite_difference(lambda tau: forward_dynamics(tree, q, v, tau), tau, method="complex")
    assert error(by_all.B[n:], expected) < 1e-10
    assert not by_all.B[:n].any()
    np.testing.assert_array_equal(by_all.B[:, first:], by_joints.B)
    np.testing.assert_array_equal(by_all.A, by_joints.A)
    z, p, u = rng.standard_normal(2 * n), rng.standard_normal(2 * n), rng.standard_normal(n)
    change = by_all.A @ z + by_all.B @ u
    assert error(linearize_product(tree, q, v, tau, z, u, inputs="all"), change) < 1e-10
    assert error(forward_dynamics_product(tree, q, v, tau, z, u, inputs="all"), change[n:]) < 1e-10
    assert error(linearize_gradient(tree, q, v, tau, p, inputs="all").forces, p @ by_all.B) < 1e-10


@pytest.mark.parametrize("method", STEPS)
def test_steps(tree, method, rng):
    q, v, tau = state_of(tree, rng)
    n, first = tree.nv, tree.nv - tree.joint_nv
    end = step(tree, q, v, tau, DT, method=method)

    def moved(tau):
        q_end, v_end = step(tree, q, v, tau, DT, method=method)
        return np.concatenate([difference(tree, end.q, q_end), v_end - end.v])

    expected = finite_difference(moved, tau, method="complex")
    A, B = step_derivatives(tree, q, v, tau, DT, method=method, inputs="all")
    assert error(B, expected) < 1e-10
    own = step_derivatives(tree, q, v, tau, DT, method=method)
    assert error(own.B, B[:, first:]) < 1e-12
    np.testing.assert_array_equal(own.A, A)
    z, p, u = rng.standard_normal(2 * n), rng.standard_normal(2 * n), rng.standard_normal(n)
    assert error(step_product(tree, q, v, tau, DT, z, u, method=method, inputs="all"), A @ z + B @ u) < 1e-10
    gradient = step_gradient(tree, q, v, tau, DT, p, method=method, inputs="all")
    assert error(gradient.forces, p @ B) < 1e-10
    assert error(gradient.state, p @ A) < 1e-10


def test_what_is_said_about_wrong_inputs(rng):
    tree = random_tree(rng, 3)
    q, v, tau = state_of(tree, rng)
    with pytest.raises(ArgumentError, match=r"inputs is 'base'; it must be one of \('joints', 'all'\)"):
        linearize(tree, q, v, tau, inputs="base")
    with pytest.raises(ShapeError, match="u has shape"):
        step_product(tree, q, v, tau, DT, np.zeros(2 * tree.nv), tau[6:], inputs="all")
