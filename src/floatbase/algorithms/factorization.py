r"""Symmetric positive definite systems, sparing the entries that are structurally zero.

$A = L^\top D L$ with $L$ unit lower triangular, eliminating from the last unknown to the first. In the order base, ...,
leaves, a mass matrix fills in no entry that is zero in it: R. Featherstone, "Efficient factorization of the joint-space
inertia matrix for branched kinematic trees", Int. J. Robotics Research 24(6), 2005.

Then $A^{-1} = N D^{-1} N^\top$ with $N = L^{-1}$, which has the zeros of $L$: row $i$ of $N$ concerns the unknowns on
the way from the base to $i$ only, and entry $ij$ of the inverse is a sum over those common to $i$ and $j$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.dense import dense_matmul
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix, transpose

Entries = list[tuple[int, Component]]  # (column, entry) of those that are not structurally zero


@dataclass(frozen=True, eq=False)
class Factors:
    """1 / D and the rows of L without its diagonal, in the order of elimination reversed."""

    inverses: list[Component]
    rows: list[Entries]
    order: list[int]


def elimination_order(tree: Tree) -> list[int]:
    """The velocities in the order base, ..., leaves."""
    head = range(6 if tree.floating else 0)
    columns = [len(head) + body.joint.index + k for body in tree.bodies if body.joint for k in range(body.joint.nv)]
    return list(dict.fromkeys([*head, *columns]))


def factorize(A: Sequence[Sequence[Component]], order: Sequence[int]) -> Factors:
    """The factors of A; entries that are the Python float 0.0 are structural zeros; `order`: last goes first."""
    order = list(order)
    rows = [[A[i][j] for j in order[: k + 1]] for k, i in enumerate(order)]
    inverses: list[Component] = [0.0] * len(order)
    factors: list[Entries] = [[] for _ in order]
    for k in range(len(order) - 1, -1, -1):
        inverses[k] = 1.0 / rows[k][k]
        path = [i for i in range(k) if not _is_zero(rows[k][i])]
        scaled = [inverses[k] * rows[k][i] for i in path]
        for number, i in enumerate(path):
            for j, factor in zip(path[: number + 1], scaled, strict=False):
                rows[i][j] = rows[i][j] - rows[k][i] * factor
        factors[k] = list(zip(path, scaled, strict=True))
    return Factors(inverses, factors, order)


def solve(factors: Factors, b: Sequence[Component]) -> list[Component]:
    """`x` with `A x = b`."""
    x = solve_half(factors, b)
    for k, row in enumerate(factors.rows):
        x[k] = factors.inverses[k] * x[k]
        for j, factor in row:
            x[k] = x[k] - factor * x[j]
    result: list[Component] = [0.0] * len(x)
    for k, i in enumerate(factors.order):
        result[i] = x[k]
    return result


def solve_half(factors: Factors, b: Sequence[Component]) -> list[Component]:
    """`y` with `L^T y = b`, in the order of the factors, so that `b^T A^-1 b = y^T D^-1 y`."""
    x = [b[i] for i in factors.order]
    for k in range(len(x) - 1, -1, -1):
        if not _is_zero(x[k]):
            for j, factor in factors.rows[k]:
                x[j] = x[j] - factor * x[k]
    return x


def solve_symmetric(A: Sequence[Sequence[Component]], b: Sequence[Component], order: Sequence[int]) -> list[Component]:
    """`x` with `A x = b`; `order`: see `factorize`."""
    return solve(factorize(A, order), b)


def inverse_rows(factors: Factors, shared: int = 0, like: Sequence[Array] = ()) -> list[list[Component]]:
    """The inverse of A.

    The first `shared` unknowns concern all others: their part is one product of dense matrices, whose machine code is
    a loop, much shorter than so many operations one by one. `like`: see `floatbase.spatial.arrays.matrix`.
    """
    half = inverse_of_triangle(factors)
    size = len(factors.order)
    common_part = _shared_part(factors, half, shared, like) if shared else None
    result: list[list[Component]] = [[0.0] * size for _ in range(size)]
    for j in range(size):
        weighted = {k: factors.inverses[k] * entry for k, entry in half[j].items() if k >= shared}
        if j >= shared:
            weighted[j] = factors.inverses[j]
        for i in range(j, size):
            total: Any = 0.0 if common_part is None else common_part[..., i, j][()]
            for k in weighted:
                if k == i:
                    total = total + weighted[k]
                elif k in half[i]:
                    total = total + half[i][k] * weighted[k]
            result[factors.order[i]][factors.order[j]] = result[factors.order[j]][factors.order[i]] = total
    return result


def _shared_part(factors: Factors, half: list[dict[int, Component]], shared: int, like: Sequence[Array]) -> Array:
    """The part of N D^-1 N^T that the first unknowns give."""
    rows = [[1.0 if k == i else half[i].get(k, 0.0) for k in range(shared)] for i in range(len(half))]
    weighted = [[entry * inverse for entry, inverse in zip(row, factors.inverses, strict=False)] for row in rows]
    return dense_matmul(matrix(weighted, *like), transpose(matrix(rows, *like)))


def inverse_of_triangle(factors: Factors) -> list[dict[int, Component]]:
    """The rows of N without its diagonal of ones."""
    half: list[dict[int, Component]] = []
    for row in factors.rows:
        entries: dict[int, Component] = {}
        for j, factor in row:
            entries[j] = entries.get(j, 0.0) - factor
            for k, other in half[j].items():
                entries[k] = entries.get(k, 0.0) - factor * other
        half.append(entries)
    return half


def _is_zero(entry: Component) -> bool:
    return type(entry) is float and entry == 0.0
