r"""Robots assembled from bodies and joints as constraints: chains, branches and loops alike.

Each joint occupies the columns of its two bodies; the world has none. A tree's joints, and what closes loops between
its links, become such joints, so that the same robot can be computed in maximal coordinates. Rothammer 2021, chapter 3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from floatbase.algorithms import pose, velocity
from floatbase.algorithms.arguments import configuration, rates
from floatbase.errors import ModelError
from floatbase.model import Model
from floatbase.model.tree import Tree, TreeJoint
from floatbase.robot import Robot
from floatbase.simulation.constraints.bodies.joints import BodyJoint, BodyJointKind, body_joint, joint_wrenches
from floatbase.simulation.constraints.bodies.pfaffian import BodyConstraint, BodySystem
from floatbase.simulation.constraints.constraint import tree_of
from floatbase.spatial.arrays import Array
from floatbase.spatial.representations import change_twist

_KINDS: dict[str, BodyJointKind] = {"revolute": "rotational", "prismatic": "translational", "spherical": "spherical"}
_LOOPS: dict[str, BodyJointKind] = {
    "point": "spherical",
    "weld": "rigid",
    "revolute": "rotational",
    "prismatic": "translational",
}


@dataclass(frozen=True, eq=False)
class Assembly:
    """Bodies and joints of a tree in maximal coordinates; `names` are those of the bodies."""

    system: BodySystem
    joints: dict[str, BodyJoint]
    names: tuple[str, ...]
    tree: Tree

    def poses(self, q: Any) -> Array:
        """`world_H_body` (..., n, 4, 4) of the bodies at a configuration of the tree (..., nq)."""
        q = configuration(self.tree, q)
        return np.stack([pose(_numbered(self.tree, k), q, "body") for k in self._numbers], axis=-3)

    def twists(self, q: Any, v: Any) -> Array:
        """The body twists (..., 6 n) at a configuration and velocity of the tree (..., nq), (..., nv)."""
        q, v = configuration(self.tree, q), rates(self.tree, "v", v)
        found = []
        for k in self._numbers:
            tree = _numbered(self.tree, k)
            twist = velocity(tree, q, v, "body")
            found.append(change_twist(twist, tree.representation, "body", pose(tree, q, "body")))
        return np.concatenate(found, axis=-1)

    def wrenches(self, world_H_bodies: Array, efforts: Any) -> Array:
        """The wrenches (..., 6 n) of efforts (..., k) at joints of one coordinate, in the order of the bodies."""
        return joint_wrenches(self.system, self.joints, world_H_bodies, efforts)

    @property
    def _numbers(self) -> range:
        return range(0 if self.tree.floating else 1, len(self.tree.bodies))


def assemble(robot: Robot | Tree) -> Assembly:
    """The bodies of a robot or tree and its joints as constraints, and what closes the loops of a robot's model.

    Joints are revolute, prismatic or spherical, without rotors; joints that mimic others have no counterpart.
    """
    tree = tree_of(robot)
    first = 0 if tree.floating else 1
    joints, constraints = {}, []
    for k, body in enumerate(tree.bodies[1:], 1):
        joint = body.joint
        assert joint is not None
        _check(tree, joint)
        parent = body.parent - first if body.parent >= first else None
        made = body_joint(joint.name, _KINDS[joint.kind], parent, k - first, joint.parent_H_joint)
        joints[joint.name] = made
        constraints.append(made.constraint)
    constraints += loops_of(robot.model, tree) if isinstance(robot, Robot) else []
    bodies = tree.bodies[first:]
    gravity = (float(tree.gravity[0]), float(tree.gravity[1]), float(tree.gravity[2]))
    system = BodySystem(np.array([body.parameters for body in bodies]), tuple(constraints), gravity)
    return Assembly(system, joints, tuple(body.name for body in bodies), tree)


def loops_of(model: Model, tree: Tree) -> list[BodyConstraint]:
    """What closes the loops of a model, as constraints between the bodies of a tree made of it."""
    first = 0 if tree.floating else 1
    found = []
    for item in model.constraints:
        if item.kind not in _LOOPS:
            raise ModelError(
                f"the constraint {item.name!r} is {item.kind}; in maximal coordinates there are {', '.join(_LOOPS)}"
            )
        ends = []
        for link, link_H_frame in ((item.first, item.first_H_frame), (item.second, item.second_H_frame)):
            body, body_H_link = tree.frames[link]
            ends.append((body - first if body >= first else None, body_H_link @ link_H_frame @ _z_along(item.axis)))
        if ends[1][0] is None:
            ends.reverse()
        (one, one_H), (two, two_H) = ends
        if two is None:
            raise ModelError(f"the constraint {item.name!r} holds the world to itself")
        found.append(body_joint(item.name, _LOOPS[item.kind], one, two, one_H, two_H).constraint)
    return found


def _z_along(axis: Array) -> Array:
    """A rotation as a pose (4, 4) that takes z to a unit axis (3,)."""
    other = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    other = other / np.linalg.norm(other)
    result = np.eye(4)
    result[:3, :3] = np.stack([other, np.cross(axis, other), axis], axis=-1)
    return result


def _check(tree: Tree, joint: TreeJoint) -> None:
    if joint.kind not in _KINDS or joint.armature or joint.ratio != 1.0 or joint.offset != 0.0:
        raise ModelError(
            f"joint {joint.name!r} of {tree.name!r} has no counterpart among the constraints on free bodies: it is "
            f"{joint.kind}, with a rotor of {joint.armature:g} and s = {joint.ratio:g} q + {joint.offset:g}; revolute, "
            "prismatic and spherical joints without rotors have"
        )


def _numbered(tree: Tree, body: int) -> Tree:
    return replace(tree, frames={"body": (body, np.eye(4))})
