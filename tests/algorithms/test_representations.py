"""Mixed and inertial representations against the change of variables from body representation."""

import numpy as np
import pytest
from tests.algorithms.cases import error, trees
from tests.algorithms.change_of_variables import base_matrix, base_matrix_rate, extended
from tests.random_trees import random_state, with_representation

from floatbase import algorithms, spatial


@pytest.fixture(params=range(4), scope="module")
def case(request):
    tree = list(trees(4, seed=21, floating=True, representation="body"))[request.param]
    rng = np.random.default_rng(request.param)
    q, v = random_state(rng, tree)
    return tree, q, v, rng.standard_normal(tree.nv), rng


@pytest.fixture(params=["mixed", "inertial"], scope="module")
def representation(request):
    return request.param


def changed(case, representation):
    body, q, v, a, _ = case
    T = extended(base_matrix(representation, q), body.nv)
    rate = extended(base_matrix_rate(representation, q, v[:6]), body.nv, corner=0.0)
    return with_representation(body, representation), T, T @ v, T @ a + rate @ v


def test_inverse_dynamics_and_mass_matrix(case, representation):
    body, q, v, a, _ = case
    tree, T, v_new, a_new = changed(case, representation)
    inverse = np.linalg.inv(T)
    expected = inverse.T @ algorithms.inverse_dynamics(body, q, v, a)
    assert error(algorithms.inverse_dynamics(tree, q, v_new, a_new), expected) < 1e-12
    expected = inverse.T @ algorithms.mass_matrix(body, q) @ inverse
    M = algorithms.mass_matrix(tree, q)
    assert error(M, expected) < 1e-12
    assert (M == M.T).all()
    assert error(algorithms.gravity(tree, q), inverse.T @ algorithms.gravity(body, q)) < 1e-12


def test_forward_dynamics(case, representation):
    body, q, v, a, _ = case
    tree, T, v_new, a_new = changed(case, representation)
    tau = np.linalg.inv(T).T @ algorithms.inverse_dynamics(body, q, v, a)
    assert error(algorithms.forward_dynamics(tree, q, v_new, tau), a_new) < 1e-11


def test_frames(case, representation):
    body, q, v, a, _ = case
    tree, _, v_new, a_new = changed(case, representation)
    for name in tree.frames:
        H = algorithms.pose(tree, q, name)
        twist = algorithms.velocity(body, q, v, name)
        expected = spatial.change_twist(twist, "body", representation, H)
        np.testing.assert_allclose(algorithms.velocity(tree, q, v_new, name), expected, atol=1e-12)
        np.testing.assert_allclose(algorithms.jacobian(tree, q, name) @ v_new, expected, atol=1e-12)
        rate = algorithms.acceleration(body, q, v, a, name)
        expected = spatial.change_acceleration(rate, "body", representation, H, twist)
        np.testing.assert_allclose(algorithms.acceleration(tree, q, v_new, a_new, name), expected, atol=1e-11)


def test_center_of_mass_and_energy(case, representation):
    body, q, v, _, _ = case
    tree, _, v_new, _ = changed(case, representation)
    velocity = algorithms.com_velocity(body, q, v)
    np.testing.assert_allclose(algorithms.com_velocity(tree, q, v_new), velocity, atol=1e-12)
    np.testing.assert_allclose(algorithms.com_jacobian(tree, q) @ v_new, velocity, atol=1e-12)
    energy = algorithms.kinetic_energy(tree, q, v_new)
    assert energy == pytest.approx(algorithms.kinetic_energy(body, q, v), rel=1e-12)
    assert energy == pytest.approx(0.5 * v_new @ algorithms.mass_matrix(tree, q) @ v_new, rel=1e-12)


def test_external_wrenches(case, representation):
    body, q, v, a, rng = case
    tree, T, v_new, a_new = changed(case, representation)
    names = [*tree.frames][:4]
    wrenches = {name: rng.standard_normal(6) for name in names}
    poses = {name: algorithms.pose(tree, q, name) for name in names}
    given = {name: spatial.change_wrench(wrenches[name], "body", representation, poses[name]) for name in names}
    actual = algorithms.inverse_dynamics(tree, q, v_new, a_new, given)
    without = algorithms.inverse_dynamics(tree, q, v_new, a_new)
    by_jacobians = sum(algorithms.jacobian(tree, q, name).T @ given[name] for name in names)
    assert error(actual, without - by_jacobians) < 1e-12
    assert error(actual, np.linalg.inv(T).T @ algorithms.inverse_dynamics(body, q, v, a, wrenches)) < 1e-12
    assert error(algorithms.forward_dynamics(tree, q, v_new, actual, given), a_new) < 1e-11
