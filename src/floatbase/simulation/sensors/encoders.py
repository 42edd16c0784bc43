r"""Encoders: positions of joints, and their velocities.

The ideal reading is $s$ and, if asked for, $\dot s$, of joints with one coordinate. Drives that see differences of
positions alone are `floatbase.simulation.joints.Encoder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.tree import Tree, position_index
from floatbase.robot import Robot
from floatbase.simulation.laws import Ground
from floatbase.simulation.sensors.sensor import Sensor
from floatbase.simulation.sensors.situation import Situation
from floatbase.spatial.arrays import Component


@dataclass(frozen=True, eq=False)
class JointEncoders(Sensor):
    """Positions of joints in rad (m where they slide), or velocities in rad/s (m/s)."""

    joints: tuple[str, ...]
    velocity: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.joints, str):
            raise ArgumentError(f"joints must be names of joints, got {self.joints!r}; write ({self.joints!r},)")
        object.__setattr__(self, "joints", tuple(self.joints))
        if not self.joints:
            raise ArgumentError(f"sensor {self.name!r} has no joints; name at least one")

    @property
    def channels(self) -> tuple[str, ...]:
        """Names of the joints."""
        return self.joints

    @property
    def units(self) -> tuple[str, ...]:
        """Those of joints that turn; of sliding ones m stands for rad."""
        return ("rad/s" if self.velocity else "rad",) * len(self.joints)

    def check(self, robot: Robot) -> None:
        """Raise unless the joints exist and have one coordinate."""
        for joint in self.joints:
            _place(robot.tree, joint)

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """Positions or velocities."""
        places = [_place(now.m.tree, joint) for joint in self.joints]
        return [now.velocities[rate] if self.velocity else now.positions[position] for position, rate in places]


def _place(tree: Tree, name: str) -> tuple[int, int]:
    """Where a joint's coordinate and its velocity stand among those of joints."""
    if name not in tree.joint_names:
        raise unknown_name("joint", name, tree.joint_names)
    joint = next(body.joint for body in tree.bodies if body.joint is not None and body.joint.name == name)
    if joint.nv != 1:
        raise ArgumentError(f"joint {name!r} has {joint.nv} velocities; an encoder is on a joint with one")
    return position_index(joint), joint.index
