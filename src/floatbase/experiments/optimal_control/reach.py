"""ICub on both feet bends forward and puts its right hand at a point in front of its knees, within a second.

Inputs are the torques of 19 joints: legs, torso, right arm. Feet stay where they are by the constraint of
`dynamics.Standing`; that they could let go, tip or slip is not in it, but balance is in the cost, by the moments under
the feet, and centres of pressure and forces are checked in the end. The cost does not depend on which link is the base.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import floatbase as fb
from floatbase.experiments.optimal_control.costs import FootMoments, InputsNear, Near, PointAt, WithinLimits
from floatbase.experiments.optimal_control.dynamics import Standing
from floatbase.experiments.optimal_control.systems import Dynamics, System
from floatbase.experiments.optimal_control.task import Task
from floatbase.robot import Robot
from floatbase.spatial import quaternion_from_rotation
from floatbase.spatial.arrays import Array

DURATION = 1.0  # s
_LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
_ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")
_TORSO = ("torso_pitch", "torso_roll", "torso_yaw")
JOINTS = (*(f"r_{name}" for name in _LEG), *_TORSO, *(f"r_{name}" for name in _ARM), *(f"l_{name}" for name in _LEG))
TORQUES = np.array([37.0] * 6 + [36.0] * 3 + [12.0] * 4 + [37.0] * 6)  # N m; of the legs as in iCub's description
FEET = ("l_sole", "r_sole")
HAND = "r_hand"
POSTURE = {"hip_pitch": 0.35, "knee": -0.7, "ankle_pitch": -0.35}  # rad
ARM_POSTURE = {"r_shoulder_pitch": 0.12, "r_shoulder_roll": 0.1, "r_elbow": 0.28}  # hanging down
TARGET = np.array([-0.3, 0.1, 0.25])  # m; the robot looks along -x, its soles are at z = 0
SOLE = (-0.10, 0.06, 0.035)  # m, from the sole's frame: toes, heel, half the width


@dataclass(frozen=True)
class Stance:
    """The problem, and the torques that hold the robot where it starts."""

    task: Task
    hold: Array
    dynamics: Standing


def standing(base: str) -> tuple[Robot, Array]:
    """The robot from a base link, and its configuration with soles at height zero."""
    robot = fb.load("icub", joints=JOINTS)
    q = robot.neutral()
    postures = {f"{side}_{name}": angle for side in "lr" for name, angle in POSTURE.items()} | ARM_POSTURE
    for name, angle in postures.items():
        q[7 + robot.joint_names.index(name)] = angle
    q[:3] -= sum(robot.pose(q, foot)[:3, 3] for foot in FEET) / len(FEET)
    world_H_base = robot.pose(q, base)
    q[:3], q[3:7] = world_H_base[:3, 3], quaternion_from_rotation(world_H_base[:3, :3])
    return robot.with_base(base), q


def reach(kind: Callable[[Dynamics], System], base: str, steps: int = 50) -> Stance:
    """With states of a kind."""
    robot, q = standing(base)
    dynamics = Standing(robot, DURATION / steps, {foot: robot.pose(q, foot) for foot in FEET})
    system = kind(dynamics)
    n, joints = robot.nv, robot.nv - 6
    rest = np.zeros(n)
    hold = _holding_torques(robot, q)
    along = np.tile([0.0] * 6 + [0.1] * joints + [0.0] * 6 + [0.01] * joints, (steps + 1, 1))
    along[-1, n + 6 :] = 100.0
    hand = np.full((steps + 1, 3), 10.0)
    hand[-1] = 3e4
    terms = (
        Near(robot, q, rest, along),
        WithinLimits(robot, np.full(joints, 1e3)),
        PointAt(robot, HAND, TARGET, hand),
        FootMoments(dynamics, np.array([0.01, 0.01, 0.001] * len(FEET))),
        InputsNear(hold, np.full(joints, 1e-3)),
    )
    return Stance(Task(system, terms, system.state(q, rest), -TORQUES, TORQUES), hold, dynamics)


def _holding_torques(robot: Robot, q: Array) -> Array:
    """The smallest torques and wrenches of the feet that hold a posture."""
    wrenches = np.concatenate([robot.jacobian(q, foot) for foot in FEET]).T
    torques = np.eye(robot.nv)[:, 6:]
    found = np.linalg.lstsq(np.concatenate([torques, wrenches], axis=1), robot.gravity(q), rcond=None)[0]
    return np.asarray(found[: robot.nv - 6])
