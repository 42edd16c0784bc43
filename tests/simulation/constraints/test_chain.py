r"""A chain of point masses on rods, beside its equations in absolute angles from hanging down,

    sum_j m_ij l_i l_j (cos(t_i - t_j) t_j'' + sin(t_i - t_j) t_j'^2) + g l_i m_ii sin t_i = 0,

with m_ij the mass below the lower of the two.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import floatbase as fb
from floatbase.model.description import Inertia, Joint, Link, Model
from floatbase.simulation.constraints import (
    Distance,
    constrained_acceleration,
    constrained_step_function,
    constraint_errors,
)

MASSES, LENGTHS = np.array([0.5, 0.3, 0.4, 0.2]), np.array([0.3, 0.4, 0.2, 0.35])
GRAVITY = 9.81


@pytest.fixture(scope="module")
def chain():
    """Each mass slides along x and z of the world by itself; rods are constraints."""
    links, joints = [Link("world")], []
    for k, mass in enumerate(MASSES, 1):
        links += [Link(f"rail_{k}", Inertia(1e-9, np.zeros(3), 1e-12 * np.eye(3)))]
        links += [Link(f"mass_{k}", Inertia(mass, np.zeros(3), 1e-6 * np.eye(3)))]
        for name, parent, child, axis in (
            (f"x_{k}", "world", f"rail_{k}", [1.0, 0.0, 0.0]),
            (f"z_{k}", f"rail_{k}", f"mass_{k}", [0.0, 0.0, 1.0]),
        ):
            joints.append(Joint(name, "prismatic", parent, child, np.eye(4), np.array(axis)))
    robot = fb.Robot(Model("chain", tuple(links), tuple(joints), root="world"))
    ends = [None, *(f"mass_{k}" for k in range(1, len(MASSES) + 1))]
    rods = [Distance(one, two, float(length)) for one, two, length in zip(ends[:-1], ends[1:], LENGTHS)]
    return robot, rods


def configuration(angles):
    steps = LENGTHS[:, None] * np.stack([np.sin(angles), -np.cos(angles)], axis=-1)
    return np.cumsum(steps, axis=0).ravel()


def slope(_time, x):
    t, rate = np.split(x, 2)
    n = len(t)
    below = np.cumsum(MASSES[::-1])[::-1]
    m = below[np.maximum.outer(np.arange(n), np.arange(n))] * np.outer(LENGTHS, LENGTHS)
    apart = t[:, None] - t
    force = (m * np.sin(apart)) @ rate**2 + GRAVITY * LENGTHS * below * np.sin(t)
    return np.concatenate([rate, np.linalg.solve(m * np.cos(apart), -force)])


def test_a_falling_chain(chain):
    """Let go at rest, stretched out to the side and bent a little."""
    robot, rods = chain
    angles = np.array([1.6, 1.5, 1.7, 1.4])
    q, v = configuration(angles), np.zeros(8)
    energy = robot.potential_energy(q)
    step, dt, steps = constrained_step_function(robot, rods), 1e-3, 600
    for _ in range(steps):
        q, v = step(q, v, np.zeros(8), dt)
    end = solve_ivp(slope, (0.0, dt * steps), np.concatenate([angles, np.zeros(4)]), "DOP853", rtol=1e-12, atol=1e-12)
    assert_allclose(q, configuration(end.y[:4, -1]), atol=1e-7)
    assert_allclose(np.concatenate(constraint_errors(robot, q, v, rods)), 0.0, atol=1e-10)
    assert robot.kinetic_energy(q, v) + robot.potential_energy(q) == pytest.approx(energy, abs=1e-6)


def test_a_hanging_chain_pulls_with_the_weight_below(chain):
    robot, rods = chain
    q = configuration(np.zeros(4))
    motion = constrained_acceleration(robot, q, np.zeros(8), np.zeros(8), rods)
    assert_allclose(motion.acceleration, 0.0, atol=1e-9)
    below = np.cumsum(MASSES[::-1])[::-1]
    assert_allclose(motion.multipliers, -GRAVITY * below, rtol=1e-7)  # rods pull
