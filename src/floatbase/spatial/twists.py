r"""Twists $(v, \omega)$ and wrenches $(f, n)$, linear part first, and how they change with the frame.

$$ {}^aX_b = \begin{bmatrix} R & o^\wedge R \\ 0 & R \end{bmatrix}, \quad
   {}_aX^b = ({}^bX_a)^\top = \begin{bmatrix} R & 0 \\ o^\wedge R & R \end{bmatrix}, \quad
   v\times = \begin{bmatrix} \omega^\wedge & v^\wedge \\ 0 & \omega^\wedge \end{bmatrix}, \quad
   v\,\bar\times^* = -(v\times)^\top . $$

Traversaro 2017, section 2.3 and 2.6; Bos 2019, section 2.
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array, apply_matrix, require_shape, zeros
from floatbase.spatial.kinds import Pose, TwistMatrix
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.skew import hat, vee


def adjoint(a_H_b: Pose) -> Array:
    """`a_X_b` (..., 6, 6): twists written in b to twists written in a."""
    R = rotation_of(a_H_b)
    return _blocks(R, hat(position_of(a_H_b)) @ R, None, R)


def wrench_adjoint(a_H_b: Pose) -> Array:
    """`a_X^b` (..., 6, 6): wrenches about b's origin in b's axes to wrenches about a's origin in a's axes."""
    R = rotation_of(a_H_b)
    return _blocks(R, None, hat(position_of(a_H_b)) @ R, R)


def transform_twist(a_H_b: Pose, b_twist: Array) -> Array:
    """A twist (..., 6) written in b, written in a."""
    require_shape(b_twist, 6)
    R = rotation_of(a_H_b)
    omega = apply_matrix(R, b_twist[..., 3:])
    linear = apply_matrix(R, b_twist[..., :3]) + np.cross(position_of(a_H_b), omega)
    return np.concatenate([linear, omega], axis=-1)


def transform_wrench(a_H_b: Pose, b_wrench: Array) -> Array:
    """A wrench (..., 6) given in b, given in a."""
    require_shape(b_wrench, 6)
    R = rotation_of(a_H_b)
    force = apply_matrix(R, b_wrench[..., :3])
    moment = apply_matrix(R, b_wrench[..., 3:]) + np.cross(position_of(a_H_b), force)
    return np.concatenate([force, moment], axis=-1)


def twist_cross(twist: Array) -> Array:
    """The matrix (..., 6, 6) of the product of a twist with twists."""
    require_shape(twist, 6)
    W = hat(twist[..., 3:])
    return _blocks(W, hat(twist[..., :3]), None, W)


def wrench_cross(twist: Array) -> Array:
    """The matrix (..., 6, 6) of the product of a twist with wrenches, minus the transpose of `twist_cross`."""
    require_shape(twist, 6)
    W = hat(twist[..., 3:])
    return _blocks(W, None, hat(twist[..., :3]), W)


def momentum_cross(wrench: Array) -> Array:
    r"""The skew matrix (..., 6, 6) that takes a twist v to its product $v \bar\times^* f$ with a wrench f."""
    require_shape(wrench, 6)
    F = hat(wrench[..., :3])
    result = zeros((6, 6), wrench)
    result[..., :3, 3:] = result[..., 3:, :3] = -F
    result[..., 3:, 3:] = -hat(wrench[..., 3:])
    return result


def angular_first(x: Array) -> Array:
    """A twist or wrench (..., 6) with its halves exchanged: from linear first to angular first, or back."""
    require_shape(x, 6)
    return np.concatenate([x[..., 3:], x[..., :3]], axis=-1)


def angular_first_matrix(M: Array) -> Array:
    """The matrix (..., 6, 6) that does for exchanged halves what M does, any matrix."""
    require_shape(M, 6, 6)
    rows = np.concatenate([M[..., 3:, :], M[..., :3, :]], axis=-2)
    return np.concatenate([rows[..., 3:], rows[..., :3]], axis=-1)


def twist_matrix(twist: Array) -> Array:
    """The matrix (..., 4, 4) of a body twist: the rate of a pose H is H times it."""
    require_shape(twist, 6)
    result = zeros((4, 4), twist)
    result[..., :3, :3] = hat(twist[..., 3:])
    result[..., :3, 3] = twist[..., :3]
    return result


def twist_of_matrix(matrix: TwistMatrix) -> Array:
    """The twist (..., 6) of a matrix (..., 4, 4): the inverse of `twist_matrix`."""
    require_shape(matrix, 4, 4)
    return np.concatenate([matrix[..., :3, 3], vee(matrix[..., :3, :3])], axis=-1)


def _blocks(top_left: Array, top_right: Array | None, bottom_left: Array | None, bottom_right: Array) -> Array:
    result = zeros((6, 6), top_left[..., 0])
    result[..., :3, :3] = top_left
    result[..., 3:, 3:] = bottom_right
    if top_right is not None:
        result[..., :3, 3:] = top_right
    if bottom_left is not None:
        result[..., 3:, :3] = bottom_left
    return result
