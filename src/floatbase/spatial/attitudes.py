r"""Other ways to write an attitude, and the nearest rotation to a matrix.

| parametrisation | numbers | everywhere | unique |
|---|---|---|---|
| roll, pitch, yaw | 3 | no | no |
| axis and angle | 4 | yes | no |
| unit quaternion | 4 | yes | up to its sign |
| rotation matrix | 9 | yes | yes |

The rates of roll, pitch and yaw give $\omega = E(\phi)\, \dot\phi$ with $|\det E| = |\cos \mathrm{pitch}|$: they cannot
be the velocities of a robot whose base may pitch by a quarter turn. Bos 2019, table 2.1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.spatial.arrays import Array, components, matrix, require_shape
from floatbase.spatial.kinds import RotationMatrix
from floatbase.spatial.rotations import rotation_logarithm


class AxisAngle(NamedTuple):
    """A unit axis (..., 3) and an angle (...) of 0 to pi; without rotation the axis is x."""

    axis: Array
    angle: Array


def axis_angle_from_rotation(a_R_b: RotationMatrix) -> AxisAngle:
    """Axis and angle of a rotation matrix (..., 3, 3) of numbers; at half a turn the axis's sign is arbitrary."""
    w = rotation_logarithm(a_R_b)
    angle = np.sqrt(np.sum(w * w, axis=-1))
    still = angle == 0.0
    axis = np.where(still[..., None], np.eye(3)[0], w / np.where(still, 1.0, angle)[..., None])
    return AxisAngle(axis, angle)


def rpy_rate_matrix(roll_pitch_yaw: Array) -> Array:
    """`E` (..., 3, 3): angular velocity in the turned axes per unit of the rates of roll, pitch and yaw."""
    roll, pitch, _ = components(roll_pitch_yaw, 3)
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    return matrix([[1.0, 0.0, -sp], [0.0, cr, sr * cp], [0.0, -sr, cr * cp]], roll_pitch_yaw)


def nearest_rotation(M: Array) -> Array:
    """The rotation (..., 3, 3) nearest to a matrix of numbers in Frobenius norm (S. Umeyama, 1991)."""
    matrix_ = np.asarray(M)
    require_shape(matrix_, 3, 3)
    if not np.isfinite(matrix_).all():
        raise ArgumentError(f"a matrix without rotation near it: it contains NaN or infinity: {matrix_.tolist()}")
    U, sizes, V = np.linalg.svd(matrix_)
    if (sizes[..., 1] <= 1e-12 * sizes[..., 0]).any():
        raise ArgumentError(
            f"a matrix of rank below 2 has no nearest rotation, its singular values are {sizes.tolist()}"
        )
    sign = np.ones_like(sizes)
    sign[..., 2] = np.sign(np.linalg.det(U @ V))
    return (U * sign[..., None, :]) @ V
