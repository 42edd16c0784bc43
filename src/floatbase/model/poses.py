r"""Numeric poses, as the loaders and the tree builder need them: exact where the description is exact.

A rotation given by roll, pitch and yaw (URDF's convention) is $R_z(y) R_y(p) R_x(r)$. Sines and cosines within a few
roundings of 0 and 1 become 0 and 1, so that frames turned by quarter turns give matrices of zeros and ones; every such
entry spares operations in the compiled programs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

ROUNDING = 1e-15


def tidy(matrix: Array, scale: float = 1.0) -> Array:
    """Entries within rounding (relative to `scale`) of 0 become 0, those of +-1 become +-1. Negative zeros vanish."""
    limit = ROUNDING * scale
    result = np.where(np.abs(matrix) <= limit, 0.0, matrix)
    if scale == 1.0:
        result = np.where(np.abs(np.abs(result) - 1.0) <= limit, np.sign(result), result)
    return result


def inverse(a_H_b: Array) -> Array:
    """The inverse `b_H_a` of a pose."""
    rotation = a_H_b[:3, :3].T
    result = np.eye(4)
    result[:3, :3] = rotation
    result[:3, 3] = -(rotation @ a_H_b[:3, 3])
    return result


def pose(position: Sequence[float], roll_pitch_yaw: Sequence[float]) -> Array:
    """The pose at a position with an attitude given by roll, pitch and yaw."""
    (sr, cr), (sp, cp), (sy, cy) = (_sine_cosine(angle) for angle in roll_pitch_yaw)
    x, y, z = position
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
            [-sp, cp * sr, cp * cr, z],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def turn(angle: float) -> Array:
    """The pose turned about z."""
    sine, cosine = _sine_cosine(angle)
    result = np.eye(4)
    result[0, 0] = result[1, 1] = cosine
    result[0, 1], result[1, 0] = -sine, sine
    return result


def shift(position: Sequence[float] | Array) -> Array:
    """The pose moved by a translation."""
    result = np.eye(4)
    result[:3, 3] = position
    return result


def axis_rotation(axis: Array, angle: float) -> Array:
    r"""The pose turned about a unit axis: $1 + \sin\theta\, a^\wedge + (1 - \cos\theta)\, (a^\wedge)^2$."""
    sine, cosine = _sine_cosine(angle)
    x, y, z = axis
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    result = np.eye(4)
    result[:3, :3] += sine * cross + (1.0 - cosine) * (cross @ cross)
    return result


def position_quaternion(numbers: Sequence[float] | Array) -> Array:
    """The pose of a position (3) and a unit quaternion w x y z."""
    result = shift(numbers[:3])
    result[:3, :3] = quaternion_rotation(numbers[3:7])
    return result


def quaternion_rotation(quaternion: Sequence[float] | Array) -> Array:
    """The rotation matrix (3, 3) of a unit quaternion w x y z."""
    w, x, y, z = (float(entry) for entry in quaternion)
    return tidy(
        np.array(
            [
                [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
                [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
                [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
            ]
        )
    )


def rotation_to_axis(axis: Array) -> Array:
    r"""A rotation whose third column is a unit `axis`: $R_z(\beta) R_x(\alpha)$, with $\beta = 0$ for axes along z."""
    x, y, z = (float(entry) for entry in axis)
    radius = math.hypot(x, y)
    if radius == 0.0:
        return np.diag([1.0, math.copysign(1.0, z), math.copysign(1.0, z)])
    # x = sin(beta) sin(alpha), y = -cos(beta) sin(alpha); the sign of sin(alpha) is chosen such that cos(beta) >= 0
    sign = -1.0 if y > 0.0 else 1.0
    sine_b, cosine_b = sign * x / radius, -sign * y / radius
    sine_a = sign * radius
    return np.array(
        [
            [cosine_b, -sine_b * z, sine_b * sine_a],
            [sine_b, cosine_b * z, -cosine_b * sine_a],
            [0.0, sine_a, z],
        ]
    )


def _sine_cosine(angle: float) -> tuple[float, float]:
    return _clean(math.sin(angle)), _clean(math.cos(angle))


def _clean(value: float) -> float:
    if abs(value) <= ROUNDING:
        return 0.0
    return math.copysign(1.0, value) if abs(value) >= 1.0 - ROUNDING else value
