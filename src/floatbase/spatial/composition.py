r"""Twists and accelerations of a frame D that moves on a frame B that moves in the world A.

$$ {}^Dv_{A,D} = {}^DX_B\, {}^Bv_{A,B} + {}^Dv_{B,D}, \qquad
   {}^D\dot v_{A,D} = {}^DX_B\, {}^B\dot v_{A,B} + {}^D\dot v_{B,D} + {}^Dv_{A,D} \times {}^Dv_{B,D}, $$

and for the "sensor" accelerations $\alpha = ({}^DR\, \ddot o,\ {}^D\dot\omega)$, also when both $\alpha_{A,\cdot}$ are
relative to free fall, with $\omega = {}^B\omega_{A,B}$ and the relative motion's ${}^B\dot o_D$, ${}^B\omega_{B,D}$,

$$ \alpha_{A,D} = {}^DX_B\, \alpha_{A,B} + \alpha_{B,D} + \begin{bmatrix}
   {}^DR_B (2 \omega \times {}^B\dot o_D + \omega \times (\omega \times {}^Bo_D)) \\
   {}^DR_B (\omega \times {}^B\omega_{B,D}) \end{bmatrix}. $$

Traversaro 2017, (3.3)-(3.10) with errata.
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import invert_pose, position_of, rotation_of
from floatbase.spatial.twists import transform_twist, twist_cross


def compose_twists(b_twist: Array, d_twist: Array, b_H_d: Array) -> Array:
    """The body twist (..., 6) of D in the world, from those of B in the world and of D relative to B."""
    return transform_twist(invert_pose(b_H_d), b_twist) + d_twist


def compose_accelerations(
    b_acceleration: Array, d_acceleration: Array, b_twist: Array, d_twist: Array, b_H_d: Array
) -> Array:
    """The derivative (..., 6) of `compose_twists`, from those of its two twists."""
    whole = compose_twists(b_twist, d_twist, b_H_d)
    carried = transform_twist(invert_pose(b_H_d), b_acceleration)
    return carried + d_acceleration + apply_matrix(twist_cross(whole), d_twist)


def compose_sensor_accelerations(
    b_acceleration: Array, d_acceleration: Array, b_omega: Array, d_twist: Array, b_H_d: Array
) -> Array:
    """The "sensor" acceleration (..., 6) of D, from those of B and of D relative to B; all in their own axes."""
    R, p = rotation_of(b_H_d), position_of(b_H_d)
    relative, turning = apply_matrix(R, d_twist[..., :3]), apply_matrix(R, d_twist[..., 3:])
    linear = 2.0 * np.cross(b_omega, relative) + np.cross(b_omega, np.cross(b_omega, p))
    back = transpose(R)
    extra = [apply_matrix(back, linear), apply_matrix(back, np.cross(b_omega, turning))]
    return transform_twist(invert_pose(b_H_d), b_acceleration) + d_acceleration + np.concatenate(extra, axis=-1)
