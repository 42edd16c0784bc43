"""Dynamics against Pinocchio, which works in body representation."""

import numpy as np
import pytest
from tests.algorithms.cases import error, trees
from tests.random_trees import random_state

from floatbase import algorithms

pin = pytest.importorskip("pinocchio")

from tests.pinocchio_twin import PinocchioTwin


@pytest.fixture(params=range(8), scope="module")
def case(request):
    tree = list(trees(8, seed=11, representation="body"))[request.param]
    rng = np.random.default_rng(request.param)
    return tree, PinocchioTwin(tree), rng


def test_inverse_dynamics(case):
    tree, twin, rng = case
    q, v = random_state(rng, tree)
    a = rng.standard_normal(tree.nv)
    x, P, *_ = twin.state(q, v)
    expected = P.T @ pin.rnea(twin.model, twin.data, x, P @ v, P @ a)
    assert error(algorithms.inverse_dynamics(tree, q, v, a), expected) < 1e-12


def test_mass_matrix(case):
    tree, twin, rng = case
    q, v = random_state(rng, tree)
    x, P, *_ = twin.state(q, v)
    upper = np.triu(pin.crba(twin.model, twin.data, x))
    actual = algorithms.mass_matrix(tree, q)
    assert error(actual, P.T @ (upper + np.triu(upper, 1).T) @ P) < 1e-12
    assert (actual == actual.T).all()


def test_forward_dynamics(case):
    tree, twin, rng = case
    q, v = random_state(rng, tree)
    tau = rng.standard_normal(tree.nv)
    x, P, *_ = twin.state(q, v)
    expected = P.T @ pin.aba(twin.model, twin.data, x, P @ v, P @ tau)
    assert error(algorithms.forward_dynamics(tree, q, v, tau), expected) < 1e-11


def test_bias_and_gravity(case):
    tree, twin, rng = case
    q, v = random_state(rng, tree)
    x, P, *_ = twin.state(q, v)
    expected = P.T @ pin.nonLinearEffects(twin.model, twin.data, x, P @ v)
    assert error(algorithms.bias(tree, q, v), expected) < 1e-12
    expected = P.T @ pin.computeGeneralizedGravity(twin.model, twin.data, x)
    assert error(algorithms.gravity(tree, q), expected) < 1e-12


def test_frames(case):
    tree, twin, rng = case
    q, v = random_state(rng, tree)
    a = rng.standard_normal(tree.nv)
    x, P, *_ = twin.state(q, v)
    pin.forwardKinematics(twin.model, twin.data, x, P @ v, P @ a)
    pin.updateFramePlacements(twin.model, twin.data)
    pin.computeJointJacobians(twin.model, twin.data, x)
    for name in tree.frames:
        frame = twin.model.getFrameId(name)
        assert error(algorithms.pose(tree, q, name), twin.data.oMf[frame].homogeneous) < 1e-13
        expected = pin.getFrameVelocity(twin.model, twin.data, frame, pin.LOCAL).vector
        np.testing.assert_allclose(algorithms.velocity(tree, q, v, name), expected, atol=1e-12)
        expected = pin.getFrameAcceleration(twin.model, twin.data, frame, pin.LOCAL).vector
        np.testing.assert_allclose(algorithms.acceleration(tree, q, v, a, name), expected, atol=1e-12)
        expected = pin.getFrameJacobian(twin.model, twin.data, frame, pin.LOCAL) @ P
        np.testing.assert_allclose(algorithms.jacobian(tree, q, name), expected, atol=1e-12)


def test_center_of_mass_and_energies(case):
    tree, twin, rng = case
    q, v = random_state(rng, tree)
    model, data = twin.model, twin.data
    x, P, *_ = twin.state(q, v)
    if not tree.floating:
        # Pinocchio leaves out the bodies that do not move
        fixed = tree.bodies[0].parameters
        moving = algorithms.total_mass(tree) - fixed[0]
        assert moving == pytest.approx(pin.computeTotalMass(model))
        pin.centerOfMass(model, data, x, P @ v)
        expected = (moving * data.com[0] + fixed[1:4]) / (moving + fixed[0])
        assert error(algorithms.com(tree, q), expected) < 1e-13
    else:
        assert algorithms.total_mass(tree) == pytest.approx(pin.computeTotalMass(model))
        pin.centerOfMass(model, data, x, P @ v)
        assert error(algorithms.com(tree, q), data.com[0]) < 1e-13
        np.testing.assert_allclose(algorithms.com_velocity(tree, q, v), data.vcom[0], atol=1e-12)
        jacobian = pin.jacobianCenterOfMass(model, data, x) @ P
        np.testing.assert_allclose(algorithms.com_jacobian(tree, q), jacobian, atol=1e-12)
        expected = pin.computePotentialEnergy(model, data, x)
        assert algorithms.potential_energy(tree, q) == pytest.approx(expected, rel=1e-12)
    expected = pin.computeKineticEnergy(model, data, x, P @ v)
    assert algorithms.kinetic_energy(tree, q, v) == pytest.approx(expected, rel=1e-12)
