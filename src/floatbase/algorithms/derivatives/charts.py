r"""Charts: coordinates of a small change of a robot's state.

A change $z$ of a state says how its configuration and its velocity are changed, and of the base there is more than one
way to write that. In terms of the body twist $v$, its change $\epsilon$ in the base's axes and the motion $\delta$ of
the base in its axes, with $^AX_B$ and $^{B[A]}X_B$ from the base's frame to the world's, and to the world's axes at the
base,

| chart | change of the pose | of the twist | held fixed where the pose alone changes |
|---|---|---|---|
| "body" | $\delta$ | $\epsilon$ | the twist as the base sees it |
| "mixed" | $^{B[A]}X_B \delta$ | $^{B[A]}X_B (\epsilon - N \delta)$ | velocity of the origin, angular velocity |
| "inertial" | $^AX_B \delta$ | $^AX_B (\epsilon - v \times \delta)$ | the twist in the world |
| "tangent" | $\delta$ | $\epsilon - v \times \delta$ | the same |
| "world" | $\delta$ | $^AX_B (\epsilon - v \times \delta)$ | the same |

with $N \delta = (v^l \times \delta^a, v^a \times \delta^a)$. The first three are those of the representations: there,
`integrate` moves the pose by the change of it, and that of the twist is added to its components. Joints have the same
coordinates in all charts.

With $T$ the matrix between the coordinates of two charts, $T z$, those of a linear motion $\dot z = A z + B w$ become
$(T A + \dot T)\, T^{-1}$ and $T B$; those of a step $z^+ = A z + B w$ become $T^+ A\, T^{-1}$ and $T^+ B$ with $T^+$ at
its end; derivatives of anything by the state are multiplied by $T^{-1}$.

Bos 2019, (2.59)-(2.61), (3.4) and (3.5), with errata.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.arguments import configuration, rates
from floatbase.compiler.dense import dense_matmul
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import charts
from floatbase.spatial.arrays import Array, apply_matrix, zeros
from floatbase.spatial.poses import invert_pose, pose_from
from floatbase.spatial.rotations import rotation_from_quaternion
from floatbase.spatial.skew import hat
from floatbase.spatial.twists import adjoint, twist_cross

BASE = slice(0, 6)


class Form(NamedTuple):
    """The frames in which changes of pose and twist are written, and that in which the twist is held: by names."""

    pose: str
    twist: str
    held: str


FORMS = {name: Form(name, name, name) for name in ("body", "mixed", "inertial")} | {
    "tangent": Form("body", "body", "inertial"),
    "world": Form("body", "inertial", "inertial"),
}


def chart_matrix(tree: Tree, q: Any, v: Any, chart: str | None = None) -> Array:
    """`T` (..., 2 nv, 2 nv) with `T z` a change of the state in a chart, `z` in that of the representation.

    q: (..., nq) configuration; v: (..., nv) velocity.
    """
    q, v, n = configuration(tree, q), rates(tree, "v", v), tree.nv
    chart = chart_of(tree, chart)
    result = zeros((2 * n, 2 * n), q, v)
    result[...] = np.eye(2 * n)
    if chart != tree.representation:
        pose, mixing, twist = Base(tree, q, v).change(tree.representation, chart)
        result[..., BASE, BASE], result[..., n : n + 6, BASE], result[..., n : n + 6, n : n + 6] = pose, mixing, twist
    return result


def chart_of(tree: Tree, chart: str | None) -> str:
    """That of the representation if none is given; an error that lists them if there is none of that name."""
    known = charts(tree.floating, tree.representation)
    if chart is None:
        return known[0]
    if chart in known:
        return chart
    why = "" if tree.floating else ", since charts differ in the coordinates of a floating base"
    raise ArgumentError(f"chart is {chart!r}; for robot {tree.name!r} it must be one of {known}{why}")


class Change(NamedTuple):
    """The blocks (..., 6, 6) of the base in T: of poses, from poses to twists, of twists."""

    pose: Array
    mixing: Array
    twist: Array


class Base:
    """A floating base in motion, whose changes are written in several charts."""

    def __init__(self, tree: Tree, q: Array, v: Array) -> None:
        self.tree, self.own, self._q = tree, FORMS[tree.representation], q
        self._rotation = rotation_from_quaternion(q[..., 3:7])
        self.body_twist = self._body(v[..., :6])

    def change(self, start: str, end: str) -> Change:
        """From coordinates in one chart to those in another."""
        before, after = FORMS[start], FORMS[end]
        between = self._held(before.held, self.body_twist) - self._held(after.held, self.body_twist)
        mixing = self._between(after.twist, "body") @ between @ self._between("body", before.pose)
        return Change(self._between(after.pose, before.pose), mixing, self._between(after.twist, before.twist))

    def change_rates(self, end: str, a: Array) -> tuple[Array, Array]:
        """Of `mixing` and `twist` from the representation's chart; a: (..., nv) acceleration."""
        v, (own, after) = self.body_twist, (self.own, FORMS[end])
        a_body = self._body(a[..., :6]) - apply_matrix(self._spin(own.twist), v)
        between, between_rate = (self._held(own.held, x) - self._held(after.held, x) for x in (v, a_body))
        spin, own_spin = self._spin(after.twist), self._spin(own.twist)
        rate = spin @ between + between_rate - between @ own_spin
        outward, inward = self._between(after.twist, "body"), self._between("body", own.twist)
        return outward @ rate @ inward, outward @ (spin - own_spin) @ inward

    def pose_rows(self, chart: str) -> tuple[Array, Array]:
        """What changes of pose and twist, in a chart, make of that of the pose in time."""
        form, twist = FORMS[chart], self.body_twist
        rate = zeros((6, 6), self._q, twist)
        if form.pose == form.held:
            twist = apply_matrix(self._between(form.pose, "body"), twist)
            if form.held == "mixed":
                rate[..., 3:, 3:] = hat(twist[..., 3:])
            else:
                rate[...] = twist_cross(twist if form.held == "inertial" else -twist)
        return rate, self._between(form.pose, form.twist)

    def _body(self, x: Array) -> Array:
        """A twist of the state as the base sees it."""
        return x if self.own.twist == "body" else apply_matrix(self._between("body", self.own.twist), x)

    def _held(self, frame: str, twist: Array) -> Array:
        """What moving the base makes of the components of a body twist if it is held in a frame."""
        result = zeros((6, 6), twist)
        if frame == "mixed":
            result[..., :3, 3:], result[..., 3:, 3:] = hat(twist[..., :3]), hat(twist[..., 3:])
        elif frame == "inertial":
            result[...] = twist_cross(twist)
        return result

    def _spin(self, frame: str) -> Array:
        """Its rate, over the matrix from the base to a frame."""
        if frame == "mixed":
            turning = hat(self.body_twist[..., 3:])
            result = zeros((6, 6), self.body_twist)
            result[..., :3, :3] = result[..., 3:, 3:] = turning
            return result
        return twist_cross(self.body_twist) if frame == "inertial" else zeros((6, 6), self.body_twist)

    def _between(self, end: str, start: str) -> Array:
        """Twists written in one frame to twists written in another."""
        if end == start:
            return np.eye(6)
        if end == "body":
            return adjoint(invert_pose(self._in_fixed_axes(start)))
        if start == "body":
            return adjoint(self._in_fixed_axes(end))
        position = self._q[..., :3] if end == "inertial" else -self._q[..., :3]
        return adjoint(pose_from(np.eye(3), position))

    def _in_fixed_axes(self, frame: str) -> Array:
        """The pose of the base in the world, or in its axes at the base."""
        position = self._q[..., :3]
        return pose_from(self._rotation, position if frame == "inertial" else zeros((3,), position))


def by_chart(base: Base, chart: str, dq: Array, dv: Array) -> tuple[Array, Array]:
    """Derivatives (..., n, nv) by the state, from those in the representation's chart."""
    pose, mixing, twist = base.change(chart, base.tree.representation)
    dq, dv, by_twist = dq.copy(), dv.copy(), dv[..., BASE]
    dq[..., BASE] = dense_matmul(dq[..., BASE], pose) + dense_matmul(by_twist, mixing)
    dv[..., BASE] = dense_matmul(by_twist, twist)
    return dq, dv


def in_chart(base: Base, chart: str, rows: Array) -> Array:
    """Changes (..., 2 nv, columns) of a state, from those in the representation's chart."""
    n = base.tree.nv
    pose, mixing, twist = base.change(base.tree.representation, chart)
    result = rows.copy()
    result[..., BASE, :] = dense_matmul(pose, rows[..., BASE, :])
    changed = dense_matmul(mixing, rows[..., BASE, :]) + dense_matmul(twist, rows[..., n : n + 6, :])
    result[..., n : n + 6, :] = changed
    return result
