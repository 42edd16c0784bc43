r"""Systems with many right sides that have the structure of the tree, by small dense matrices.

With $A = L^\top D L$ and $N = L^{-1}$ of `floatbase.algorithms.factorization`, $A^{-1} B = N D^{-1} (N^\top B)$. The
unknowns fall into *segments*, stretches without a branching: the base, a torso, a leg, an arm. Rows and columns of one
segment have the same structure in $N$, and in $B$, whose entry $ij$ may differ from zero if $i$ is on the way from the
base to $j$ or the other way round. So both products are made of dense matrices, one for each pair of a segment and
one that it carries: about a third of the operations of dense matrices of full size, in code that does not grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from floatbase.algorithms.factorization import Factors, elimination_order, inverse_of_triangle
from floatbase.compiler.dense import dense_matmul
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix, zeros

UNROLLED = 100  # products of matrices with fewer multiplications are written out


@dataclass(frozen=True, eq=False)
class Segment:
    """Places in the order of elimination, the segments on the way from the base, and those carried; itself in both."""

    own: list[int]
    path: list[int]
    carried: list[int]


def segments_of(tree: Tree) -> list[Segment]:
    """The segments, each after those on its way; places are those of `elimination_order`."""
    parents = _parents(tree)
    found: list[Segment] = []
    member: list[int] = []
    for place, parent in enumerate(parents):
        if parent >= 0 and parents.count(parent) == 1:
            member.append(member[parent])
            found[member[place]].own.append(place)
            continue
        number = len(found)
        path = [*found[member[parent]].path, number] if parent >= 0 else [number]
        member.append(number)
        found.append(Segment([place], path, []))
        for other in path:
            found[other].carried.append(number)
    return found


def _parents(tree: Tree) -> list[int]:
    """For every place in the order of elimination the last one before it that it is coupled with; -1 for none.

    Velocities on one way from the base to a body are coupled, and those that eliminating a later one couples.
    """
    place = {velocity: k for k, velocity in enumerate(elimination_order(tree))}
    head = 6 if tree.floating else 0
    coupled: list[set[int]] = [set() for _ in place]
    ways: list[set[int]] = []
    for body in tree.bodies:
        way = set(range(head)) if body.parent < 0 else set(ways[body.parent])
        if body.joint is not None:
            way |= {place[head + body.joint.index + k] for k in range(body.joint.nv)}
        ways.append(way)
        for k in way:
            coupled[k] |= way
    parents = [-1] * len(place)
    for k in range(len(place) - 1, -1, -1):
        before = {i for i in coupled[k] if i < k}
        for i in before:
            coupled[i] |= before
        parents[k] = max(before, default=-1)
    return parents


def solve_columns(tree: Tree, factors: Factors, B: Array, sign: float = 1.0) -> Array:
    """`sign * A^-1 B` (..., n, k n) for matrices with the structure of the tree, side by side: `B: (..., n, k n)`."""
    size = len(factors.order)
    segments = segments_of(tree)
    order = np.array(factors.order)
    half = inverse_of_triangle(factors)
    inverses = factors.inverses if sign == 1.0 else [sign * inverse for inverse in factors.inverses]

    def places(numbers: Sequence[int]) -> list[int]:
        return [place for number in numbers for place in segments[number].own]

    def columns(numbers: Sequence[int]) -> Array:
        own = order[places(numbers)]
        return np.concatenate([own + start for start in range(0, B.shape[-1], size)])

    def entry(i: int, k: int) -> Component:
        return 1.0 if i == k else half[i].get(k, 0.0)

    inner = zeros((size, B.shape[-1]), B[..., 0])  # N^T B, rows in the order of elimination
    for number, segment in enumerate(segments):
        for group, rows in _inner_groups(segments, number):
            here, across = places(rows), columns(group)
            left = matrix([[entry(i, k) for i in here] for k in segment.own], B[..., 0])
            inner[..., np.array(segment.own)[:, None], across] = _product(left, B[..., order[here][:, None], across])
    result = zeros((size, B.shape[-1]), B[..., 0])
    for segment in segments:
        for depth, number in enumerate(segment.path):
            deeper = segment.path[depth + 1 : depth + 2]
            group = _columns_of(segments, number, *deeper)
            if not group:
                continue
            shared, across = places(segment.path[: depth + 1]), columns(group)
            left = matrix([[entry(i, k) * inverses[k] for k in shared] for i in segment.own], B[..., 0])
            result[..., order[segment.own][:, None], across] = _product(
                left, inner[..., np.array(shared)[:, None], across]
            )
    return result


def _inner_groups(segments: Sequence[Segment], number: int) -> list[tuple[list[int], list[int]]]:
    """Segments of columns, and those of the rows that give them something, for the rows of N^T B of a segment."""
    segment = segments[number]
    groups = [(segment.path, segment.carried)]
    for other in segment.carried[1:]:
        way = segments[other].path
        between = way[way.index(number) : -1]
        groups.append(([other], [*between, *segments[other].carried]))
    return groups


def _columns_of(segments: Sequence[Segment], number: int, deeper: int | None = None) -> list[int]:
    """The segments whose columns a segment's rows have entries in, without those of one that it carries."""
    found = {*segments[number].path, *segments[number].carried}
    if deeper is not None:
        found -= {*segments[deeper].path, *segments[deeper].carried}
    return sorted(found)


def _product(A: Array, B: Array) -> Array:
    if A.shape[-2] * A.shape[-1] * B.shape[-1] <= UNROLLED:
        return A @ B
    return dense_matmul(A, B)
