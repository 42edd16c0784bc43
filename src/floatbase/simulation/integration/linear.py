r"""Linear systems in discrete time: $\dot x = A x + B u$ becomes $x_{k+1} = A_d x_k + B_d u_k$ with u held in a step.

| method | $A_d$ | $B_d$ |
|---|---|---|
| "forward" | $1 + h A$ | $h B$ |
| "backward" | $(1 - h A)^{-1}$ | $(1 - h A)^{-1} h B$ |
| "tustin" | $(1 - \tfrac h2 A)^{-1} (1 + \tfrac h2 A)$ | $(1 - \tfrac h2 A)^{-1} h B$ |
| "exact" | $e^{A h}$ | $\int_0^h e^{A \tau} d\tau\, B$ |

The last follows from one exponential, of the augmented matrix

$$ \exp \begin{bmatrix} A h & B h \\ 0 & 0 \end{bmatrix} = \begin{bmatrix} A_d & B_d \\ 0 & 1 \end{bmatrix}, $$

which exists if A is singular, too. "backward" and "tustin" keep stable systems stable for every step, and unstable ones
unstable. Romualdi 2022, section 5.3; C. Van Loan, "Computing integrals involving the matrix exponential", 1978.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial.arrays import Array

DISCRETISATIONS = ("exact", "forward", "backward", "tustin")
# coefficients of the Padé approximant of degree 13, and the 1-norm up to which it is exact to rounding
_PADE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip
_LARGEST = 5.371920351148152


class LinearSystem(NamedTuple):
    """`A` (..., n, n) and `B` (..., n, m)."""

    A: Array
    B: Array


def discretize(A: Any, B: Any, dt: float, method: str = "exact") -> LinearSystem:
    """The system in steps of `dt`; A: (..., n, n), B: (..., n, m)."""
    A, B = np.asarray(A, dtype=float), np.asarray(B, dtype=float)
    if A.ndim < 2 or A.shape[-1] != A.shape[-2] or B.ndim < 2 or B.shape[-2] != A.shape[-1]:
        raise ShapeError(f"discretize: A has shape {A.shape} and B {B.shape}; they must be (..., n, n) and (..., n, m)")
    if not (np.all(np.isfinite(A)) and np.all(np.isfinite(B))):
        raise ArgumentError("discretize: A and B must be finite")
    if not (np.isfinite(dt) and dt > 0.0):
        raise ArgumentError(f"discretize: dt is {dt!r}; it must be positive and finite")
    if method not in DISCRETISATIONS:
        raise ArgumentError(f"discretize: method is {method!r}; it must be one of {DISCRETISATIONS}")
    n, one = A.shape[-1], np.eye(A.shape[-1])
    if method == "exact":
        batch = np.broadcast_shapes(A.shape[:-2], B.shape[:-2])
        augmented = np.zeros((*batch, n + B.shape[-1], n + B.shape[-1]))
        augmented[..., :n, :n], augmented[..., :n, n:] = dt * A, dt * B
        result = matrix_exponential(augmented)
        return LinearSystem(result[..., :n, :n], result[..., :n, n:])
    if method == "forward":
        return LinearSystem(one + dt * A, dt * B)
    share = dt if method == "backward" else 0.5 * dt
    try:
        A_d = np.linalg.solve(one - share * A, one + (dt - share) * A)
        return LinearSystem(A_d, np.linalg.solve(one - share * A, dt * B))
    except np.linalg.LinAlgError:
        raise ArgumentError(
            f"discretize: {method!r} does not exist for dt = {dt}: 1 / {share:g} is an eigenvalue of A"
        ) from None


def matrix_exponential(M: Array) -> Array:
    """The exponential (..., n, n), by scaling, the Padé approximant of degree 13, and squaring (N. Higham, 2005)."""
    M = np.asarray(M, dtype=float)
    norm = float(np.max(np.sum(np.abs(M), axis=-2), initial=0.0))
    squarings = max(0, int(np.ceil(np.log2(norm / _LARGEST)))) if norm > _LARGEST else 0
    X = M / 2.0**squarings
    b, one = [float(entry) for entry in _PADE], np.eye(M.shape[-1])
    X2 = X @ X
    X4 = X2 @ X2
    X6 = X4 @ X2
    odd = X @ (X6 @ (b[13] * X6 + b[11] * X4 + b[9] * X2) + b[7] * X6 + b[5] * X4 + b[3] * X2 + b[1] * one)
    even = X6 @ (b[12] * X6 + b[10] * X4 + b[8] * X2) + b[6] * X6 + b[4] * X4 + b[2] * X2 + b[0] * one
    result = np.linalg.solve(even - odd, even + odd)
    for _ in range(squarings):
        result = result @ result
    return result
