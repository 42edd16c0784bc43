r"""Symmetric systems $A x = b$ of constraints, $A \ge 0$, whose rows may depend on one another and have any scale.

With $s_i = A_{ii}^{-1/2}$, $S = \mathrm{diag}(s)$ and $\bar A = S A S$, whose diagonal is 1, so that neither units nor
scales of rows matter, $x = S \bar x$ (zero for rows that are zero but for rounding) and

| solver | $\bar x$ |
|---|---|
| "cholesky" | $\bar A^{-1} S b$; rows must be independent |
| "proximal" | the limit of $\bar x_{k+1} = \bar x_k + (\bar A + \epsilon 1)^{-1} (S b - \bar A \bar x_k)$ |
| "least norm" | $\bar A^{+} S b$ by eigenvalues, those below 1e-10 of the largest counting as zero |

From $\bar x_0 = 0$ the proximal iteration goes to the solution of least norm: what belongs to an eigenvalue $\mu$ is
wrong by $(\epsilon / (\mu + \epsilon))^k$ after k steps. With $\epsilon$ = 1e-9 and four steps all eigenvalues above
1e-5 are solved to rounding, and no configuration makes multipliers infinite. J. Carpentier, R. Budhiraja, N. Mansard,
"Proximal and sparse resolution of constrained dynamic equations", Robotics: Science and Systems, 2021.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, Literal, get_args

import numpy as np

from floatbase.algorithms.least_norm import least_norm_solution, rounding_of
from floatbase.compiler.dense import INLINE, cholesky, cholesky_solve, triangular_solve
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.errors import ArgumentError, SimulationError
from floatbase.spatial.arrays import Array, components, matrix, vector, zeros
from floatbase.spatial.rotations import real

Solver = Literal["cholesky", "proximal", "least norm"]
DAMPING = 1e-9
UNITS = 50.0  # the least damping, in units of rounding
STEPS = 4
ZERO = 100.0  # units of rounding, relative to the longest row, below which a row is said to move nothing


def check_solver(solver: object) -> None:
    """Raise an error that lists the solvers there are."""
    if solver not in get_args(Solver):
        raise ArgumentError(f"solver is {solver!r}; the valid choices are {', '.join(get_args(Solver))}")


def solve_rows(A: Array, b: Array, solver: Solver = "proximal") -> Array:
    """`x` (..., n) with `A x = b` for A (..., n, n) and b (..., n)."""
    check_solver(solver)
    if b.shape[-1] == 0:
        return b
    scales = _scales(A)
    scaled = scales[..., :, None] * A * scales[..., None, :]
    right = scales * b
    if solver == "least norm":
        return scales * _of_least_norm(scaled, right)
    if solver == "cholesky":
        return scales * _factorized(scaled)(right)
    rounding = _rounding(A)
    damping = np.maximum(DAMPING, UNITS * rounding) if is_symbolic(A) else max(DAMPING, UNITS * rounding)
    solve = _factorized(scaled + _damped_identity(scaled, damping))
    x = solve(right)
    for _ in range(STEPS - 1):
        x = x + solve(right - (scaled @ x[..., None])[..., 0])
    return scales * x


def _scales(A: Array) -> Array:
    """The inverse roots of the diagonal (..., n); zero for rows that move nothing, but for rounding."""
    sizes = [real(A[..., k, k][()]) for k in range(A.shape[-1])]
    largest = reduce(np.maximum, sizes)
    smallest = largest * (ZERO * _rounding(A)) ** 2
    entries = []
    for k, size in enumerate(sizes):
        moves = (size > smallest) & (size > 0.0)
        entries.append(np.where(moves, 1.0 / np.sqrt(np.where(moves, A[..., k, k][()], 1.0)), 0.0)[()])
    return vector(entries, A[..., 0])


def _damped_identity(A: Array, damping: Any) -> Array:
    n = A.shape[-1]
    return damping * (np.eye(n) if is_symbolic(A) else np.eye(n, dtype=A.dtype))


def _rounding(A: Array) -> Any:
    if is_symbolic(A):
        return rounding_of(reduce(np.maximum, [A[k, k] for k in range(len(A))]))[()]
    return float(np.finfo(A.dtype).eps)


def _factorized(A: Array) -> Callable[[Array], Array]:
    """A function that solves for right sides (..., n), which share the factors in a program."""
    if not is_symbolic(A):
        return lambda b: _numbers(A, b)
    if A.shape[-1] <= INLINE:
        return lambda b: cholesky_solve(A, b)
    L = cholesky(A)
    return lambda b: triangular_solve(L, triangular_solve(L, b), transposed=True)


def _numbers(A: Array, b: Array) -> Array:
    try:
        return np.linalg.solve(A, b[..., None])[..., 0]
    except np.linalg.LinAlgError:
        raise SimulationError(
            "the rows of the constraints depend on one another: their matrix J M^-1 J^T is singular; use the solver "
            "'proximal' or 'least norm', or leave out rows (diagnose_constraints tells which)"
        ) from None


def _of_least_norm(A: Array, b: Array) -> Array:
    """Programs want an even number of unknowns above two: some are added that are zero."""
    n = b.shape[-1]
    size = n if not is_symbolic(A, b) else max(4, n + n % 2)
    if size == n:
        return least_norm_solution(A, b)
    rows = [[A[i, j] if i < n and j < n else 0.0 for j in range(size)] for i in range(size)]
    right = zeros((size,), b)
    right[:n] = components(b)
    return least_norm_solution(matrix(rows, A[0]), right)[:n]
