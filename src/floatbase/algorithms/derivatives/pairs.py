"""Every column of a tree on its way to the base, past the columns of all joints that carry it.

What a column takes along are wrenches and couples. They go from joint to joint in the axes of the bodies, and where
that takes fewer operations at once into the axes of the base twist (see `floatbase.algorithms.mass_matrix`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol, Self, TypeVar

from floatbase.algorithms.derivatives.columns import Column, twist_from
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.mass_matrix import poses_in_base_axes, stops_of
from floatbase.spatial.screws import Screw
from floatbase.spatial.turns import Rotation, turn
from floatbase.spatial.vectors import Vector, add, cross


class Load(Protocol):
    """The wrenches and couples that a column takes along."""

    def mapped(self, wrench: Callable[[Screw], Screw], couple: Callable[[Vector], Vector]) -> Self:
        """The same in another frame."""
        ...


L = TypeVar("L", bound=Load)
C = TypeVar("C", bound=Column)


def visit_pairs(
    m: Mechanism,
    columns: Sequence[C],
    base: Sequence[C],
    load: Callable[[int, Sequence[C]], Sequence[tuple[C, L]]],
    meet: Callable[[Sequence[tuple[C, L]], Sequence[C]], None],
) -> None:
    """Call `meet` with the loaded columns of every carrier and the columns of every joint on the way, in one frame.

    load: the columns of a carrier with what they take along, in its frame. base: columns in the frame of its twist.
    """
    by_carrier: dict[int, list[C]] = {}
    for column in columns:
        by_carrier.setdefault(column.carrier, []).append(column)
    ends = stops_of(m)
    poses = poses_in_base_axes(m, ends)
    outer: dict[int, list[C]] = {0: list(base)}  # columns in the frame in which the base twist is written
    for i in poses:
        if i > 0 and i in by_carrier:
            outer[i] = [column.mapped(partial(twist_from, poses[i])) for column in by_carrier[i]]
    for carrier, own in by_carrier.items():
        here = load(carrier, own)
        i = carrier
        while i not in ends and m.parent(i) > 0:
            here = _loaded(here, m.joints[i].rotation, m.joints[i].position)
            i = m.parent(i)
            meet(here, by_carrier.get(i, ()))
        if not m.tree.floating:
            continue
        if i not in ends:
            here = _loaded(here, m.joints[i].rotation, m.joints[i].position)
            i = 0
        if i > 0 or m.tree.representation != "body":
            here = _loaded(here, (poses[i].rotation,), poses[i].position)
        for j in [*m.path_to(i)[-2::-1], 0]:
            meet(here, outer.get(j, ()))


def _loaded(here: Sequence[tuple[C, L]], rotation: Rotation, position: Vector) -> list[tuple[C, L]]:
    """The same columns with their loads in an outer frame, in which their own has a rotation and a position."""

    def wrench(w: Screw) -> Screw:
        force = turn(rotation, w[0])
        return force, add(turn(rotation, w[1]), cross(position, force))

    return [(column, load.mapped(wrench, partial(turn, rotation))) for column, load in here]
