"""Constraints that a drive moves, and rows of one's own."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.simulation.constraints.robots import free_body, humanoid, humanoid_state, seven_joint_arm

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.simulation.constraints import (
    Coupling,
    Distance,
    Rows,
    constrained_acceleration,
    constrained_motion_step,
    constraint_errors,
    null_space_acceleration,
    point,
    project_velocity,
    require_consistent,
)


def sole_matrix(tree, q):
    """The left sole keeps its distance from the world's z axis."""
    H, J = algorithms.pose(tree, q, "l_sole"), algorithms.jacobian(tree, q, "l_sole")
    return (H[..., 0, 3, None] * J[..., 0, :] + H[..., 1, 3, None] * J[..., 1, :])[..., None, :]


def sole_bent(tree, q, v):
    H, twist = algorithms.pose(tree, q, "l_sole"), algorithms.velocity(tree, q, v, "l_sole")
    bent = algorithms.drift(tree, q, v, "l_sole")
    total = sum(H[..., k, 3] * bent[..., k] + twist[..., k] * twist[..., k] for k in range(2))
    return np.asanyarray(total)[..., None]


def sole_off(tree, q):
    H = algorithms.pose(tree, q, "l_sole")
    return np.asanyarray(0.5 * (H[..., 0, 3] ** 2 + H[..., 1, 3] ** 2) - 0.02)[..., None]


CYLINDER = Rows("the cylinder", ("distance",), sole_matrix, sole_bent, sole_off)


def test_inverse_dynamics_by_motors(rng):
    """Motors at all joints that are told accelerations exert what inverse dynamics says."""
    robot = fb.Robot(seven_joint_arm())
    q, v = robot.random(rng)
    a = rng.standard_normal(7)
    motors = [Coupling((name,), (1.0,), q[k], v[k], a[k]) for k, name in enumerate(robot.joint_names)]
    require_consistent(robot, q, v, motors)
    for form in (constrained_acceleration, null_space_acceleration):
        motion = form(robot, q, v, np.zeros(7), motors, (2.0, 3.0))
        assert_allclose(motion.acceleration, a, atol=1e-9)
        assert_allclose(motion.multipliers, robot.inverse_dynamics(q, v, a), atol=1e-8)
    with pytest.raises(StateError, match="weighted sum of the coupling of the joints joint_2"):
        wrong = v.copy()
        wrong[1] += 1.0
        require_consistent(robot, q, wrong, motors)


def test_a_pendulum_on_a_winch():
    """On a rope of the length l(t): l t'' + 2 l' t' + g sin t = 0; the drive is an input of the program."""
    robot = fb.Robot(free_body(2.0, 1e-4 * np.eye(3)))
    rope = Distance(None, "body", 1.0)

    @fb.kernel(length=(3,))
    def acceleration(robot, q, v, length):
        return constrained_acceleration(robot, q, v, 0.0 * v, [rope.with_parameters(length)], (5.0, 5.0)).acceleration

    def length(t):
        return np.array([1.0 + 0.2 * np.sin(t), 0.2 * np.cos(t), -0.2 * np.sin(t)])

    def slope(t, x):
        q, v = x[:7], x[7:]
        a = acceleration(robot, q, v, length(t))
        return np.concatenate([v[:3], [0.0] * 4, a])

    q = robot.neutral()
    q[:3] = [np.sin(0.5), 0.0, -np.cos(0.5)]
    start = Distance(None, "body", *length(0.0))
    v = project_velocity(robot, q, np.zeros(6), [start])
    assert_allclose(constraint_errors(robot, q, v, [start]).velocity, 0.0, atol=1e-12)
    assert_allclose(v[:3], 0.2 * q[:3], atol=1e-12)
    end = solve_ivp(slope, (0.0, 1.5), np.concatenate([q, v]), "DOP853", rtol=1e-10, atol=1e-10).y[:3, -1]

    def swing(t, x):
        here, rate, _ = length(t)
        return [x[1], -(2.0 * rate * x[1] + 9.81 * np.sin(x[0])) / here]

    angle = solve_ivp(swing, (0.0, 1.5), [0.5, 0.0], "DOP853", rtol=1e-11, atol=1e-11).y[0, -1]
    assert_allclose(end, length(1.5)[0] * np.array([np.sin(angle), 0.0, -np.cos(angle)]), atol=1e-7)


def test_rows_of_ones_own(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    given = constrained_acceleration(robot, q, v, tau, [CYLINDER])
    assert_allclose(
        CYLINDER.rate(robot, q, v), Rows("automatic", ("distance",), sole_matrix).rate(robot, q, v), atol=1e-12
    )
    automatic = constrained_acceleration(robot, q, v, tau, [Rows("automatic", ("distance",), sole_matrix)])
    assert_allclose(automatic.acceleration, given.acceleration, atol=1e-9)
    program = fb.trace(
        lambda q, v, tau: tuple(constrained_acceleration(robot, q, v, tau, [CYLINDER], (1.0, 1.0))),
        {"q": robot.nq, "v": robot.nv, "tau": robot.nv},
    )
    expected = constrained_acceleration(robot, q, v, tau, [CYLINDER], (1.0, 1.0))
    assert_allclose(fb.interpret(program, q, v, tau)[0], expected.acceleration, atol=1e-8)


def test_the_sole_stays_on_the_cylinder(rng):
    robot = humanoid()
    q, v, _ = humanoid_state(robot, rng)
    q[:3] += [0.2, 0.0, 0.0]
    for _ in range(3):
        q, v = constrained_motion_step(robot, q, 0.1 * v, np.zeros(robot.nv), 1e-3, [CYLINDER], projections=4)
    assert_allclose(np.hypot(*robot.pose(q, "l_sole")[:2, 3]), 0.2, atol=1e-9)


def test_rows_are_checked(rng):
    robot = humanoid()
    q, v, tau = humanoid_state(robot, rng)
    with pytest.raises(ArgumentError, match="names each row"):
        Rows("nothing", (), sole_matrix)
    with pytest.raises(ShapeError, match=r"rows of 'two' have shape \(1, .*\(\.\.\., 2, "):
        constrained_acceleration(robot, q, v, tau, [Rows("two", ("a", "b"), sole_matrix)])
    with pytest.raises(ArgumentError, match="'automatic' as a function: give `bent`"):
        automatic = Rows("automatic", ("distance",), sole_matrix)
        fb.trace(lambda q, v: automatic.rate(robot, q, v), {"q": robot.nq, "v": robot.nv})
    assert point(None, 1.0, 0.0, 0.0).label == "the world"
