r"""Poses ${}^aH_b = \begin{bmatrix} {}^aR_b & {}^ao_b \\ 0 & 1 \end{bmatrix}$: coordinates in b to coordinates in a.

Poses compose by `@`. The exponential of a twist $(v, w)$, linear first, is

$$ \exp \begin{bmatrix} w^\wedge & v \\ 0 & 0 \end{bmatrix} = \begin{bmatrix} e^{w^\wedge} & V v \\ 0 & 1 \end{bmatrix},
   \quad V = 1 + \tfrac{1 - \cos\theta}{\theta^2} w^\wedge + \tfrac{\theta - \sin\theta}{\theta^3} (w^\wedge)^2 . $$

Traversaro 2017, (2.13); Bos 2019, (2.20)-(2.24).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.spatial.arrays import Array, apply_matrix, require_shape, transpose, zeros
from floatbase.spatial.kinds import Pose, RotationMatrix
from floatbase.spatial.rotations import real, rotation_exponential, rotation_logarithm

_SERIES_BELOW = 0.1  # angle below which the coefficients of V are series


def pose_from(a_R_b: RotationMatrix, a_o_b: Array) -> Array:
    """`a_H_b` (..., 4, 4) from a rotation (..., 3, 3) and the position (..., 3) of b's origin in a."""
    result = zeros((4, 4), a_R_b[..., 0], a_o_b)
    result[..., :3, :3] = a_R_b
    result[..., :3, 3] = a_o_b
    result[..., 3, 3] = 1.0
    return result


def rotation_of(a_H_b: Pose) -> Array:
    """`a_R_b` (..., 3, 3)."""
    require_shape(a_H_b, 4, 4)
    return a_H_b[..., :3, :3]


def position_of(a_H_b: Pose) -> Array:
    """The position (..., 3) of b's origin in a."""
    require_shape(a_H_b, 4, 4)
    return a_H_b[..., :3, 3]


def invert_pose(a_H_b: Pose) -> Array:
    """`b_H_a`."""
    b_R_a = transpose(rotation_of(a_H_b))
    return pose_from(b_R_a, -apply_matrix(b_R_a, position_of(a_H_b)))


def apply_pose(a_H_b: Pose, b_p: Array) -> Array:
    """The coordinates (..., 3) in a of a point given in b."""
    return apply_matrix(rotation_of(a_H_b), b_p) + position_of(a_H_b)


def pose_exponential(twist: Array) -> Array:
    """The pose (..., 4, 4) reached in unit time at a constant body twist (..., 6)."""
    require_shape(twist, 6)
    v, w = twist[..., :3], twist[..., 3:]
    square = np.sum(w * w, axis=-1)
    B, C = _coefficients(square)
    wv = np.cross(w, v)
    position = v + _column(B) * wv + _column(C) * np.cross(w, wv)
    return pose_from(rotation_exponential(w), position)


def pose_logarithm(a_H_b: Pose) -> Array:
    """The twist (..., 6) whose exponential is the pose, with an angle of at most pi."""
    w = rotation_logarithm(rotation_of(a_H_b))
    p = position_of(a_H_b)
    square = np.sum(w * w, axis=-1)
    B, C = _coefficients(square)
    small = real(square) < _SERIES_BELOW**2
    safe = np.where(small, 1.0, square)
    # (1 - A / (2 B)) / theta^2 with A = 1 - theta^2 C
    closed = (1.0 - (1.0 - safe * C) / (2.0 * B)) / safe
    series = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
    wp = np.cross(w, p)
    v = p - 0.5 * wp + _column(np.where(small, series, closed)) * np.cross(w, wp)
    return np.concatenate([v, w], axis=-1)


def _coefficients(square: Any) -> tuple[Any, Any]:
    r"""$(1 - \cos\theta) / \theta^2$ and $(\theta - \sin\theta) / \theta^3$ from $\theta^2$."""
    small = real(square) < _SERIES_BELOW**2
    safe = np.where(small, 1.0, square)
    angle = np.sqrt(safe)
    half = np.sin(0.5 * angle)
    B = np.where(
        small,
        0.5 - square * (1.0 / 24.0 - square * (1.0 / 720.0 - square * (1.0 / 40320.0 - square / 3628800.0))),
        2.0 * half * half / safe,
    )
    C = np.where(
        small,
        1.0 / 6.0 - square * (1.0 / 120.0 - square * (1.0 / 5040.0 - square * (1.0 / 362880.0 - square / 39916800.0))),
        (angle - np.sin(angle)) / (safe * angle),
    )
    return B, C


def _column(x: Any) -> Array:
    return np.asanyarray(x)[..., None]
