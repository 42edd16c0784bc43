"""A chain of rods that falls from the horizontal, beside the closed form of its equations, integrated by itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import floatbase as fb
from floatbase.model import Inertia, Joint, Link, Model
from floatbase.simulation.adaptive import flow
from floatbase.simulation.simulator import Simulator

COUNT, LENGTH, MASS, G = 6, 0.2, 0.3, 9.81


def chain() -> fb.Robot:
    """Rods with their masses at their ends, turning about y."""
    links, joints = [Link("world")], []
    for k in range(COUNT):
        end = np.array([0.0, 0.0, -LENGTH])
        tensor = 1e-9 * np.eye(3)
        links.append(Link(f"rod{k}", Inertia(MASS, end, tensor)))
        pose = np.eye(4)
        pose[2, 3] = -LENGTH if k else 0.0
        parent = f"rod{k - 1}" if k else "world"
        joints.append(Joint(f"joint{k}", "continuous", parent, f"rod{k}", pose, np.array([0.0, 1.0, 0.0])))
    return fb.Robot(Model("chain", tuple(links), tuple(joints), root="world"), floating=False)


def closed_form(time: float, x: np.ndarray) -> np.ndarray:
    """Absolute angles from hanging down: sums of m l^2 (cos acceleration + sin rate^2) balance the weight."""
    angle, rate = x[:COUNT], x[COUNT:]
    carried = MASS * (COUNT - np.maximum.outer(np.arange(COUNT), np.arange(COUNT)))
    difference = angle[:, None] - angle[None, :]
    M = carried * LENGTH**2 * np.cos(difference) + 1e-9 * np.eye(COUNT)
    turning = (carried * LENGTH**2 * np.sin(difference)) @ rate**2
    weight = MASS * (COUNT - np.arange(COUNT)) * G * LENGTH * np.sin(angle)
    return np.r_[rate, np.linalg.solve(M, -turning - weight)]


@pytest.fixture(scope="module")
def expected() -> np.ndarray:
    start = np.r_[np.full(COUNT, 0.5 * np.pi), np.zeros(COUNT)]
    return solve_ivp(closed_form, (0.0, 0.6), start, method="DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


def start() -> np.ndarray:
    return np.r_[0.5 * np.pi, np.zeros(COUNT - 1)]


def test_small_steps_of_fourth_order(expected: np.ndarray) -> None:
    robot = chain()
    assert robot.nv == COUNT
    simulator = Simulator(robot, method="rk4", dt=0.6, substeps=3000)
    state = simulator.step(simulator.init(start()))
    np.testing.assert_allclose(np.cumsum(state.q), expected[:COUNT], atol=1e-6)
    np.testing.assert_allclose(np.cumsum(state.v), expected[COUNT:], atol=1e-5)


def test_adaptive_steps(expected: np.ndarray) -> None:
    motion = flow(Simulator(chain()), None, start(), 0.6, rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(np.cumsum(motion.state.q), expected[:COUNT], atol=1e-7)
