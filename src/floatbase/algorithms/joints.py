r"""Where the steps of a joint put a body relative to its parent.

The constant part of a joint's rotation is split as

$$ {}^{parent}R_{joint} = R_z(\gamma)\, R_x(\alpha)\, R_z(\theta_0), $$

and a revolute joint turns about the last of these axes, so that
${}^{parent}R_{body}(s) = R_z(\gamma)\, R_x(\alpha)\, R_z(\theta_0 + s)$; a prismatic joint moves the origin along
the body's z axis. Angles that are zero vanish, quarter turns only exchange components: for most joints of most robots
what is left is one turn in a plane. Frames in which $\gamma = 0$ are those of Khalil and Kleinfinger, "A new geometric
notation for open and closed-loop robots", ICRA 1986.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from floatbase.model.tree import TreeJoint, position_index
from floatbase.spatial.rotations import quaternion_rows
from floatbase.spatial.turns import Rotation, Turn, turn
from floatbase.spatial.vectors import ZERO, Vector, add, multiply, subtract, transpose

ROUNDING = 1e-14
_TO_Z: dict[str, Rotation] = {"x": (Turn(1, 0.0, 1.0),), "y": (Turn(0, 0.0, -1.0),), "z": ()}  # z turned to an axis
_FROM_Z: dict[str, Rotation] = {"x": (Turn(1, 0.0, -1.0),), "y": (Turn(0, 0.0, 1.0),), "z": ()}


@dataclass(frozen=True, eq=False)
class JointPose:
    """The pose of an element in its parent: `parent_R_element` as turns, and the origin's position in parent axes."""

    rotation: Rotation
    position: Vector


def split_rotation(R: Any) -> tuple[float, tuple[float, float], float]:
    r"""$\gamma$, $(\cos\alpha, \sin\alpha)$ and $\theta$ of $R = R_z(\gamma) R_x(\alpha) R_z(\theta)$."""
    zx, zy, zz = (float(entry) for entry in R[:, 2])
    if math.hypot(zx, zy) < ROUNDING:  # parallel axes: all of the turn about z is in theta
        up = math.copysign(1.0, zz)
        return 0.0, (up, 0.0), math.atan2(up * float(R[1, 0]), float(R[0, 0]))
    if abs(zx) < ROUNDING:
        gamma, sine = 0.0, -zy
    else:
        sine = -math.copysign(math.hypot(zx, zy), zy)  # keeps gamma within a quarter turn
        gamma = math.atan2(zx / sine, -zy / sine)
    return gamma, _clean(zz, sine), math.atan2(float(R[2, 0]) / sine, float(R[2, 1]) / sine)


@dataclass(frozen=True)
class Placement:
    """How a step of a joint is placed on the step before.

    `coordinate`: "own" if it moves along or about its axis by a coordinate of the state, "whole" if it carries the
    motion of the whole joint and "still" if it carries none (see `floatbase.algorithms.elements`). `before` and `axis`
    say which axes of the joint are z in the frame of the step before and in its own.
    """

    revolute: bool
    coordinate: Literal["own", "whole", "still"]
    before: Literal["x", "y", "z"]
    axis: Literal["x", "y", "z"]


def element_pose(joint: TreeJoint, order: int, placement: Placement, q_joints: Sequence[Any]) -> JointPose:
    """The pose of a step of a joint in the step before."""
    if placement.coordinate == "own" and joint.nv == 1:
        s: Any = q_joints[position_index(joint)]
        if joint.ratio != 1.0:
            s = float(joint.ratio) * s
        if joint.offset != 0.0:
            s = s + float(joint.offset)
        if joint.kind != "helical":
            return _joint_pose(joint, placement.revolute, s)
        if placement.revolute:
            return JointPose(_turns([Turn(2, *_moving_turn(0.0, s))]), ZERO)
        return _joint_pose(joint, False, float(joint.pitch) * s)
    between = [*_FROM_Z[placement.before], *_TO_Z[placement.axis]]
    if placement.coordinate == "own":
        s = q_joints[position_index(joint) + order]
        if placement.revolute:
            return JointPose(_turns([*between, Turn(2, *_moving_turn(0.0, s))]), ZERO)
        along: Vector = turn(between, (0.0, 0.0, s))
        if order > 0:
            return JointPose(_turns(between), along)
        fixed, position = _constant_part(joint)
        return JointPose(_turns([*fixed, *between]), add(position, turn(fixed, along)))
    if placement.coordinate == "still":
        return JointPose(_turns(between), ZERO)
    fixed, position = _constant_part(joint)
    rotation, moved = _motion(joint, q_joints)
    return JointPose(_turns([*fixed, *rotation, *between]), add(position, turn(fixed, moved)))


