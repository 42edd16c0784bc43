"""Humanoids of a chosen mass and height, with the sensors that whole-body estimation needs.

No robot is copied: lengths and masses of segments are fractions of the height and mass of a person, rounded (R. Drillis
and R. Contini, 1966, and P. de Leva, 1996, as used throughout biomechanics), segments are boxes and cylinders. The
layout is that of iCub: x forward, y left, z up; legs of hip pitch, roll, yaw, knee, ankle pitch, roll; arms of shoulder
pitch, roll, yaw, elbow, wrist yaw, roll, pitch. Six force/torque sensors, at the root of each limb and in each ankle,
cut the robot into seven submodels; an inertial sensor is in the head, one in the pelvis; skin covers arms and torso.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from floatbase.model.description import Frame, Geometry, Inertia, Joint, Limits, Link, Model, Sensor, SkinPatch
from floatbase.model.library.shapes import box, cylinder, positive, solid
from floatbase.model.poses import shift

_AXES = {"roll": (1.0, 0.0, 0.0), "pitch": (0.0, 1.0, 0.0), "yaw": (0.0, 0.0, 1.0)}
Part = tuple[Inertia, Geometry]


@dataclass(eq=False)
class _Builder:
    """What has been described so far."""

    mass: float
    height: float
    links: list[Link] = field(default_factory=list)
    joints: list[Joint] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    sensors: list[Sensor] = field(default_factory=list)
    skin: list[SkinPatch] = field(default_factory=list)

    def turn(
        self, name: str, axis: str, parent: str, at: tuple[float, ...], child: Link, low: float, high: float
    ) -> str:
        """Add a link behind a revolute joint at a point of its parent; limits in degrees, positions in heights."""
        place = shift([entry * self.height for entry in at])
        limits = Limits(math.radians(low), math.radians(high), 2.0 * math.pi, 3.0 * self.mass)
        self.joints.append(Joint(name, "revolute", parent, child.name, place, np.array(_AXES[axis]), limits))
        self.links.append(child)
        return child.name

    def bar(self, name: str, share: float, radius: float, length: float, start: float = 0.0) -> Link:
        """A cylinder that hangs down from `start` below the link's origin; all in shares of mass and height."""
        h = self.height
        ends = (0.0, 0.0, -start * h), (0.0, 0.0, -(start + length) * h)
        return solid(name, cylinder(share * self.mass, radius * h, *ends))

    def block(self, name: str, share: float, sides: tuple[float, ...], center: tuple[float, ...]) -> Link:
        """A box; all in shares of mass and height."""
        h = self.height
        return solid(name, box(share * self.mass, [side * h for side in sides], [entry * h for entry in center]))

    def cut(self, sensor: str, parent: str, child: Link) -> str:
        """Fix a link to its parent through a force/torque sensor."""
        self.joints.append(Joint(sensor, "fixed", parent, child.name, np.eye(4)))
        self.links.append(child)
        kind, frame, direction = "force_torque", "child", "child_to_parent"
        self.sensors.append(Sensor(sensor, kind, child.name, sensor, frame=frame, direction=direction))
        return child.name

    def imu(self, name: str, link: str, at: tuple[float, ...]) -> None:
        """An accelerometer and a gyroscope."""
        place = shift([entry * self.height for entry in at])
        for kind in ("accelerometer", "gyroscope"):
            self.sensors.append(Sensor(f"{name}_{kind}", kind, link, link_H_sensor=place))

    def sleeve(self, name: str, link: str, radius: float, length: float) -> None:
        """Skin around a bar: rings of six cells, about one for every fortieth of the height."""
        turns = np.arange(6) * (2.0 * math.pi / 6.0)
        normals = np.stack([np.cos(turns), np.sin(turns), np.zeros(6)], axis=1)
        rings = [(0.5 + k) * length / max(2, round(40 * length)) for k in range(max(2, round(40 * length)))]
        cells = np.concatenate([radius * normals - [0.0, 0.0, ring] for ring in rings]) * self.height
        self.skin.append(SkinPatch(name, link, cells, np.tile(normals, (len(rings), 1))))


