r"""Twists and accelerations of a frame D that moves on a frame B that moves in the world A.

$$ {}^Dv_{A,D} = {}^DX_B\, {}^Bv_{A,B} + {}^Dv_{B,D}, \qquad
   {}^D\dot v_{A,D} = {}^DX_B\, {}^B\dot v_{A,B} + {}^D\dot v_{B,D} + {}^Dv_{A,D} \times {}^Dv_{B,D}, $$

and for the "sensor" accelerations $\alpha = ({}^DR\, \ddot o,\ {}^D\dot\omega)$, also when both $\alpha_{A,\cdot}$ are
relative to free fall, with $\omega = {}^B\omega_{A,B}$ and the relative motion's ${}^B\dot o_D$, ${}^B\omega_{B,D}$,

$$ \alpha_{A,D} = {}^DX_B\, \alpha_{A,B} + \alpha_{B,D} + \begin{bmatrix}
   {}^DR_B (2 \omega \times {}^B\dot o_D + \omega \times (\omega \times {}^Bo_D)) \\
   {}^DR_B (\omega \times {}^B\omega_{B,D}) \end{bmatrix}. $$

About the world's origin in its axes ("inertial") velocities add up; "mixed" accelerations are those of points:

$$ {}^A\dot v_{A,D} = {}^A\dot v_{A,B} + {}^AX_B {}^B\dot v_{B,D} + {}^Av_{A,B} \times ({}^AX_B {}^Bv_{B,D}), $$
$$ \ddot o_D = \ddot o_B + \dot\omega \times R o + \omega \times (\omega \times R o)
   + 2 \omega \times R\, {}^B\dot o_D + R\, {}^B\ddot o_D, \qquad
   \dot\omega_{A,D} = \dot\omega + R\, {}^B\dot\omega_{B,D} + \omega \times R\, {}^B\omega_{B,D} . $$

An *apparent* acceleration is the derivative of the components of a twist in a frame C that moves itself; the
*intrinsic* one is the derivative of the body twist, only written in C (`transform_twist`):

$$ {}^C\dot v_{A,B} = {}^CX_B ({}^B\dot v_{A,B} + {}^Bv_{C,B} \times {}^Bv_{A,B}) . $$

Traversaro 2017, (3.4), (3.7) with errata, the mixed form derived here; Bos 2019, section 2.5.3.
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array, apply_matrix, require_shape, transpose
from floatbase.spatial.kinds import Pose
from floatbase.spatial.poses import invert_pose, position_of, rotation_of
from floatbase.spatial.twists import transform_twist, twist_cross


def compose_twists(b_twist: Array, d_twist: Array, b_H_d: Pose) -> Array:
    """The body twist (..., 6) of D in the world, from those of B in the world and of D relative to B."""
    _require_sixes(b_twist, d_twist)
    return transform_twist(invert_pose(b_H_d), b_twist) + d_twist


def compose_accelerations(
    b_acceleration: Array, d_acceleration: Array, b_twist: Array, d_twist: Array, b_H_d: Pose
) -> Array:
    """The derivative (..., 6) of `compose_twists`, from those of its two twists."""
    _require_sixes(b_acceleration, d_acceleration, b_twist, d_twist)
    whole = compose_twists(b_twist, d_twist, b_H_d)
    carried = transform_twist(invert_pose(b_H_d), b_acceleration)
    return carried + d_acceleration + apply_matrix(twist_cross(whole), d_twist)


def compose_sensor_accelerations(
    b_acceleration: Array, d_acceleration: Array, b_omega: Array, d_twist: Array, b_H_d: Pose
) -> Array:
    """The "sensor" acceleration (..., 6) of D, from those of B and of D relative to B; all in their own axes."""
    _require_sixes(b_acceleration, d_acceleration, d_twist)
    R, p = rotation_of(b_H_d), position_of(b_H_d)
    relative, turning = apply_matrix(R, d_twist[..., :3]), apply_matrix(R, d_twist[..., 3:])
    linear = 2.0 * np.cross(b_omega, relative) + np.cross(b_omega, np.cross(b_omega, p))
    back = transpose(R)
    extra = [apply_matrix(back, linear), apply_matrix(back, np.cross(b_omega, turning))]
    return transform_twist(invert_pose(b_H_d), b_acceleration) + d_acceleration + np.concatenate(extra, axis=-1)


def compose_inertial_twists(b_twist: Array, d_twist: Array, a_H_b: Pose) -> Array:
    """The "inertial" twist (..., 6) of D in A, from those of B in A and of D in B, each in its reference's axes."""
    _require_sixes(b_twist, d_twist)
    return b_twist + transform_twist(a_H_b, d_twist)


def compose_inertial_accelerations(
    b_acceleration: Array, d_acceleration: Array, b_twist: Array, d_twist: Array, a_H_b: Pose
) -> Array:
    """The derivative (..., 6) of `compose_inertial_twists`."""
    _require_sixes(b_acceleration, d_acceleration, b_twist, d_twist)
    relative = transform_twist(a_H_b, d_twist)
    turning = apply_matrix(twist_cross(b_twist), relative)
    return b_acceleration + transform_twist(a_H_b, d_acceleration) + turning


def compose_mixed_twists(b_twist: Array, d_twist: Array, a_H_b: Pose, b_H_d: Pose) -> Array:
    """The "mixed" twist (..., 6) of D in A, from those of B in A (axes of A) and of D in B (axes of B)."""
    _require_sixes(b_twist, d_twist)
    R, omega = rotation_of(a_H_b), b_twist[..., 3:]
    linear = b_twist[..., :3] + np.cross(omega, apply_matrix(R, position_of(b_H_d))) + apply_matrix(R, d_twist[..., :3])
    return np.concatenate([linear, omega + apply_matrix(R, d_twist[..., 3:])], axis=-1)


def compose_mixed_accelerations(
    b_acceleration: Array, d_acceleration: Array, b_twist: Array, d_twist: Array, a_H_b: Pose, b_H_d: Pose
) -> Array:
    """The derivative (..., 6) of `compose_mixed_twists`."""
    _require_sixes(b_acceleration, d_acceleration, b_twist, d_twist)
    R, omega, turning = rotation_of(a_H_b), b_twist[..., 3:], b_acceleration[..., 3:]
    arm, moving, spin = (apply_matrix(R, x) for x in (position_of(b_H_d), d_twist[..., :3], d_twist[..., 3:]))
    linear = (
        b_acceleration[..., :3]
        + np.cross(turning, arm)
        + np.cross(omega, np.cross(omega, arm) + 2.0 * moving)
        + apply_matrix(R, d_acceleration[..., :3])
    )
    angular = turning + apply_matrix(R, d_acceleration[..., 3:]) + np.cross(omega, spin)
    return np.concatenate([linear, angular], axis=-1)


def apparent_acceleration(body_acceleration: Array, body_twist: Array, c_H_b: Pose, c_twist: Array) -> Array:
    """The derivative (..., 6) of the twist of B in A as written in C.

    body_acceleration and body_twist are B's in A, c_twist is C's in A, each a body twist (..., 6).
    """
    _require_sixes(body_acceleration, body_twist, c_twist)
    relative = body_twist - transform_twist(invert_pose(c_H_b), c_twist)
    return transform_twist(c_H_b, body_acceleration + apply_matrix(twist_cross(relative), body_twist))


def _require_sixes(*arrays: Array) -> None:
    for array in arrays:
        require_shape(array, 6)
