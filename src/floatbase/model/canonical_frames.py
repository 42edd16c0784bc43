r"""Body frames that make the constant poses between joints sparse.

A body's frame has its z axis on the joint axis; it may still be turned about z by an angle $a$, and moved along z by a
distance $d$ (a body that slides: moved anywhere). Written in such frames a joint's constant pose times its motion is

$$ {}^pH_i(s) = W_p^{-1} P_i R_z(s) W_i = C_i R_z(s + \varphi_i), \qquad W = R_z(a)\, T_z(d), $$

with $P_i$ the pose in the frames at hand. Since the turn before the motion can differ from the one after it by the
offset $\varphi_i$, the rotation in $C_i$ can always be $R_z(\beta - a_p) R_x(\alpha)$; the parent's angle $a_p$ then
cancels $\beta$ for one child (Denavit and Hartenberg's convention as modified by Khalil and Kleinfinger, 1986, is the
case of a chain), and $d_p$, $d_i$ cancel components of the translation. Angles and distances are chosen body by body
from the base outwards, each from the few candidates that cancel something, to minimise the number of entries of $C$
that are not zero, with a small charge for an offset, which costs one addition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from floatbase.model.poses import Array, inverse, rotation_to_axis, shift, tidy, turn

_ROUNDING = 4e-15
_PARALLEL = 1e-6  # sine below which two axes have no usable common normal
_CANDIDATES = 8  # how many children are asked for a wish
_OFFSET_COST = 0.25
_UNIT_COST = 0.5

Vector = tuple[float, float, float]


@dataclass(frozen=True, eq=False)
class RawBody:
    """A body in a frame with z on the joint axis, not yet chosen for sparsity, or in one that must be kept."""

    parent: int  # -1 for the base
    slides: bool
    parent_H_body: Array  # (4, 4), with the joint at zero
    pitch: float = 0.0  # m/rad, of a screw
    given: bool = False  # the joint's coordinates are about the axes of this frame


@dataclass(frozen=True, eq=False)
class CanonicalFrame:
    """The frame chosen for a body: `parent_H_body(s) = parent_H_joint @ motion(s + offset)`."""

    parent_H_joint: Array  # (4, 4)
    offset: float
    raw_H_body: Array  # (4, 4)


def choose_frames(bodies: Sequence[RawBody]) -> list[CanonicalFrame]:
    """A frame for every body; the base (body 0) keeps its own."""
    children: list[list[int]] = [[] for _ in bodies]
    for number, body in enumerate(bodies[1:], 1):
        children[body.parent].append(number)
    frames = [CanonicalFrame(np.eye(4), 0.0, np.eye(4))]
    for number, body in enumerate(bodies[1:], 1):
        parent_H_raw = inverse(frames[body.parent].raw_H_body) @ body.parent_H_body
        if body.given:
            frames.append(CanonicalFrame(tidy_pose(parent_H_raw), 0.0, np.eye(4)))
            continue
        axes = [_axis(bodies[child]) for child in children[number] if not bodies[child].given]
        frames.append(_choose(body, parent_H_raw, axes))
    return frames


@dataclass(frozen=True)
class _Axis:
    """The axis of a child's joint in the frame of a body: direction, a point on it, and whether it slides."""

    direction: Vector
    point: Vector
    slides: bool

    def turned(self, angle: float) -> _Axis:
        """The same in the body's frame turned by an angle."""
        cosine, sine = math.cos(angle), math.sin(angle)
        (x, y, z), (p, q, r) = self.direction, self.point
        return _Axis(
            (cosine * x + sine * y, cosine * y - sine * x, z),
            (cosine * p + sine * q, cosine * q - sine * p, r),
            self.slides,
        )


def _axis(body: RawBody) -> _Axis:
    x, y, z = body.parent_H_body[:3, 2].tolist()
    p, q, r = body.parent_H_body[:3, 3].tolist()
    return _Axis((x, y, z), (p, q, r), body.slides)


