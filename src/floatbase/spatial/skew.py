r"""Skew matrices: $w^\wedge u = w \times u$. Traversaro 2017, (2.5)."""

from __future__ import annotations

from floatbase.spatial.arrays import Array, components, matrix, require_shape, vector
from floatbase.spatial.kinds import SkewMatrix


def hat(w: Array) -> Array:
    """The skew matrix (..., 3, 3) of a vector (..., 3)."""
    x, y, z = components(w, 3)
    return matrix([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]], w)


def vee(W: SkewMatrix) -> Array:
    """The vector (..., 3) of a skew matrix (..., 3, 3)."""
    require_shape(W, 3, 3)
    skew = 0.5 * (W - W.swapaxes(-1, -2))
    return vector([skew[..., 2, 1][()], skew[..., 0, 2][()], skew[..., 1, 0][()]], W[..., 0])
