r"""Derivatives of dense linear algebra, with all directions as columns of one right-hand side.

Products and solves, with \(\bar X\) the adjoint of \(X\):

\[ \mathrm{d}(AB) = \mathrm{d}A\,B + A\,\mathrm{d}B, \qquad \bar A = \bar C B^T, \quad \bar B = A^T \bar C, \]
\[ A X = B: \quad \mathrm{d}X = A^{-1}(\mathrm{d}B - \mathrm{d}A\,X), \qquad
   \bar B = A^{-T} \bar X, \quad \bar A = -\bar B X^T. \]

Cholesky factor (Murray, "Differentiation of the Cholesky decomposition", 2016), with \(\Phi\) the lower part with half
the diagonal:

\[ \mathrm{d}L = L\,\Phi(L^{-1}\,\mathrm{d}A\,L^{-T}), \qquad S = L^{-T}\,\Phi(L^T \bar L)\,L^{-1}. \]

Where only the lower part of a symmetric matrix is read, the derivative with respect to an entry below the diagonal is
that of both entries together, and the derivative with respect to one above it is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from floatbase.compiler.differentiate_matrices import (
    BlockUse,
    Sparse,
    as_tangents,
    by_direction,
    product,
    put,
    solve,
    sparse,
    stacked,
    transposed,
    unstacked,
)
from floatbase.compiler.differentiate_scalars import Tangent, Value


def matmul_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """`dA B + A dB`."""
    n, k, m = use.settings("n", "k", "m")
    A, B = sparse(use.arguments[: n * k], k), sparse(use.arguments[n * k :], m)
    dA, dB = by_direction(tangents[: n * k], k), by_direction(tangents[n * k :], m)
    left = unstacked(product(use.graph, stacked(dA.values(), n, 0), B), list(dA), n, 0)
    right = unstacked(product(use.graph, A, stacked(dB.values(), 0, m)), list(dB), 0, m)
    return as_tangents(_sum(left, right), n, m)


def matmul_reverse(use: BlockUse, adjoints: Sequence[Tangent], active: Sequence[bool]) -> list[Tangent]:
    """Adjoints of `A` and `B`."""
    n, k, m = use.settings("n", "k", "m")
    A, B = sparse(use.arguments[: n * k], k), sparse(use.arguments[n * k :], m)
    C = by_direction(adjoints, m)
    rows = list(C)
    result: list[Tangent] = [{} for _ in active]
    if any(active[: n * k]):
        stack = product(use.graph, stacked(C.values(), n, 0), transposed(B))
        result[: n * k] = as_tangents(unstacked(stack, rows, n, 0), n, k)
    if any(active[n * k :]):
        stack = product(use.graph, transposed(A), stacked(C.values(), 0, m))
        result[n * k :] = as_tangents(unstacked(stack, rows, 0, m), k, m)
    return result


def _effective(use: BlockUse, i: int, j: int) -> list[tuple[int, int]]:
    """The places of the matrix of a linear system that entry (i, j) of the argument fills."""
    kind = use.block.kind
    if kind == "lu_solve":
        return [(i, j)]
    if i < j:
        return []
    if kind == "cholesky_solve":
        return [(i, j), (j, i)] if i != j else [(i, i)]
    return [(j, i)] if use.block.setting("transposed") else [(i, j)]


def _spread(use: BlockUse, matrix: Sparse) -> Sparse:
    return {place: value for (i, j), value in matrix.items() for place in _effective(use, i, j)}


def solve_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """`A^-1 (dB - dA X)`."""
    n, m = use.settings("n", "m")
    X = sparse(use.outputs, m)
    dA = {d: _spread(use, matrix) for d, matrix in by_direction(tangents[: n * n], n).items()}
    dB = by_direction(tangents[n * n :], m)
    moved = unstacked(product(use.graph, stacked(dA.values(), n, 0), X), list(dA), n, 0)
    rhs = _sum(dB, {d: {place: -value for place, value in matrix.items()} for d, matrix in moved.items()})
    settings = {"transposed": use.block.setting("transposed")} if use.block.kind == "triangular_solve" else {}
    solution = solve(use, use.arguments[: n * n], stacked(rhs.values(), 0, m), **settings)
    return as_tangents(unstacked(solution, list(rhs), 0, m), n, m)


def solve_reverse(use: BlockUse, adjoints: Sequence[Tangent], active: Sequence[bool]) -> list[Tangent]:
    """Adjoints of `A` and `B`."""
    n, m = use.settings("n", "m")
    X_bar = by_direction(adjoints, m)
    rows = list(X_bar)
    matrix, settings = use.arguments[: n * n], {}
    if use.block.kind == "lu_solve":
        matrix = [matrix[j * n + i] for i in range(n) for j in range(n)]
    elif use.block.kind == "triangular_solve":
        settings = {"transposed": 1 - use.block.setting("transposed")}
    B_bar = unstacked(solve(use, matrix, stacked(X_bar.values(), 0, m), **settings), rows, 0, m)
    result: list[Tangent] = [{} for _ in active]
    result[n * n :] = as_tangents(B_bar, n, m)
    if any(active[: n * n]):
        X = sparse(use.outputs, m)
        outer = unstacked(product(use.graph, stacked(B_bar.values(), n, 0), transposed(X)), rows, n, 0)
        result[: n * n] = as_tangents({row: _gathered(use, outer[row], n) for row in rows}, n, n)
    return result


def _gathered(use: BlockUse, outer: Sparse, n: int) -> Sparse:
    """Minus the adjoint of the effective matrix, collected in the entries of the argument."""
    result: Sparse = {}
    for i in range(n):
        for j in range(n):
            for place in _effective(use, i, j):
                if place in outer:
                    put(result, (i, j), -outer[place])
    return result


def cholesky_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """`L Phi(L^-1 dA L^-T)`."""
    (n,) = use.settings("n")
    factor, L = _factor(use, n)
    symmetric = {
        d: {place: value for (i, j), value in matrix.items() if i >= j for place in ((i, j), (j, i))}
        for d, matrix in by_direction(tangents, n).items()
    }
    directions = list(symmetric)
    half = _triangular(use, factor, stacked(symmetric.values(), 0, n), n, 0)
    turned = {d: transposed(matrix) for d, matrix in unstacked(half, directions, 0, n).items()}
    inner = unstacked(_triangular(use, factor, stacked(turned.values(), 0, n), n, 0), directions, 0, n)
    lower = [_phi(inner[d]) for d in directions]
    return as_tangents(_lower(unstacked(product(use.graph, L, stacked(lower, 0, n)), directions, 0, n)), n, n)


def cholesky_reverse(use: BlockUse, adjoints: Sequence[Tangent], active: Sequence[bool]) -> list[Tangent]:
    """`S + S^T` below the diagonal, `S` on it."""
    del active
    (n,) = use.settings("n")
    factor, L = _factor(use, n)
    L_bar = _lower(by_direction(adjoints, n))
    rows = list(L_bar)
    inner = unstacked(product(use.graph, transposed(L), stacked(L_bar.values(), 0, n)), rows, 0, n)
    half = _triangular(use, factor, stacked((_phi(inner[row]) for row in rows), 0, n), n, 1)
    turned = [transposed(matrix) for matrix in unstacked(half, rows, 0, n).values()]
    S = unstacked(_triangular(use, factor, stacked(turned, 0, n), n, 1), rows, 0, n)
    result: dict[int, Sparse] = {}
    for row in rows:
        matrix = result[row] = {}
        for (i, j), value in S[row].items():
            put(matrix, (max(i, j), min(i, j)), value)
    return as_tangents(result, n, n)


def _factor(use: BlockUse, n: int) -> tuple[list[Value], Sparse]:
    """The Cholesky factor as row-major values and as a matrix; what is above the diagonal is not read."""
    values = [value if k % n <= k // n else 0.0 for k, value in enumerate(use.outputs)]
    return values, sparse(values, n)


def _triangular(use: BlockUse, factor: Sequence[Value], rhs: Sparse, n: int, transpose: int) -> Sparse:
    columns = sorted({j for _, j in rhs})
    if not columns:
        return {}
    arguments = [*factor, *(rhs.get((i, j), 0.0) for i in range(n) for j in columns)]
    values = use.graph.block("triangular_solve", arguments, n=n, m=len(columns), transposed=transpose)
    return {(i, j): values[i * len(columns) + place] for i in range(n) for place, j in enumerate(columns)}


def _phi(matrix: Sparse) -> Sparse:
    return {(i, j): value * 0.5 if i == j else value for (i, j), value in matrix.items() if i >= j}


def _lower(matrices: dict[int, Sparse]) -> dict[int, Sparse]:
    return {d: {(i, j): value for (i, j), value in matrix.items() if i >= j} for d, matrix in matrices.items()}


def _sum(first: dict[int, Sparse], second: dict[int, Sparse]) -> dict[int, Sparse]:
    result: dict[int, Sparse] = {}
    directions: Iterable[int] = dict.fromkeys([*first, *second])
    for d in directions:
        result[d] = dict(first.get(d, {}))
        for place, value in second.get(d, {}).items():
            put(result[d], place, value)
    return result
