"""The bodies that MuJoCo is given: those of a robot's tree, divided where force/torque sensors are.

A *part* is a body and one of the submodels that have a share in it. Its frame is that of the body. The parts of a body
are welded to one another, so that MuJoCo knows the wrench between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.sensors import Accelerometer, ForceTorque, Gyroscope, Sensor
from floatbase.simulation.sensors.sides import Sides, sides_of
from floatbase.spatial.arrays import Array


class Part(NamedTuple):
    """A body's number in the tree, and the number of a submodel."""

    body: int
    submodel: int

    @property
    def name(self) -> str:
        """What MuJoCo calls it."""
        return f"body {self.body}.{self.submodel}"


class Mounting(NamedTuple):
    """Where a sensor is: a part, the pose in it, and the sign of MuJoCo's reading."""

    part: Part
    part_H_sensor: Array
    sign: float


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a robot, cut at the joints of force/torque sensors: those described, and those of `sensors`."""

    robot: Robot
    sensors: tuple[Sensor, ...] = ()

    @cached_property
    def sides(self) -> Sides:
        """The tree with its cuts."""
        fixed = {joint.name for joint in self.robot.model.joints if joint.kind == "fixed"}
        described = [item.joint for item in self.robot.model.sensors if item.kind == "force_torque"]
        joints = [joint for joint in described if joint in fixed and joint is not None]
        robot = self.robot.with_representation("mixed")
        return sides_of(robot, [*joints, *(joint for sensor in self.sensors for joint in sensor.cuts)])

    @property
    def tree(self) -> Tree:
        """The tree in mixed representation."""
        return self.sides.tree

    def entry(self, body: int) -> Part:
        """The part of a body where its joint is."""
        return Part(body, self.sides.entries[body] if self.tree.submodels else 0)

    def welded_to(self, part: Part) -> list[Part]:
        """The parts behind the force/torque sensors of a part, in the same body."""
        cuts = [cut for cut in self.tree.cuts if cut.body == part.body and cut.near_submodel == part.submodel]
        return [Part(part.body, self.sides.far(cut)) for cut in cuts]

    def carried_by(self, part: Part) -> list[int]:
        """The bodies that joints connect to a part."""
        found = [number for number, body in enumerate(self.tree.bodies) if body.parent == part.body]
        return [number for number in found if self.entry(number).submodel == part.submodel]

    def of_frame(self, frame: str) -> Part:
        """The part that a frame is fixed to."""
        link = self.sides.links.get(frame, frame)
        return Part(self.tree.frames[frame][0], self.sides.submodel_of_link.get(link, 0))

    @property
    def all(self) -> list[Part]:
        """All parts."""
        found = [self.entry(number) for number in range(len(self.tree.bodies))]
        for part in found:  # grows on the way
            found += self.welded_to(part)
        return found

    def parameters(self, part: Part) -> Array:
        """The inertial parameters (10,) of a part in its frame; zero if it has no mass."""
        if not self.tree.submodels:
            return self.tree.bodies[part.body].parameters
        return self.tree.submodels[part.submodel].parameters.get(part.body, np.zeros(10))

    def named(self, body: int) -> Part:
        """The part of a body with the link that it is named after."""
        return Part(body, self.of_frame(self.tree.bodies[body].name).submodel)

    def mounting(self, sensor: Sensor) -> Mounting | None:
        """Where a sensor is, if it is one that MuJoCo has."""
        if isinstance(sensor, ForceTorque):
            cut = self.sides.cut(sensor.joint)
            child = next(joint.child for joint in self.robot.model.joints if joint.name == sensor.joint)
            part_H_sensor = self.tree.frames[child][1] @ sensor.child_H_sensor
            turned = 1.0 if self.sides.far(cut) == cut.child_submodel else -1.0
            sign = turned if sensor.direction == "parent_to_child" else -turned
            return Mounting(Part(cut.body, self.sides.far(cut)), part_H_sensor, sign)
        if isinstance(sensor, Accelerometer | Gyroscope):
            part = self.of_frame(sensor.link)
            return Mounting(part, self.tree.frames[sensor.link][1] @ sensor.link_H_sensor, 1.0)
        return None

    @property
    def readable(self) -> Sequence[Sensor]:
        """The sensors that MuJoCo has, too."""
        return [sensor for sensor in self.sensors if self.mounting(sensor) is not None]
