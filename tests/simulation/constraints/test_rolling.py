r"""Rolling without slipping beside closed forms.

For a thin disc with the moments A (diameter) and C (axis) whose axis is at the angle theta from the vertical, turning
about it at the rate omega while it precesses at Omega,

    (A + m r^2) theta'' = A Omega^2 s c - (C + m r^2) omega Omega s - m g r c,
    A Omega' s = C omega theta' - 2 A theta' Omega c,    (C + m r^2) omega' = m r^2 theta' Omega s.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from tests.simulation.constraints.robots import disc, free_body

import floatbase as fb
from floatbase import spatial
from floatbase.simulation.constraints import (
    Blade,
    FrameConstraint,
    Rolling,
    constrained_acceleration,
    constrained_motion_step,
    constraint_errors,
    project_velocity,
)
from floatbase.simulation.constraints.bodies import BodySystem, explicit_motion, rolling_disc

MASS, RADIUS, GRAVITY = 2.0, 0.3, 9.81
ACROSS, ALONG = 0.25 * MASS * RADIUS**2, 0.5 * MASS * RADIUS**2
WHEEL = Rolling("body", RADIUS, (0.0, 1.0, 0.0))


def state(theta, theta_rate, precession, spin):
    """Configuration and mixed velocity of the disc with its axis in the plane x = 0, touching the ground below."""
    y = np.array([0.0, np.sin(theta), np.cos(theta)])
    u = (np.array([0.0, 0.0, 1.0]) - np.cos(theta) * y) / np.sin(theta)
    e = np.cross(u, y)
    R = np.stack([e, y, np.cross(e, y)], axis=-1)
    omega = theta_rate * e + precession * np.sin(theta) * u + spin * y
    center = RADIUS * u
    q = np.concatenate([center, spatial.quaternion_from_rotation(R)])
    return q, np.concatenate([np.cross(omega, center), omega]), R


def angles(robot, q, v):
    """theta, theta', Omega, omega of a state."""
    y = robot.pose(q, "body")[:3, 1]
    n = np.array([0.0, 0.0, 1.0])
    s = np.sqrt(1.0 - y[2] ** 2)
    e, u = np.cross(n, y) / s, (n - y[2] * y) / s
    omega = v[3:]
    return np.array([np.arccos(y[2]), omega @ e, omega @ u / s, omega @ y])


def slope(_time, x):
    theta, rate, precession, spin = x
    s, c = np.sin(theta), np.cos(theta)
    return [
        rate,
        (
            ACROSS * precession**2 * s * c
            - (ALONG + MASS * RADIUS**2) * spin * precession * s
            - MASS * GRAVITY * RADIUS * c
        )
        / (ACROSS + MASS * RADIUS**2),
        (ALONG * spin * rate - 2.0 * ACROSS * rate * precession * c) / (ACROSS * s),
        MASS * RADIUS**2 * rate * precession * s / (ALONG + MASS * RADIUS**2),
    ]


@pytest.fixture(scope="module")
def robot():
    return fb.Robot(disc(MASS, RADIUS))


def steady(theta, precession):
    s, c = np.sin(theta), np.cos(theta)
    top = ACROSS * precession**2 * s * c - MASS * GRAVITY * RADIUS * c
    return top / ((ALONG + MASS * RADIUS**2) * precession * s)


def test_steady_rolling_on_a_circle(robot):
    theta, precession = 1.1, 0.8
    spin = steady(theta, precession)
    q, v, _ = state(theta, 0.0, precession, spin)
    errors = constraint_errors(robot, q, v, [WHEEL])
    assert_allclose(np.concatenate(errors), 0.0, atol=1e-12)
    motion = constrained_acceleration(robot, q, v, np.zeros(6), [WHEEL])
    # the centre goes round a circle, so the ground pushes it inwards, and carries the weight
    speed = RADIUS * abs(spin)
    assert np.linalg.norm(motion.multipliers[:2]) == pytest.approx(MASS * speed * precession, rel=1e-10)
    assert motion.multipliers[2] == pytest.approx(MASS * GRAVITY, rel=1e-10)
    assert_allclose(motion.acceleration[3:], np.cross([0.0, 0.0, precession], v[3:]), atol=1e-9)
    x, w, dt = q, v, 0.0025
    for _ in range(2000):
        x, w = constrained_motion_step(robot, x, w, np.zeros(6), dt, [WHEEL])
    turned = spatial.rotation_about_axis(np.array([0.0, 0.0, 1.0]), precession * 5.0)
    middle = q[:3] + np.cross([0.0, 0.0, 1.0], v[:3]) / precession  # of the circle
    assert_allclose(x[:3] - middle, turned @ (q[:3] - middle), atol=1e-7)
    assert_allclose(angles(robot, x, w), [theta, 0.0, precession, spin], atol=1e-7)


