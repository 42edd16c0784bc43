r"""Second derivatives of inverse dynamics, contracted with a vector.

The power $w^\top \tau = \sum_L W_L^\top f_L$ of the wrenches along a virtual velocity $w$ has the gradient, with sums
over all that column $i$ carries (see `floatbase.algorithms.derivatives.second_order_composites`),

$$ \frac{\partial}{\partial q_i} = \dot\Psi^w_i \cdot f^c + \dot\Psi_i \cdot \mathrm g^c
   + \ddot\Psi_i \cdot \mathrm p^c, \qquad
   \frac{\partial}{\partial v_i} = S_i \cdot \mathrm g^c + (\dot\Psi_i + \dot S_i) \cdot \mathrm p^c, \qquad
   \frac{\partial}{\partial a_i} = S_i \cdot \mathrm p^c , $$

$\dot\Psi^w_i = W \times S_i$ being $\dot\Psi_i$ for the motion $w$. A column $k$ beyond $i$ changes nothing of column
$i$, and of the sums what it carries itself:

$$ \partial_k f = t^q_k, \quad \partial_k \mathrm p = S_k \times^* \mathrm p^c + \mathbb M^c \dot\Psi^w_k, \quad
   \partial_k \mathrm g = S_k \times^* \mathrm g^c + (2\mathbb B^c[v])^\top \dot\Psi^w_k
   - (2\mathbb B^c[W])^\top \dot\Psi_k $$

by the configuration, and $t^v_k$, 0, $-(2\mathbb B^c[W])^\top S_k$ by the velocity, $t^M_k$, 0, 0 by the acceleration,
$t$ as in `floatbase.algorithms.derivatives.inverse_dynamics`. They go towards the base, and every joint on the way
takes its products with them: $n$ times depth pairs altogether. Columns of one joint that $k$ carries are turned by it,
too:

$$ \partial_k S_i = S_k \times S_i, \quad \partial_k \dot\Psi_i = S_k \times \dot\Psi_i + \dot\Psi_k \times S_i, \quad
   \partial_k \ddot\Psi_i = S_k \times \ddot\Psi_i + 2 \dot\Psi_k \times \dot\Psi_i + \ddot\Psi_k \times S_i . $$

S. Singh, R. Russell, P. Wensing, "On second-order derivatives of rigid-body dynamics: theory and implementation",
IEEE Trans. Robotics 40, 2024; the same, "Efficient analytical derivatives of rigid-body dynamics", 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from floatbase.algorithms.arguments import rates
from floatbase.algorithms.derivatives.composites import Composite, gyrate, gyrate_back, placed
from floatbase.algorithms.derivatives.pairs import visit_pairs
from floatbase.algorithms.derivatives.second_order_columns import MovedColumn, moved_columns
from floatbase.algorithms.derivatives.second_order_composites import (
    VirtualComposite,
    placed_virtual,
    virtual_composites,
)
from floatbase.algorithms.derivatives.second_order_wrenches import add_held_wrenches
from floatbase.algorithms.derivatives.situation import situation
from floatbase.algorithms.kinematics import representation_pose
from floatbase.algorithms.wrenches import Wrenches
from floatbase.model.tree import Tree
from floatbase.results import InverseDynamicsHessian
from floatbase.spatial.arrays import Component, matrix
from floatbase.spatial.screws import (
    Screw,
    momentum_of,
    power,
    scale_screw,
    sum_screws,
    twist_product,
    wrench_product,
)
from floatbase.spatial.vectors import ZERO, Vector, add, cross, dot, subtract

Rows = list[list[Component]]


def inverse_dynamics_hessian(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    w: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> InverseDynamicsHessian:
    r"""Second derivatives of $w^\top\tau$, $\tau$ the `inverse_dynamics` to which the other arguments belong.

    w: (..., nv). Column `j` of `dqdq` is the derivative along velocity `j`, as `integrate` moves the configuration, of
    the gradient along each velocity with its components held fixed. `dqdq` is symmetric but within the base, or within
    one joint, where turns do not commute: $\partial_j \partial_i - \partial_i \partial_j = \partial_{S_j \times S_i}$
    for velocities in the axes of the moved side, and the negative of it for those in fixed axes. In body representation
    the four are the contractions of the tensors of Pinocchio's `ComputeRNEASecondOrderDerivatives`.
    """
    w = rates(tree, "w", w)
    s = situation(tree, q, v, a, wrenches, parameters, wrenches_fixed, loaded=False)
    m, carried, along = s.mechanism, s.carried, s.virtual(w)
    carried_virtual = virtual_composites(m, s.motions, along.motions, s.inertias)
    columns, base = moved_columns(s.joints, along.joints), moved_columns(s.base, along.base)
    table = empty_table(tree.nv)

    def load(carrier: int, own: Sequence[MovedColumn]) -> list[tuple[MovedColumn, SecondProducts]]:
        here = [(column, products(column, carried[carrier], carried_virtual[carrier])) for column in own]
        fill_same_carrier(table, here, carried[carrier], carried_virtual[carrier])
        return here

    visit_pairs(m, columns, base, load, partial(fill_pairs, table))
    if base:
        pose = representation_pose(tree, m.base)
        whole, whole_virtual = placed(carried[0], pose), placed_virtual(carried_virtual[0], pose)
        here = [(column, products(column, whole, whole_virtual)) for column in base]
        fill_same_carrier(table, here, whole, whole_virtual)
    if s.fixed != "link":
        add_held_wrenches(table.dqdq, m, [*base, *columns], along.motions, s.external, s.fixed)
    return InverseDynamicsHessian(*(matrix(rows, w, *s.like) for rows in table))


class Table(NamedTuple):
    """The four matrices that are filled in."""

    dqdq: Rows
    dqdv: Rows
    dvdv: Rows
    dqda: Rows


def empty_table(nv: int) -> Table:
    """Zeros."""
    return Table(*([[0.0] * nv for _ in range(nv)] for _ in range(4)))


class SecondProducts(NamedTuple):
    """What a column changes of the sums over bodies beyond another one, see the module's equations."""

    configuration: Screw
    velocity: Screw
    mass: Screw
    momentum: Screw
    couple: Vector
    couple_by_velocity: Vector

    def mapped(self, wrench: Callable[[Screw], Screw], couple: Callable[[Vector], Vector]) -> SecondProducts:
        """The same in another frame."""
        force, velocity, mass, momentum = map(wrench, self[:4])
        return SecondProducts(force, velocity, mass, momentum, couple(self[4]), couple(self[5]))


