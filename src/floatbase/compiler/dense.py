r"""Linear algebra on small dense matrices: numbers, or symbols that become dense blocks of a program.

A dense block is a loop in machine code over a matrix in memory: its code does not grow with the matrix. Up to
`INLINE` rows, systems are unrolled instead, where structural zeros pay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.compiler.graph import Graph
from floatbase.compiler.scalar import Scalar
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols, is_symbolic
from floatbase.errors import ShapeError

INLINE = 6


def _square(name: str, A: Any) -> int:
    shape = np.shape(A)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise ShapeError(f"{name}: A must be square, got shape {shape}")
    return int(shape[-1])


def _graph(*arrays: Any) -> Graph | None:
    for array in arrays:
        for item in np.asarray(array, dtype=object).flat:
            if isinstance(item, Scalar):
                return item.graph
    return None


def _as_columns(n: int, name: str, B: Any) -> tuple[SymbolArray, bool]:
    array = as_symbols(B)
    if array.shape[0] != n or array.ndim > 2:
        raise ShapeError(f"{name}: A is {n} x {n}, B has shape {array.shape}")
    return (array, False) if array.ndim == 2 else (as_symbols(array[:, None]), True)


def _block_solve(kind: str, A: Any, B: Any, **settings: int) -> SymbolArray:
    n = _square(kind, A)
    columns, vector = _as_columns(n, kind, B)
    graph = _graph(A, columns)
    m = columns.shape[1]
    if graph is None:
        raise ShapeError(f"{kind}: neither A nor B holds a symbol")
    arguments = [*as_symbols(A).ravel(), *columns.ravel()]
    values = graph.block(kind, arguments, (), n=n, m=m, **settings)
    result = as_symbols(np.array(values, dtype=object).reshape(n, m))
    return as_symbols(result[:, 0]) if vector else result


def _numeric(A: Any, B: Any) -> bool:
    return not is_symbolic(A, B) or _graph(A, B) is None


def _floats(array: Any) -> np.ndarray:
    return np.asarray(array, dtype=np.float64) if is_symbolic(array) else np.asarray(array)


def solve(A: Any, B: Any) -> Any:
    """`X` with `A X = B`, by elimination with partial pivoting. A: (n, n), B: (n,) or (n, m)."""
    if _numeric(A, B):
        return np.linalg.solve(_floats(A), _floats(B))
    return _block_solve("lu_solve", A, B)


def cholesky_solve(A: Any, B: Any) -> Any:
    """`X` with `A X = B` for a symmetric positive definite `A`, of which the lower part is read."""
    if _numeric(A, B):
        return (
            np.linalg.solve(_floats(A), _floats(B)[..., None])[..., 0]
            if np.ndim(B) == np.ndim(A) - 1
            else (np.linalg.solve(_floats(A), _floats(B)))
        )
    n = _square("cholesky_solve", A)
    if n > INLINE:
        return _block_solve("cholesky_solve", A, B)
    columns, vector = _as_columns(n, "cholesky_solve", B)
    result = _inline_ldl_solve(as_symbols(A), columns)
    return result[:, 0] if vector else result


def _inline_ldl_solve(A: SymbolArray, B: SymbolArray) -> SymbolArray:
    """Unrolled L D L^T: no square roots, one division for each row."""
    n = len(A)
    L = np.zeros((n, n), like=A)
    inverse_d: list[Any] = []
    scaled = np.zeros((n, n), like=A)  # L D
    for j in range(n):
        d = A[j, j] - sum((scaled[j, k] * L[j, k] for k in range(j)), start=0.0)
        inverse_d.append(1.0 / d)
        for i in range(j + 1, n):
            scaled[i, j] = A[i, j] - sum((scaled[i, k] * L[j, k] for k in range(j)), start=0.0)
            L[i, j] = scaled[i, j] * inverse_d[j]
    X = np.zeros(B.shape, like=A)
    for column in range(B.shape[1]):
        y: list[Any] = []
        for i in range(n):
            y.append(B[i, column] - sum((L[i, k] * y[k] for k in range(i)), start=0.0))
        for i in reversed(range(n)):
            X[i, column] = y[i] * inverse_d[i] - sum((L[k, i] * X[k, column] for k in range(i + 1, n)), start=0.0)
    return as_symbols(X)


def cholesky(A: Any, /, *, upper: bool = False) -> Any:
    """Lower-triangular `L` with `L L^T = A`; only the lower part of `A` is read."""
    if _numeric(A, A):
        factor = np.linalg.cholesky(_floats(A))
    else:
        n = _square("cholesky", A)
        graph = _graph(A)
        assert graph is not None
        values = graph.block("cholesky", list(as_symbols(A).ravel()), n=n)
        factor = as_symbols(np.array(values, dtype=object).reshape(n, n)) * np.tri(n)
    return np.swapaxes(factor, -1, -2) if upper else factor


def triangular_solve(L: Any, B: Any, *, transposed: bool = False) -> Any:
    """`X` with `L X = B` (or `L^T X = B`) for a lower-triangular `L`."""
    if _numeric(L, B):
        lower = np.tril(_floats(L))
        return np.linalg.solve(np.swapaxes(lower, -1, -2) if transposed else lower, _floats(B))
    return _block_solve("triangular_solve", L, B, transposed=int(transposed))


def tree_solve(inverses: Any, rows: Sequence[Sequence[Any]], parents: Sequence[int], B: Any) -> Any:
    """`X` with `L^T D L X = B` for a unit lower-triangular L with the structure of a tree.

    inverses: `1 / D` (n,). rows: the entries of row k of L, in the columns of k's ancestors in ascending order; its
    parent is `parents[k]`, an earlier row, or -1. B: (n, m). Everything may have leading batch axes.
    """
    ancestors: list[list[int]] = []
    for parent in parents:
        ancestors.append([*ancestors[parent], parent] if parent >= 0 else [])
    if [len(row) for row in rows] != [len(way) for way in ancestors]:
        raise ShapeError(f"tree_solve: rows have {[len(row) for row in rows]} entries for the parents {list(parents)}")
    if np.shape(inverses)[-1:] != (len(parents),) or np.shape(B)[-2:-1] != (len(parents),):
        raise ShapeError(
            f"tree_solve: {len(parents)} parents, but inverses of shape {np.shape(inverses)} and B of {np.shape(B)}"
        )
    if not is_symbolic(inverses, B, *rows):
        return solve_tree(np.moveaxis(np.asarray(inverses), -1, 0), rows, ancestors, np.array(B))
    columns = as_symbols(B)
    n, m = columns.shape
    settings = {f"parent{k}": parent + 1 for k, parent in enumerate(parents)}
    graph = _graph(columns, inverses, *rows)
    assert graph is not None
    arguments = [*as_symbols(inverses), *(entry for row in rows for entry in row), *columns.ravel()]
    values = graph.block("tree_solve", arguments, (), n=n, m=m, **settings)
    return as_symbols(np.array(values, dtype=object).reshape(n, m))


def solve_tree(inverses: Any, rows: Sequence[Sequence[Any]], ancestors: Sequence[Sequence[int]], X: Any) -> Any:
    """`tree_solve` for numbers, in place of the right side; entry k of `inverses` may be an array of states."""
    for k in reversed(range(len(ancestors))):
        for j, entry in zip(ancestors[k], rows[k], strict=True):
            X[..., j, :] -= np.asarray(entry)[..., None] * X[..., k, :]
    for k, way in enumerate(ancestors):
        X[..., k, :] *= np.asarray(inverses[k])[..., None]
        for j, entry in zip(way, rows[k], strict=True):
            X[..., k, :] -= np.asarray(entry)[..., None] * X[..., j, :]
    return X


def inverse(A: Any) -> Any:
    """The inverse of a square matrix."""
    if _numeric(A, A):
        return np.linalg.inv(_floats(A))
    return _block_solve("lu_solve", A, np.eye(_square("inverse", A)))


def dense_matmul(A: Any, B: Any) -> Any:
    """`A B` as one loop in machine code; `A @ B` unrolls instead, which is better where there are zeros."""
    if _numeric(A, B):
        return _floats(A) @ _floats(B)
    a, b = as_symbols(A), as_symbols(B)
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ShapeError(f"dense_matmul of shapes {a.shape} and {b.shape}")
    graph = _graph(a, b)
    assert graph is not None
    (n, k), m = a.shape, b.shape[1]
    values = graph.block("matmul", [*a.ravel(), *b.ravel()], n=n, k=k, m=m)
    return as_symbols(np.array(values, dtype=object).reshape(n, m))
