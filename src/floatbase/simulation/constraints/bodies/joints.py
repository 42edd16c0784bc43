r"""Joints between two bodies, or between the world and a body, as constraints, and the efforts of their motors.

With $R = {}^1R_2$, $r = {}^1o_2$, the joint frame J in the first body at $r_1$, with axes $R_J = (x, y, z)$, in the
second one at $r_2$, and $S = [1\ 0\ 0;\ 0\ 1\ 0]$, in axes of the first body but for "spherical":

| joint | rows, zero | number |
|---|---|---|
| rotational | $v_1 + \omega_1 \times r_1 - R (v_2 + \omega_2 \times r_2)$; $S R_J^\top (\omega_1 - R \omega_2)$ | 5 |
| translational | $\omega_1 - R \omega_2$; $S R_J^\top (v_1 + \omega_1 \times r - R v_2)$ | 5 |
| spherical | $v_2 + \omega_2 \times r_2 - R^\top (v_1 + \omega_1 \times r_1)$, in axes of the second | 3 |
| rigid | the first three of "rotational", all three turns | 6 |

and $\dot R = R\, (\omega_2 - R^\top \omega_1)^\wedge$, $\dot r = R v_2 - v_1 - \omega_1 \times r$ in $\dot A$. The
multipliers are the force and moment on the first body, or on the second one of a spherical joint. The world as the
first body keeps the columns of the second. The joint's rate is $z \cdot (R \omega_2 - \omega_1)$ or
$z \cdot (R v_2 - v_1 - \omega_1 \times r)$ for $z = R_J e_3$; an effort u acts by the same row, transposed.

Rothammer 2021, (3.14), (3.18), with S of two rows; angular parts come first there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.constraints.bodies.pfaffian import BodyConstraint, BodySystem, broadcast
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.checks import check_pose
from floatbase.spatial.poses import invert_pose, position_of, rotation_of
from floatbase.spatial.rotations import rotation_logarithm
from floatbase.spatial.skew import hat

BodyJointKind = Literal["rotational", "translational", "spherical", "rigid"]
_ROWS: dict[BodyJointKind, tuple[str, ...]] = {
    "rotational": ("gap in x", "gap in y", "gap in z", "turn about x", "turn about y"),
    "translational": ("turn in x", "turn in y", "turn in z", "gap along x", "gap along y"),
    "spherical": ("gap in x", "gap in y", "gap in z"),
    "rigid": ("gap in x", "gap in y", "gap in z", "turn in x", "turn in y", "turn in z"),
}


@dataclass(frozen=True, eq=False)
class BodyJoint:
    """A joint as a constraint; for one coordinate, the row (..., 6 k) that gives its rate as a function of poses."""

    constraint: BodyConstraint
    rate_row: Callable[[Array], Array] | None = None


def body_joint(
    name: str,
    kind: BodyJointKind,
    first: int | None,
    second: int,
    first_H_joint: Any = None,
    second_H_joint: Any = None,
) -> BodyJoint:
    """A joint between two bodies, or the world (None) and a body.

    first_H_joint, second_H_joint: poses (4, 4) of the joint's frame in either, by default the identity; they coincide
    where the joint is at zero, and the joint moves about or along its z axis.
    """
    if kind not in _ROWS:
        raise ArgumentError(f"kind is {kind!r}; the valid choices are {', '.join(_ROWS)}")
    one_H, two_H = (
        np.eye(4) if H is None else np.asarray(H, dtype=np.float64) for H in (first_H_joint, second_H_joint)
    )
    check_pose("first_H_joint", one_H)
    check_pose("second_H_joint", two_H)
    rows = _Rows(kind, one_H, two_H)
    bodies = (second,) if first is None else (first, second)
    constraint = BodyConstraint(
        name,
        bodies,
        _ROWS[kind],
        lambda H: _kept(rows.matrix(_relative(H)), first),
        lambda H, V: _kept(rows.rate(_relative(H), _both(V)), first),
        lambda H: rows.residual(_relative(H)),
    )
    if kind in ("rotational", "translational"):
        return BodyJoint(constraint, lambda H: _kept(rows.rate_row(_relative(H)), first))
    return BodyJoint(constraint)


def joint_wrenches(system: BodySystem, joints: dict[str, BodyJoint], world_H_bodies: Array, efforts: Any) -> Array:
    """The wrenches (..., 6 n) on the bodies of efforts (..., k) at joints of one coordinate, in the order given."""
    u = np.asanyarray(efforts)
    moving = [joint for joint in joints.values() if joint.rate_row is not None]
    if u.shape[-1:] != (len(moving),):
        raise ArgumentError(f"efforts has shape {u.shape}; there are {len(moving)} joints of one coordinate")
    result = zeros((6 * system.n,), world_H_bodies[..., 0, 0, :], u)
    for k, joint in enumerate(moving):
        bodies = joint.constraint.bodies
        row = joint.rate_row(world_H_bodies[..., list(bodies), :, :]) * u[..., k, None]  # type: ignore[misc]
        for place, body in enumerate(bodies):
            result[..., 6 * body : 6 * body + 6] += row[..., 6 * place : 6 * place + 6]
    return result


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows for both bodies, from the pose of the second in the first."""

    kind: BodyJointKind
    first_H_joint: Array
    second_H_joint: Array

    def matrix(self, H: Array) -> Array:
        """A (..., r, 12)."""
        R, r = rotation_of(H), position_of(H)
        one, nothing = 0.0 * R + np.eye(3), 0.0 * R
        r1, r2 = hat(position_of(self.first_H_joint)), hat(position_of(self.second_H_joint))
        if self.kind == "spherical":
            back = transpose(R)
            return _row(-back, back @ r1, one, -r2 + nothing)
        gap = _row(one, -r1 + nothing, -R, R @ r2)
        turn = _row(nothing, one, nothing, -R)
        if self.kind == "rigid":
            return np.concatenate([gap, turn], axis=-2)
        across = transpose(rotation_of(self.first_H_joint))[:2]
        if self.kind == "rotational":
            return np.concatenate([gap, across @ turn], axis=-2)
        return np.concatenate([turn, across @ _row(one, -hat(r), -R, nothing)], axis=-2)

    def rate(self, H: Array, V: Array) -> Array:
        r"""$\dot A$ (..., r, 12)."""
        R, r = rotation_of(H), position_of(H)
        R_rate, nothing = R @ hat(V[..., 9:] - apply_matrix(transpose(R), V[..., 3:6])), 0.0 * R
        r1, r2 = hat(position_of(self.first_H_joint)), hat(position_of(self.second_H_joint))
        if self.kind == "spherical":
            back = transpose(R_rate)
            return _row(-back, back @ r1, nothing, nothing)
        gap, turn = _row(nothing, nothing, -R_rate, R_rate @ r2), _row(nothing, nothing, nothing, -R_rate)
        if self.kind == "rigid":
            return np.concatenate([gap, turn], axis=-2)
        across = transpose(rotation_of(self.first_H_joint))[:2]
        if self.kind == "rotational":
            return np.concatenate([gap, across @ turn], axis=-2)
        r_rate = apply_matrix(R, V[..., 6:9]) - V[..., :3] - np.cross(V[..., 3:6], r)
        return np.concatenate([turn, across @ _row(nothing, -hat(r_rate), -R_rate, nothing)], axis=-2)

    def residual(self, H: Array) -> Array:
        """The residual (..., r)."""
        R, r1 = rotation_of(H), position_of(self.first_H_joint)
        r2 = position_of(self.second_H_joint)
        gap = r1 - position_of(H) - apply_matrix(R, r2)
        if self.kind == "spherical":
            return -apply_matrix(transpose(R), gap)
        first_axes = rotation_of(self.first_H_joint)
        relative = transpose(first_axes) @ R @ rotation_of(self.second_H_joint)
        if self.kind == "rotational":
            tilt = np.cross(np.array([0.0, 0.0, 1.0]), relative[..., :, 2])
            return np.concatenate([gap, -tilt[..., :2]], axis=-1)
        turn = -apply_matrix(first_axes, rotation_logarithm(relative))
        if self.kind == "rigid":
            return np.concatenate([gap, turn], axis=-1)
        # of the second body's origin, as it would be without a turn
        off = r1 - position_of(H) - first_axes @ transpose(rotation_of(self.second_H_joint)) @ r2
        return np.concatenate([turn, apply_matrix(transpose(first_axes), off)[..., :2]], axis=-1)

    def rate_row(self, H: Array) -> Array:
        """The row (..., 12) of the joint's rate."""
        R, r = rotation_of(H), position_of(H)
        z = rotation_of(self.first_H_joint)[:, 2]
        there = apply_matrix(transpose(R), z)
        here, nothing = 0.0 * there + z, 0.0 * there
        if self.kind == "rotational":
            return np.concatenate([nothing, -here, nothing, there], axis=-1)
        return np.concatenate([-here, -np.cross(r, here), there, nothing], axis=-1)


def _row(*blocks: Array) -> Array:
    batch = np.broadcast_shapes(*(block.shape for block in blocks))
    return np.concatenate([broadcast(block, batch) for block in blocks], axis=-1)


def _kept(rows: Array, first: int | None) -> Array:
    """The columns of the bodies that move."""
    return rows[..., 6:] if first is None else rows


def _relative(H: Array) -> Array:
    """The pose of the second body in the first, or in the world."""
    return H[..., 0, :, :] if H.shape[-3] == 1 else invert_pose(H[..., 0, :, :]) @ H[..., 1, :, :]


def _both(V: Array) -> Array:
    """The twists (..., 12) of both, the world at rest."""
    return V if V.shape[-1] == 12 else np.concatenate([0.0 * V, V], axis=-1)
