"""Flying robots with arms: a small quadrotor, and a platform with a seven-joint arm that hangs from a crane.

All numbers are ours, but for masses and inertias of the suspended platform and its arm (Rothammer 2021, table 5.4).
"""

from __future__ import annotations

import math

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.description import Frame, Inertia, Joint, Limits, Link, Model, Sensor
from floatbase.model.library.shapes import box, cylinder, positive, solid
from floatbase.model.poses import shift

_PLATFORM = ((80.19, -0.10, 2.74), (-0.10, 80.05, -1.40), (2.74, -1.40, 119.76))
_LINK_LENGTH = 0.2
_HOOK_RADIUS = 0.2


def quadrotor_with_arm(
    mass: float = 1.5, span: float = 0.25, arm_joints: int = 2, link_mass: float = 0.15, link_length: float = 0.2
) -> Model:
    """A quadrotor with an arm below, whose joints turn about y and x in turn.

    The frames "propeller_1" .. "propeller_4" are at the ends of the four beams of length `span`, z being the direction
    of thrust; "tool" is at the end of the arm. The root is "platform".
    """
    positive(mass=mass, span=span, link_mass=link_mass, link_length=link_length)
    if arm_joints < 0:
        raise ArgumentError(f"arm_joints is {arm_joints}; an arm has at least none")
    links = [solid("platform", box(mass, (1.2 * span, 1.2 * span, 0.3 * span), (0.0, 0.0, 0.0)))]
    joints = []
    place = shift((0.0, 0.0, -0.2 * span))
    for number in range(1, arm_joints + 1):
        name = f"arm_{number}"
        links.append(solid(name, cylinder(link_mass, 0.1 * link_length, (0, 0, 0), (0, 0, -link_length))))
        axis = np.array([0.0, 1.0, 0.0] if number % 2 else [1.0, 0.0, 0.0])
        limits = Limits(-math.pi / 2, math.pi / 2)
        joints.append(Joint(f"arm_joint_{number}", "revolute", links[-2].name, name, place, axis, limits))
        place = shift((0.0, 0.0, -link_length))
    frames = [
        Frame(f"propeller_{k + 1}", "platform", shift((span * math.cos(turn), span * math.sin(turn), 0.15 * span)))
        for k, turn in enumerate(math.pi / 4 + math.pi / 2 * np.arange(4))
    ]
    frames.append(Frame("tool", links[-1].name, place))
    imu = tuple(Sensor(f"imu_{kind}", kind, "platform") for kind in ("accelerometer", "gyroscope"))
    return Model("quadrotor_with_arm", tuple(links), tuple(joints), tuple(frames), imu, root="platform")


def suspended_manipulator(
    cable_length: float = 3.4832, hook_mass: float | None = None, hook_length: float = 2.0
) -> Model:
    """A platform of 55 kg that hangs from a point on a spherical joint, with an arm of seven joints below.

    The joint "cable" turns about the suspension point in the world, `cable_length` above the platform's centre of mass;
    the arm begins 0.3 m below it, its joints turn about z y z y z y z, its links are 0.2 m long and have 2 kg. The
    frame "tool" is at the end. With a `hook_mass`, a ball of that mass swings `hook_length` below the suspension point
    on the joint "crane_cable", and the cable begins there.
    """
    positive(cable_length=cable_length, hook_length=hook_length)
    center = np.array([0.0, 0.0, -cable_length])
    links, joints, top, place = [Link("world")], [], "world", np.eye(4)
    if hook_mass is not None:
        positive(hook_mass=hook_mass)
        below = np.array([0.0, 0.0, -hook_length])
        links.append(Link("hook", Inertia(hook_mass, below, 0.4 * hook_mass * _HOOK_RADIUS**2 * np.eye(3))))
        joints.append(Joint("crane_cable", "spherical", "world", "hook", np.eye(4)))
        top, place = "hook", shift(below)
    links.append(Link("platform", Inertia(55.0, center, np.array(_PLATFORM))))
    joints.append(Joint("cable", "spherical", top, "platform", place))
    place = shift(center - [0.0, 0.0, 0.3])
    for number, axis in enumerate("zyzyzyz", 1):
        middle = np.array([0.0, 0.0, -_LINK_LENGTH / 2])
        links.append(Link(f"arm_{number}", Inertia(2.0, middle, 2.0 * np.eye(3))))
        direction = np.array([0.0, 0.0, 1.0] if axis == "z" else [0.0, 1.0, 0.0])
        joints.append(Joint(f"arm_joint_{number}", "continuous", links[-2].name, links[-1].name, place, direction))
        place = shift((0.0, 0.0, -_LINK_LENGTH))
    frames = (Frame("center", "platform", shift(center)), Frame("tool", links[-1].name, place))
    return Model("suspended_manipulator", tuple(links), tuple(joints), frames, root="world")
