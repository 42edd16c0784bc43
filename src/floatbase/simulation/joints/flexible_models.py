r"""Robots with flexible joints: passive joints between links without mass, put into a model that lacks them.

Before a joint come joints of one axis each, whose frames have their origin at the joint's and the axes of its parent
link; the links between them have no mass. At rest the robot is as it was. With the selectors of actuated and of
flexible joints, which are columns of an identity matrix, the equations of motion are

$$ M \dot\nu + h = B_a\, \tau^a + B_f\, \tau^f + J^\top f, \qquad \tau^f = -k\, s^f - d\, \dot s^f . $$

G. Romualdi, PhD thesis, Genoa, 2022, (9.1.3)-(9.1.6): a pitch and a roll joint before each hip. The order of the two is
not said there; it is that of `axes` here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.description import Joint, Link, Model
from floatbase.model.editing import add_link, replace_joint
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array

PITCH_AND_ROLL = {"pitch": (0.0, 1.0, 0.0), "roll": (1.0, 0.0, 0.0)}


@dataclass(frozen=True)
class FlexibleModel:
    """A model with flexible joints, and their names from the base of the model outwards."""

    model: Model
    flexible: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Selectors:
    """Which velocities of a robot are those of which joints.

    actuated, flexible: names of joints. B_a: (nv, n_a), B_f: (nv, n_f). actuated_rows, flexible_rows: where their
    velocities and torques are among the nv.
    """

    actuated: tuple[str, ...]
    flexible: tuple[str, ...]
    actuated_rows: Array
    flexible_rows: Array
    B_a: Array
    B_f: Array


def with_flexible_joints(
    model: Model,
    joints: Sequence[str],
    axes: Mapping[str, Sequence[float]] | None = None,
) -> FlexibleModel:
    """With passive joints before each of the joints named.

    axes: what the flexible joints are called, and their axes in the parent link of the joint, from the parent outwards;
    by default a pitch joint about y, then a roll joint about x. The flexible joint "pitch" before the joint "hip" is
    called "hip_flexible_pitch", and the link that it moves "hip_flexible_pitch_link".
    """
    axes = PITCH_AND_ROLL if axes is None else axes
    if not axes:
        raise ArgumentError("axes is empty; a flexible joint needs an axis")
    if isinstance(joints, str) or not joints or len(set(joints)) != len(joints):
        raise ArgumentError(f"joints is {joints!r}; it must be a sequence of different names of joints, one at least")
    flexible: list[str] = []
    for name in joints:
        model, added = _with_one(model, name, {label: _unit(label, axis) for label, axis in axes.items()})
        flexible += added
    return FlexibleModel(model, tuple(flexible))


def _with_one(model: Model, name: str, axes: Mapping[str, Array]) -> tuple[Model, list[str]]:
    joint = next((item for item in model.joints if item.name == name), None)
    if joint is None:
        raise unknown_name("joint", name, (item.name for item in model.joints))
    link, place, added = joint.parent, np.eye(4), []
    place[:3, 3] = joint.parent_H_joint[:3, 3]
    for label, axis in axes.items():
        passive = f"{name}_flexible_{label}"
        moved = Link(f"{passive}_link")
        model = add_link(model, moved, Joint(passive, "revolute", link, moved.name, place, axis))
        link, place = moved.name, np.eye(4)
        added.append(passive)
    turned = np.eye(4)
    turned[:3, :3] = joint.parent_H_joint[:3, :3]
    # joints are visited in their order in the model: the flexible ones take the place of the joint they come before
    model = replace_joint(model, name, parent=link, parent_H_joint=turned)
    passive_joints = {item.name: item for item in model.joints if item.name in added}
    order: list[Joint] = []
    for item in model.joints:
        if item.name == name:
            order += passive_joints.values()
        if item.name not in passive_joints:
            order.append(item)
    return replace(model, joints=tuple(order)), added


def selectors(tree: Tree, flexible: Sequence[str]) -> Selectors:
    """The selectors of a robot's tree (`robot.tree`) whose joints of those names are flexible, all others actuated.

    Joints have one velocity each.
    """
    names = tuple(tree.velocity_names)[tree.nv - tree.joint_nv :]
    for name in flexible:
        if name not in names:
            raise unknown_name("joint", name, names)
    actuated = tuple(name for name in names if name not in set(flexible))
    head = tree.nv - tree.joint_nv
    rows = {name: head + number for number, name in enumerate(names)}
    one, identity = np.array([rows[name] for name in actuated], dtype=int), np.eye(tree.nv)
    other = np.array([rows[name] for name in flexible], dtype=int)
    return Selectors(actuated, tuple(flexible), one, other, identity[:, one], identity[:, other])


def _unit(label: str, axis: npt.ArrayLike) -> Array:
    vector = np.asarray(axis, dtype=np.float64)
    length = float(np.linalg.norm(vector)) if vector.shape == (3,) else 0.0
    if not 0.0 < length < np.inf:
        raise ArgumentError(f"axis {label!r} is {axis!r}; it must be a vector of 3 numbers that is not zero")
    return vector / length
