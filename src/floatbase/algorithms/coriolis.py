r"""A Coriolis matrix: $C(q, \nu)\,\nu$ are the velocity terms of the equations of motion, and $\dot M - 2C$ is skew.

$$ C = \sum_L J_L^\top [ (v_L \bar\times^* \mathbb M_L + \mathbb M_L\, v_L \times) J_L + \mathbb M_L \dot J_L ] . $$

In a frame that does not move, the last two terms are $\mathbb M_L$ times the derivative of the columns $s_j$ of the
Jacobians, which are the same for all links that a joint carries. With $\mathbb M^c$ and $\mathbb B^c$ the sums of
$\mathbb M_L$ and $v_L \bar\times^* \mathbb M_L$ over the links beyond both joints,

$$ C_{ij} = s_i^\top (\mathbb B^c s_j + \mathbb M^c \dot s_j), $$

here in the frame that the base's coincides with at the instant. The factorisation is invariant: a change of base or
representation $\tilde\nu = T \nu$ gives $\tilde C = T^{-\top} (C T^{-1} + M \tfrac{d}{dt} T^{-1})$.

Traversaro 2017, (3.58), (3.63) with errata; G. Garofalo, C. Ott, A. Albu-Schaeffer, "On the closed form computation of
the dynamic matrices and their differentiations", 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import IDENTITY, base_twist
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import element_inertias
from floatbase.algorithms.jacobian import joint_column
from floatbase.algorithms.kinematics import Pose, all_poses
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.rigid_inertia import RigidInertia, shift_inertia, sum_inertia, tensor_of
from floatbase.spatial.screws import NOTHING, Screw, momentum_of, power, scale_screw, sum_screws, twist_product
from floatbase.spatial.vectors import (
    ZERO,
    Matrix,
    Vector,
    add,
    congruence,
    cross,
    full,
    multiply,
    multiply_transposed,
    scale,
    subtract,
    sum_matrix,
    transpose,
)

Column = tuple[int, int, Screw, Screw]  # velocity, element, column, its derivative
Product = tuple[Matrix, Matrix, Matrix, Matrix]  # force by linear and angular velocity, moment by linear and angular


def coriolis_matrix(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    r"""$C$ (..., nv, nv) with $C\nu + G$ the `bias`, and $\dot M = C + C^\top$.

    q: (..., nq) configuration; v: (..., nv) velocity; parameters: (..., 10 n_bodies) instead of the tree's.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    m, poses, twists, columns = velocity_columns(tree, q, v)
    masses, products = _composites(m, poses, twists, parameters)
    rows: list[list[Component]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    lineage = [set(m.path_to(i)) | {0} for i in range(m.count)]
    for row, i, left, left_rate in columns:
        wrench = sum_screws(_apply(products[i], left), momentum_of(masses[i], left_rate))
        backwards, momentum = _apply_transposed(products[i], left), momentum_of(masses[i], left)
        for column, j, right, right_rate in columns:
            if j in lineage[i]:  # joint j carries joint i, or is the same
                rows[column][row] = rows[column][row] + power(right, wrench)
                if j != i:
                    rows[row][column] = rows[row][column] + power(right, backwards) + power(right_rate, momentum)
    return matrix(rows, *(x for x in (q, v, parameters) if x is not None))


def velocity_columns(tree: Tree, q: Array, v: Array) -> tuple[Mechanism, list[Pose], list[Screw], list[Column]]:
    r"""The robot, poses and twists of its elements in base axes, the columns $s_j$ and $\dot s_j$ of the velocities."""
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    poses = all_poses(m, Pose(IDENTITY, ZERO))
    units = [NOTHING] + [joint_column(poses[i], m.revolute(i)) for i in range(1, m.count)]
    twists = [base_twist(tree, m.base, v_base)]
    for i, rate in enumerate(m.rates(v_joints)[1:], start=1):
        twists.append(sum_screws(twists[m.parent(i)], (scale(rate, units[i][0]), scale(rate, units[i][1]))))
    return m, poses, twists, _base_columns(m, twists[0]) + _joint_columns(m, units, twists, v_joints)


def _composites(
    m: Mechanism, poses: Sequence[Pose], twists: Sequence[Screw], parameters: Any
) -> tuple[list[RigidInertia], list[Product]]:
    """Inertias and products of all that an element carries, at the base's origin in base axes."""
    inertias, products = [], []
    for inertia, pose, (v, omega) in zip(element_inertias(m, parameters), poses, twists, strict=True):
        turned = RigidInertia(
            inertia.mass, multiply(pose.rotation, inertia.moment), congruence(pose.rotation, inertia.second)
        )
        inertias.append(shift_inertia(turned, pose.position))
        products.append(_momentum_product(inertias[-1], v, omega))
    for i in range(m.count - 1, 0, -1):
        inertias[m.parent(i)] = sum_inertia(inertias[m.parent(i)], inertias[i])
        a, b, c, d = (sum_matrix(x, y) for x, y in zip(products[m.parent(i)], products[i], strict=True))
        products[m.parent(i)] = (a, b, c, d)
    return inertias, products


def _momentum_product(inertia: RigidInertia, v: Vector, omega: Vector) -> Product:
    r"""The blocks of $v \bar\times^* \mathbb M$: force by linear, force by angular, moment by linear and angular."""
    mass, h, second = inertia
    W, V, H = _hat(omega), _hat(v), _hat(h)
    WH, VH = _times(W, H), _times(V, H)
    WI = _times(W, full(tensor_of(second)))
    lower: Matrix = sum_matrix(_scaled(mass, V), WH)
    return _scaled(mass, W), _scaled(-1.0, WH), lower, sum_matrix(WI, _scaled(-1.0, VH))


def _base_columns(m: Mechanism, twist: Screw) -> list[Column]:
    """The columns of the base twist (see the representations) and their derivatives."""
    if not m.tree.floating:
        return []
    axes: list[Vector] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    if m.tree.representation == "body":
        units = [(axis, ZERO) for axis in axes] + [(ZERO, axis) for axis in axes]
        return [(k, 0, unit, twist_product(twist, unit)) for k, unit in enumerate(units)]
    fixed: list[Vector] = [(row[0], row[1], row[2]) for row in m.base.rotation]  # the world's axes in base axes
    moving: list[Column] = [(k, 0, (axis, ZERO), NOTHING) for k, axis in enumerate(fixed)]
    if m.tree.representation == "mixed":
        return moving + [(3 + k, 0, (ZERO, axis), (cross(twist[0], axis), ZERO)) for k, axis in enumerate(fixed)]
    world = multiply_transposed(m.base.rotation, subtract(ZERO, m.base.position))
    return moving + [(3 + k, 0, (cross(world, axis), axis), NOTHING) for k, axis in enumerate(fixed)]


def _joint_columns(
    m: Mechanism, units: Sequence[Screw], twists: Sequence[Screw], v_joints: Sequence[Component]
) -> list[Column]:
    """The columns of the joints, those of one joint together: with the maps B and B' of its elements."""
    first = 6 if m.tree.floating else 0
    found: dict[tuple[int, int], tuple[Screw, Screw]] = {}
    for i, (element, row, row_rate) in enumerate(zip(m.moving, m.rows[1:], m.row_rates(v_joints)[1:], strict=True), 1):
        carrier = m.carriers[element.body]
        for column, coefficient in row:
            old, old_rate = found.get((carrier, column), (NOTHING, NOTHING))
            unit = scale_screw(coefficient, units[i])
            found[carrier, column] = sum_screws(old, unit), sum_screws(old_rate, twist_product(twists[i], unit))
        for column, coefficient in row_rate:
            old, old_rate = found.get((carrier, column), (NOTHING, NOTHING))
            found[carrier, column] = old, sum_screws(old_rate, scale_screw(coefficient, units[i]))
    return [(first + column, carrier, *parts) for (carrier, column), parts in found.items()]


def _apply(blocks: Product, twist: Screw) -> Screw:
    a, b, c, d = blocks
    v, omega = twist
    return add(multiply(a, v), multiply(b, omega)), add(multiply(c, v), multiply(d, omega))


def _apply_transposed(blocks: Product, twist: Screw) -> Screw:
    a, b, c, d = blocks
    return _apply((transpose(a), transpose(c), transpose(b), transpose(d)), twist)


def _hat(w: Vector) -> Matrix:
    x, y, z = w
    return ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))


def _scaled(factor: Component, M: Matrix) -> Matrix:
    return (scale(factor, M[0]), scale(factor, M[1]), scale(factor, M[2]))


def _times(A: Matrix, B: Matrix) -> Matrix:
    rows = tuple(multiply_transposed(B, row) for row in A)
    return (rows[0], rows[1], rows[2])
