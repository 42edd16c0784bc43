"""A visit of all links of a model from the base outwards, which finds the bodies and where each link is in its body.

Links are visited depth first, joints in the order of the model. A joint of one coordinate that is crossed from its
child to its parent moves the other way: with the joint frame at rest on the child's, its motion is the inverse one,
which is the motion about the opposite axis, so no sign enters the coordinate. Joints of several coordinates have no
such axis; they are marked as reversed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from floatbase.errors import ModelError
from floatbase.model.canonical_frames import RawBody
from floatbase.model.coordinates import Coordinate
from floatbase.model.description import Joint, Model
from floatbase.model.motions import axis_frame, joint_H_child, tree_kind
from floatbase.model.poses import Array, inverse
from floatbase.model.structure import LOOP_HINT
from floatbase.model.tree import POSITION_SIZES


@dataclass(frozen=True, eq=False)
class MovingBody:
    """A body as the walk finds it: in a frame with z on the joint axis, or in the joint frame if there is no axis."""

    name: str
    joint: Joint | None
    coordinate: Coordinate
    geometry: RawBody
    reversed: bool = False  # the walk crossed a joint of several coordinates from its child to its parent


@dataclass(frozen=True, eq=False)
class Walk:
    """What a visit of all links from the base outwards finds."""

    bodies: list[MovingBody] = field(default_factory=list)
    poses: dict[str, tuple[int, Array]] = field(default_factory=dict)  # link -> body, body_H_link
    visits: list[tuple[Joint | None, str, str]] = field(default_factory=list)  # joint, link left, link entered


_WITHOUT_AXIS = ("fixed", "spherical", "floating")


def visit_links(model: Model, base: str, coordinates: Mapping[str, Coordinate]) -> Walk:
    """Visit all links from the base outwards, and check that they are one tree."""
    where = f"model {model.name!r}"
    neighbours: dict[str, list[tuple[Joint, str]]] = {link.name: [] for link in model.links}
    if len(neighbours) != len(model.links):
        raise ModelError(f"{where}: two links have the same name")
    if len({joint.name for joint in model.joints}) != len(model.joints):
        raise ModelError(f"{where}: two joints have the same name")
    _check_joints(model.joints, where)
    for joint in model.joints:
        for link, other in ((joint.parent, joint.child), (joint.child, joint.parent)):
            if link not in neighbours:
                raise ModelError(f"{where}: joint {joint.name!r} names the link {link!r}, which does not exist")
            neighbours[link].append((joint, other))
    walk = Walk()
    walk.bodies.append(MovingBody(base, None, Coordinate(None), RawBody(-1, False, np.eye(4))))
    waiting: list[tuple[Joint | None, str, str]] = [(None, "", base)]
    while waiting:
        joint_crossed, left, link = waiting.pop()
        if link in walk.poses:
            raise ModelError(f"{where}: the joints form a loop through link {link!r}; {LOOP_HINT}")
        walk.visits.append((joint_crossed, left, link))
        walk.poses[link] = (0, np.eye(4)) if joint_crossed is None else _cross(walk, joint_crossed, left, coordinates)
        ahead = [(joint, link, other) for joint, other in neighbours[link] if joint is not joint_crossed]
        waiting.extend(reversed(ahead))
    if len(walk.poses) != len(model.links):
        lost = next(link.name for link in model.links if link.name not in walk.poses)
        raise ModelError(f"{where}: link {lost!r} is not connected to the base {base!r}; a robot is one tree")
    return walk


def _check_joints(joints: Sequence[Joint], where: str) -> None:
    if not joints:
        return
    poses = np.array([joint.parent_H_joint for joint in joints])
    rotations = poses[:, :3, :3]
    finite = np.isfinite(poses).all(axis=(1, 2))
    error = np.abs(rotations @ rotations.swapaxes(1, 2) - np.eye(3)).max(axis=(1, 2))
    rigid = (error <= 1e-9) & (poses[:, 3] == (0.0, 0.0, 0.0, 1.0)).all(axis=1)
    if not finite.all():
        joint = joints[int(np.argmin(finite))]
        raise ModelError(f"{where}: the pose of joint {joint.name!r} is not finite: {joint.parent_H_joint.tolist()}")
    if not rigid.all():
        joint = joints[int(np.argmin(rigid))]
        raise ModelError(
            f"{where}: the pose of joint {joint.name!r} is no rigid motion: {joint.parent_H_joint.tolist()}; "
            "it needs an orthogonal rotation, and (0, 0, 0, 1) as its last row"
        )
    for joint in joints:
        _check_motion(joint, where)


def _check_motion(joint: Joint, where: str) -> None:
    """The numbers that describe how a joint moves."""
    if joint.kind not in _WITHOUT_AXIS and not abs(math.hypot(*joint.axis) - 1.0) <= 1e-9:
        raise ModelError(f"{where}: the axis of joint {joint.name!r} is {joint.axis}; it must have unit length")
    if not math.isfinite(joint.pitch) or (joint.pitch != 0.0 and joint.kind != "helical"):
        raise ModelError(
            f"{where}: the pitch of joint {joint.name!r} ({joint.kind}) is {joint.pitch}; it must be finite, and zero "
            "unless the joint is helical"
        )
    if not (0.0 <= joint.rotor_inertia < math.inf and math.isfinite(joint.gear_ratio) and joint.gear_ratio != 0.0):
        raise ModelError(
            f"{where}: joint {joint.name!r} has a rotor of {joint.rotor_inertia} kg m^2 behind a gear of ratio "
            f"{joint.gear_ratio}; the inertia must not be negative, the ratio not zero, and both finite"
        )


def _cross(walk: Walk, joint: Joint, left: str, coordinates: Mapping[str, Coordinate]) -> tuple[int, Array]:
    """The body of the link beyond a joint, which may be a new one, and the link's pose in it."""
    body, body_H_left = walk.poses[left]
    forward = left == joint.parent
    motion = coordinates.get(joint.name)
    if motion is None or motion.index is None:
        parent_H_child = joint.parent_H_joint
        if motion is not None:
            parent_H_child = parent_H_child @ joint_H_child(joint, motion.locked)
        return body, body_H_left @ (parent_H_child if forward else inverse(parent_H_child))
    kind = tree_kind(joint.kind)
    given = POSITION_SIZES[kind] > 1
    if kind in ("spherical", "floating"):
        left_H_axis = np.eye(4)
    else:
        left_H_axis = axis_frame(joint.axis if forward or given else -joint.axis)
    axis_H_entered = inverse(left_H_axis)
    if forward:
        left_H_axis = joint.parent_H_joint @ left_H_axis
    else:
        axis_H_entered = axis_H_entered @ inverse(joint.parent_H_joint)
    geometry = RawBody(body, kind == "prismatic", body_H_left @ left_H_axis, joint.pitch, given)
    entered = joint.child if forward else joint.parent
    walk.bodies.append(MovingBody(entered, joint, motion, geometry, given and not forward))
    return len(walk.bodies) - 1, axis_H_entered
