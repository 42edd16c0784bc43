r"""Rotations: matrices, unit quaternions (w, x, y, z), angle and axis, roll-pitch-yaw, exponential and logarithm.

$\exp(w^\wedge) = 1 + \frac{\sin\theta}{\theta} w^\wedge + \frac{1 - \cos\theta}{\theta^2} (w^\wedge)^2$ with
$\theta = |w|$; the coefficients are series near zero. The logarithm goes through the quaternion, which is well
behaved up to half a turn: $w = 2\,\mathrm{atan2}(|\epsilon|, \eta)\, \epsilon / |\epsilon|$ for the quaternion
$(\eta, \epsilon)$, $\eta \ge 0$. At half a turn the axis's sign is arbitrary.

Traversaro 2017 (2.5)-(2.9) with erratum (3.19); M. Bos, "Geometric sensitivity of moving-base multibody dynamics",
MSc thesis, TU Eindhoven, 2019, (2.20)-(2.24).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.spatial.arrays import Array, components, matrix, require_shape, vector
from floatbase.spatial.kinds import Quaternion, RotationMatrix, UnitVector
from floatbase.spatial.vectors import Matrix

SMALL_ANGLE = 1e-2  # below, the series' first neglected term is under one rounding of float64


def quaternion_rows(w: Any, x: Any, y: Any, z: Any) -> Matrix:
    r"""Rows of $1 + 2 (\eta\, \epsilon^\wedge + (\epsilon^\wedge)^2)$, the rotation of a unit quaternion."""
    x2, y2, z2 = x + x, y + y, z + z
    wx, wy, wz = w * x2, w * y2, w * z2
    xx, xy, xz = x * x2, x * y2, x * z2
    yy, yz, zz = y * y2, y * z2, z * z2
    return (
        (1.0 - (yy + zz), xy - wz, xz + wy),
        (xy + wz, 1.0 - (xx + zz), yz - wx),
        (xz - wy, yz + wx, 1.0 - (xx + yy)),
    )


def rotation_from_quaternion(quaternion: Quaternion) -> Array:
    """`a_R_b` (..., 3, 3) of a unit quaternion `w x y z` (..., 4)."""
    return matrix(quaternion_rows(*components(quaternion, 4)), quaternion)


def quaternion_from_rotation(a_R_b: RotationMatrix) -> Array:
    """The unit quaternion `w x y z` (..., 4), w >= 0, of a rotation matrix (..., 3, 3).

    Of the four ways to divide, the one with the largest divisor is taken (S. Shepperd, 1978).
    """
    require_shape(a_R_b, 3, 3)
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (components(a_R_b[..., k, :]) for k in range(3))
    squares = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    rows = (
        (squares[0], zy - yz, xz - zx, yx - xy),
        (zy - yz, squares[1], xy + yx, xz + zx),
        (xz - zx, xy + yx, squares[2], yz + zy),
        (yx - xy, xz + zx, yz + zy, squares[3]),
    )
    best, largest = rows[0], squares[0]
    for row, square in zip(rows[1:], squares[1:], strict=True):
        better = real(square) > real(largest)
        best = tuple(np.where(better, new, old)[()] for new, old in zip(row, best, strict=True))
        largest = np.where(better, square, largest)[()]
    sign = np.where(real(best[0]) < 0.0, -1.0, 1.0)[()]
    factor = sign / (2.0 * np.sqrt(largest))
    return vector([factor * entry for entry in best], a_R_b[..., 0])


def multiply_quaternions(a_Q_b: Array, b_Q_c: Array) -> Array:
    """`a_Q_c`: the quaternion of the product of two rotations; the product of any two quaternions (..., 4)."""
    w, x, y, z = components(a_Q_b, 4)
    s, i, j, k = components(b_Q_c, 4)
    entries = (
        w * s - x * i - y * j - z * k,
        w * i + x * s + y * k - z * j,
        w * j - x * k + y * s + z * i,
        w * k + x * j - y * i + z * s,
    )
    return vector(entries, a_Q_b, b_Q_c)


def quaternion_exponential(rotation_vector: Array) -> Array:
    """The unit quaternion of a rotation by `|w|` about `w` (..., 3)."""
    x, y, z = components(rotation_vector, 3)
    cosine, sinc = _half_angle_series(x * x + y * y + z * z)
    return vector([cosine, sinc * x, sinc * y, sinc * z], rotation_vector)


def quaternion_logarithm(quaternion: Quaternion) -> Array:
    """The rotation vector (..., 3) of a unit quaternion, of length at most pi."""
    w, x, y, z = components(quaternion, 4)
    sign = np.where(real(w) < 0.0, -1.0, 1.0)[()]
    square = x * x + y * y + z * z
    small = real(square) < SMALL_ANGLE**2
    norm = np.sqrt(np.where(small, 1.0, square)[()])
    w = sign * w
    angle = 2.0 * _atan2(norm, w)
    ratio = square / (w * w + np.where(real(w) < 0.5, 1.0, 0.0)[()])  # tangent squared where it is small
    series = (
        2.0
        / np.where(small, w, 1.0)[()]
        * (1.0 - ratio * (1.0 / 3.0 - ratio * (1.0 / 5.0 - ratio * (1.0 / 7.0 - ratio / 9.0))))
    )
    factor = sign * np.where(small, series, angle / norm)[()]
    return vector([factor * x, factor * y, factor * z], quaternion)


def rotation_exponential(rotation_vector: Array) -> Array:
    """`exp(w^)` (..., 3, 3) of a rotation vector (..., 3)."""
    return rotation_from_quaternion(quaternion_exponential(rotation_vector))


def rotation_logarithm(a_R_b: RotationMatrix) -> Array:
    """The rotation vector (..., 3) of a rotation matrix, of length at most pi."""
    return quaternion_logarithm(quaternion_from_rotation(a_R_b))


def rotation_about_axis(axis: UnitVector, angle: Array) -> Array:
    """The rotation by `angle` (...) about a unit `axis` (..., 3)."""
    return rotation_exponential(axis * np.asanyarray(angle)[..., None])


def rotation_from_rpy(roll_pitch_yaw: Array) -> Array:
    """`Rz(yaw) Ry(pitch) Rx(roll)` of angles (..., 3), the convention of URDF files."""
    (cr, sr), (cp, sp), (cy, sy) = ((np.cos(angle), np.sin(angle)) for angle in components(roll_pitch_yaw, 3))
    rows = (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
    return matrix(rows, roll_pitch_yaw)


def rpy_from_rotation(a_R_b: RotationMatrix) -> Array:
    """Roll, pitch and yaw (..., 3); at a pitch of a quarter turn only one combination of the others is defined."""
    require_shape(a_R_b, 3, 3)
    pitch = _atan2(-a_R_b[..., 2, 0], np.sqrt(a_R_b[..., 0, 0] ** 2 + a_R_b[..., 1, 0] ** 2))
    roll = _atan2(a_R_b[..., 2, 1], a_R_b[..., 2, 2])
    yaw = _atan2(a_R_b[..., 1, 0], a_R_b[..., 0, 0])
    return vector([roll[()], pitch[()], yaw[()]], a_R_b[..., 0])


def _half_angle_series(square: Any) -> tuple[Any, Any]:
    """Cosine of half the angle, and sine of half the angle over the angle, from the square of the angle."""
    small = real(square) < SMALL_ANGLE**2
    half = 0.5 * np.sqrt(np.where(small, 1.0, square)[()])
    quarter = 0.25 * square
    cosine = np.where(small, 1.0 - quarter / 2.0 * (1.0 - quarter / 12.0 * (1.0 - quarter / 30.0)), np.cos(half))[()]
    sinc = np.where(
        small, 0.5 * (1.0 - quarter / 6.0 * (1.0 - quarter / 20.0 * (1.0 - quarter / 42.0))), 0.5 * np.sin(half) / half
    )[()]
    return cosine, sinc


def real(x: Any) -> Any:
    """What comparisons look at: complex numbers (complex-step differentiation) are compared by their real parts."""
    return x.real if _is_complex(x) else x


def _is_complex(x: Any) -> bool:
    return getattr(getattr(x, "dtype", None), "kind", "") == "c"


def _atan2(y: Any, x: Any) -> Any:
    """The angle of (x, y), also for complex numbers with small imaginary parts."""
    if not (_is_complex(y) or _is_complex(x)):
        return np.arctan2(y, x)
    angle = np.arctan2(real(y), real(x))
    derivative = (np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / (np.real(x) ** 2 + np.real(y) ** 2)
    return angle + 1j * derivative
