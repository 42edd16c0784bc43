"""Trees with every kind of joint against Pinocchio, whose planar joints have velocities in the axes of the body."""

from dataclasses import replace

import numpy as np
import pytest
from tests.algorithms.cases import REPRESENTATIONS, error
from tests.algorithms.change_of_variables import base_matrix, base_matrix_rate, extended
from tests.random_trees import random_state, random_tree

from floatbase import algorithms

pin = pytest.importorskip("pinocchio")

from tests.pinocchio_twin import PinocchioTwin

KINDS = ("revolute", "spherical", "helical", "planar", "prismatic", "floating")


@pytest.fixture(params=range(20))
def example(request):
    rng = np.random.default_rng(100 + request.param)
    tree = random_tree(rng, int(rng.integers(7, 13)), True, "body", kinds=tuple(rng.permutation(KINDS)))
    q, v = random_state(rng, tree)
    twin = PinocchioTwin(tree)
    return tree, twin, q, v, rng.standard_normal(tree.nv), *twin.state(q, v)[:3]


def test_dynamics(example):
    tree, twin, q, v, a, their_q, P, p = example
    tau = P.T @ pin.rnea(twin.model, twin.data, their_q, P @ v, P @ a + p)
    assert error(algorithms.inverse_dynamics(tree, q, v, a), tau) < 1e-11
    assert error(algorithms.forward_dynamics(tree, q, v, tau), a) < 1e-9
    upper = np.triu(pin.crba(twin.model, twin.data, their_q))
    M = upper + np.triu(upper, 1).T
    assert error(algorithms.mass_matrix(tree, q), P.T @ M @ P) < 1e-11
    assert error(algorithms.inverse_mass_matrix(tree, q), np.linalg.inv(P.T @ M @ P)) < 1e-9


def test_momentum(example):
    tree, twin, q, v, a, their_q, P, p = example
    pin.computeCentroidalMomentumTimeVariation(twin.model, twin.data, their_q, P @ v, P @ a + p)
    assert error(algorithms.centroidal_momentum(tree, q, v), twin.data.hg.vector) < 1e-11
    assert error(algorithms.centroidal_momentum_rate(tree, q, v, a), twin.data.dhg.vector) < 1e-11
    Ag = pin.computeCentroidalMap(twin.model, twin.data, their_q)
    assert error(algorithms.centroidal_momentum_matrix(tree, q), Ag @ P) < 1e-11


def test_kinematics(example):
    tree, twin, q, v, _a, their_q, P, _p = example
    pin.computeJointJacobiansTimeVariation(twin.model, twin.data, their_q, P @ v)
    for i in (1, len(tree.bodies) - 1):
        name, number = tree.bodies[i].name, twin.numbers[i]
        assert error(algorithms.pose(tree, q, name), twin.data.oMi[number].homogeneous) < 1e-11
        J = pin.getJointJacobian(twin.model, twin.data, number, pin.LOCAL) @ P
        assert error(algorithms.jacobian(tree, q, name), J) < 1e-11
        if "planar" not in {body.joint.kind for body in tree.bodies[1:]}:
            rate = pin.getJointJacobianTimeVariation(twin.model, twin.data, number, pin.LOCAL)
            assert error(algorithms.jacobian_rate(tree, q, v, name), rate @ P) < 1e-11


def test_regressor(example):
    tree, twin, q, v, a, their_q, P, p = example
    Y = P.T @ pin.computeJointTorqueRegressor(twin.model, twin.data, their_q, P @ v, P @ a + p)
    order = [10 * (twin.numbers[i] - 1) + k for i in range(len(tree.bodies)) for k in (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)]
    assert error(algorithms.regressor(tree, q, v, a), Y[:, order]) < 1e-11


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_representations(example, representation):
    tree, _, q, v, a, *_ = example
    T = base_matrix(representation, q)
    there = replace(tree, representation=representation)
    whole = extended(T, tree.nv)
    new_a = whole @ a
    new_a[:6] += base_matrix_rate(representation, q, v[:6]) @ v[:6]
    tau = algorithms.inverse_dynamics(there, q, whole @ v, new_a)
    assert error(whole.T @ tau, algorithms.inverse_dynamics(tree, q, v, a)) < 1e-11
