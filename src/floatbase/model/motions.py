r"""How far joints move: the pose `joint_H_child` of a described joint at given coordinates, in numbers.

A turn about a unit axis $a$ is $R = 1 + \sin s\, a^\wedge + (1 - \cos s) (a^\wedge)^2$; a helical joint of pitch $h$
moves along the axis by $h s$ meanwhile, so that its twist is $(h a, a) \dot s$ at every angle (`floatbase.model.tree`
lists the others). Bos 2019, table B.1, with the sign of the origin corrected: the child moves along $+a$ for
positive $s$.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from floatbase.errors import ModelError
from floatbase.model.description import Joint, JointKind
from floatbase.model.poses import Array, axis_rotation, quaternion_rotation, rotation_to_axis, shift, tidy, turn
from floatbase.model.tree import JointMotion

_REST: dict[JointMotion, tuple[float, ...]] = {
    "spherical": (1.0, 0.0, 0.0, 0.0),
    "planar": (0.0, 0.0, 0.0),
    "floating": (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
}


def tree_kind(kind: JointKind) -> JointMotion:
    """What a moving joint of the description is in the tree."""
    if kind in ("fixed", "universal"):
        raise ModelError(f"a {kind} joint is not a joint of the tree")
    return "revolute" if kind == "continuous" else cast(JointMotion, kind)


def rest_position(kind: JointKind) -> tuple[float, ...]:
    """The coordinates at which the child is at the joint frame."""
    return _REST.get(tree_kind(kind), (0.0,))


def joint_H_child(joint: Joint, position: Sequence[float]) -> Array:
    """The pose of the child in the joint frame."""
    kind = tree_kind(joint.kind)
    if kind == "prismatic":
        return shift(position[0] * joint.axis)
    if kind in ("revolute", "helical"):
        return shift(position[0] * joint.pitch * joint.axis) @ axis_rotation(joint.axis, position[0])
    if kind == "planar":
        joint_H_axis = axis_frame(joint.axis)
        x, y, theta = position
        return joint_H_axis @ shift((x, y, 0.0)) @ turn(theta) @ joint_H_axis.T
    result = shift(position[:3] if kind == "floating" else (0.0, 0.0, 0.0))
    result[:3, :3] = quaternion_rotation(position[-4:])
    return result


def axis_frame(axis: Array) -> Array:
    """The pose of a frame turned such that its z is along the axis."""
    result = np.eye(4)
    result[:3, :3] = rotation_to_axis(tidy(axis))
    return result
