r"""Regressors: what is linear in the inertial parameters, as a matrix times them.

$$ M \dot\nu + C \nu + G = Y(q, \nu, \dot\nu)\, \phi, \qquad M \nu = Y_p(q, \nu)\, \phi . $$

A body-fixed point $r$ accelerates (relative to free fall) by $a + \Omega r$ and moves by $p + z \times r$ for a unit of
one of the robot's velocities, so with the density $\rho$ that velocity's entry is

$$ \int \rho\, (p + z \times r) \cdot (a + \Omega r) = m\, p \cdot a + m c \cdot (\Omega^\top p + a \times z)
   + \mathrm{tr}(\Sigma\, W), \qquad W = (z^\wedge)^\top \Omega, $$

with $\Sigma = \tfrac12 \mathrm{tr}(I) 1 - I$: ten entries. It is $J_L^\top Y(\alpha^g_L, \omega_L)$, one column of
$J_L$ at a time. For the generalised momentum the point's velocity $v + \omega \times r$ stands for the acceleration.

Parameters are in the order of `Tree.body_names`, about the origin and in the axes of the link that each body is named
after: both as the description has them, whatever the base. Rotors (`TreeJoint.armature`) are no part of them.

Traversaro 2017, (6.4)-(6.7), (7.1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from floatbase.algorithms.arguments import configuration, rates, split
from floatbase.algorithms.base import base_acceleration, base_twist
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import body_frame
from floatbase.algorithms.kinematics import (
    Motion,
    all_motions,
    all_poses,
    attached_pose,
    motion_of_point,
    representation_pose,
)
from floatbase.algorithms.rates import scale as scale_by
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.rigid_inertia import angular_matrix
from floatbase.spatial.turns import turn_back
from floatbase.spatial.vectors import (
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    dot,
    multiply,
    multiply_transposed,
    transpose,
)


@dataclass(frozen=True, eq=False)
class Field:
    """What the points of a body have, an acceleration or a velocity: at the origin, and linear in the position."""

    origin: Vector
    gradient: Matrix

    @cached_property
    def turning(self) -> list[Vector]:
        r"""The moments about the origin for a unit of $I_{xx}, I_{xy}, I_{xz}, I_{yy}, I_{yz}, I_{zz}$."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.gradient
        x, y, z = 0.5 * (zy - yz), 0.5 * (xz - zx), 0.5 * (yx - xy)
        u, v, w = 0.5 * (zy + yz), 0.5 * (xz + zx), 0.5 * (yx + xy)
        return [
            (x, v, -w), (-zx, zy, xx - yy), (yx, zz - xx, -yz), (-u, y, w), (yy - zz, -xy, xz), (u, -v, z),
        ]  # fmt: skip


def regressor(tree: Tree, q: Any, v: Any, a: Any) -> Array:
    """`Y` (..., nv, 10 n_bodies) with `inverse_dynamics(q, v, a) = Y phi` for a robot without rotors.

    q: (..., nq) configuration; v: (..., nv) velocity; a: (..., nv) derivative of `v`.
    """
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    m, fields = body_accelerations(tree, q, v, a)
    return matrix(_rows(m, fields, joints=True), q, v, a)


def base_regressor(tree: Tree, q: Any, v: Any, a: Any) -> Array:
    """The first six rows (..., 6, 10 n_bodies) of `regressor`: the wrench on a floating base."""
    if not tree.floating:
        raise ArgumentError(f"robot {tree.name!r} has a fixed base, which has no rows in the regressor")
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    m, fields = body_accelerations(tree, q, v, a)
    return matrix(_rows(m, fields, joints=False), q, v, a)


def momentum_regressor(tree: Tree, q: Any, v: Any) -> Array:
    """`Y_p` (..., nv, 10 n_bodies) with `mass_matrix(q) @ v = Y_p phi` for a robot without rotors."""
    q, v = configuration(tree, q), rates(tree, "v", v)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    fields = []
    for motion in body_motions(m, Motion(*base_twist(tree, m.base, v_base), ZERO, ZERO), v_joints, None):
        x, y, z = motion.omega
        fields.append(Field(motion.velocity, ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))))
    return matrix(_rows(m, fields, joints=True), q, v)


def body_motions(
    m: Mechanism, base: Motion, v_joints: Sequence[Component], a_joints: Sequence[Component] | None
) -> list[Motion]:
    """The motions of the links that bodies are named after, in their own axes, in the order of `Tree.bodies`."""
    second = [0.0] * m.count if a_joints is None else m.accelerations(v_joints, a_joints)
    motions = all_motions(m, base, m.rates(v_joints), second)
    result = []
    for body, carrier in enumerate(m.carriers):
        rotation, position = _constant_pose(m.tree, body)
        motion = motions[carrier]
        velocity, acceleration = motion_of_point(motion, position)
        parts = (velocity, motion.omega, acceleration, motion.omega_dot)
        result.append(Motion(*(multiply_transposed(rotation, part) for part in parts)))
    return result


