r"""A robot as a model of MuJoCo's in MJCF.

Bodies and joints are those of the robot's tree, from its own base, with the same frames. The coordinate of a joint is
$s_m = r s + s_0$ with the factor and the offset of `TreeJoint`. Joints that mimic others are held to them by
constraints, which MuJoCo keeps softly. Damping, friction and limits of the description are left out, as a `Simulator`
does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.tree import TreeJoint
from floatbase.simulation.loop.mujoco.drives import leaders
from floatbase.simulation.loop.mujoco.inertias import inertial_text
from floatbase.simulation.loop.mujoco.parts import Part, Parts
from floatbase.simulation.loop.mujoco.shapes import placed
from floatbase.simulation.sensors import Accelerometer, ForceTorque, Gyroscope
from floatbase.spatial.arrays import Array

_KINDS = {"revolute": "hinge", "prismatic": "slide", "spherical": "ball"}
READINGS: dict[Any, tuple[str, ...]] = {
    ForceTorque: ("force", "torque"),
    Accelerometer: ("accelerometer",),
    Gyroscope: ("gyro",),
}


@dataclass(frozen=True, eq=False)
class Description:
    """What is written: parts, shapes (geoms by part), and text of options, assets, ground and actuators."""

    parts: Parts
    geoms: dict[Part, list[str]]
    options: str
    assets: str
    ground: str
    actuators: str

    def text(self) -> str:
        """The model."""
        return (
            f"<mujoco model={quoteattr(self.parts.tree.name)}>"
            '<compiler angle="radian" inertiafromgeom="false" balanceinertia="false"/>'
            f"{self.options}<asset>{self.assets}</asset>"
            f"<worldbody>{self.ground}{self._body(0)}</worldbody>"
            f"<equality>{''.join(self._mimics())}</equality>"
            f"<actuator>{self.actuators}</actuator>"
            f"<sensor>{''.join(self._readings())}</sensor></mujoco>"
        )

    def _body(self, number: int) -> str:
        """A body of the tree and all that it carries."""
        joint = self.parts.tree.bodies[number].joint
        if joint is not None:
            return self._part(self.parts.entry(number), joint.parent_H_joint, _joint(joint))
        moving = '<freejoint name="base"/>' if self.parts.tree.floating else ""
        return self._part(self.parts.entry(number), np.eye(4), moving)

    def _part(self, part: Part, pose: Array, moving: str) -> str:
        inertial = inertial_text(self.parts.parameters(part), bool(moving))
        inside = [inertial, *self.geoms.get(part, []), *self._sites(part)]
        inside += [self._part(other, np.eye(4), "") for other in self.parts.welded_to(part)]
        inside += [self._body(number) for number in self.parts.carried_by(part)]
        return f"<body name={quoteattr(part.name)} {placed(pose)}>{moving}{''.join(inside)}</body>"

    def _sites(self, part: Part) -> list[str]:
        found = []
        for sensor in self.parts.readable:
            mounting = self.parts.mounting(sensor)
            if mounting is not None and mounting.part == part:
                found.append(f"<site name={quoteattr(sensor.name)} {placed(mounting.part_H_sensor)}/>")
        return found

    def _readings(self) -> list[str]:
        return [
            f"<{kind} name={quoteattr(f'{sensor.name}:{kind}')} site={quoteattr(sensor.name)}/>"
            for sensor in self.parts.readable
            for kind in READINGS[type(sensor)]
        ]

    def _mimics(self) -> list[str]:
        """s_m = r s + s_0, with s = (l_m - l_0) / l_r from the leader's coordinate."""
        led = leaders(self.parts.tree)
        found = []
        for body in self.parts.tree.bodies:
            joint = body.joint
            if joint is None or led[joint.index] is joint:
                continue
            leader = led[joint.index]
            factor = joint.ratio / leader.ratio
            offset = joint.offset - factor * leader.offset
            found.append(
                f"<joint joint1={quoteattr(joint.name)} joint2={quoteattr(leader.name)} "
                f'polycoef="{offset!r} {factor!r} 0 0 0"/>'
            )
        return found


def _joint(joint: TreeJoint) -> str:
    kind = _KINDS.get(joint.kind)
    if kind is None or joint.reversed:
        raise ArgumentError(
            f"joint {joint.name!r} is {joint.kind}{' and seen from its child' * joint.reversed}; the MuJoCo plant has "
            "revolute and prismatic joints, and spherical ones seen from their parent"
        )
    axis = "" if kind == "ball" else ' axis="0 0 1"'
    return f'<joint name={quoteattr(joint.name)} type="{kind}"{axis} armature="{float(joint.armature)!r}"/>'