def test_wobbling_as_the_reduced_equations_say(robot):
    start = np.array([1.2, 0.3, 0.5, 6.0])
    q, v, _ = state(*start)
    energy = robot.kinetic_energy(q, v) + robot.potential_energy(q)
    dt, steps = 0.002, 500
    for _ in range(steps):
        q, v = constrained_motion_step(robot, q, v, np.zeros(6), dt, [WHEEL])
    end = solve_ivp(slope, (0.0, dt * steps), start, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    assert_allclose(angles(robot, q, v), end, atol=1e-8)
    assert robot.kinetic_energy(q, v) + robot.potential_energy(q) == pytest.approx(energy, rel=1e-9)
    assert_allclose(np.concatenate(constraint_errors(robot, q, v, [WHEEL])), 0.0, atol=1e-10)


def test_an_upright_disc_falls_below_the_critical_spin(robot):
    """Straight rolling is stable if C (C + m r^2) omega^2 > A m g r, and the tilt grows at the known rate if not."""
    critical = np.sqrt(ACROSS * MASS * GRAVITY * RADIUS / (ALONG * (ALONG + MASS * RADIUS**2)))
    for factor in (0.7, 1.3):
        q, v, _ = state(np.pi / 2 + 1e-5, 0.0, 0.0, factor * critical)
        for _ in range(300):
            q, v = constrained_motion_step(robot, q, v, np.zeros(6), 0.01, [WHEEL])
        tilt = abs(angles(robot, q, v)[0] - np.pi / 2)
        assert tilt > 5e-5 if factor < 1.0 else tilt < 5e-5


def test_free_bodies_and_the_tree_roll_alike(robot, rng):
    q, v, R = state(1.0, 0.4, -0.7, 3.0)
    motion = constrained_acceleration(robot, q, v, np.zeros(6), [WHEEL])
    system = BodySystem(robot.inertial_parameters[None], (rolling_disc(0, RADIUS),))
    H, turn = robot.pose(q, "body"), np.kron(np.eye(2), R)
    body = explicit_motion(system, H[None], turn.T @ v, np.zeros(6))
    linear = R @ body.acceleration[:3] + np.cross(v[3:], v[:3])
    assert_allclose(linear, motion.acceleration[:3], atol=1e-10)
    assert_allclose(R @ body.acceleration[3:], motion.acceleration[3:], atol=1e-10)
    pushed = WHEEL.directions.T @ motion.multipliers
    assert_allclose(body.multipliers, pushed, atol=1e-9)


def test_a_ball_rolls_down_a_slope(rng):
    """With the moment k m r^2 it accelerates by g sin(slope) / (1 + k)."""
    slope_angle, k, radius = 0.3, 0.4, 0.2
    robot = fb.Robot(free_body(1.5, k * 1.5 * radius**2 * np.eye(3)))
    normal = (np.sin(slope_angle), 0.0, np.cos(slope_angle))
    ball = Rolling("body", radius, normal=normal)
    q = robot.neutral()
    q[:3] = radius * np.array(normal)
    v = project_velocity(robot, q, rng.standard_normal(6), [ball])
    motion = constrained_acceleration(robot, q, v, np.zeros(6), [ball])
    expected = GRAVITY * np.sin(slope_angle) / (1.0 + k)
    down = np.array([np.cos(slope_angle), 0.0, -np.sin(slope_angle)])
    assert_allclose(motion.acceleration[:3], expected * down, atol=1e-10)
    assert motion.multipliers[2] == pytest.approx(1.5 * GRAVITY * np.cos(slope_angle), rel=1e-10)


def test_a_skate_turns_in_a_circle():
    """A blade under its centre of mass, with constant turning rate and speed, on ice."""
    robot = fb.Robot(free_body())
    items = [Blade("body"), FrameConstraint("plane", None, "body")]
    q, v = robot.neutral(), np.array([2.0, 0.0, 0.0, 0.0, 0.0, 0.5])
    for _ in range(200):
        q, v = constrained_motion_step(robot, q, v, np.zeros(6), 0.01, items)
    assert_allclose(q[:3], [4.0 * np.sin(1.0), 4.0 * (1.0 - np.cos(1.0)), 0.0], atol=1e-9)
    motion = constrained_acceleration(robot, q, v, np.zeros(6), items)
    assert motion.multipliers[0] == pytest.approx(1.0 * 2.0 * 0.5, rel=1e-8)  # m v omega


def test_a_wheel_rolls_without_slipping_for_a_hundred_turns(robot):
    q, v, _ = state(np.pi / 2, 0.0, 0.0, 8.0)
    start = q[:3].copy()
    for _ in range(2000):
        q, v = constrained_motion_step(robot, q, v, np.zeros(6), 0.04, [WHEEL])
    assert_allclose(np.linalg.norm(q[:3] - start), RADIUS * 8.0 * 80.0, rtol=1e-10)
    assert abs(q[2] - RADIUS) < 1e-10
