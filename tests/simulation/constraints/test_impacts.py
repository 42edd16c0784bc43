"""Impacts: momentum in allowed directions, energy that never grows, closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.simulation.constraints.robots import free_body, humanoid, humanoid_state

import floatbase as fb
from floatbase.errors import ArgumentError
from floatbase.simulation.constraints import Contact, Distance, FrameConstraint, Rolling, impact, point
from floatbase.simulation.constraints.constraint import stacked_jacobian

FEET = [Contact("l_sole"), Contact("r_sole", "point"), Distance("l_sole", "r_sole", 0.3)]


@pytest.mark.parametrize("restitution", [0.0, 0.4, 1.0])
def test_rows_rebound_and_momentum_stays_in_allowed_directions(restitution, rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    items = FEET[:2]
    J, M = stacked_jacobian(robot, q, items), robot.mass_matrix(q)
    found = impact(robot, q, v, items, restitution)
    assert_allclose(J @ found.velocity, -restitution * J @ v, atol=1e-9)
    assert_allclose(M @ (found.velocity - v), J.T @ found.impulses, atol=1e-8)
    allowed = np.linalg.svd(J)[2][len(J) :]
    assert_allclose(allowed @ M @ (found.velocity - v), 0.0, atol=1e-8)
    # (1 - e^2) of the energy in the rows is lost
    lost = robot.kinetic_energy(q, v) - robot.kinetic_energy(q, found.velocity)
    in_rows = 0.5 * (J @ v) @ np.linalg.solve(J @ np.linalg.solve(M, J.T), J @ v)
    assert lost == pytest.approx((1.0 - restitution**2) * in_rows, rel=1e-8, abs=1e-8)


def test_energy_never_grows_whatever_the_restitutions(rng):
    robot = humanoid()
    for _ in range(20):
        q, v, _ = humanoid_state(robot, rng)
        found = impact(robot, q, v, FEET, list(rng.uniform(0.0, 1.0, 3)))
        assert robot.kinetic_energy(q, found.velocity) <= robot.kinetic_energy(q, v) * (1.0 + 1e-12)


def test_a_ball_bounces_and_grips():
    """It rebounds at e times its speed, and its lowest point stops: a sphere of 2/5 m r^2 keeps 5/7 of its speed."""
    radius = 0.1
    robot = fb.Robot(free_body(1.0, 0.4 * radius**2 * np.eye(3)))
    q = robot.neutral()
    q[2] = radius
    floor = FrameConstraint("plane", point(None, 0.0, 0.0, radius), "body")
    found = impact(robot, q, np.array([2.0, 0.0, -3.0, 0.0, 0.0, 0.0]), [Rolling("body", radius), floor], [0.0, 0.5])
    # the normal row is in both: after the first it has stopped already
    assert_allclose(found.velocity[:2], [2.0 * 5.0 / 7.0, 0.0], atol=1e-12)
    found = impact(robot, q, np.array([2.0, 0.0, -3.0, 0.0, 0.0, 0.0]), [floor], 0.5)
    assert_allclose(found.velocity, [2.0, 0.0, 1.5, 0.0, 0.0, 0.0], atol=1e-12)
    assert_allclose(found.impulses, [4.5], atol=1e-12)


def test_a_rod_that_is_caught_at_its_end():
    """The end stops; the rest turns about it with what angular momentum there was about it."""
    robot = fb.Robot(free_body(2.0, np.diag([0.1, 0.2, 0.15])))
    q, v = robot.neutral(), np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    found = impact(robot, q, v, [FrameConstraint("point", None, "end")])
    spin = -2.0 * 1.0 / (0.2 + 2.0)  # about y, from m v l / (I + m l^2), the end being above
    assert_allclose(found.velocity[3:], [0.0, spin, 0.0], atol=1e-12)
    assert_allclose(robot.velocity(q, found.velocity, "end")[:3], 0.0, atol=1e-12)


def test_redundant_rows_and_programs(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    once, twice = (impact(robot, q, v, [FEET[0]] * k, 0.3).velocity for k in (1, 2))
    assert_allclose(twice, once, atol=1e-8)
    program = fb.trace(
        lambda q, v, e: tuple(impact(robot, q, v, FEET[:2], [e[0], e[1]])), {"q": robot.nq, "v": robot.nv, "e": 2}
    )
    expected = impact(robot, q, v, FEET[:2], [0.1, 0.7])
    for found, wanted in zip(fb.interpret(program, q, v, np.array([0.1, 0.7])), expected):
        assert_allclose(found, wanted, atol=1e-8)


def test_restitutions_are_checked(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    with pytest.raises(ArgumentError, match="from 0"):
        impact(robot, q, v, FEET, 1.2)
    with pytest.raises(ArgumentError, match="2 entries; there are 3"):
        impact(robot, q, v, FEET, [0.1, 0.2])
