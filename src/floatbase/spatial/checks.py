"""Checks of numbers that claim to be rotations or poses: they raise, they never repair."""

from __future__ import annotations

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial.arrays import Array, transpose

TOLERANCE = 1e-6


def check_rotation(name: str, a_R_b: Array) -> None:
    """Raise unless `a_R_b` (..., 3, 3) is a rotation matrix to within 1e-6."""
    R = np.asarray(a_R_b)
    if R.shape[-2:] != (3, 3):
        raise ShapeError(f"{name} has shape {R.shape}; a rotation matrix is (..., 3, 3)")
    if not np.isfinite(R).all():
        raise ArgumentError(f"{name} contains NaN or infinity: {R.tolist()}")
    defect = np.abs(R @ transpose(R) - np.eye(3)).max(initial=0.0)
    if defect > TOLERANCE:
        raise ArgumentError(
            f"{name} is not orthonormal: R R^T differs from 1 by {defect:.3g}, at most {TOLERANCE:g} is allowed"
        )
    if (np.linalg.det(R) < 0.0).any():
        raise ArgumentError(f"{name} is a reflection (determinant -1), not a rotation")


def check_pose(name: str, a_H_b: Array) -> None:
    """Raise unless `a_H_b` (..., 4, 4) is a pose: a rotation, a finite position and a last row of 0 0 0 1."""
    H = np.asarray(a_H_b)
    if H.shape[-2:] != (4, 4):
        raise ShapeError(f"{name} has shape {H.shape}; a pose is (..., 4, 4)")
    check_rotation(f"the rotation of {name}", H[..., :3, :3])
    if not np.isfinite(H).all():
        raise ArgumentError(f"{name} contains NaN or infinity: {H.tolist()}")
    if not (H[..., 3, :] == (0.0, 0.0, 0.0, 1.0)).all():
        raise ArgumentError(f"the last row of {name} is {H[..., 3, :].tolist()}; it must be 0 0 0 1")


def check_skew(name: str, W: Array) -> None:
    """Raise unless `W` (..., 3, 3) is skew to within 1e-6 of its size: `vee` takes the skew part of any matrix."""
    matrix = np.asarray(W)
    if matrix.shape[-2:] != (3, 3):
        raise ShapeError(f"{name} has shape {matrix.shape}; a skew matrix is (..., 3, 3)")
    if not np.isfinite(matrix).all():
        raise ArgumentError(f"{name} contains NaN or infinity: {matrix.tolist()}")
    defect = np.abs(matrix + transpose(matrix)).max(initial=0.0)
    if defect > TOLERANCE * max(1.0, np.abs(matrix).max(initial=0.0)):
        raise ArgumentError(f"{name} is not skew: W + W^T has an entry of size {defect:.3g}, it must vanish")


def check_inertia(name: str, M: Array) -> None:
    """Raise unless `M` (..., 6, 6) is the inertia of a rigid body: symmetric, m 1 and (m c)^ in their places, m > 0."""
    matrix = np.asarray(M)
    if matrix.shape[-2:] != (6, 6):
        raise ShapeError(f"{name} has shape {matrix.shape}; an inertia is (..., 6, 6)")
    if not np.isfinite(matrix).all():
        raise ArgumentError(f"{name} contains NaN or infinity: {matrix.tolist()}")
    size = max(1.0, np.abs(matrix).max(initial=0.0))
    if np.abs(matrix - transpose(matrix)).max(initial=0.0) > TOLERANCE * size:
        raise ArgumentError(f"{name} is not symmetric")
    masses = matrix[..., [0, 1, 2], [0, 1, 2]]
    if (masses <= 0.0).any():
        raise ArgumentError(f"{name} has the mass {masses.min():g}; it must be positive")
    linear = matrix[..., :3, :3] - masses[..., :1, None] * np.eye(3)
    moment = matrix[..., :3, 3:] + np.swapaxes(matrix[..., :3, 3:], -1, -2)
    if max(np.abs(linear).max(initial=0.0), np.abs(moment).max(initial=0.0)) > TOLERANCE * size:
        raise ArgumentError(f"{name} is not the inertia of one rigid body: its blocks are not m 1, -(m c)^ and (m c)^")
