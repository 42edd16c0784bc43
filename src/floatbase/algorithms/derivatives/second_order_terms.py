r"""The entries of the tensors of second derivatives, each computed once, with the places where it stands.

A derivative of force $i$ by columns $j$, $k$ is not zero only if all three are on one way from the base. With the one
of them that is carried by the other two, entries come from its slice (see
`floatbase.algorithms.derivatives.second_order_slices`). Where two or three belong to one joint of several velocities,
or to the base, they come from the contraction with unit vectors.

Indices are in the order force, configuration, then whatever else: $\partial^2\tau_i / \partial q_j \partial v_k$ is at
$(i, j, k)$.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from floatbase.algorithms.derivatives.columns import Column
from floatbase.algorithms.derivatives.composites import Composite
from floatbase.algorithms.derivatives.second_order import empty_table, fill_pairs, fill_same_carrier, products
from floatbase.algorithms.derivatives.second_order_columns import moved
from floatbase.algorithms.derivatives.second_order_composites import virtual_composite
from floatbase.algorithms.derivatives.second_order_slices import KINDS, column_row, slices, way_of
from floatbase.spatial.arrays import Array, Component
from floatbase.spatial.screws import NOTHING, twist_product

QQ, QV, VV, QA = range(4)  # the tensors
Place = tuple[int, int, int, int]  # tensor, force, first and second velocity


class Term(NamedTuple):
    """A number, and where it is to be added."""

    value: Component
    places: tuple[Place, ...]


def carries(a: Column, b: Column) -> bool:
    """Whether a column turns another one on the same way from the base."""
    return a.carrier < b.carrier or (a.carrier == b.carrier and b.number in a.carries)


def terms(ways: Sequence[Sequence[Column]], carried: Sequence[Composite], nv: int, *like: Array) -> Iterator[Term]:
    """All terms, in an order that depends on the tree alone.

    ways: the columns from the base to each of the last joints, in one frame; carried: by elements, in the same frame.
    """
    done: set[int] = set()
    for way in ways:
        by_carrier: dict[int, list[Column]] = {}
        for column in way:
            by_carrier.setdefault(column.carrier, []).append(column)
        new = {carrier: own for carrier, own in by_carrier.items() if carrier not in done}
        done.update(new)
        yield from _slice_terms(way, new, carried, *like)
        for carrier, own in new.items():
            if len(own) > 1:
                above = [column for column in way if column.carrier < carrier]
                yield from _joint_terms(above, own, carried[carrier], nv)


def _slice_terms(
    way: Sequence[Column], new: Mapping[int, Sequence[Column]], carried: Sequence[Composite], *like: Array
) -> Iterator[Term]:
    owners = [column for own in new.values() for column in own if len(own) == 1 or way[0].carrier < column.carrier]
    if not owners:
        return
    rows = [column_row(column, carried[column.carrier], *like) for column in owners]
    before = np.array([[float(j is not i and not carries(j, i)) for j in way] for i in way])
    tables = slices(way_of(way, *like), rows, before)
    for row, column in enumerate(owners):
        above = sum(1 for other in way if other.carrier < column.carrier)
        single = len(new[column.carrier]) == 1
        piece = Slice(tables[..., row, :, :, :], column)
        yield from piece.by_its_own(list(enumerate(way[: above + single])))
        yield from piece.of_its_own(list(enumerate(way[:above])))


class Slice(NamedTuple):
    """The tables of one column."""

    tables: Array
    column: Column

    def entry(self, kind: str, place: tuple[int, int]) -> Component:
        """An entry of one of the tables."""
        return self.tables[..., KINDS.index(kind), place[0], place[1]][()]

    def by_its_own(self, along: Sequence[tuple[int, Column]]) -> Iterator[Term]:
        """Derivatives of forces by this column and another one. One joint alone has no centrifugal forces."""
        c = self.column.velocity
        pairs = [((x, y), (i, j)) for (x, i), (y, j) in product(along, repeat=2)]
        for kind, tensor in (("qq", QQ), ("vv", VV)):
            for place, (force, other) in pairs:
                i, j = force.velocity, other.velocity
                if other is not self.column:
                    yield Term(self.entry(kind, place), ((tensor, i, j, c), (tensor, i, c, j)))
                elif tensor == QQ or force is not other:
                    yield Term(self.entry(kind, place), ((tensor, i, c, c),))
        for place, (force, other) in pairs:
            yield Term(self.entry("vq", place), ((QV, force.velocity, c, other.velocity),))
        for place, (force, other) in pairs:
            if other is not self.column:
                yield Term(self.entry("qv", place), ((QV, force.velocity, other.velocity, c),))
        for (x, y), (force, other) in pairs:
            i, j = force.velocity, other.velocity
            if x > y:
                yield Term(self.entry("aq", (x, y)), ((QA, i, c, j), (QA, j, c, i)))
            elif x == y and other is not self.column:
                yield Term(self.entry("aq", (x, y)), ((QA, i, c, i),))

    def of_its_own(self, above: Sequence[tuple[int, Column]]) -> Iterator[Term]:
        """Derivatives of the force along this column by two others."""
        c = self.column.velocity
        pairs = [((y, x), (j, k)) for (y, k), (x, j) in product(above, repeat=2)]
        for kind, tensor in (("own_qq", QQ), ("own_vv", VV)):
            for place, (first, second) in pairs:
                j, k = first.velocity, second.velocity
                if first.carrier < second.carrier:
                    yield Term(self.entry(kind, place), ((tensor, c, j, k), (tensor, c, k, j)))
                elif first.carrier == second.carrier:
                    yield Term(self._together(kind, place, first, second), ((tensor, c, j, k),))
        for place, (first, second) in pairs:
            if carries(first, second):
                yield Term(self.entry("own_qv", place), ((QV, c, first.velocity, second.velocity),))
            else:
                yield Term(self.entry("own_vq", place[::-1]), ((QV, c, first.velocity, second.velocity),))
        for place, (first, second) in pairs:
            j, k = first.velocity, second.velocity
            if first is not second and not carries(first, second):
                yield Term(self.entry("own_qa", place), ((QA, c, j, k), (QA, k, j, c)))

    def _together(self, kind: str, place: tuple[int, int], first: Column, second: Column) -> Component:
        """By two columns of one joint: that which turns the other one comes first, as if it was nearer to the base."""
        turned = self.entry(kind, place[::-1])
        if kind == "own_vv" and carries(first, second) == carries(second, first):
            return 0.5 * (self.entry(kind, place) + turned)
        return turned if carries(second, first) else self.entry(kind, place)


def _joint_terms(above: Sequence[Column], own: Sequence[Column], carried: Composite, nv: int) -> Iterator[Term]:
    """Where two or three columns are those of one joint."""
    inner, outer = [column.velocity for column in own], sorted({column.velocity for column in above})
    for force in [*above, *own]:
        virtual = virtual_composite(carried, force.unit)
        here = []
        for column in own:
            moves = column is not force and not carries(column, force)
            moving = moved(column, twist_product(force.unit, column.unit) if moves else NOTHING)
            here.append((moving, products(moving, carried, virtual)))
        table = empty_table(nv)
        fill_same_carrier(table, here, carried, virtual)
        pairs = list(product(inner, repeat=2))
        if force.carrier == own[0].carrier:
            fill_pairs(table, here, [moved(column, NOTHING) for column in above])
            pairs += [*product(inner, outer), *product(outer, inner)]
        for j, k in pairs:
            for tensor, rows in zip((QQ, QV, VV, QA), table, strict=True):
                yield Term(rows[j][k], ((tensor, force.velocity, j, k),))