def body_accelerations(tree: Tree, q: Array, v: Array, a: Array) -> tuple[Mechanism, list[Field]]:
    """The robot at a configuration, and the accelerations relative to free fall of the links bodies are named after."""
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    a_base, a_joints = split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    omega = base_twist(tree, m.base, v_base)[1]
    start = Motion(ZERO, omega, *base_acceleration(tree, m.base, v_base, a_base))
    motions = body_motions(m, start, v_joints, a_joints)
    return m, [Field(motion.acceleration, angular_matrix(motion.omega, motion.omega_dot)) for motion in motions]


def _rows(m: Mechanism, fields: Sequence[Field], joints: bool) -> list[list[Component]]:
    """The rows of base and joints, bodies side by side; `fields` are in the order of `Tree.bodies`."""
    first = 6 if m.tree.floating else 0
    height = m.tree.nv if joints else first
    rows: list[list[Component]] = [[0.0] * (10 * len(fields)) for _ in range(height)]
    columns = _element_columns(m) if joints else {}
    poses = all_poses(m, representation_pose(m.tree, m.base)) if m.tree.floating else []
    for number, body in enumerate(m.tree.order):
        field, carrier = fields[body], m.carriers[body]
        here = slice(10 * number, 10 * number + 10)
        if m.tree.floating:
            place = attached_pose(poses[carrier], body_frame(m.tree, body))
            for k, row in enumerate(wrench_rows(field, place.rotation, place.position)):
                rows[k][here] = row
        rotation, position = _constant_pose(m.tree, body)
        for i, (linear, angular) in columns.get(carrier, {}).items():
            p = multiply_transposed(rotation, add(linear, cross(angular, position)))
            entries = moments(field, p, multiply_transposed(rotation, angular))
            for column, coefficient in m.rows[i]:
                row = rows[first + column]
                row[here] = [old + scale_by(coefficient, new) for old, new in zip(row[here], entries, strict=True)]
    return rows


def moments(field: Field, p: Vector, z: Vector) -> list[Component]:
    """The ten entries (module's equation) for the motion (p, z) of a body."""
    first = [
        dot(column, p) + field.origin[j] * z[k] - field.origin[k] * z[j]
        for column, (j, k) in zip(transpose(field.gradient), ((1, 2), (2, 0), (0, 1)), strict=True)
    ]
    return [dot(p, field.origin), *first, *(dot(z, column) for column in field.turning)]


def wrench_rows(field: Field, rotation: Matrix, position: Vector) -> list[list[Component]]:
    """Six rows (..., 10): the wrench on a body, in the frame in which its pose is given, per unit of each parameter."""
    forces = [multiply(rotation, column) for column in (field.origin, *transpose(field.gradient))]
    moved = [cross(position, force) for force in forces]
    translations = [[*row, *[0.0] * 6] for row in zip(*forces, strict=True)]
    turns = []
    for axis, (mass, *first) in zip(rotation, zip(*moved, strict=True), strict=True):  # the frame's axes, in the body's
        own = [a + b for a, b in zip(first, cross(field.origin, axis), strict=True)]
        turns.append([mass, *own, *(dot(axis, column) for column in field.turning)])
    return translations + turns


def _element_columns(m: Mechanism) -> dict[int, dict[int, tuple[Vector, Vector]]]:
    """For every element: the twists, in its own frame, that unit rates of the elements on its way give it."""
    columns: dict[int, dict[int, tuple[Vector, Vector]]] = {0: {}}
    for i in range(1, m.count):
        joint = m.joints[i]
        own = {}
        for j, (linear, angular) in columns[m.parent(i)].items():
            moved = add(linear, cross(angular, joint.position))
            own[j] = (turn_back(joint.rotation, moved), turn_back(joint.rotation, angular))
        axis: Vector = (0.0, 0.0, 1.0)
        own[i] = (ZERO, axis) if m.revolute(i) else (axis, ZERO)
        columns[i] = own
    return columns


def _constant_pose(tree: Tree, body: int) -> tuple[Matrix, Vector]:
    rows = [[float(entry) for entry in row] for row in body_frame(tree, body)[:3]]
    rotation: Matrix = ((*rows[0][:3],), (*rows[1][:3],), (*rows[2][:3],))  # type: ignore[assignment]
    return rotation, (rows[0][3], rows[1][3], rows[2][3])
