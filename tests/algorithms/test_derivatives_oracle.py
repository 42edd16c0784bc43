"""Derivatives of dynamics against Pinocchio: twenty trees with joints of every kind it has, external wrenches."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.cases import error
from tests.algorithms.test_joint_kinds_oracle import KINDS
from tests.random_trees import random_state, random_tree

from floatbase import algorithms

pin = pytest.importorskip("pinocchio")

from tests.pinocchio_twin import PinocchioTwin

THEIRS = 1e-8  # their derivatives of forward dynamics lose digits on some trees; those of inverse dynamics do not


@pytest.fixture(params=range(20))
def case(request):
    """A tree, its twin, a state with accelerations, wrenches at two frames."""
    rng = np.random.default_rng(200 + request.param)
    tree = random_tree(
        rng, int(rng.integers(7, 13)), request.param % 4 != 3, "body", kinds=tuple(rng.permutation(KINDS))
    )
    q, v = random_state(rng, tree)
    names = rng.choice([f"frame{k}" for k in range(1, len(tree.bodies))], 2, replace=False)
    wrenches = {str(name): 5.0 * rng.standard_normal(6) for name in names}
    return tree, PinocchioTwin(tree), q, v, rng.standard_normal(tree.nv), wrenches


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def columns(rates, x):
    """Derivatives of `P x` along every velocity, as columns."""
    return np.einsum("kij,j->ik", rates, x)


def inverse_dynamics_derivatives(twin, q, v, a, wrenches):
    r"""$\tau = P^T f(q, P v, P a + p)$ by the chain rule."""
    x, P, p, P_rates, p_rates, p_slopes = twin.state(q, v)
    model, data, external = twin.model, twin.data, twin.forces(wrenches)
    force = pin.rnea(model, data, x, P @ v, P @ a + p, external).copy()
    pin.computeRNEADerivatives(model, data, x, P @ v, P @ a + p, external)
    by_q, by_v, by_a = data.dtau_dq, data.dtau_dv, symmetric(data.M)
    dq = P.T @ (by_q @ P + by_v @ columns(P_rates, v) + by_a @ (columns(P_rates, a) + p_rates.T))
    dq += np.einsum("kji,j->ik", P_rates, force)
    return dq, P.T @ (by_v @ P + by_a @ p_slopes), P.T @ by_a @ P


def forward_dynamics_derivatives(twin, q, v, tau, wrenches):
    r"""$P \dot\nu + p = f(q, P v, P^{-T} \tau)$ by the chain rule."""
    x, P, p, P_rates, p_rates, p_slopes = twin.state(q, v)
    model, data, external = twin.model, twin.data, twin.forces(wrenches)
    back = np.linalg.inv(P)
    force = back.T @ tau
    acceleration = back @ (pin.aba(model, data, x, P @ v, force, external) - p)
    pin.computeABADerivatives(model, data, x, P @ v, force, external)
    by_q, by_v, by_tau = data.ddq_dq, data.ddq_dv, symmetric(data.Minv)
    turned = back.T @ np.einsum("kji,j->ik", P_rates, force)
    dq = by_q @ P + by_v @ columns(P_rates, v) - by_tau @ turned - columns(P_rates, acceleration) - p_rates.T
    return back @ dq, back @ (by_v @ P - p_slopes), back @ by_tau @ back.T


def test_inverse_dynamics(case):
    tree, twin, q, v, a, wrenches = case
    found = algorithms.inverse_dynamics_derivatives(tree, q, v, a, wrenches)
    for ours, theirs in zip(found, inverse_dynamics_derivatives(twin, q, v, a, wrenches)):
        assert error(ours, theirs) < 1e-10


def test_forward_dynamics(case):
    tree, twin, q, v, tau, wrenches = case
    found = algorithms.forward_dynamics_derivatives(tree, q, v, tau, wrenches)
    for ours, theirs in zip(found, forward_dynamics_derivatives(twin, q, v, tau, wrenches)):
        assert error(ours, theirs) < THEIRS
    a = algorithms.forward_dynamics(tree, q, v, tau, wrenches)
    dq, dv, M = inverse_dynamics_derivatives(twin, q, v, a, wrenches)
    for ours, theirs in zip(found, (-np.linalg.solve(M, dq), -np.linalg.solve(M, dv), np.linalg.inv(M))):
        assert error(ours, theirs) < 1e-10
