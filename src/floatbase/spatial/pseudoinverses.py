r"""Maps of velocities $\varphi_x = J \varphi_y$ and of forces $\varepsilon_y = J^\top \varepsilon_x$ share their power.

Of the many velocities $\varphi_y$ that give a $\varphi_x$, the weighted right inverse takes the one of least
$\varphi_y^\top W \varphi_y$; where none gives it exactly, the left inverse takes that of the least weighted error:

$$ J^{\dagger r} = W^{-1} J^\top (J W^{-1} J^\top)^{-1}, \qquad
   J^{\dagger l} = (J^\top W^{-1} J)^{-1} J^\top W^{-1} . $$

Rothammer 2021, section 1.1, with errata (1.6).
"""

from __future__ import annotations

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial.arrays import Array, transpose

RANK_TOLERANCE = 1e-10  # relative to the largest singular value


def right_inverse(J: Array, weight: Array | None = None) -> Array:
    """`J^r` (..., n, m) with `J @ J^r = 1`, for J (..., m, n) of rank m; weight: (..., n, n) on the n velocities."""
    J = _full_rank(J, rows=True)
    back = transpose(J) if weight is None else np.linalg.solve(_positive(weight, J.shape[-1]), transpose(J))
    return back @ np.linalg.inv(J @ back)


def left_inverse(J: Array, weight: Array | None = None) -> Array:
    """`J^l` (..., n, m) with `J^l @ J = 1`, for J (..., m, n) of rank n; errors weigh weight^-1 (..., m, m)."""
    J = _full_rank(J, rows=False)
    weighed = transpose(J) if weight is None else transpose(np.linalg.solve(_positive(weight, J.shape[-2]), J))
    return np.linalg.solve(weighed @ J, weighed)


def _full_rank(J: Array, rows: bool) -> Array:
    J = np.asarray(J, dtype=np.float64)
    if J.ndim < 2:
        raise ShapeError(f"J has shape {J.shape}; it must be a matrix (..., m, n)")
    if not np.isfinite(J).all():
        raise ArgumentError("J contains NaN or infinity")
    m, n = J.shape[-2:]
    if (m > n) if rows else (n > m):
        raise ShapeError(f"J has shape {J.shape}; a {'right' if rows else 'left'} inverse needs the other one longer")
    sizes = np.linalg.svd(J, compute_uv=False)
    ranks = (sizes > RANK_TOLERANCE * sizes[..., :1]).sum(axis=-1)
    if (ranks < min(m, n)).any():
        raise ArgumentError(
            f"J has rank {ranks.min()} and needs {min(m, n)}; its smallest singular value is {sizes.min():.3g}"
        )
    return J


def _positive(weight: Array, size: int) -> Array:
    W = np.asarray(weight, dtype=np.float64)
    if W.shape[-2:] != (size, size):
        raise ShapeError(f"weight has shape {W.shape}; it must be (..., {size}, {size})")
    symmetric = np.isfinite(W).all() and np.abs(W - transpose(W)).max() <= 1e-9 * np.abs(W).max()
    if not symmetric or (np.linalg.eigvalsh(W)[..., 0] <= 0.0).any():
        raise ArgumentError("weight must be symmetric and positive definite")
    return W
