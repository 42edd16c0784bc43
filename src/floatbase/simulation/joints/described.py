"""Laws with the numbers of a robot's description: its friction, the ends of its ranges, its greatest torques.

Joints are given by name, by default all that move on their own, which must have one coordinate each; the laws have them
in that order. Numbers are those of a model's `Joint`: `damping`, `friction`, `limits`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.description import Joint
from floatbase.model.universal import split_universal_joints
from floatbase.robot import Robot
from floatbase.simulation.joints.filters import Saturation
from floatbase.simulation.joints.friction import ViscousCoulombFriction
from floatbase.simulation.joints.limits import HardStops
from floatbase.simulation.laws import NO_LIMIT


def described_friction(robot: Robot, joints: Sequence[str] | None = None, width: float = 0.0) -> ViscousCoulombFriction:
    """The viscous and the Coulomb friction of joints; width: of the smoothed sign, rad/s."""
    found = _joints(robot, joints)
    return ViscousCoulombFriction([joint.damping for joint in found], [joint.friction for joint in found], width)


def described_stops(
    robot: Robot, joints: Sequence[str] | None = None, spring: float = 1e4, damper: float = 1e2
) -> HardStops:
    """Stops at the ends of the ranges of joints, of one stiffness and damping."""
    limits = [joint.limits for joint in _joints(robot, joints)]
    lower, upper = np.array([item.lower for item in limits]), np.array([item.upper for item in limits])
    return HardStops(np.maximum(lower, -NO_LIMIT), np.minimum(upper, NO_LIMIT), spring, damper)


def described_saturation(robot: Robot, joints: Sequence[str] | None = None) -> Saturation:
    """The bounds of the torques of joints; a bound of 0, which means none in many files, counts as none."""
    efforts = np.array([joint.limits.effort for joint in _joints(robot, joints)])
    return Saturation(np.where(efforts > 0.0, np.minimum(efforts, NO_LIMIT), NO_LIMIT))


def _joints(robot: Robot, names: Sequence[str] | None) -> list[Joint]:
    known = {joint.name: joint for joint in split_universal_joints(robot.model).joints}
    single = set(robot.tree.velocity_names)
    chosen = robot.joint_names if names is None else names
    for name in chosen:
        if name not in robot.joint_names:
            raise unknown_name("joint", name, robot.joint_names)
        if name not in single:
            raise ArgumentError(f"joint {name!r} has several coordinates; name those joints that have one")
    return [known[name] for name in chosen]
