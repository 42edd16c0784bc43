r"""The derivative of a frame's Jacobian along the motion.

A column of the Jacobian is a twist that is fixed in the element $k$ it belongs to, so in a frame C

$$ \dot J_k = v_{C,k} \times J_k , $$

with $v_{C,k}$ the twist of the element relative to C in C: the world ("inertial"), the frame itself ("body"), or what
moves with the frame's origin and keeps the world's axes ("mixed"). The base's columns are constant ("inertial"),
fixed in the base ("body"), or have the derivative $(\dot o_B - \dot o_F)^\wedge$ in their upper right block ("mixed").
With the map of floatbase.algorithms.rates $\dot J = \dot J_x B + J_x \dot B$.

Traversaro 2017, section 3.3, completed; Bos 2019, table C.3.
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, rates, split
from floatbase.algorithms.base import base_twist
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.jacobian import add_column, frame_columns
from floatbase.algorithms.kinematics import Pose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.vectors import ZERO, Vector, add, cross, multiply, scale, subtract

Twist = tuple[Vector, Vector]


def jacobian_rate(tree: Tree, q: Any, v: Any, frame: str) -> Array:
    r"""$\dot J$ (..., 6, nv), component by component, in the representation of the tree.

    `jacobian_rate(q, v, frame) @ v` is `acceleration(q, v, 0, frame)`, which takes far fewer operations.

    q: (..., nq) configuration; v: (..., nv) velocity.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    body, body_H_frame = frame_of(tree, frame)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    path = m.path_to(m.carriers[body])
    base, columns = frame_columns(m, path, body_H_frame)
    rate, row_rates = m.rates(v_joints), m.row_rates(v_joints)
    moving = [
        (scale(rate[i], linear), scale(rate[i], angular)) for i, (linear, angular) in zip(path, columns, strict=True)
    ]
    linear, omega = base_twist(tree, m.base, v_base)
    start = _base_in_frame(m, (linear, omega), moving)
    first = 6 if tree.floating else 0
    result: list[list[Component]] = [[0.0] * 6 for _ in range(tree.nv)]
    if tree.floating:
        result[:6] = _base_columns(tree, base, start, multiply(m.base.rotation, omega))
    relative = start
    for i, column, motion in zip(path, columns, moving, strict=True):
        relative = (add(relative[0], motion[0]), add(relative[1], motion[1]))
        add_column(result, first, m.rows[i], _twist_product(relative, column))
        add_column(result, first, row_rates[i], [*column[0], *column[1]])
    return matrix([[column[k] for column in result] for k in range(6)], q, v)


def _base_in_frame(m: Mechanism, twist: Twist, moving: list[Twist]) -> Twist:
    """The twist of the base relative to the frame C in C."""
    rotation, representation = m.base.rotation, m.tree.representation
    if representation == "inertial":
        omega = multiply(rotation, twist[1])
        return add(multiply(rotation, twist[0]), cross(m.base.position, omega)), omega
    linear, angular = ZERO, ZERO
    for part_linear, part_angular in moving:
        linear, angular = add(linear, part_linear), add(angular, part_angular)
    if representation == "body":
        return subtract(ZERO, linear), subtract(ZERO, angular)
    return subtract(ZERO, linear), multiply(rotation, twist[1])


def _base_columns(tree: Tree, base: Pose, start: Twist, omega: Vector) -> list[list[Component]]:
    if tree.representation == "inertial":
        return [[0.0] * 6 for _ in range(6)]
    axes: list[Vector] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    if tree.representation == "body":
        axes = [(row[0], row[1], row[2]) for row in zip(*base.rotation, strict=True)]
        units = [(axis, ZERO) for axis in axes] + [(cross(base.position, axis), axis) for axis in axes]
        return [_twist_product(start, unit) for unit in units]
    away = add(start[0], cross(omega, base.position))  # velocity of the base's origin less that of the frame's
    return [[0.0] * 6 for _ in axes] + [[*cross(away, axis), 0.0, 0.0, 0.0] for axis in axes]


def _twist_product(a: Twist, b: Twist) -> list[Component]:
    """The product of twists: (omega_a x v_b + v_a x omega_b, omega_a x omega_b)."""
    return [*add(cross(a[1], b[0]), cross(a[0], b[1])), *cross(a[1], b[1])]
