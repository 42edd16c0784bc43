r"""Matrices as vectors: columns one below the other, and the six entries of a symmetric one.

$\mathrm{vec}(A X B) = (B^\top \otimes A)\, \mathrm{vec} X$ with NumPy's `kron`; $\mathrm{vech}\, I = (I_{xx}, I_{xy},
I_{xz}, I_{yy}, I_{yz}, I_{zz})$ is the order of inertial parameters. Traversaro 2017, section 6.1.
"""

from __future__ import annotations

from floatbase.errors import ShapeError
from floatbase.spatial.arrays import Array, components, matrix, require_shape, transpose, vector
from floatbase.spatial.kinds import SymmetricMatrix


def vec(X: Array) -> Array:
    """The columns (..., n m) of a matrix (..., n, m)."""
    if X.ndim < 2:
        raise ShapeError(f"an array has shape {X.shape} where a matrix (..., n, m) is needed")
    columns = transpose(X)
    return columns.reshape(*columns.shape[:-2], -1)


def vech(tensor: SymmetricMatrix) -> Array:
    """The entries (..., 6) of a symmetric matrix (..., 3, 3)."""
    require_shape(tensor, 3, 3)
    places = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    return vector([tensor[..., i, j][()] for i, j in places], tensor[..., 0])


def tensor_of_vech(entries: Array) -> Array:
    """The symmetric matrix (..., 3, 3) of its entries (..., 6)."""
    xx, xy, xz, yy, yz, zz = components(entries, 6)
    return matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], entries)