def parametric_humanoid(mass: float = 33.0, height: float = 1.04) -> Model:
    """32 joints, as many as iCub has under torque control: legs 6 + 6, torso 3, neck 3, arms 7 + 7; root "pelvis"."""
    return _humanoid("parametric_humanoid", mass, height, ("pitch", "roll", "yaw"), ("pitch", "roll", "yaw"))


def humanoid_31_links(mass: float = 80.0, height: float = 1.65) -> Model:
    """30 joints and 31 moving links: legs 6 + 6, torso 2, head 2, arms 7 + 7; synthetic numbers for identification."""
    return _humanoid("humanoid_31_links", mass, height, ("yaw", "pitch"), ("yaw", "pitch"))


def _humanoid(name: str, mass: float, height: float, torso: tuple[str, ...], neck: tuple[str, ...]) -> Model:
    positive(mass=mass, height=height)
    robot = _Builder(mass, height)
    robot.links.append(robot.block("pelvis", 0.112, (0.09, 0.16, 0.08), (0.0, 0.0, 0.04)))
    robot.imu("pelvis_imu", "pelvis", (0.0, 0.0, 0.05))
    # intermediate links of a joint of several axes share a little mass, so that each link can be identified
    top = "pelvis"
    for number, axis in enumerate(torso[:-1], 1):
        link = robot.block(f"torso_{number}", 0.02, (0.06, 0.06, 0.03), (0.0, 0.0, 0.015))
        top = robot.turn(f"torso_{axis}", axis, top, (0.0, 0.0, 0.08 if number == 1 else 0.0), link, -45, 45)
    chest = robot.block("chest", 0.304 - 0.02 * len(torso), (0.11, 0.2, 0.2), (0.0, 0.0, 0.12))
    robot.turn(f"torso_{torso[-1]}", torso[-1], top, (0.0, 0.0, 0.0), chest, -45, 45)
    _chest_skin(robot)
    top = "chest"
    for number, axis in enumerate(neck[:-1], 1):
        link = robot.block(f"neck_{number}", 0.008, (0.03, 0.03, 0.03), (0.0, 0.0, 0.01))
        top = robot.turn(f"neck_{axis}", axis, top, (0.0, 0.0, 0.23 if number == 1 else 0.0), link, -40, 40)
    head = robot.block("head", 0.068 - 0.008 * len(neck), (0.1, 0.085, 0.12), (0.01, 0.0, 0.09))
    robot.turn(f"neck_{neck[-1]}", neck[-1], top, (0.0, 0.0, 0.0), head, -50, 50)
    robot.imu("head_imu", "head", (0.0, 0.0, 0.1))
    for side, sign in (("l", 1.0), ("r", -1.0)):
        _leg(robot, side, sign)
        _arm(robot, side, sign)
    rest = mass - sum(link.inertia.mass for link in robot.links if link.inertia is not None)
    robot.links[0] = robot.block("pelvis", 0.112 + rest / mass, (0.09, 0.16, 0.08), (0.0, 0.0, 0.04))
    return Model(
        name=name,
        links=tuple(robot.links),
        joints=tuple(robot.joints),
        frames=tuple(robot.frames),
        sensors=tuple(robot.sensors),
        skin=tuple(robot.skin),
        root="pelvis",
    )


