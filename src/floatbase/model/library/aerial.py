"""A small flying robot with an arm: a quadrotor. All numbers are ours."""

from __future__ import annotations

import math

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.description import Frame, Joint, Limits, Model, Sensor
from floatbase.model.library.shapes import box, cylinder, positive, solid
from floatbase.model.poses import shift


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
