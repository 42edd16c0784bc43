r"""Symmetric systems that may be singular: of all solutions with the least error, the one of least norm.

$A = V \Lambda V^\top$ with $A \ge 0$, and $x = A^{+} b = V \Lambda^{+} V^\top b$, where eigenvalues that are zero but
for rounding have no inverse.

Numbers are left to LAPACK. A program turns pairs of unknowns until nothing is left beside the diagonal (C. Jacobi,
1846), all disjoint pairs at once, and moves every unknown but one to the next place as in a tournament in which each
meets each: R. Brent, F. Luk, "The solution of singular-value and symmetric eigenvalue problems on multiprocessor
arrays", SIAM J. Scientific and Statistical Computing 6(1), 1985. It is one loop. The turns are kept and taken back in a
second one, so that $V$ itself is not needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.compiler.control import scan
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.spatial.arrays import Array, apply_matrix, zeros

SMALLEST = 1e-10  # of eigenvalues, relative to the largest one; those below are zero
UNITS = 50.0  # the same in units of rounding, for single precision
SWEEPS = 8  # convergence is quadratic; n unknowns whose sizes span six decades need log2(n) more


def least_norm_solution(A: Array, b: Array) -> Array:
    """`A^+ b` (..., n) for symmetric, positive semidefinite A (..., n, n) of even size n > 2, and b (..., n)."""
    if is_symbolic(A, b):
        return _by_turns(A, b)
    smallest = max(SMALLEST, UNITS * float(np.finfo(A.dtype).eps))
    inverse = np.linalg.pinv(A, rcond=smallest, hermitian=True)
    solution = apply_matrix(inverse, b)
    return solution + apply_matrix(inverse, b - apply_matrix(A, solution))  # of rounding, which is less by turns


def _by_turns(A: Array, b: Array) -> Array:
    n = A.shape[-1]
    trace = sum(A[k, k] for k in range(n))
    size = np.where(trace > 0.0, trace, 1.0)
    turned = zeros((n + 1, n), A[0], b)  # below the matrix, the right side
    turned[:n], turned[n] = A / size, b
    turned, turns = scan(_meet, turned, length=(n - 1) * (SWEEPS + n.bit_length()))
    values = np.array([turned[k, k] for k in range(n)], like=A)
    largest = values[0]
    for value in values[1:]:
        largest = np.maximum(largest, value)
    smallest = largest * np.maximum(SMALLEST, UNITS * rounding_of(largest))
    kept = values > smallest
    solution = np.where(kept, turned[n] / np.where(kept, values, 1.0), 0.0)
    return scan(_take_back, solution, turns[::-1])[0] / size


def rounding_of(largest: Any) -> Any:
    """The relative error of numbers in the precision in which a program runs: what 3 (4/3 - 1) - 1 is instead of 0."""
    one = largest / np.where(largest > 0.0, largest, 1.0)
    return np.abs(3.0 * (one * (4.0 / 3.0) - one) - one)


def _meet(index: Any, matrix: Array, row: Any, shared: Any) -> tuple[Array, Array]:
    """Turn the pairs (0, 1), (2, 3), ..., then seat everybody anew. Collects the turns (n / 2, 2): cosine, sine."""
    del index, row, shared
    n = matrix.shape[1]
    result = np.array(matrix, like=matrix)
    turns = [_turn(matrix[k, k], matrix[k + 1, k + 1], matrix[k, k + 1]) for k in range(0, n, 2)]
    for k, (c, s) in zip(range(0, n, 2), turns, strict=True):
        for i in range(n + 1):
            x, y = result[i, k], result[i, k + 1]
            result[i, k], result[i, k + 1] = c * x - s * y, s * x + c * y
    for k, (c, s) in zip(range(0, n, 2), turns, strict=True):
        for i in range(k, n):  # the rest follows from the symmetry
            x, y = result[k, i], result[k + 1, i]
            result[k, i], result[k + 1, i] = c * x - s * y, s * x + c * y
        result[k, k + 1] = result[k + 1, k] = 0.0
    for i in range(n):
        for j in range(i):
            result[i, j] = result[j, i]
    seats = _seats(n)
    seated = np.array(result, like=matrix)
    for i in range(n + 1):
        for j in range(n):
            seated[i, j] = result[seats[i] if i < n else n, seats[j]]
    return seated, np.array([[c, s] for c, s in turns], like=matrix)


def _take_back(index: Any, solution: Array, turns: Array, shared: Any) -> tuple[Array, Array]:
    del index, shared
    n = len(solution)
    result = np.array(solution, like=solution)
    for seat, before in enumerate(_seats(n)):
        result[before] = solution[seat]
    for k, (c, s) in zip(range(0, n, 2), turns, strict=True):
        x, y = result[k], result[k + 1]
        result[k], result[k + 1] = c * x + s * y, c * y - s * x
    return result, result[:0]


def _turn(first: Any, second: Any, between: Any) -> tuple[Any, Any]:
    """Cosine and sine of the lesser of the two turns of a pair after which nothing is between them."""
    apart = second - first
    slope = np.abs(apart) + np.sqrt(apart * apart + 4.0 * between * between)
    tangent = np.where(apart < 0.0, -2.0, 2.0) * between / np.where(slope > 0.0, slope, 1.0)
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    return cosine, tangent * cosine


def _seats(n: int) -> list[int]:
    """Who sits where after a round: seats 2 k and 2 k + 1 meet, and the one of seat 0 stays."""
    seats = list(range(n))
    seats[2], seats[n - 1] = 1, n - 2
    for k in range(4, n, 2):
        seats[k] = k - 2
    for k in range(1, n - 1, 2):
        seats[k] = k + 2
    return seats
