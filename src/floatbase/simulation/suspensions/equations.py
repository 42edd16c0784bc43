r"""The equations of suspensions as Rothammer 2021 writes them: twists and wrenches angular first, in body axes.

The suspension point is the world's origin. A body's frame has its origin in the centre of mass and its z axis towards
where it hangs from, so that the suspension point is at $-r = (0, 0, l)$ in it. Rows of constraints are for the stacked
twists $(\omega, v)$ of hook and platform:

$$ A = \begin{bmatrix} r^\wedge & 1 \end{bmatrix}, \qquad
   A_2 = \begin{bmatrix} r_H^\wedge & 1 & 0 & 0 \\ 0 & -{}^PR_H & r_P^\wedge & 1 \end{bmatrix}, \qquad
   A_r = \begin{bmatrix} 0 & l & 0 & 1 & 0 & 0 \\ -l & 0 & 0 & 0 & 1 & 0 \end{bmatrix} . $$

Rothammer 2021, (3.1)-(3.8), with the sign of l in (3.6) corrected: z points to the suspension point. This is the one
place with the angular part first; the laws exchange halves by `linear_first`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import StateError
from floatbase.spatial.arrays import Array, apply_matrix, transpose, vector, zeros
from floatbase.spatial.rotations import quaternion_logarithm, real
from floatbase.spatial.skew import hat

OPPOSITE = 1e-9  # 1 + cosine of the angle between z and the cable, below which the axis of the moment is lost


def linear_first(x: Array) -> Array:
    """Each six entries along the last axis with their halves exchanged: rows of constraints, twists, wrenches."""
    parts = [
        half
        for start in range(0, x.shape[-1], 6)
        for half in (x[..., start + 3 : start + 6], x[..., start : start + 3])
    ]
    return np.concatenate(parts, axis=-1)


def hanging(length: Any, *like: Array) -> Array:
    """(..., 3): where a body is that hangs at a distance, in its own axes."""
    return vector([0.0, 0.0, -length], np.asanyarray(length)[..., None], *like)


def pendulum_rows(length: Any, *like: Array) -> Array:
    """`A` (..., 3, 6) of a rigid pendulum: the velocity of the suspension point is none. It is constant. (3.2)."""
    r = hanging(length, *like)
    A = zeros((3, 6), r)
    A[..., :3] = hat(r)
    A[..., 3:] = np.eye(3)
    return A


def double_pendulum_rows(R_H: Array, R_P: Array, hook_length: Any, platform_length: Any) -> Array:
    """`A` (..., 6, 12) of hook and platform with attitudes (..., 3, 3). (3.3)."""
    r_H, r_P = hanging(hook_length, R_H[..., 0]), hanging(platform_length, R_P[..., 0])
    A = zeros((6, 12), r_H, r_P)
    A[..., :3, :3] = hat(r_H)
    A[..., :3, 3:6] = np.eye(3)
    A[..., 3:, 3:6] = -(transpose(R_P) @ R_H)
    A[..., 3:, 6:9] = hat(r_P)
    A[..., 3:, 9:] = np.eye(3)
    return A


def double_pendulum_rows_rate(R_H: Array, R_P: Array, omega_H: Array, omega_P: Array) -> Array:
    """Derivative (..., 6, 12) of `double_pendulum_rows` at body angular velocities (..., 3)."""
    P_R_H = transpose(R_P) @ R_H
    rate = P_R_H @ hat(omega_H - apply_matrix(transpose(P_R_H), omega_P))
    A_rate = zeros((6, 12), rate[..., 0])
    A_rate[..., 3:, 3:6] = -rate
    return A_rate


def lateral_rows(length: Any, *like: Array) -> Array:
    """`A_r` (..., 2, 6) of a hook that slides along its z axis, at a distance from the suspension point. (3.6)."""
    length = np.asanyarray(length)
    A = zeros((2, 6), length[..., None], *like)
    A[..., 0, 1], A[..., 1, 0] = length, -length
    A[..., 0, 3] = A[..., 1, 4] = 1.0
    return A


def lateral_rows_rate(length_rate: Any) -> Array:
    """Derivative (..., 2, 6) of `lateral_rows`."""
    length_rate = np.asanyarray(length_rate)
    A_rate = zeros((2, 6), length_rate[..., None])
    A_rate[..., 0, 1], A_rate[..., 1, 0] = length_rate, -length_rate
    return A_rate


class Spring(NamedTuple):
    """A compliant cable: world force (..., 3) and moment (..., 3) on the lower body, energy, and whether it is taut.

    `up` (..., 3) is the direction to the upper end, `distance` how far it is, `angle` that between `up` and z.
    """

    force: Array
    moment: Array
    energy: Any
    is_taut: Any
    up: Array
    distance: Any
    angle: Any


def compliant_spring(offset: Array, z: Array, stiffness: Any, torsion: Any, length: Any, printed: bool) -> Spring:
    r"""The spring of a compliant pendulum, (3.4), for the place $p$ of the lower body seen from the upper end.

    With $\rho = |p|$, $u = -p / \rho$ and the rotation vector $\theta n$ that takes z to u,

    $$ \tau = k_r\, \theta n, \qquad \varphi = k_t (\rho - l_0)\, u + \tau \times u / \rho $$

    is the gradient of $\frac12 k_t (\rho - l_0)^2 + \frac12 k_r \theta^2$ and has no moment about the upper end. As
    printed the second term of the force is missing: a spring against turning without the force that goes with it takes
    and gives energy as the body moves. A cable no longer than $l_0$ is slack and does nothing.
    """
    square = np.sum(offset * offset, axis=-1)
    away = real(square) > 0.0
    distance = np.sqrt(np.where(away, square, 1.0)) * np.where(away, 1.0, 0.0)
    is_taut = real(distance) > real(np.asanyarray(length))
    far = np.where(away, distance, 1.0)
    up = -offset / far[..., None]
    rotation_vector = _turn_between(z, up, is_taut)
    moment = np.asanyarray(torsion)[..., None] * rotation_vector
    stretch = distance - length
    force = (stiffness * stretch)[..., None] * up
    if not printed:
        force = force + np.cross(moment, up) / far[..., None]
    angle_square = np.sum(rotation_vector * rotation_vector, axis=-1)
    energy = 0.5 * stiffness * stretch * stretch + 0.5 * torsion * angle_square
    return Spring(
        np.where(is_taut[..., None], force, 0.0),
        np.where(is_taut[..., None], moment, 0.0),
        np.where(is_taut, energy, 0.0),
        is_taut,
        up,
        distance,
        np.sqrt(angle_square),
    )


def _turn_between(a: Array, b: Array, needed: Any) -> Array:
    """The rotation vector (..., 3) normal to two unit vectors that takes a to b; they must not be opposite."""
    cosine = np.where(needed, np.sum(a * b, axis=-1), 1.0)
    if cosine.dtype != object and (1.0 + real(cosine) < OPPOSITE).any():
        place = np.argwhere(1.0 + real(cosine) < OPPOSITE)[0].tolist()
        raise StateError(
            f"a body's z axis points away from what the body hangs from{f' in state {place}' if place else ''}: the "
            "angle is pi, at which the moment that turns it back has no axis; it must be less"
        )
    double = np.where(needed[..., None], np.cross(a, b), 0.0)
    half = np.sqrt(0.5 * (1.0 + cosine))
    quaternion = np.concatenate([half[..., None], double / (2.0 * half)[..., None]], axis=-1)
    return quaternion_logarithm(quaternion)


def constrained_part(A: Array, is_held: Array, V: Array) -> Array:
    r"""$\Pi V$ with $\Pi = A^\top (A A^\top)^{-1} A$ for those rows (..., c) of A (..., c, n) that are held."""
    held = np.where(is_held, 1.0, 0.0)
    rows = held[..., None] * A
    gram = rows @ transpose(rows) + (1.0 - held)[..., None] * np.eye(A.shape[-2])
    solved = np.linalg.solve(gram, rows @ V[..., None])
    return (transpose(rows) @ solved)[..., 0]
