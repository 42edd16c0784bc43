"""Vectors of three components, for recursions that must not spend an operation in vain.

A `Vector` is a tuple of components (see `floatbase.spatial.arrays`), a `Matrix` a tuple of three rows, and a
`Symmetric` matrix the six entries (xx, xy, xz, yy, yz, zz), each of which is computed once.
"""

from __future__ import annotations

from typing import Any

Vector = tuple[Any, Any, Any]
Matrix = tuple[Vector, Vector, Vector]
Symmetric = tuple[Any, Any, Any, Any, Any, Any]

ZERO: Vector = (0.0, 0.0, 0.0)
ZERO_MATRIX: Matrix = (ZERO, ZERO, ZERO)
ZERO_SYMMETRIC: Symmetric = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def add(a: Vector, b: Vector) -> Vector:
    """The sum a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector, b: Vector) -> Vector:
    """The difference a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(factor: Any, a: Vector) -> Vector:
    """A multiple of a vector."""
    return (factor * a[0], factor * a[1], factor * a[2])


def dot(a: Vector, b: Vector) -> Any:
    """The inner product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """The vector product."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def multiply(M: Matrix, a: Vector) -> Vector:
    """M a."""
    return (dot(M[0], a), dot(M[1], a), dot(M[2], a))


def multiply_transposed(M: Matrix, a: Vector) -> Vector:
    """M^T a."""
    return (
        M[0][0] * a[0] + M[1][0] * a[1] + M[2][0] * a[2],
        M[0][1] * a[0] + M[1][1] * a[1] + M[2][1] * a[2],
        M[0][2] * a[0] + M[1][2] * a[1] + M[2][2] * a[2],
    )


def transpose(M: Matrix) -> Matrix:
    """M^T."""
    a, b, c = M
    return ((a[0], b[0], c[0]), (a[1], b[1], c[1]), (a[2], b[2], c[2]))


def multiply_symmetric(S: Symmetric, a: Vector) -> Vector:
    """S a."""
    return multiply(full(S), a)


def full(S: Symmetric) -> Matrix:
    """All nine entries of a symmetric matrix."""
    xx, xy, xz, yy, yz, zz = S
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def sum_symmetric(S: Symmetric, T: Symmetric) -> Symmetric:
    """S + T."""
    return (S[0] + T[0], S[1] + T[1], S[2] + T[2], S[3] + T[3], S[4] + T[4], S[5] + T[5])


def sum_matrix(M: Matrix, N: Matrix) -> Matrix:
    """M + N."""
    return (add(M[0], N[0]), add(M[1], N[1]), add(M[2], N[2]))


def congruence(R: Matrix, S: Symmetric) -> Symmetric:
    """R S R^T, symmetric."""
    half = tuple(multiply_symmetric(S, row) for row in R)  # rows of R S, as S is symmetric
    return (
        dot(half[0], R[0]),
        dot(half[0], R[1]),
        dot(half[0], R[2]),
        dot(half[1], R[1]),
        dot(half[1], R[2]),
        dot(half[2], R[2]),
    )
