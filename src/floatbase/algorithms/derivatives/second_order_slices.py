r"""Second derivatives that have to do with one column and all that carry it, as products of small matrices.

With the columns $S, \dot\Psi, \ddot\Psi, D = \dot\Psi + \dot S$ on a way from the base as matrices, the composites of
column $c$ and $N = \partial_c \mathbb M^c$, $Q = \partial_c 2\mathbb B^c$, $L = 2\mathbb B^c[S_c]$, the derivatives of
force $i$ by column $c$ and a column $j$, both of which carry $c$ or are it, are the entries $(i, j)$ of

$$ S^\top (Q \dot\Psi + N \ddot\Psi + t^q \bar\times^* S), \quad S^\top (L \dot\Psi + t^v \bar\times^* S), \quad
   S^\top (Q S + N D), \quad S^\top L S, \quad S^\top N S $$

by $(q_j, q_c)$, $(q_j, v_c)$, $(v_j, q_c)$, $(v_j, v_c)$, $(a_j, q_c)$, the terms with $t \bar\times^* S_j = S_j
\times^* t$ if $j$ does not carry $i$. With $\mathrm m = \mathbb M^c S_c$ and the couple $\mathrm g = (2\mathbb
B^c)^\top S_c$, those of force $c$ by columns $j$ that carry $k$, which carries $c$, are the negative entries $(k, j)$
of

$$ S^\top (\mathrm g \bar\times^* \dot\Psi + \mathrm m \bar\times^* \ddot\Psi) + \dot\Psi^\top L \dot\Psi, \quad
   S^\top L \dot\Psi, \quad S^\top (\mathrm g \bar\times^* S + \mathrm m \bar\times^* D) + \dot\Psi^\top L S, \quad
   S^\top L S $$

by $(q_j, q_k)$, $(q_j, v_k)$, $(v_j, q_k)$, $(v_j, v_k)$ and the entries of $S^\top \mathrm m \bar\times^* S$ by
$(q_j, a_k)$: they follow from the contraction with the unit vector $i$, see
`floatbase.algorithms.derivatives.second_order`. The products are loops in machine code, once for each way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.derivatives.columns import Column
from floatbase.algorithms.derivatives.composites import (
    Composite,
    body_composite,
    gyrate,
    gyrate_back,
    outer,
    trace_minus,
)
from floatbase.algorithms.kinematics import Motion
from floatbase.compiler.control import scan
from floatbase.compiler.dense import dense_matmul
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.spatial.arrays import Array, Component, components, matrix, vector
from floatbase.spatial.rigid_inertia import RigidInertia, inertia_rows, tensor_of
from floatbase.spatial.screws import Screw, momentum_of, sum_screws, wrench_product
from floatbase.spatial.vectors import (
    ZERO,
    Matrix,
    Vector,
    add,
    cross,
    full,
    scale,
    subtract,
    sum_matrix,
    transpose,
)

KINDS = ("qq", "vq", "qv", "vv", "aq", "own_qq", "own_vq", "own_qv", "own_vv", "own_qa")
"""Tables of a slice: of forces that carry the column, by another and it; then of its own, by two others."""

ROW = 52  # numbers that say all of a column and of what it carries


class Way(NamedTuple):
    """The columns on a way from the base, as matrices; each in the forms in which it is multiplied."""

    rates: Array  # (12, n): rates on top of second rates
    units: Array  # (12, n): units on top of doubles
    units_across: Array  # (n, 6)
    both_across: Array  # (n, 12): units beside rates


def way_of(columns: Sequence[Column], *like: Array) -> Way:
    """Columns in one frame, in order from the base."""
    rates = [[*_six(column.rate), *_six(column.second)] for column in columns]
    units = [[*_six(column.unit), *_six(column.double)] for column in columns]
    both = [[*unit[:6], *rate[:6]] for unit, rate in zip(units, rates, strict=True)]
    downwards = (list(zip(*rates, strict=True)), list(zip(*units, strict=True)), [unit[:6] for unit in units], both)
    return Way(*(matrix(rows, *like) for rows in downwards))


def column_row(column: Column, carried: Composite, *like: Array) -> Array:
    """A column and what it carries, in the same frame, as one array (..., 52)."""
    mass, moment, second = carried.inertia
    body = [mass, *moment, *second, *carried.momentum, *(x for row in carried.gyration for x in row)]
    screws = (carried.wrench, column.unit, column.rate, column.second, column.double)
    return vector([*body, *(x for screw in screws for x in _six(screw))], *like)


def slices(way: Way, rows: Sequence[Array], before: Array) -> Array:
    """The tables (..., len(rows), len(KINDS), n, n) of columns, given by `column_row`, on a way.

    before: (n, n), one where the second column does not carry the first one, else zero.
    """
    if not is_symbolic(*rows):
        return np.stack([_tables(_matrices(row), way, before) for row in rows], axis=-4)
    ends = np.cumsum([0, *(part.size for part in way)])

    def body(_: Any, carry: Array, row: Array, shared: Array) -> tuple[Array, Array]:
        parts = [shared[i:j].reshape(part.shape) for i, j, part in zip(ends, ends[1:], way, strict=False)]
        return carry, _tables(_matrices(row), Way(*parts), before)

    shared = np.concatenate([part.ravel() for part in way])
    tables = scan(body, np.zeros(1), np.stack(rows), shared=shared)[1]
    tables[:, ~_pattern(way, before)] = 0.0
    return tables


def _pattern(way: Way, before: Array) -> Array:
    """Which entries of tables are not zero for every state."""
    patterns = [np.array([[float(type(x) is not float or x != 0.0) for x in row] for row in part]) for part in way]
    full, hat, none = np.ones((3, 3)), 1.0 - np.eye(3), np.zeros((3, 3))
    bar, inertia = np.block([[none, hat], [hat, hat]]), np.block([[none, hat], [hat, full]])
    turning = np.block([[hat], [full]])
    gyration, couple = np.hstack([np.zeros((6, 3)), turning]), np.block([[none, none], [none, hat]])
    every = Matrices(np.block([[gyration, inertia], [couple, bar]]), turning, turning, bar, bar, bar, inertia)
    return _tables(every, Way(*patterns), before) != 0.0


def _tables(here: Matrices, way: Way, before: Array) -> Array:
    """The tables (..., len(KINDS), n, n) of one column."""
    across = way.units_across
    forces, quadratic, own, own_quadratic = [], [], [], []
    for columns in (way.rates, way.units):
        both = dense_matmul(here.pairs, columns)
        turned = dense_matmul(here.turning, columns[..., 3:6, :])
        turned_back = dense_matmul(here.turning_back, columns[..., 3:6, :])
        forces.append(dense_matmul(across, both[..., :6, :]))
        quadratic.append(dense_matmul(across, turned))
        own.append(dense_matmul(way.both_across, np.concatenate([both[..., 6:, :], turned_back], axis=-2)))
        own_quadratic.append(dense_matmul(across, turned_back))
    units = way.units[..., :6, :]
    bar, bar_velocity, bar_mass, inertia = (
        dense_matmul(across, dense_matmul(part, units))
        for part in (here.bar, here.bar_velocity, here.bar_mass, here.inertia)
    )
    forces[0], quadratic[0] = forces[0] + before * bar, quadratic[0] + before * bar_velocity
    return np.stack([*forces, *quadratic, inertia, *own, *own_quadratic, bar_mass], axis=-3)


class Matrices(NamedTuple):
    """What the columns of a way are multiplied by, for one column beyond or among them."""

    pairs: Array  # (12, 12): Q beside N, on top of minus those that g and m make
    turning: Array  # (6, 3): L, for angular parts alone
    turning_back: Array  # its negative
    bar: Array  # of t^q
    bar_velocity: Array  # of t^v
    bar_mass: Array  # of m
    inertia: Array  # N


def _matrices(row: Array) -> Matrices:
    """From `column_row`."""
    mass, *x = components(row)
    inertia = RigidInertia(mass, _three(x, 0), (x[3], x[4], x[5], x[6], x[7], x[8]))
    momentum, gyration = _three(x, 9), (_three(x, 12), _three(x, 15), _three(x, 18))
    wrench, unit, rate, second, double = ((_three(x, k), _three(x, k + 3)) for k in range(21, ROW - 1, 6))
    carried = Composite(inertia, momentum, gyration, wrench)
    impulse, couple = momentum_of(inertia, unit), gyrate_back(carried, unit)
    force = sum_screws(gyrate(carried, rate), momentum_of(inertia, second))
    force = sum_screws(force, wrench_product(unit, wrench))
    by_velocity = sum_screws(gyrate(carried, unit), momentum_of(inertia, double))
    change, own = _change(carried, unit, rate), body_composite(inertia, Motion(*unit, ZERO, ZERO))
    turned = [[0.0] * 3 + list(part) for part in _gyration(change)]
    moved = inertia_rows(0.0, change.inertia.moment, tensor_of(change.inertia.second))
    upper = [[*a, *b] for a, b in zip(turned, moved, strict=True)]
    minus = _bar((ZERO, subtract(ZERO, couple))), _bar((subtract(ZERO, impulse[0]), subtract(ZERO, impulse[1])))
    back = [[*a, *b] for a, b in zip(*minus, strict=True)]
    turning = _gyration(own)
    turning_back = [[-x for x in line] for line in turning]
    found = (upper + back, turning, turning_back, _bar(force), _bar(by_velocity), _bar(impulse), moved)
    return Matrices(*(matrix(rows, row) for rows in found))


def _change(carried: Composite, unit: Screw, rate: Screw) -> Composite:
    """The derivative of the inertia and of the gyration along a column, whose rate changes velocities."""
    (s, z), (mass, h, second) = unit, carried.inertia
    x, y, w = full(second)
    a, b, c = sum_matrix(transpose((cross(z, x), cross(z, y), cross(z, w))), outer(s, h))
    spread = (2.0 * a[0], a[1] + b[0], a[2] + c[0], 2.0 * b[1], b[2] + c[1], 2.0 * c[2])
    inertia = RigidInertia(0.0, add(cross(z, h), scale(mass, s)), spread)
    moving = body_composite(carried.inertia, Motion(*rate, ZERO, ZERO))
    G = carried.gyration
    x, y, w = transpose(G)
    left = transpose((cross(z, x), cross(z, y), cross(z, w)))
    right: Matrix = (cross(z, G[0]), cross(z, G[1]), cross(z, G[2]))  # minus the rows of G z^
    gyration = sum_matrix(sum_matrix(left, right), trace_minus(outer(carried.momentum, s)))
    momentum = add(cross(z, carried.momentum), moving.momentum)
    return Composite(inertia, momentum, sum_matrix(gyration, moving.gyration), (ZERO, ZERO))


def _gyration(part: Composite) -> list[list[Component]]:
    """The columns of 2B by which angular parts are multiplied; those of linear parts are zero."""
    return [*_minus_hat(part.momentum), *(list(row) for row in part.gyration)]


def _bar(wrench: Screw) -> list[list[Component]]:
    r"""The matrix $f \bar\times^*$, which times a twist is the product $\times^*$ of the twist with the wrench."""
    force, moment = (_minus_hat(part) for part in wrench)
    return [[0.0, 0.0, 0.0, *row] for row in force] + [[*a, *b] for a, b in zip(force, moment, strict=True)]


def _minus_hat(w: Vector) -> list[list[Component]]:
    x, y, z = w
    return [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]


def _six(screw: Screw) -> list[Component]:
    return [*screw[0], *screw[1]]


def _three(x: Sequence[Component], k: int) -> Vector:
    return (x[k], x[k + 1], x[k + 2])