def _leg(robot: _Builder, side: str, sign: float) -> None:
    outwards = (-20, 45) if sign > 0 else (-45, 20)
    hip = robot.turn(
        f"{side}_hip_pitch",
        "pitch",
        "pelvis",
        (0.0, sign * 0.055, 0.0),
        robot.bar(f"{side}_hip_1", 0.012, 0.03, 0.02),
        -120,
        40,
    )
    hip = robot.turn(
        f"{side}_hip_roll", "roll", hip, (0, 0, 0), robot.bar(f"{side}_hip_2", 0.012, 0.03, 0.02), *outwards
    )
    hip = robot.turn(f"{side}_hip_yaw", "yaw", hip, (0, 0, 0), robot.bar(f"{side}_hip_3", 0.01, 0.03, 0.03), -70, 70)
    thigh = robot.cut(f"{side}_leg_ft", hip, robot.bar(f"{side}_thigh", 0.096, 0.04, 0.2, 0.035))
    shank = robot.turn(
        f"{side}_knee", "pitch", thigh, (0, 0, -0.245), robot.bar(f"{side}_shank", 0.043, 0.03, 0.22), 0, 130
    )
    ankle = robot.turn(
        f"{side}_ankle_pitch", "pitch", shank, (0, 0, -0.246), robot.bar(f"{side}_ankle_1", 0.004, 0.02, 0.01), -45, 45
    )
    ankle = robot.turn(
        f"{side}_ankle_roll", "roll", ankle, (0, 0, 0), robot.bar(f"{side}_ankle_2", 0.004, 0.02, 0.015), -25, 25
    )
    foot = robot.block(f"{side}_foot", 0.01, (0.152, 0.06, 0.02), (0.03, 0.0, -0.029))
    robot.cut(f"{side}_foot_ft", ankle, foot)
    robot.frames.append(Frame(f"{side}_sole", foot.name, shift((0.0, 0.0, -0.039 * robot.height))))


def _arm(robot: _Builder, side: str, sign: float) -> None:
    outwards = (0, 160) if sign > 0 else (-160, 0)
    shoulder = robot.turn(
        f"{side}_shoulder_pitch",
        "pitch",
        "chest",
        (0.0, sign * 0.129, 0.2),
        robot.bar(f"{side}_shoulder_1", 0.004, 0.02, 0.02),
        -160,
        60,
    )
    shoulder = robot.turn(
        f"{side}_shoulder_roll",
        "roll",
        shoulder,
        (0, 0, 0),
        robot.bar(f"{side}_shoulder_2", 0.004, 0.02, 0.02),
        *outwards,
    )
    shoulder = robot.turn(
        f"{side}_shoulder_yaw", "yaw", shoulder, (0, 0, 0), robot.bar(f"{side}_shoulder_3", 0.003, 0.02, 0.02), -80, 80
    )
    upper = robot.cut(f"{side}_arm_ft", shoulder, robot.bar(f"{side}_upper_arm", 0.017, 0.025, 0.15, 0.025))
    robot.sleeve(f"{side}_upper_arm_skin", upper, 0.025, 0.15)
    elbow = robot.turn(
        f"{side}_elbow", "pitch", upper, (0, 0, -0.186), robot.bar(f"{side}_elbow_link", 0.003, 0.02, 0.02), -130, 0
    )
    fore = robot.turn(
        f"{side}_wrist_yaw", "yaw", elbow, (0, 0, 0), robot.bar(f"{side}_forearm", 0.011, 0.02, 0.13, 0.01), -90, 90
    )
    robot.sleeve(f"{side}_forearm_skin", fore, 0.02, 0.13)
    wrist = robot.turn(
        f"{side}_wrist_roll", "roll", fore, (0, 0, -0.146), robot.bar(f"{side}_wrist", 0.001, 0.015, 0.01), -30, 30
    )
    hand = robot.block(f"{side}_hand", 0.006, (0.02, 0.045, 0.09), (0.0, 0.0, -0.05))
    robot.turn(f"{side}_wrist_pitch", "pitch", wrist, (0, 0, 0), hand, -60, 60)


def _chest_skin(robot: _Builder) -> None:
    """A grid of cells on the front of the chest."""
    y, z = np.meshgrid(np.linspace(-0.08, 0.08, 6), np.linspace(0.04, 0.2, 6))
    cells = np.stack([np.full(36, 0.055), y.ravel(), z.ravel()], axis=1) * robot.height
    robot.skin.append(SkinPatch("chest_skin", "chest", cells, np.tile([1.0, 0.0, 0.0], (36, 1))))
