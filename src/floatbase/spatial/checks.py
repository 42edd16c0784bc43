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
