r"""The two sides of joints that hold force/torque sensors: which part of a body, and which frames, are beyond each.

Fixed joints are merged, so both sides of such a joint belong to one body. Removing these joints leaves submodels; each
body is a sum of shares of them. Seen from the base, the submodels are a tree: what is *beyond* a sensor is the submodel
on its far side and all that hang on it.

Traversaro 2017, section 4.4.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model import Sensor
from floatbase.model.tree import Cut, Tree
from floatbase.robot import Robot


@dataclass(frozen=True, eq=False)
class Sides:
    """A tree with cuts, and what is beyond each of them."""

    tree: Tree
    links: dict[str, str]  # of each additional frame: the link that it is fixed to

    @cached_property
    def submodel_of_link(self) -> dict[str, int]:
        """The submodel of each link."""
        return {link: number for number, item in enumerate(self.tree.submodels) for link in item.links}

    def submodel_of_frame(self, frame: str) -> int:
        """The submodel that a frame is fixed to."""
        return self.submodel_of_link[self.links.get(frame, frame)]

    @cached_property
    def entries(self) -> list[int]:
        """The submodel that each body shares with its parent, where their joint is; for the base that of its link."""
        bodies = [{self.tree.frames[link][0] for link in item.links} for item in self.tree.submodels]
        result = [self.submodel_of_link[self.tree.base]]
        for number, body in enumerate(self.tree.bodies[1:], start=1):
            result.append(next(k for k, found in enumerate(bodies) if {number, body.parent} <= found))
        return result

    def far(self, cut: Cut) -> int:
        """The submodel on the far side of a cut, as seen from the base."""
        return cut.child_submodel if cut.near_submodel == cut.parent_submodel else cut.parent_submodel

    def beyond(self, cut: Cut) -> set[int]:
        """The submodels beyond a cut."""
        found = {self.far(cut)}
        while True:
            more = {self.far(item) for item in self.tree.cuts if item.near_submodel in found} - found
            if not more:
                return found
            found |= more

    def cut(self, joint: str) -> Cut:
        """The cut at a joint."""
        return next(item for item in self.tree.cuts if item.joint == joint)


def sides_of(robot: Robot, joints: Sequence[str]) -> Sides:
    """The sides of fixed joints of a robot, whether its description has sensors there or not."""
    known = {joint.name: joint for joint in robot.model.joints}
    sensors = []
    for name in dict.fromkeys(joints):
        if name not in known:
            raise unknown_name("joint", name, known)
        if known[name].kind != "fixed":
            raise ArgumentError(
                f"joint {name!r} is {known[name].kind}; a force/torque sensor is a fixed joint between two links"
            )
        sensors.append(Sensor(name, "force_torque", link=known[name].child, joint=name))
    links = {frame.name: frame.link for frame in robot.model.frames}
    model = replace(robot.model, sensors=tuple(sensors))
    tree = type(robot)(model, **{**robot._settings, "keep_force_sensors": True}).tree
    return Sides(tree, links)
