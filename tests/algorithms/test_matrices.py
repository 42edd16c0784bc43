"""Inverse mass matrix, Coriolis matrix and operational-space inertia, on robots with every kind of joint."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import ROUNDING, error, residual
from tests.algorithms.test_identities import STEP, case, moved  # noqa: F401

import floatbase as fb
from floatbase import algorithms
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace
from floatbase.errors import ModelError
from floatbase.model import Inertia, Joint, Link, Model


def test_inverse_mass_matrix(case):  # noqa: F811
    tree, q, _, _ = case
    M, inverse = algorithms.mass_matrix(tree, q), algorithms.inverse_mass_matrix(tree, q)
    assert residual(M, inverse, np.eye(tree.nv)) < 1e-11
    assert error(inverse @ M, np.eye(tree.nv)) < max(1e-11, ROUNDING * np.linalg.cond(M))
    assert np.array_equal(inverse, inverse.T)


def test_columns_of_the_inverse_are_accelerations_under_unit_forces(case):  # noqa: F811
    """Without gravity and at rest, by the recursion of articulated bodies."""
    tree, q, _, _ = case
    tree = replace(tree, gravity=(0.0, 0.0, 0.0))
    units, still = np.eye(tree.nv), np.zeros((tree.nv, tree.nv))
    columns = algorithms.forward_dynamics(tree, np.tile(q, (tree.nv, 1)), still, units)
    condition = np.linalg.cond(algorithms.mass_matrix(tree, q))
    assert error(algorithms.inverse_mass_matrix(tree, q), columns.T) < max(1e-11, ROUNDING * condition)


def test_coriolis_matrix_gives_the_velocity_terms(case):  # noqa: F811
    tree, q, v, _ = case
    C = algorithms.coriolis_matrix(tree, q, v)
    assert_allclose(C @ v, algorithms.bias(tree, q, v) - algorithms.gravity(tree, q), atol=1e-10)


def test_coriolis_matrix_is_admissible(case):  # noqa: F811
    tree, q, v, _ = case
    C = algorithms.coriolis_matrix(tree, q, v)
    rate = algorithms.mass_matrix(tree, moved(tree, q, v, 1j * STEP)).imag / STEP
    assert_allclose(C + C.T, rate, atol=1e-10)


def test_operational_space_inertia(case):  # noqa: F811
    tree, q, _, _ = case
    frame = list(tree.frames)[-1]
    J = algorithms.jacobian(tree, q, frame)
    mobility = algorithms.operational_space_mobility(tree, q, frame)
    assert_allclose(mobility, J @ np.linalg.solve(algorithms.mass_matrix(tree, q), J.T), rtol=1e-9, atol=1e-10)
    if tree.floating:
        inertia = algorithms.operational_space_inertia(tree, q, frame)
        assert error(inertia @ mobility, np.eye(6)) < 1e-9


def test_frames_that_cannot_move_in_all_directions_have_no_inertia(rng):
    """Two hinges; and seven that are parallel to one another, where the Jacobian is singular but has columns enough."""
    planar = fb.load("planar_double_pendulum")
    turn = np.eye(4)
    turn[0, 3] = 0.3
    joints = [Joint(f"hinge{k}", "revolute", f"link{k}", f"link{k + 1}", turn) for k in range(7)]
    links = [Link(f"link{k}", Inertia(1.0, np.array([0.1, 0.0, 0.0]), 0.1 * np.eye(3))) for k in range(8)]
    snake = fb.Robot(Model("snake", tuple(links), tuple(joints), root="link0"), floating=False)
    for robot, frame, count in ((planar, "lower_rod", 2), (snake, "link7", 7)):
        q, _ = robot.random(rng)
        with pytest.raises(ModelError, match=rf"below six \({count} velocities.*use operational_space_mobility"):
            robot.operational_space_inertia(q, frame)
        assert np.linalg.matrix_rank(robot.operational_space_mobility(q, frame)) == min(count, 3)
    with pytest.raises(ModelError, match=r"below six \(2 velocities"):
        algorithms.operational_space_inertia(planar.tree, np.zeros(2), "lower_rod")


def test_operational_space_mobility_where_jacobians_have_constant_columns(case):  # noqa: F811
    """The twist of the base is part of the velocity, so its Jacobian is made of ones and zeros."""
    tree, q, _, _ = case
    for frame in (tree.base, tree.bodies[-1].name):
        program = trace(lambda q, frame=frame: algorithms.operational_space_mobility(tree, q, frame), {"q": tree.nq})
        (traced,) = interpret(program, q)
        assert_allclose(traced, algorithms.operational_space_mobility(tree, q, frame), rtol=1e-9, atol=1e-9)
