"""Blocks of programs written out in CasADi scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from floatbase.compiler.blocks import tree_rows
from floatbase.compiler.casadi_operations import Casadi
from floatbase.compiler.program import Block, Program


def _run(casadi: Casadi, program: Program, inputs: list[Any]) -> list[Any]:
    from floatbase.compiler.casadi import run

    values = run(casadi, program, inputs)
    return [values[k] for k in program.results.tolist()]


def _call(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    return _run(casadi, block.programs[0], arguments)


def _scan(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    carried, shared, row = (block.setting(name) for name in ("carry", "shared", "row"))
    carry, fixed, rows = arguments[:carried], arguments[carried : carried + shared], arguments[carried + shared :]
    collected: list[Any] = []
    for step in range(block.setting("length")):
        inputs = [casadi.SX(step), *carry, *fixed, *rows[step * row : (step + 1) * row]]
        result = _run(casadi, block.programs[0], inputs)
        carry = result[:carried]
        collected += result[carried:]
    return [*carry, *collected]


def _while(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    carried = block.setting("carry")
    carry, fixed = arguments[:carried], arguments[carried:]
    condition, body = block.programs
    steps = casadi.SX(0)
    for _ in range(block.setting("limit")):
        active = _run(casadi, condition, [*carry, *fixed])[0] != 0
        following = _run(casadi, body, [*carry, *fixed])
        carry = [casadi.if_else(active, new, old) for new, old in zip(following, carry, strict=True)]
        steps = steps + active
    return [*carry, steps]


def _gather(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    rows, columns = block.setting("rows"), block.setting("columns")
    index = arguments[-1]
    result = arguments[:columns]
    for row in range(1, rows):
        reached = index >= row
        result = [
            casadi.if_else(reached, arguments[row * columns + column], result[column]) for column in range(columns)
        ]
    return result


def _matrix(casadi: Casadi, values: list[Any], rows: int, columns: int) -> Any:
    """A matrix of row-major values, whose zeros are structural."""
    if not values:
        return casadi.SX(rows, columns)
    return casadi.sparsify(casadi.reshape(casadi.vertcat(*values), columns, rows).T)


def _entries(casadi: Casadi, matrix: Any) -> list[Any]:
    """The row-major values of a matrix."""
    entries: list[Any] = casadi.densify(matrix.T).nonzeros()
    return [casadi.SX(entry) for entry in entries]


def _matmul(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    n, k, m = (block.setting(name) for name in ("n", "k", "m"))
    A, B = _matrix(casadi, arguments[: n * k], n, k), _matrix(casadi, arguments[n * k :], k, m)
    return _entries(casadi, casadi.mtimes(A, B))


def _lu_solve(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    A, B = _matrix(casadi, arguments[: n * n], n, n), _matrix(casadi, arguments[n * n :], n, m)
    return _entries(casadi, casadi.solve(A, B))


def _factor(casadi: Casadi, A: list[Any], n: int) -> list[list[Any]]:
    """Lower-triangular factor, row by row, of the lower part of a matrix."""
    L: list[list[Any]] = []
    for i in range(n):
        row: list[Any] = []
        for j in range(i):
            row.append((A[i * n + j] - sum((row[k] * L[j][k] for k in range(j)), start=casadi.SX(0))) / L[j][j])
        row.append(casadi.sqrt(A[i * n + i] - sum((entry * entry for entry in row), start=casadi.SX(0))))
        L.append(row)
    return L


def _cholesky(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    n = block.setting("n")
    L = _factor(casadi, arguments, n)
    return [L[i][j] if j <= i else casadi.SX(0) for i in range(n) for j in range(n)]


def _substitute(casadi: Casadi, L: list[list[Any]], B: list[Any], m: int, transposed: bool) -> list[Any]:
    """Row-major `L^-1 B` or `L^-T B`."""
    n = len(L)
    X: list[Any] = [None] * (n * m)
    for i in reversed(range(n)) if transposed else range(n):
        known = [(L[k][i], k) for k in range(i + 1, n)] if transposed else [(L[i][k], k) for k in range(i)]
        for j in range(m):
            rest = B[i * m + j] - sum((entry * X[k * m + j] for entry, k in known), start=casadi.SX(0))
            X[i * m + j] = rest / L[i][i]
    return X


def _cholesky_solve(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    L = _factor(casadi, arguments[: n * n], n)
    return _substitute(casadi, L, _substitute(casadi, L, arguments[n * n :], m, False), m, True)


def _triangular_solve(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    L = [arguments[i * n : i * n + i + 1] for i in range(n)]
    return _substitute(casadi, L, arguments[n * n :], m, bool(block.setting("transposed")))


def _tree_solve(casadi: Casadi, block: Block, arguments: list[Any]) -> list[Any]:
    n, m = block.setting("n"), block.setting("m")
    ways = tree_rows(block)
    entries = iter(arguments[n:])
    rows = [[next(entries) for _ in way] for way in ways]
    X = list(entries)
    for k in reversed(range(n)):
        for j, entry in zip(ways[k], rows[k], strict=True):
            for column in range(m):
                X[j * m + column] = X[j * m + column] - entry * X[k * m + column]
    for k in range(n):
        for column in range(m):
            known = [entry * X[j * m + column] for j, entry in zip(ways[k], rows[k], strict=True)]
            X[k * m + column] = arguments[k] * X[k * m + column] - sum(known, start=casadi.SX(0))
    return X


BLOCKS: dict[str, Callable[[Casadi, Block, list[Any]], list[Any]]] = {
    "call": _call,
    "scan": _scan,
    "while": _while,
    "gather": _gather,
    "matmul": _matmul,
    "cholesky": _cholesky,
    "cholesky_solve": _cholesky_solve,
    "triangular_solve": _triangular_solve,
    "lu_solve": _lu_solve,
    "tree_solve": _tree_solve,
}