def _choose(body: RawBody, parent_H_raw: Array, axes: list[_Axis]) -> CanonicalFrame:
    axis = tidy(parent_H_raw[:3, 2], 1.0)
    aligned = rotation_to_axis(axis)
    # parent_R_raw = aligned @ Rz(lead)
    product = aligned.T @ parent_H_raw[:3, :3]
    lead = math.atan2(float(product[1, 0]), float(product[0, 0]))
    angle = _choose_angle(lead, axes)
    axes = [axis.turned(angle) for axis in axes]
    offset = 0.0 if body.slides or _is_quarter(lead + angle) else math.remainder(lead + angle, math.tau)
    point = parent_H_raw[:3, 3]
    if body.slides:
        move: Array = turn(-angle)[:3, :3] @ (parent_H_raw[:3, :3].T @ -point)
    else:
        move = np.array([0.0, 0.0, _choose_shift(axis, point, axes)])
    raw_H_body = turn(angle) @ shift(move)
    # a screw's coordinate moves it along as well, so the offset has to be taken back in both
    parent_H_joint = tidy_pose(parent_H_raw @ raw_H_body @ turn(-offset) @ shift((0.0, 0.0, -body.pitch * offset)))
    return CanonicalFrame(parent_H_joint, offset, raw_H_body)


def tidy_pose(a_H_b: Array) -> Array:
    """A pose without the rounding of the products it came from."""
    result = np.where(np.abs(a_H_b) <= _ROUNDING, 0.0, a_H_b)
    return np.where(np.abs(np.abs(result) - 1.0) <= _ROUNDING, np.sign(result), result)


def _choose_angle(lead: float, axes: list[_Axis]) -> float:
    """The turn about z that makes the poses of the children sparse, or else needs no offset."""
    candidates = [-lead]
    for child in axes[:_CANDIDATES]:
        x, y, _ = child.direction
        p, q, _ = child.point
        if math.hypot(x, y) > _ROUNDING:
            candidates.append(math.atan2(x, -y))
        elif math.hypot(p, q) > _ROUNDING and not child.slides:
            candidates.append(math.atan2(q, p))

    def cost(angle: float) -> float:
        charge = 0.0 if _is_quarter(lead + angle) else _OFFSET_COST
        return charge + sum(_child_cost(child.turned(angle)) for child in axes)

    return min(candidates, key=cost)


def _is_quarter(angle: float) -> bool:
    """Whether an angle is a multiple of a right angle, which only permutes the entries of a rotation."""
    return abs(math.remainder(angle, math.pi / 2)) <= _ROUNDING


def _child_cost(child: _Axis) -> float:
    """What a child's constant pose costs, with its own freedoms used: entries of the rotation and translation."""
    x, y, z = child.direction
    if math.hypot(x, y) <= _ROUNDING:
        rotation = 3 * _UNIT_COST
    elif abs(x) <= _ROUNDING or abs(y) <= _ROUNDING:
        rotation = 3 * _UNIT_COST if abs(z) <= _ROUNDING else _UNIT_COST + 4.0
    else:
        rotation = 8.0 if abs(z) > _ROUNDING else _UNIT_COST + 4.0
    if child.slides:
        return rotation
    return rotation + min(_entries(point[:2]) for point, _ in _shifted(child.direction, child.point))


def _choose_shift(axis: Array, point: Array, axes: list[_Axis]) -> float:
    """The distance along z that makes the body's own translation and those of its children sparse."""
    own: Vector = tuple(axis.tolist())
    start: Vector = tuple(point.tolist())
    reach = 0.5 + 2.0 * math.dist(start, (0.0, 0.0, 0.0))
    candidates = [distance for _, distance in _shifted(own, start)]
    for child in axes[:_CANDIDATES]:
        (x, y, z), (p, q, r) = child.direction, child.point
        square = x * x + y * y
        if square > _PARALLEL**2 and not child.slides:
            candidates.append(r - z * (p * x + q * y) / square)  # the foot of the common normal
        elif not child.slides:
            continue  # a parallel axis moves its own origin along z
    candidates = [distance for distance in candidates if abs(distance) <= reach]

    def cost(distance: float) -> float:
        x, y, z = (start[k] + distance * own[k] for k in range(3))
        total = _entries((x, y, z))
        for child in axes:
            if not child.slides:
                p, q, r = child.point
                total += min(_entries(moved) for moved, _ in _shifted(child.direction, (p, q, r - distance)))
        return total

    return min(candidates, key=cost)


def _shifted(direction: Vector, point: Vector) -> list[tuple[Vector, float]]:
    """Points on a line with a zero coordinate, and how far they are from the point given, which comes first."""
    results = [(point, 0.0)]
    for k in range(3):
        if abs(direction[k]) > _PARALLEL and abs(point[k]) > _ROUNDING:
            distance = -point[k] / direction[k]
            x, y, z = (point[j] + distance * direction[j] if j != k else 0.0 for j in range(3))
            results.append(((x, y, z), distance))
    return results


def _entries(values: Sequence[float]) -> float:
    return float(sum(abs(value) > _ROUNDING for value in values))
