r"""Derivatives of the twist and the acceleration of a frame, and of what its Jacobian's transpose makes of a wrench.

Velocity $j$ moves the frame by the column $S_j = (s_j, z_j)$ of its Jacobian: that is the derivative of its pose. With
the other columns of `floatbase.algorithms.derivatives.columns`, in the frame C in which the twist $v$ and the
acceleration $a$ of the frame are written,

$$ \frac{\partial v}{\partial q_j} = \dot\Psi_j + T_j \times v, \qquad
   \frac{\partial a}{\partial q_j} = \ddot\Psi_j + \dot\Psi_j \otimes v + T_j \times a, \qquad
   \frac{\partial a}{\partial v_j} = \dot\Psi_j + \dot S_j + S_j \otimes v, \qquad
   \frac{\partial a}{\partial a_j} = \frac{\partial v}{\partial v_j} = S_j . $$

C itself moves with the part $C_j$ of $S_j$, and $T_j = S_j - C_j$ is what is left:

| | C | $C_j$ | $T_j$ | $u \otimes v$, $u = (p, w)$ |
|---|---|---|---|---|
| body | the frame | $S_j$ | $0$ | $u \times v$ |
| mixed | world axes at the frame's origin | $(s_j, 0)$ | $(0, z_j)$ | $(2 w \times v^l,\ w \times v^a)$ |
| inertial | the world | $0$ | $S_j$ | $u \times v$ |

("mixed" differs because its acceleration is the classical one). For a wrench f with constant components in C

$$ \frac{\partial (J^\top \mathrm f)_i}{\partial q_j} = -S_i^\top (T_j \times^* \mathrm f)
   \ \text{ if } j \text{ carries } i, \qquad S_i^\top (C_j \times^* \mathrm f) \ \text{ otherwise,} $$

which is what an external wrench takes from the derivative of inverse dynamics. The derivative of $J u$ for a constant
$u$ is that of the twist at $\nu = u$.

Derivatives with respect to the configuration hold the components of velocity, acceleration and wrench fixed.

J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics algorithms", 2018, section IV, for "body";
Traversaro 2017, table 2.2, for the three representations.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from floatbase.algorithms.acceleration import acceleration
from floatbase.algorithms.arguments import as_array, configuration, frame_of, rates
from floatbase.algorithms.derivatives.columns import Column, twist_from
from floatbase.algorithms.derivatives.state import matrix_of, state_of, twist_pose
from floatbase.algorithms.jacobian import poses_at_frame
from floatbase.algorithms.velocity import velocity
from floatbase.model.tree import Tree
from floatbase.results import AccelerationDerivatives, VelocityDerivatives
from floatbase.spatial.arrays import Array, Component, components, matrix
from floatbase.spatial.screws import NOTHING, Screw, power, sum_screws, twist_product, wrench_product
from floatbase.spatial.vectors import ZERO, cross, scale


def velocity_derivatives(tree: Tree, q: Any, v: Any, frame: str) -> VelocityDerivatives:
    """The derivatives of `velocity`, to which the arguments belong, by configuration and velocity.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    twist = _screw(velocity(tree, q, v, frame))
    dq, dv = [], []
    columns = _frame_columns(tree, q, v, None, frame)
    for column in columns:
        dq.append(sum_screws(column.rate, twist_product(_still(tree, column.unit), twist)))
        dv.append(column.unit)
    return VelocityDerivatives(*(matrix_of(tree, columns, twists, q, v) for twists in (dq, dv)))


def acceleration_derivatives(tree: Tree, q: Any, v: Any, a: Any, frame: str) -> AccelerationDerivatives:
    """The derivatives of `acceleration`, to which the arguments belong, by configuration, velocity, acceleration.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration.
    """
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    twist, change = _screw(velocity(tree, q, v, frame)), _screw(acceleration(tree, q, v, a, frame))
    dq, dv, da = [], [], []
    columns = _frame_columns(tree, q, v, a, frame)
    for column in columns:
        turned = twist_product(_still(tree, column.unit), change)
        dq.append(sum_screws(sum_screws(column.second, _product(tree, column.rate, twist)), turned))
        dv.append(sum_screws(column.double, _product(tree, column.unit, twist)))
        da.append(column.unit)
    return AccelerationDerivatives(*(matrix_of(tree, columns, twists, q, v, a) for twists in (dq, dv, da)))


def jacobian_transpose_derivative(tree: Tree, q: Any, wrench: Any, frame: str) -> Array:
    r"""The derivative (..., nv, nv) of $J^\top \mathrm f$, the generalised force of a wrench, by the configuration.

    q: (..., nq) configuration; wrench: (..., 6) at the frame in `tree.representation`, in which its components are
    held fixed. Column `j` is the derivative along velocity `j`, as `integrate` moves the configuration.
    """
    q, wrench = configuration(tree, q), as_array("wrench", wrench, 6, tree)
    acting = _screw(wrench)
    rows: list[list[Component]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    columns = _frame_columns(tree, q, None, None, frame)
    for other in columns:
        still, moving = _still(tree, other.unit), _moving(tree, other.unit)
        carried = wrench_product((scale(-1.0, still[0]), scale(-1.0, still[1])), acting)
        passed = wrench_product(moving, acting)
        for column in columns:
            i, j = column.velocity, other.velocity
            rows[i][j] = rows[i][j] + power(column.unit, carried if _carries(other, column) else passed)
    return matrix(rows, q, wrench)


def _frame_columns(tree: Tree, q: Array, v: Array | None, a: Array | None, frame: str) -> list[Column]:
    """The columns of all velocities that move a frame, in the frame C of its twist."""
    body, body_H_frame = frame_of(tree, frame)
    state = state_of(tree, q, v, a, body)
    base, *elements = poses_at_frame(state.mechanism, state.path, body_H_frame)
    poses = dict(zip(state.path, elements, strict=True))
    start = twist_pose(tree, base)
    return [column.mapped(partial(twist_from, start)) for column in state.base] + [
        column.mapped(partial(twist_from, poses[column.carrier])) for column in state.joints
    ]


def _moving(tree: Tree, unit: Screw) -> Screw:
    """The part of a column with which C moves."""
    if tree.representation == "inertial":
        return NOTHING
    return unit if tree.representation == "body" else (unit[0], ZERO)


def _still(tree: Tree, unit: Screw) -> Screw:
    """The part of a column with which C does not move."""
    if tree.representation == "body":
        return NOTHING
    return unit if tree.representation == "inertial" else (ZERO, unit[1])


def _product(tree: Tree, u: Screw, twist: Screw) -> Screw:
    """What the derivative of a twist by u adds to that of the acceleration."""
    if tree.representation == "mixed":
        return scale(2.0, cross(u[1], twist[0])), cross(u[1], twist[1])
    return twist_product(u, twist)


def _carries(column: Column, other: Column) -> bool:
    """Whether moving along a column moves another one, both on the way to one frame."""
    if column.carrier == other.carrier:
        return other.number in column.carries
    return column.carrier < other.carrier


def _screw(six: Array) -> Screw:
    x, y, z, *angular = components(six)
    return (x, y, z), (angular[0], angular[1], angular[2])
