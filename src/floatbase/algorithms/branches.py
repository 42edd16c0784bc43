r"""Systems with many right sides that have the structure of the tree.

With $A = L^\top D L$ of `floatbase.algorithms.factorization`, whose rows have entries in the columns of those
velocities alone that are on the way to the base, $A^{-1} B$ takes $4 \sum depth$ operations for each column of $B$.
They are one block of a program, `floatbase.compiler.tree_solve`, whose code does not grow with the columns.
"""

from __future__ import annotations

import numpy as np

from floatbase.algorithms.factorization import Factors, elimination_order
from floatbase.compiler.dense import tree_solve
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, vector


def solve_columns(tree: Tree, factors: Factors, B: Array, sign: float = 1.0) -> Array:
    """`sign * A^-1 B` for the factors of a matrix with the structure of the tree, `B: (..., n, m)`."""
    parents = elimination_parents(tree)
    ways: list[list[int]] = []
    for parent in parents:
        ways.append([*ways[parent], parent] if parent >= 0 else [])
    entries = [dict(row) for row in factors.rows]
    rows = [[row.get(j, 0.0) for j in way] for row, way in zip(entries, ways, strict=True)]
    inverses = factors.inverses if sign == 1.0 else [sign * inverse for inverse in factors.inverses]
    order = np.array(factors.order)
    solution = tree_solve(vector(inverses, B[..., 0]), rows, parents, B[..., order, :])
    return solution[..., np.argsort(order), :]


def elimination_parents(tree: Tree) -> list[int]:
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
