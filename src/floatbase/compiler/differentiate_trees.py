r"""Derivatives of systems with the structure of a tree, \(A X = B\) with \(A = L^T D L\) given by \(W = D^{-1}\) and L.

With \(Y = D L X\), and \(\bar B = A^{-1} \bar X\), \(Q = D L \bar B\) for the adjoint \(\bar X\),

\[ \mathrm{d}X = A^{-1} (\mathrm{d}B - \mathrm{d}L^T\, Y + L^T D\, (\mathrm{d}W\, Y - \mathrm{d}L\, X)), \qquad
   \bar L = -(Q X^T + Y \bar B^T), \quad \bar W = \mathrm{diag}(Q Y^T) . \]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from floatbase.compiler.blocks import tree_rows
from floatbase.compiler.differentiate_matrices import (
    BlockUse,
    Sparse,
    as_tangents,
    by_direction,
    product,
    put,
    sparse,
    stacked,
    transposed,
    unstacked,
)
from floatbase.compiler.differentiate_scalars import Tangent, Value


@dataclass(frozen=True)
class _System:
    """The parts of a block: sizes, the places of L's entries, L, the diagonal of W, and the solution."""

    use: BlockUse
    n: int
    m: int
    places: list[tuple[int, int]]
    lower: Sparse
    inverses: list[Value]
    X: Sparse

    @classmethod
    def of(cls, use: BlockUse) -> _System:
        n, m = use.settings("n", "m")
        places = [(k, j) for k, way in enumerate(tree_rows(use.block)) for j in way]
        lower: Sparse = {(k, k): 1.0 for k in range(n)}
        for place, value in zip(places, use.arguments[n:], strict=False):
            put(lower, place, value)
        return cls(use, n, m, places, lower, use.arguments[:n], sparse(use.outputs, m))

    @property
    def lead(self) -> int:
        """The arguments before B."""
        return self.n + len(self.places)

    def solve(self, rhs: Sparse) -> Sparse:
        """A^-1 times columns, those that are not zero."""
        columns = sorted({j for _, j in rhs})
        if not columns:
            return {}
        settings = dict(self.use.block.settings) | {"m": len(columns)}
        arguments = self.use.arguments[: self.lead]
        arguments = [*arguments, *(rhs.get((i, j), 0.0) for i in range(self.n) for j in columns)]
        values = self.use.graph.block("tree_solve", arguments, (), **settings)
        return {(i, j): values[i * len(columns) + place] for i in range(self.n) for place, j in enumerate(columns)}

    def scaled(self, matrix: Sparse) -> Sparse:
        """D times a matrix."""
        return {(i, j): value / self.inverses[i] for (i, j), value in matrix.items()}


def tree_solve_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """All directions as columns of one right side."""
    system = _System.of(use)
    n, m, graph = system.n, system.m, use.graph
    Y = system.scaled(product(graph, system.lower, system.X))
    total: dict[int, Sparse] = {d: dict(matrix) for d, matrix in by_direction(tangents[system.lead :], m).items()}
    inner: dict[int, Sparse] = {}
    for k in range(n):
        for d, value in tangents[k].items():
            for j in range(m):
                if (k, j) in Y:
                    put(inner.setdefault(d, {}), (k, j), value * Y[k, j])
    turned: dict[int, Sparse] = {}
    for place, tangent in zip(system.places, tangents[n : system.lead], strict=True):
        for d, value in tangent.items():
            turned.setdefault(d, {})[place] = value
    directions = list(turned)
    moved = unstacked(product(graph, stacked(turned.values(), n, 0), system.X), directions, n, 0)
    back = stacked((transposed(matrix) for matrix in turned.values()), n, 0)
    for d, matrix in unstacked(product(graph, back, Y), directions, n, 0).items():
        for place, value in matrix.items():
            put(total.setdefault(d, {}), place, -value)
        for place, value in moved[d].items():
            put(inner.setdefault(d, {}), place, -value)
    directions = list(inner)
    weighted = system.scaled(stacked(inner.values(), 0, m))
    raised = unstacked(product(graph, transposed(system.lower), weighted), directions, 0, m)
    for d, matrix in raised.items():
        for place, value in matrix.items():
            put(total.setdefault(d, {}), place, value)
    solution = system.solve(stacked(total.values(), 0, m))
    return as_tangents(unstacked(solution, list(total), 0, m), n, m)


def tree_solve_reverse(use: BlockUse, adjoints: Sequence[Tangent], active: Sequence[bool]) -> list[Tangent]:
    """Adjoints of W, of the entries of L, and of B."""
    system = _System.of(use)
    n, m, graph = system.n, system.m, use.graph
    X_bar = by_direction(adjoints, m)
    rows = list(X_bar)
    B_bar = unstacked(system.solve(stacked(X_bar.values(), 0, m)), rows, 0, m)
    result: list[Tangent] = [{} for _ in active]
    result[system.lead :] = as_tangents(B_bar, n, m)
    if not any(active[: system.lead]):
        return result
    Y = system.scaled(product(graph, system.lower, system.X))
    stack = system.scaled(product(graph, system.lower, stacked(B_bar.values(), 0, m)))
    for row, Q in unstacked(stack, rows, 0, m).items():
        for k in range(n):
            _put(result[k], row, _inner(Q, k, Y, k, m))
        for number, (k, j) in enumerate(system.places, start=n):
            _put(result[number], row, -(_inner(Q, k, system.X, j, m) + _inner(Y, k, B_bar[row], j, m)))
    return result


def _inner(A: Sparse, i: int, B: Sparse, j: int, m: int) -> Value:
    total: Value = 0.0
    for column in range(m):
        if (i, column) in A and (j, column) in B:
            total = total + A[i, column] * B[j, column]
    return total


def _put(tangent: Tangent, row: int, value: Value) -> None:
    if not (isinstance(value, float) and value == 0.0):
        tangent[row] = value