def products(column: MovedColumn, carried: Composite, virtual: VirtualComposite) -> SecondProducts:
    """Of a column with what its carrier carries, in the same frame."""
    inertia, unit, rate, moving = carried.inertia, column.unit, column.rate, column.virtual
    wrench = sum_screws(gyrate(carried, rate), momentum_of(inertia, column.second))
    couple = subtract(gyrate_back(carried, moving), gyrate_back(virtual.moving, rate))
    return SecondProducts(
        sum_screws(wrench, wrench_product(unit, carried.wrench)),
        sum_screws(gyrate(carried, unit), momentum_of(inertia, column.double)),
        momentum_of(inertia, unit),
        sum_screws(wrench_product(unit, virtual.moving.wrench), momentum_of(inertia, moving)),
        add(cross(unit[1], virtual.couple), couple),
        subtract(ZERO, gyrate_back(virtual.moving, unit)),
    )


def fill_pairs(table: Table, here: Sequence[tuple[MovedColumn, SecondProducts]], others: Sequence[MovedColumn]) -> None:
    """The entries of columns with others on their way to the base, in the same frame."""
    for column, part in here:
        k = column.velocity
        for other in others:
            i = other.velocity
            entry = _by_configurations(other, part)
            _add(table.dqdq, i, k, entry)
            _add(table.dqdq, k, i, entry)
            _add(table.dqdv, i, k, power(other.virtual, part.velocity) + dot(other.rate[1], part.couple_by_velocity))
            _add(table.dqdv, k, i, dot(other.unit[1], part.couple) + power(other.double, part.momentum))
            entry = dot(other.unit[1], part.couple_by_velocity)
            _add(table.dvdv, i, k, entry)
            _add(table.dvdv, k, i, entry)
            _add(table.dqda, i, k, power(other.virtual, part.mass))
            _add(table.dqda, k, i, power(other.unit, part.momentum))


def _by_configurations(outer: MovedColumn, part: SecondProducts) -> Component:
    by_couple = dot(outer.rate[1], part.couple)
    return power(outer.virtual, part.configuration) + by_couple + power(outer.second, part.momentum)


def fill_same_carrier(
    table: Table,
    here: Sequence[tuple[MovedColumn, SecondProducts]],
    carried: Composite,
    virtual: VirtualComposite,
) -> None:
    """The entries of the columns of one joint, `other` being the one that changes first, or both by velocity."""
    momentum = virtual.moving.wrench
    for column, part in here:
        k = column.velocity
        for other, _ in here:
            i = other.velocity
            turned, moves = other.number in column.carries, column.number in other.carries
            by_configuration = dot(other.unit[1], part.couple) + power(other.double, part.momentum)
            by_acceleration, by_both = power(other.unit, part.momentum), _by_configurations(other, part)
            product = twist_product(column.unit, other.unit)
            if turned:
                double = sum_screws(
                    twist_product(column.unit, other.double), scale_screw(2.0, twist_product(column.rate, other.unit))
                )
                by_configuration = by_configuration + dot(product[1], virtual.couple) + power(double, momentum)
                by_acceleration = by_acceleration + power(product, momentum)
                by_both = by_both + _turned(other, column, carried, virtual)
            _add(table.dqdq, i, k, by_both)
            _add(table.dqdv, k, i, by_configuration)
            _add(table.dqda, k, i, by_acceleration)
            # the velocities before a column and of what carries it (see `columns`) may both depend on the other one
            share = 1.0 + float(turned) - float(moves)
            entry = dot(other.unit[1], part.couple_by_velocity) + share * power(product, momentum)
            _add(table.dvdv, i, k, entry)


def _turned(other: MovedColumn, column: MovedColumn, carried: Composite, virtual: VirtualComposite) -> Component:
    """What comes of the changes of the twists of `other`, if `column` carries it."""

    def change(own: Screw, moved: Screw) -> Screw:
        return sum_screws(twist_product(column.unit, own), twist_product(moved, other.unit))

    second = scale_screw(2.0, twist_product(column.rate, other.rate))
    return (
        power(change(other.virtual, column.virtual), carried.wrench)
        + dot(change(other.rate, column.rate)[1], virtual.couple)
        + power(sum_screws(change(other.second, column.second), second), virtual.moving.wrench)
    )


def _add(rows: Rows, i: int, j: int, entry: Component) -> None:
    rows[i][j] = rows[i][j] + entry
