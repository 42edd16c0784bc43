r"""What external wrenches that do not move with their links add to the tensors of second derivatives.

The force along column $l$ of a wrench on its way is $-S_l^\top \mathrm f$, and its second derivatives are those of the
twist $S_l$ (see `floatbase.algorithms.derivatives.second_order_wrenches` with $w$ a unit vector). About a point of the
world, what comes before $l$ on the way turns it, the rest does not: for columns of which $a$ carries $b$, which carries
$l$,

$$ \partial_b \partial_a S_l = S_a \times (S_b \times S_l) . $$

The velocity $\dot o_l$ of the origin of a frame changes with all of them: with $a$, $b$, $c$ the three columns in the
order of the way,

$$ \partial_k \partial_i \dot o_l = z_a \times (z_b \times \dot o_c) . $$
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from floatbase.algorithms.derivatives.columns import Column
from floatbase.algorithms.derivatives.external import acting_wrenches
from floatbase.algorithms.derivatives.second_order_columns import acts_first
from floatbase.algorithms.derivatives.second_order_terms import QQ, Term, carries
from floatbase.algorithms.derivatives.situation import Situation
from floatbase.algorithms.kinematics import Pose
from floatbase.spatial.arrays import Component
from floatbase.spatial.screws import NOTHING, Screw, power, twist_product
from floatbase.spatial.vectors import ZERO, Vector, add, cross


def wrench_terms(s: Situation, columns: Sequence[Column], poses: Sequence[Pose]) -> Iterator[Term]:
    """The terms of all wrenches, in an order that depends on the tree and on the frames they act at alone.

    columns, and poses of all elements: in the frame of the base twist.
    """
    if s.fixed == "link":
        return
    for element, _, wrench, origin in acting_wrenches(s.mechanism, poses, s.external, s.fixed):
        path = {0, *s.mechanism.path_to(element)}
        point = origin if s.fixed == "directions" else ZERO
        way = [_step(column, point) for column in columns if column.carrier in path]
        for i, first in enumerate(way):
            for second in way[i:]:
                for force in way:
                    yield from _terms(force, first, second, wrench, s.fixed == "directions")


class Step(NamedTuple):
    """A column on the way to a wrench, and its twist about a point."""

    column: Column
    twist: Screw

    def moves(self, other: Step) -> bool:
        """Whether it is before another one, which does not carry it."""
        return other is not self and not carries(other.column, self.column)


def _step(column: Column, point: Vector) -> Step:
    linear, angular = column.unit
    return Step(column, (add(linear, cross(angular, point)), angular))


def _terms(force: Step, first: Step, second: Step, wrench: Screw, directions: bool) -> Iterator[Term]:
    """Of one force by two columns, in both orders."""
    change = _about_moving_point if directions else _about_fixed_point

    def entry(outer: Step, inner: Step) -> Component:
        return 0.0 - power(change(force, outer, inner), wrench)

    i, j, k = (step.column.velocity for step in (force, first, second))
    there, back = acts_first(first.column, second.column), acts_first(second.column, first.column)
    value = entry(first, second) if there else entry(second, first)
    if first is second:
        yield Term(value, ((QQ, i, j, k),))
    elif there != back:
        yield Term(value, ((QQ, i, j, k), (QQ, i, k, j)))
    else:
        yield Term(value, ((QQ, i, j, k),))
        yield Term(entry(second, first) if back else entry(first, second), ((QQ, i, k, j),))


def _about_fixed_point(force: Step, outer: Step, inner: Step) -> Screw:
    if inner is force or force.moves(inner):
        return NOTHING
    return twist_product(outer.twist, twist_product(inner.twist, force.twist))


def _about_moving_point(force: Step, outer: Step, inner: Step) -> Screw:
    if force.moves(outer):
        return _turned_twice(force, outer, inner), ZERO
    if force.moves(inner):
        return _turned_twice(outer, force, inner), ZERO
    return _turned_twice(outer, inner, force), cross(outer.twist[1], cross(inner.twist[1], force.twist[1]))


def _turned_twice(a: Step, b: Step, c: Step) -> Vector:
    return cross(a.twist[1], cross(b.twist[1], c.twist[0]))
