"""A platform with eight propellers and a seven-joint arm below, which hangs from a crane.

Masses and inertias of platform and links are those of Rothammer 2021, table 5.4, the cable's length that of chapter
4. Lengths of the arm were not published, nor the masses of single links but for an example: links of 0.2 m with 2 kg
are ours. So are the propellers: eight on a circle of 0.7 m, the radius of the cylinder with which the platform is
compared there, tilted by 0.5 rad about the spokes in turns, one this way and the next that way.
Then thrusts that are even around the circle lift, thrusts of alternating sign turn about the vertical, and thrusts that
vary once around the circle tilt, or push sideways if their signs alternate: every wrench has its thrusts.
"""

from __future__ import annotations

import math

import numpy as np

from floatbase.model.description import Frame, Inertia, Joint, Link, Model
from floatbase.model.library.shapes import positive
from floatbase.model.poses import Array, axis_rotation, shift

_PLATFORM_MASS = 55.0
_PLATFORM = ((80.19, -0.10, 2.74), (-0.10, 80.05, -1.40), (2.74, -1.40, 119.76))
_LINK_LENGTH = 0.2
_LINK_MASS = 2.0
_HOOK_RADIUS = 0.2
_PROPELLERS = 8
_CIRCLE = 0.7  # m
_TILT = 0.5  # rad


def suspended_manipulator(
    cable_length: float = 3.4832, hook_mass: float | None = None, hook_length: float = 2.0, hung: bool = True
) -> Model:
    """A platform of 55 kg that hangs from a point on a spherical joint, with an arm of seven joints below.

    The joint "cable" turns about the suspension point in the world, `cable_length` above the platform's centre of mass;
    the arm begins 0.3 m below it, its joints turn about z y z y z y z, its links are 0.2 m long and have 2 kg. With a
    `hook_mass`, a ball of that mass swings `hook_length` below the suspension point on the joint "crane_cable", and the
    cable begins there.

    Unless `hung`, nothing holds the platform, for suspensions that are not joints: it is the base, and its link's
    origin is its centre of mass. A hook is free as well, by the joint "hook_joint" from the platform.

    The frame "center" is at the platform's centre of mass, z towards what it hangs from, "suspension" where that is,
    "hook_center" at that of the hook; "tool" is at the end of the arm; "propeller_1" .. "propeller_8" have z in the
    direction of thrust.
    """
    positive(cable_length=cable_length, hook_length=hook_length)
    center = np.array([0.0, 0.0, -cable_length if hung else 0.0])
    platform = Link("platform", Inertia(_PLATFORM_MASS, center, np.array(_PLATFORM)))
    top_of_cable = center + np.array([0.0, 0.0, cable_length])
    frames = [Frame("center", "platform", shift(center)), Frame("suspension", "platform", shift(top_of_cable))]
    frames += [
        Frame(f"propeller_{k + 1}", "platform", shift(center) @ center_H_propeller(k)) for k in range(_PROPELLERS)
    ]
    links, joints = ([Link("world")], []) if hung else ([platform], [])
    top, place = "world", np.eye(4)
    if hook_mass is not None:
        positive(hook_mass=hook_mass)
        below = np.array([0.0, 0.0, -hook_length if hung else 0.0])
        links.append(Link("hook", Inertia(hook_mass, below, 0.4 * hook_mass * _HOOK_RADIUS**2 * np.eye(3))))
        frames.append(Frame("hook_center", "hook", shift(below)))
        if hung:
            joints.append(Joint("crane_cable", "spherical", "world", "hook", np.eye(4)))
            top, place = "hook", shift(below)
        else:
            joints.append(Joint("hook_joint", "floating", "platform", "hook", shift([0.0, 0.0, cable_length])))
    if hung:
        links.append(platform)
        joints.append(Joint("cable", "spherical", top, "platform", place))
    place, parent = shift(center - [0.0, 0.0, 0.3]), "platform"
    for number, axis in enumerate("zyzyzyz", 1):
        name, middle = f"arm_{number}", np.array([0.0, 0.0, -_LINK_LENGTH / 2])
        links.append(Link(name, Inertia(_LINK_MASS, middle, 2.0 * np.eye(3))))
        direction = np.array([0.0, 0.0, 1.0] if axis == "z" else [0.0, 1.0, 0.0])
        joints.append(Joint(f"arm_joint_{number}", "continuous", parent, name, place, direction))
        place, parent = shift((0.0, 0.0, -_LINK_LENGTH)), name
    frames.append(Frame("tool", parent, place))
    root = "world" if hung else "platform"
    return Model("suspended_manipulator", tuple(links), tuple(joints), tuple(frames), root=root)


def center_H_propeller(number: int) -> Array:
    """Where propeller 0 .. 7 is: on the circle, its z axis tilted about the spoke, x axis along the spoke."""
    turn = 2.0 * math.pi * number / _PROPELLERS
    tilt = _TILT if number % 2 == 0 else -_TILT
    around = axis_rotation(np.array([0.0, 0.0, 1.0]), turn)
    return around @ shift((_CIRCLE, 0.0, 0.0)) @ axis_rotation(np.array([1.0, 0.0, 0.0]), tilt)
