r"""Where a joint puts a body relative to its parent.

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
from typing import Any

import numpy as np

from floatbase.model.tree import Body, Tree
from floatbase.spatial.turns import Rotation, Turn
from floatbase.spatial.vectors import Vector

ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class JointPose:
    """The pose of a body in its parent: `parent_R_body` as turns, and the origin's position in parent axes."""

    rotation: Rotation
    position: Vector
    axis: Vector  # z of the body, in parent axes


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


def joint_pose(body: Body, s: Any) -> JointPose:
    """The pose of a moving body in its parent at the joint coordinate `s`."""
    joint = body.joint
    assert joint is not None
    gamma, (cosine, sine), theta = split_rotation(joint.parent_H_joint[:3, :3])
    turns = [Turn(2, *_constant_turn(gamma)), Turn(0, cosine, sine)]
    position: Vector = tuple(_tidy(float(entry)) for entry in joint.parent_H_joint[:3, 3])  # type: ignore[assignment]
    axis: Vector = tuple(_tidy(float(entry)) for entry in joint.parent_H_joint[:3, 2])  # type: ignore[assignment]
    if joint.kind == "revolute":
        turns.append(Turn(2, *_moving_turn(theta, s)))
    else:
        turns.append(Turn(2, *_constant_turn(theta)))
        x, y, z = axis
        position = (position[0] + x * s, position[1] + y * s, position[2] + z * s)
    return JointPose(tuple(turn for turn in turns if not _is_identity(turn)), position, axis)


def joint_coordinates(tree: Tree, q_joints: Sequence[Any]) -> list[Any]:
    """The coordinate `s` of every body's joint (0 for the base), from the joint part of a configuration."""
    return [_affine(body, q_joints, True) for body in tree.bodies]


def joint_rates(tree: Tree, v_joints: Sequence[Any]) -> list[Any]:
    """The rate of every body's joint coordinate (0 for the base); accelerations likewise."""
    return [_affine(body, v_joints, False) for body in tree.bodies]


def joint_poses(tree: Tree, q_joints: Sequence[Any]) -> list[JointPose]:
    """The pose of every moving body in its parent; the base's own entry is the identity."""
    base = JointPose((), (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    coordinates = joint_coordinates(tree, q_joints)
    return [base] + [joint_pose(body, s) for body, s in zip(tree.bodies[1:], coordinates[1:], strict=True)]


def accumulate_torques(tree: Tree, torques: Sequence[Any]) -> list[Any]:
    """Torques of bodies' joints summed to joint coordinates: `tau[index] += ratio * torque`."""
    result: list[Any] = [0.0] * tree.n_joints
    for body, torque in zip(tree.bodies[1:], torques[1:], strict=True):
        assert body.joint is not None
        result[body.joint.index] = result[body.joint.index] + float(body.joint.ratio) * torque
    return result


def _affine(body: Body, values: Sequence[Any], with_offset: bool) -> Any:
    joint = body.joint
    if joint is None:
        return 0.0
    value = values[joint.index]
    if joint.ratio != 1.0:
        value = float(joint.ratio) * value
    return value + float(joint.offset) if with_offset and joint.offset != 0.0 else value


def _is_identity(turn: Turn) -> bool:
    return type(turn.cosine) is float and turn.cosine == 1.0  # a computed cosine may round to 1


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
