r"""Six-axis force/torque sensors: the wrench through a fixed joint between two links.

$$ y = \sigma\, {}_SX^B\, {}_Bf_{P,C} , $$

with ${}_Bf_{P,C}$ the wrench that the parent of the joint exerts on the child, force first, in the sensor's frame and
about its origin, and $\sigma = +1$ for the direction "parent_to_child" (what the parent exerts on the child), $-1$ for
"child_to_parent" (what the child exerts on the parent; for robots whose description does not say).

It is what moves the links beyond the sensor, as seen from the base, less what else acts on them:
$f_{P,C} = \sum_{beyond} (\phi - f^x)$; see `floatbase.simulation.sensors.situation`. A state in which base and joints
accelerate as the wrenches make them gives the same on either side.

Traversaro 2017, section 4.4.1, (4.20).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from floatbase.errors import ArgumentError, unknown_name
from floatbase.robot import Robot
from floatbase.simulation.laws import Ground
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.situation import Situation
from floatbase.spatial.arrays import Component
from floatbase.spatial.checks import check_pose
from floatbase.spatial.vectors import scale

Direction = Literal["parent_to_child", "child_to_parent"]
_SIGNS = {"parent_to_child": 1.0, "child_to_parent": -1.0}


@dataclass(frozen=True, eq=False)
class ForceTorque(Sensor):
    """A sensor in a fixed joint; `child_H_sensor` is its frame (4, 4) in the child link."""

    joint: str
    child_H_sensor: Any = field(default_factory=lambda: np.eye(4))
    direction: Direction = "child_to_parent"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.direction not in _SIGNS:
            raise ArgumentError(f"direction is {self.direction!r}; the valid choices are {', '.join(_SIGNS)}")
        pose = np.array(self.child_H_sensor, dtype=float)
        check_pose(f"child_H_sensor of {self.name!r}", pose)
        pose.flags.writeable = False
        object.__setattr__(self, "child_H_sensor", pose)

    @property
    def channels(self) -> tuple[str, ...]:
        """Force, then moment."""
        return "fx", "fy", "fz", "mx", "my", "mz"

    @property
    def units(self) -> tuple[str, ...]:
        """N and N m."""
        return ("N",) * 3 + ("N m",) * 3

    @property
    def cuts(self) -> tuple[str, ...]:
        """Its joint."""
        return (self.joint,)

    def check(self, robot: Robot) -> None:
        """Raise unless the joint exists and is fixed."""
        known = {joint.name: joint.kind for joint in robot.model.joints}
        if self.joint not in known:
            raise unknown_name(f"joint of sensor {self.name!r}", self.joint, known)
        if known[self.joint] != "fixed":
            raise ArgumentError(
                f"sensor {self.name!r}: joint {self.joint!r} is {known[self.joint]}; a force/torque sensor is a fixed "
                "joint between two links"
            )

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The wrench."""
        force, moment = now.parent_on_child(self.joint, self.child_H_sensor)
        sign = _SIGNS[self.direction]
        return [*scale(sign, force), *scale(sign, moment)]