def rest_pose(joint: TreeJoint, order: int, placement: Placement) -> JointPose | None:
    """The pose of a step with its own coordinate at zero, or None if that is not the same for every configuration."""
    if placement.coordinate == "whole":
        return None
    return element_pose(joint, order, placement, [0.0] * (position_index(joint) + joint.nq))


def _joint_pose(joint: TreeJoint, revolute: bool, s: Any) -> JointPose:
    gamma, (cosine, sine), theta = split_rotation(joint.parent_H_joint[:3, :3])
    turns: list[Any] = [Turn(2, *_constant_turn(gamma)), Turn(0, cosine, sine)]
    position: Vector = tuple(_tidy(float(entry)) for entry in joint.parent_H_joint[:3, 3])  # type: ignore[assignment]
    if revolute:
        turns.append(Turn(2, *_moving_turn(theta, s)))
    else:
        turns.append(Turn(2, *_constant_turn(theta)))
        x, y, z = (_tidy(float(entry)) for entry in joint.parent_H_joint[:3, 2])
        position = (position[0] + x * s, position[1] + y * s, position[2] + z * s)
    return JointPose(_turns(turns), position)


def _constant_part(joint: TreeJoint) -> tuple[Rotation, Vector]:
    pose = _joint_pose(joint, False, 0.0)
    return pose.rotation, pose.position


def _motion(joint: TreeJoint, q_joints: Sequence[Any]) -> tuple[Rotation, Vector]:
    """Rotation and position of a spherical, floating or reversed planar joint."""
    first = position_index(joint)
    q = list(q_joints[first : first + joint.nq])
    if joint.kind == "planar":
        back = (Turn(2, np.cos(q[2]), -np.sin(q[2])),)
        return back, turn(back, (-q[0], -q[1], 0.0))
    rows = quaternion_rows(*q[-4:])
    place: Vector = (q[0], q[1], q[2]) if joint.kind == "floating" else ZERO
    if not joint.reversed:
        return (rows,), place
    columns = transpose(rows)
    return (columns,), subtract(ZERO, multiply(columns, place)) if joint.kind == "floating" else ZERO


def _turns(turns: Sequence[Any]) -> Rotation:
    return tuple(item for item in turns if not _is_identity(item))


def _is_identity(item: Any) -> bool:
    # the cosine of a small angle rounds to 1, so the sine decides; that of a coordinate is no constant, whatever it is
    return isinstance(item, Turn) and type(item.sine) is float and item.sine == 0.0 and item.cosine == 1.0


def _constant_turn(angle: float) -> tuple[float, float]:
    return _clean(math.cos(angle), math.sin(angle))


def _moving_turn(constant: float, s: Any) -> tuple[Any, Any]:
    """Cosine and sine of `constant + s`; quarter turns are not added to the angle, which saves an operation."""
    quarters = round(constant / (math.pi / 2.0))
    rest = constant - quarters * (math.pi / 2.0)
    angle = s if abs(rest) < ROUNDING else s + rest
    cosine, sine = np.cos(angle), np.sin(angle)
    return ((cosine, sine), (-sine, cosine), (-cosine, -sine), (sine, -cosine))[quarters % 4]


def _clean(cosine: float, sine: float) -> tuple[float, float]:
    """Cosines and sines of quarter turns made exact."""
    if abs(sine) < ROUNDING:
        return math.copysign(1.0, cosine), 0.0
    if abs(cosine) < ROUNDING:
        return 0.0, math.copysign(1.0, sine)
    return cosine, sine


def _tidy(entry: float) -> float:
    return 0.0 if abs(entry) < ROUNDING else entry
