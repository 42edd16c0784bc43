r"""Turns about coordinate axes, and rotations made of a few of them.

Every rotation is $R_z(\gamma)\, R_x(\alpha)\, R_z(\theta)$, and for neighbouring joints of a robot most of these angles
are zero or a quarter turn. Turning step by step then costs far fewer operations than a rotation matrix: 6 for a vector
and a general turn about one axis, none for a quarter turn.

For a symmetric matrix turned about z by an angle with cosine $c$ and sine $s$, the block of the plane has

$$ k = s (S_{xx} - S_{yy}) + 2 c S_{xy}, \quad S'_{xx} = S_{xx} - s k, \quad S'_{yy} = S_{yy} + s k, \quad
   S'_{xy} = c k - S_{xy}, $$

ten operations, because its trace does not change and the rest turns by twice the angle. A general matrix likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from floatbase.spatial.vectors import (
    Matrix,
    Symmetric,
    Vector,
    congruence,
    full,
    multiply,
    multiply_transposed,
    transpose,
)


class Turn(NamedTuple):
    """A rotation about coordinate axis 0, 1 or 2, right-handed."""

    axis: int
    cosine: Any
    sine: Any


Rotation = Sequence[Turn | Matrix]  # the product of turns and rotation matrices, the first one leftmost


def turn(rotation: Rotation, a: Vector) -> Vector:
    """R a: coordinates in the turned frame to coordinates in the outer frame."""
    x = list(a)
    for item in reversed(rotation):
        if not isinstance(item, Turn):
            x = list(multiply(item, (x[0], x[1], x[2])))
            continue
        axis, c, s = item
        i, j = (axis + 1) % 3, (axis + 2) % 3
        x[i], x[j] = c * x[i] - s * x[j], s * x[i] + c * x[j]
    return (x[0], x[1], x[2])


def turn_back(rotation: Rotation, a: Vector) -> Vector:
    """R^T a: coordinates in the outer frame to coordinates in the turned frame."""
    x = list(a)
    for item in rotation:
        if not isinstance(item, Turn):
            x = list(multiply_transposed(item, (x[0], x[1], x[2])))
            continue
        axis, c, s = item
        i, j = (axis + 1) % 3, (axis + 2) % 3
        x[i], x[j] = c * x[i] + s * x[j], c * x[j] - s * x[i]
    return (x[0], x[1], x[2])


def turn_columns(R: Matrix, rotation: Rotation) -> Matrix:
    """The product of a rotation matrix and a rotation."""
    back = invert(rotation)
    return (turn(back, R[0]), turn(back, R[1]), turn(back, R[2]))


def invert(rotation: Rotation) -> Rotation:
    """The inverse rotation."""
    return tuple(
        Turn(item.axis, item.cosine, -item.sine) if isinstance(item, Turn) else transpose(item)
        for item in reversed(rotation)
    )


def turn_symmetric(rotation: Rotation, S: Symmetric) -> Symmetric:
    """R S R^T."""
    M = [list(row) for row in full(S)]
    for item in reversed(rotation):
        if not isinstance(item, Turn):
            rows: Matrix = tuple(tuple(row) for row in M)  # type: ignore[assignment]
            M = [list(row) for row in full(congruence(item, (*rows[0], *rows[1][1:], rows[2][2])))]
            continue
        axis, c, s = item
        i, j = (axis + 1) % 3, (axis + 2) % 3
        ii, ij, jj, ki, kj = M[i][i], M[i][j], M[j][j], M[axis][i], M[axis][j]
        if _is_whole(c, s):
            if c == 0.0:
                ii, ij, jj = jj, -ij, ii
        else:
            k = s * (ii - jj) + c * (2.0 * ij)
            ii, ij, jj = ii - s * k, c * k - ij, jj + s * k
        ki, kj = c * ki - s * kj, s * ki + c * kj
        M[i][i], M[j][j] = ii, jj
        M[i][j] = M[j][i] = ij
        M[axis][i] = M[i][axis] = ki
        M[axis][j] = M[j][axis] = kj
    return (M[0][0], M[0][1], M[0][2], M[1][1], M[1][2], M[2][2])


def turn_matrix(rotation: Rotation, N: Matrix) -> Matrix:
    """R N R^T for a matrix that need not be symmetric."""
    M = [list(row) for row in N]
    for item in reversed(rotation):
        if not isinstance(item, Turn):
            right = [multiply(item, (row[0], row[1], row[2])) for row in M]  # rows of M R^T
            M = [
                list(row) for row in zip(*(multiply(item, column) for column in zip(*right, strict=True)), strict=True)
            ]
            continue
        axis, c, s = item
        i, j = (axis + 1) % 3, (axis + 2) % 3
        ii, ij, ji, jj = M[i][i], M[i][j], M[j][i], M[j][j]
        if _is_whole(c, s):
            if c == 0.0:
                ii, ij, ji, jj = jj, -ji, -ij, ii
        else:
            w = ij + ji
            k = s * (ii - jj) + c * w
            d = c * k - w
            ii, ij, ji, jj = ii - s * k, ij + d, ji + d, jj + s * k
        M[i][i], M[i][j], M[j][i], M[j][j] = ii, ij, ji, jj
        M[axis][i], M[axis][j] = c * M[axis][i] - s * M[axis][j], s * M[axis][i] + c * M[axis][j]
        M[i][axis], M[j][axis] = c * M[i][axis] - s * M[j][axis], s * M[i][axis] + c * M[j][axis]
    (a, b, c_), (d_, e, f), (g, h, i_) = M
    return ((a, b, c_), (d_, e, f), (g, h, i_))


def _is_whole(cosine: Any, sine: Any) -> bool:
    """Whether the turn is a constant one by quarters of a circle, which moves entries without arithmetic.

    The cosine of a small angle rounds to 1, so neither alone tells.
    """
    return type(cosine) is float and type(sine) is float and 0.0 in (cosine, sine)
