"""Rows of every constraint on robots: rates, residuals and programs, in every representation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.constraints.robots import humanoid, humanoid_state

import floatbase as fb
from floatbase import algorithms, spatial
from floatbase.simulation.constraints import (
    Blade,
    Contact,
    Coupling,
    Distance,
    FrameConstraint,
    Place,
    Rolling,
    constraint_errors,
    point,
    project_configuration,
)

STEP = 1e-20
KINDS = ("point", "attitude", "weld", "revolute", "prismatic", "cylindrical", "universal", "plane", "line")
SIZES = (3, 3, 6, 5, 5, 4, 4, 1, 2)


def places(rng):
    pose = [spatial.pose_exponential(0.1 * rng.standard_normal(6)) for _ in range(3)]
    return Place("l_sole", pose[0]), Place("r_sole", pose[1]), Place(None, pose[2])


def every_constraint(rng):
    left, right, world = places(rng)
    axes = (1.0, 2.0, 3.0), (0.0, 1.0, -1.0)
    result = [FrameConstraint(kind, first, right, *axes) for first in (left, world) for kind in KINDS]
    ground = {"origin": (0.1, 0.2, 0.3), "normal": (0.1, 0.1, 1.0)}
    result += [Rolling(left, 0.3, (1.0, 2.0, 3.0), **ground), Rolling("l_sole", 0.2, **ground), Blade(right)]
    result += [Distance(left, right, 1.3), Distance(world, "l_sole", 0.7), Contact(left), Contact("r_sole", "point")]
    return [*result, Coupling(("torso_pitch", "torso_roll"), (1.0, -2.0), 0.3)]


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
def test_rates_are_derivatives_of_the_rows(representation, rng):
    robot = humanoid(representation)
    q, v, _ = humanoid_state(robot, rng)
    later = algorithms.integrate(robot.tree, q, 1j * STEP * v)
    for item in every_constraint(rng):
        slope = item.jacobian(robot, later).imag / STEP @ v
        assert_allclose(item.rate(robot, q, v), slope, atol=1e-12, err_msg=item.label)
        assert item.jacobian(robot, q).shape == (len(item.row_names), robot.nv)


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
def test_rows_do_not_depend_on_the_representation(representation, rng):
    mixed, other = humanoid(), humanoid(representation)
    q, v, _ = humanoid_state(mixed, rng)
    T = spatial.representation_matrix(representation, mixed.pose(q, mixed.base))
    back = spatial.representation_matrix("mixed", mixed.pose(q, mixed.base)) @ np.linalg.inv(T)
    w = np.concatenate([np.linalg.solve(back, v[:6]), v[6:]])
    for item in every_constraint(rng):
        assert_allclose(item.jacobian(other, q) @ w, item.jacobian(mixed, q) @ v, atol=1e-12, err_msg=item.label)
        bent = item.rate(other, q, w) - item.rate(mixed, q, v)
        # what is left is J times the rate of the change of velocities
        J = item.jacobian(other, q)[:, :6]
        assert np.linalg.matrix_rank(np.column_stack([J, bent]), 1e-9) <= max(1, np.linalg.matrix_rank(J, 1e-9))


def test_residuals_have_the_rows_as_their_rates_where_they_vanish(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    left, right, _ = places(rng)
    for kind, size in zip(KINDS, SIZES):
        item = FrameConstraint(kind, left, right, (1.0, 2.0, 3.0), (0.0, 1.0, -1.0))
        there = project_configuration(robot, q, [item])
        assert_allclose(item.residual(robot, there), np.zeros(size), atol=1e-12)
        moved = algorithms.integrate(robot.tree, there, 1j * STEP * v)
        slope = item.residual(robot, moved).imag / STEP
        assert_allclose(slope, item.jacobian(robot, there) @ v, atol=1e-10, err_msg=kind)


def test_residuals_of_distances_heights_and_couplings(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    moved = algorithms.integrate(robot.tree, q, 1j * STEP * v)
    for item in (
        Distance("l_sole", "r_sole", 1.0),
        Coupling(robot.joint_names[:3], (1.0, 2.0, -1.0)),
        Rolling("l_sole", 0.1, (0.0, 1.0, 0.0)),
    ):
        slope = item.residual(robot, moved).imag / STEP
        assert_allclose(slope[-1], (item.jacobian(robot, q) @ v)[-1], atol=1e-12)
    height = robot.pose(q, "l_sole")[2, 3]
    assert_allclose(Rolling("l_sole", 0.1).residual(robot, q), [0.0, 0.0, height - 0.1], atol=1e-14)
    apart = robot.pose(q, "l_sole")[:3, 3] - robot.pose(q, "r_sole")[:3, 3]
    assert_allclose(Distance("l_sole", "r_sole", 0.5).residual(robot, q), [np.linalg.norm(apart) - 0.5])


def test_a_contact_is_the_frames_jacobian(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    item = Contact("l_sole")
    assert_allclose(item.jacobian(robot, q), robot.jacobian(q, "l_sole"), atol=1e-13)
    assert_allclose(item.rate(robot, q, v), robot.jacobian_rate(q, v, "l_sole") @ v, atol=1e-12)
    assert_allclose(Contact("l_sole", "point").jacobian(robot, q), robot.jacobian(q, "l_sole")[:3], atol=1e-13)


def test_programs_and_batches_give_the_same(rng):
    robot = humanoid()
    q, v = robot.random(rng, 3)
    items = every_constraint(rng)

    def values(q, v):
        parts = [
            x for item in items for x in (item.jacobian(robot, q) @ v, item.rate(robot, q, v), item.residual(robot, q))
        ]
        return np.concatenate(parts)

    (batch,) = fb.interpret(fb.trace(values, {"q": robot.nq, "v": robot.nv}), q, v)
    for k in range(3):
        assert_allclose(batch[k], values(q[k], v[k]), atol=1e-9)
    for item in items:
        assert_allclose(item.jacobian(robot, q)[1], item.jacobian(robot, q[1]), atol=1e-12)
        assert_allclose(item.rate(robot, q, v)[1], item.rate(robot, q[1], v[1]), atol=1e-11)
        assert_allclose(item.residual(robot, q)[1], item.residual(robot, q[1]), atol=1e-12)


def test_numbers_in_constraints_are_parameters(rng):
    robot = humanoid()
    q, _ = robot.random(rng, 2)
    rod = Distance("l_sole", "r_sole", 1.0)
    assert rod.parameter_names() == ("length", "length_rate", "length_acceleration")
    lengths = np.array([[1.0, 0.0, 0.0], [2.0, 0.3, 0.0]])
    both = rod.with_parameters(lengths)
    assert_allclose(both.residual(robot, q)[:, 0] - rod.residual(robot, q)[:, 0], [0.0, -1.0], atol=1e-14)
    assert_allclose(both.drive(robot, q)[0], [[0.0], [0.3]])
    program = fb.trace(lambda q, x: rod.with_parameters(x).residual(robot, q), {"q": robot.nq, "x": 3})
    assert_allclose(fb.interpret(program, q, lengths)[0], both.residual(robot, q), atol=1e-13)


def test_a_point_of_the_world_is_where_it_says(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    item = FrameConstraint("point", point(None, 1.0, 2.0, 3.0), "l_sole")
    errors = constraint_errors(robot, q, v, [item])
    assert_allclose(errors.configuration, robot.pose(q, "l_sole")[:3, 3] - [1.0, 2.0, 3.0], atol=1e-14)
    assert_allclose(errors.velocity, robot.velocity(q, v, "l_sole")[:3], atol=1e-13)
