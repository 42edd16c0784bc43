r"""Derivatives of inverse dynamics with respect to configuration, velocity and acceleration.

With the composites $\mathbb M^c, \mathbb B^c, f^c$ of the deeper of two columns $i$, $j$ (see
`floatbase.algorithms.derivatives.columns` and `composites`),

$$ \frac{\partial\tau_i}{\partial q_j} = S_i^\top (2\mathbb B^c \dot\Psi_j + \mathbb M^c \ddot\Psi_j
   + [S_j \times^* f^c]), \qquad
   \frac{\partial\tau_i}{\partial v_j} = S_i^\top (2\mathbb B^c S_j + \mathbb M^c (\dot\Psi_j + \dot S_j)), \qquad
   \frac{\partial\tau_i}{\partial a_j} = S_i^\top \mathbb M^c S_j, $$

the term in brackets if $j$ does not carry $i$. For each column $i$ the wrenches and the two covectors

$$ t^q = 2\mathbb B\dot\Psi + \mathbb M\ddot\Psi + S \times^* f, \quad
   t^v = 2\mathbb B S + \mathbb M(\dot\Psi + \dot S), \quad t^M = \mathbb M S, \quad t^B = (2\mathbb B)^\top S $$

go towards the base, and every joint on the way takes its products with them: $n$ times depth products altogether.

A derivative with respect to the configuration is one along the velocity (in the representation of the tree) that
changes it; the components of velocity, acceleration and wrenches are held fixed, unless another chart
(`floatbase.algorithms.derivatives.charts`) or another way of holding wrenches
(`floatbase.algorithms.derivatives.external`) is asked for.

Bos 2019, tables 4.2-4.5 with errata (the state's twist is held fixed, not the one in world axes); J. Carpentier,
N. Mansard, "Analytical derivatives of rigid body dynamics algorithms", 2018; S. Singh, R. Russell, P. Wensing 2022.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.derivatives.charts import Base, by_chart, chart_of
from floatbase.algorithms.derivatives.columns import Column
from floatbase.algorithms.derivatives.composites import Composite, gyrate, gyrate_back, placed
from floatbase.algorithms.derivatives.external import add_fixed_wrenches
from floatbase.algorithms.derivatives.pairs import visit_pairs
from floatbase.algorithms.derivatives.situation import situation
from floatbase.algorithms.kinematics import representation_pose
from floatbase.algorithms.wrenches import Wrenches
from floatbase.model.tree import Tree
from floatbase.results import InverseDynamicsDerivatives
from floatbase.spatial.arrays import Component, matrix
from floatbase.spatial.screws import Screw, momentum_of, power, sum_screws, wrench_product
from floatbase.spatial.vectors import Vector, dot

Rows = list[list[Component]]


def inverse_dynamics_derivatives(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    chart: str | None = None,
    wrenches_fixed: str | None = None,
) -> InverseDynamicsDerivatives:
    """The derivatives of `inverse_dynamics`, to which the arguments belong, by configuration, velocity, acceleration.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration; in another chart
    `dq` and `dv` are by the coordinates of that. Wrenches are fixed in the "link", their "directions" or the "world".
    """
    chart = chart_of(tree, chart)
    s = situation(tree, q, v, a, wrenches, parameters, wrenches_fixed)
    m, carried, base = s.mechanism, s.carried, s.base
    dq, dv, da = (_zeros(tree.nv) for _ in range(3))
    table = Table(dq, dv, da)

    def load(carrier: int, own: Sequence[Column]) -> list[tuple[Column, Products]]:
        here = [(column, products(column, carried[carrier])) for column in own]
        _fill_same_carrier(table, here, carried[carrier])
        return here

    visit_pairs(m, s.joints, base, load, partial(_fill_pairs, table))
    if base:
        whole = placed(carried[0], representation_pose(tree, m.base))
        _fill_same_carrier(table, [(column, products(column, whole)) for column in base], whole)
    add_fixed_wrenches(dq, m, s.joints, base, s.external, s.fixed)
    for k, armature in s.rotors():
        da[k][k] = da[k][k] + armature
    by_q, by_v, by_a = (matrix(rows, *s.like) for rows in table)
    if chart != tree.representation:
        by_q, by_v = by_chart(Base(tree, configuration(tree, q), rates(tree, "v", v)), chart, by_q, by_v)
    return InverseDynamicsDerivatives(by_q, by_v, by_a)


class Table(NamedTuple):
    """The three matrices that are filled in."""

    dq: Rows
    dv: Rows
    da: Rows


class Products(NamedTuple):
    """The wrenches and the covector of a column, see the module's equations."""

    mass: Screw
    configuration: Screw
    velocity: Screw
    gyration: Vector

    def mapped(self, wrench: Callable[[Screw], Screw], couple: Callable[[Vector], Vector]) -> Products:
        """The same in another frame."""
        return Products(wrench(self.mass), wrench(self.configuration), wrench(self.velocity), couple(self.gyration))


def products(column: Column, carried: Composite) -> Products:
    """Of a column with what its carrier carries, in the same frame."""
    inertia = carried.inertia
    moving = sum_screws(gyrate(carried, column.rate), momentum_of(inertia, column.second))
    return Products(
        momentum_of(inertia, column.unit),
        sum_screws(moving, wrench_product(column.unit, carried.wrench)),
        sum_screws(gyrate(carried, column.unit), momentum_of(inertia, column.double)),
        gyrate_back(carried, column.unit),
    )


def _fill_pairs(table: Table, here: Sequence[tuple[Column, Products]], others: Sequence[Column]) -> None:
    """The entries of columns with others on their way to the base, in the same frame."""
    for column, part in here:
        i = column.velocity
        for other in others:
            j = other.velocity
            _add(table.da, i, j, entry := power(other.unit, part.mass))
            _add(table.da, j, i, entry)
            _add(table.dq, j, i, power(other.unit, part.configuration))
            _add(table.dv, j, i, power(other.unit, part.velocity))
            _add(table.dq, i, j, dot(other.rate[1], part.gyration) + power(other.second, part.mass))
            _add(table.dv, i, j, dot(other.unit[1], part.gyration) + power(other.double, part.mass))


def _fill_same_carrier(table: Table, here: Sequence[tuple[Column, Products]], carried: Composite) -> None:
    """The entries of the columns of one joint."""
    for column, part in here:
        i = column.velocity
        for other, _ in here:
            j = other.velocity
            entry = dot(other.rate[1], part.gyration) + power(other.second, part.mass)
            if column.number not in other.carries and column is not other:
                entry = entry + power(column.unit, wrench_product(other.unit, carried.wrench))
            _add(table.dq, i, j, entry)
            _add(table.dv, i, j, dot(other.unit[1], part.gyration) + power(other.double, part.mass))
            _add(table.da, i, j, power(other.unit, part.mass))


def _add(rows: Rows, i: int, j: int, entry: Component) -> None:
    rows[i][j] = rows[i][j] + entry


def _zeros(n: int) -> Rows:
    return [[0.0] * n for _ in range(n)]
