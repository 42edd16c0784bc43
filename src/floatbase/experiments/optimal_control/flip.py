"""A quadrotor with an arm that turns over, forwards or sideways: through the inverted attitude to where it began.

Inputs are the thrusts of four propellers, which can only push, and the torques of the arm's two joints. The cost asks
for the inverted attitude in the middle, for rest at the end, and for little arm motion and effort. In body
representation the propellers' forces are a constant matrix times the thrusts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import floatbase as fb
from floatbase.experiments.optimal_control.costs import InputsNear, Near, WithinLimits
from floatbase.experiments.optimal_control.dynamics import Flying
from floatbase.experiments.optimal_control.systems import Dynamics, System
from floatbase.experiments.optimal_control.task import Task
from floatbase.robot import Robot
from floatbase.spatial.arrays import Array

ROBOT = "quadrotor_with_arm"
DURATION = 1.2  # s
THRUST = 9.0  # N, the most a propeller gives; hovering takes half of it
ARM_TORQUE = 1.0  # N m
DRAG = 0.02  # N m about the axis of a propeller for a thrust of 1 N
PUSH = 1.0  # N, of the first guess
NOISE = 0.3  # N, of the first guesses after the first
AXES = {
    "pitch": (0.0, 0.0, 1.0, 0.0),
    "roll": (0.0, 1.0, 0.0, 0.0),
}  # what is turned about, as half a turn (w, x, y, z)


@dataclass(frozen=True)
class Flip:
    """The problem, the forces (nv, 6) of inputs, those that hover, and which way each propeller turns the base (4,)."""

    task: Task
    forces: Array
    hover: Array
    turning: Array


def allocation(robot: Robot) -> Array:
    """Forces (nv,) on base and joints for each of the six inputs."""
    found = np.zeros((robot.nv, 6))
    for k in range(4):
        x, y = robot.pose(robot.neutral(), f"propeller_{k + 1}")[:2, 3]
        found[:6, k] = (0.0, 0.0, 1.0, y, -x, DRAG * (-1.0) ** k)
    found[6:, 4:] = np.eye(2)
    return found


def flip(kind: Callable[[Dynamics], System], axis: str, steps: int = 60) -> Flip:
    """Over an axis of the base, with states of a kind."""
    robot = fb.load(ROBOT, representation="body")
    forces = allocation(robot)
    system = kind(Flying(robot, DURATION / steps, forces))
    level, rest = robot.neutral(), np.zeros(robot.nv)
    inverted = level.copy()
    inverted[3:7] = AXES[axis]
    hover = np.array([robot.mass * 9.81 / 4.0] * 4 + [0.0, 0.0])
    most = np.array([THRUST] * 4 + [ARM_TORQUE] * 2)
    n = robot.nv
    middle, along = np.zeros((2, steps + 1, 2 * n))
    middle[steps // 2, :6] = 10.0, 10.0, 10.0, 50.0, 50.0, 50.0
    along[:, 6:n], along[:, n + 6 :] = 0.1, 0.002  # of the arm
    along[-1] = [400.0] * n + [40.0] * n
    terms = (
        Near(robot, inverted, rest, middle),
        Near(robot, level, rest, along),
        WithinLimits(robot, np.array([50.0, 50.0])),
        InputsNear(hover, np.array([0.01] * 4 + [0.1] * 2)),
    )
    least = np.array([0.0] * 4 + [-ARM_TORQUE] * 2)
    task = Task(system, terms, system.state(level, rest), least, most)
    return Flip(task, forces, hover, np.sign(forces[3:6, :4].T @ AXES[axis][1:]))


def first_guess(problem: Flip, steps: int, number: int) -> Array:
    """Hovering but for a push at the start, which tells in which direction to turn; noise on all but number 0."""
    U = np.tile(problem.hover, (steps, 1))
    U[: steps // 10, :4] += PUSH * problem.turning
    if number:
        U[:, :4] += NOISE * np.random.default_rng(number).standard_normal((steps, 4))
    return np.clip(U, problem.task.lower, problem.task.upper)
