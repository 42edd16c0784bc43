"""Where the joints of a description have their coordinates in our states, and how a peer's joints follow them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floatbase.model import Joint, Model
from floatbase.model.build import build_tree
from floatbase.model.tree import Tree

SIZES = {"spherical": (4, 3), "planar": (3, 3), "floating": (7, 6)}


@dataclass(frozen=True)
class Place:
    """First coordinate and first velocity of a joint in q and v of a floating robot."""

    q: int
    v: int


def places(model: Model, tree: Tree) -> dict[str, Place]:
    kinds = {joint.name: joint.kind for joint in model.joints}
    found, q, v = {}, 7, 6
    for name in tree.joint_names:
        found[name] = Place(q, v)
        nq, nv = SIZES.get(kinds.get(name, "revolute"), (1, 1))
        q, v = q + nq, v + nv
    return found


@dataclass(frozen=True, eq=False)
class JointState:
    """Coordinates of a joint of the description, and the rows that give its velocities from ours."""

    joint: Joint
    position: np.ndarray
    rows: np.ndarray  # (nv of the joint, nv of the robot)


def joint_states(model: Model, q: np.ndarray) -> list[JointState]:
    """For every joint that moves, in the order of the description; `q` is of the robot from its root."""
    tree = build_tree(model, floating=True, representation="body")
    where, result = places(model, tree), []
    by_name = {joint.name: joint for joint in model.joints}
    for joint in model.joints:
        if joint.kind == "fixed":
            continue
        if joint.kind == "universal":
            both = [where[f"{joint.name}_{k}"] for k in (1, 2)]
            rows = np.eye(tree.nv)[[place.v for place in both]]
            result.append(JointState(joint, q[[place.q for place in both]], rows))
            continue
        factor, offset, master = 1.0, 0.0, joint
        while master.mimic is not None:
            factor, offset = factor * master.mimic.multiplier, offset + factor * master.mimic.offset
            master = by_name[master.mimic.joint]
        place = where[master.name]
        nq, nv = SIZES.get(joint.kind, (1, 1))
        position = q[place.q : place.q + nq]
        if joint.mimic is not None:
            position = factor * position + offset
        result.append(JointState(joint, position, factor * np.eye(tree.nv)[place.v : place.v + nv]))
    return result


def from_root(model: Model) -> list[Joint]:
    """The joints, which are all described away from the root, in depth-first order."""
    order: list[Joint] = []

    def visit(link: str) -> None:
        for joint in model.joints:
            if joint.parent == link:
                order.append(joint)
                visit(joint.child)

    visit(model.root or model.links[0].name)
    return order
