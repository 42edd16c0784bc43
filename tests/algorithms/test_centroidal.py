"""Momentum about the centre of mass, on robots with every kind of joint."""

import numpy as np
from numpy.testing import assert_allclose
from tests.algorithms.cases import error
from tests.algorithms.test_identities import STEP, case, moved  # noqa: F401

from floatbase import algorithms


def test_momentum_and_its_matrix(case):  # noqa: F811
    tree, q, v, _ = case
    momentum = algorithms.centroidal_momentum(tree, q, v)
    assert_allclose(algorithms.centroidal_momentum_matrix(tree, q) @ v, momentum, atol=1e-11)
    mass = algorithms.total_mass(tree)
    assert_allclose(momentum[:3], mass * algorithms.com_velocity(tree, q, v), atol=1e-11)


def test_momentum_is_that_of_the_links(case):  # noqa: F811
    """Velocities of four points of each body of known mass distribution would do; here the bodies' own momenta."""
    from floatbase import spatial

    tree, q, v, _ = case
    c, total = algorithms.com(tree, q), np.zeros(6)
    for body in tree.bodies:
        H = algorithms.pose(tree, q, body.name)
        twist = spatial.change_twist(algorithms.velocity(tree, q, v, body.name), tree.representation, "body", H)
        momentum = spatial.inertia_matrix(body.parameters) @ twist
        about_c = H.copy()
        about_c[:3, 3] -= c
        total += spatial.transform_wrench(about_c, momentum)
    assert_allclose(algorithms.centroidal_momentum(tree, q, v), total, atol=1e-11)


def test_rate(case):  # noqa: F811
    tree, q, v, rng = case
    a = rng.standard_normal(tree.nv)
    after = algorithms.centroidal_momentum(tree, moved(tree, q, v, 1j * STEP), v + 1j * STEP * a)
    rate = algorithms.centroidal_momentum_rate(tree, q, v, a)
    assert_allclose(rate, after.imag / STEP, atol=1e-10)
    drift = algorithms.centroidal_momentum_drift(tree, q, v)
    assert_allclose(rate, algorithms.centroidal_momentum_matrix(tree, q) @ a + drift, atol=1e-10)


def test_rate_of_the_matrix(case):  # noqa: F811
    tree, q, v, _ = case
    slope = algorithms.centroidal_momentum_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    rate = algorithms.centroidal_momentum_matrix_rate(tree, q, v)
    assert error(rate, slope) < 1e-11
    assert_allclose(rate @ v, algorithms.centroidal_momentum_drift(tree, q, v), atol=1e-10)


def test_locked_inertia_and_average_velocity(case):  # noqa: F811
    tree, q, v, _ = case
    inertia, average = algorithms.locked_inertia(tree, q), algorithms.average_velocity(tree, q, v)
    assert_allclose(inertia @ average, algorithms.centroidal_momentum(tree, q, v), atol=1e-11)
    assert_allclose(average[:3], algorithms.com_velocity(tree, q, v), atol=1e-11)
    if tree.floating:  # a rigid motion of the whole robot
        A = algorithms.centroidal_momentum_matrix(tree, q)
        assert error(A[3:, 3:6] @ A[3:, 3:6].T, inertia[3:, 3:] @ inertia[3:, 3:].T) < 1e-11
