r"""The inertia of a rigid body as mass, first and second moments, for recursions.

With the classical acceleration $a$ of the frame's origin, $\omega$ and $\dot\omega$ in body axes, and

$$ \Omega = \dot\omega^\wedge + \omega^\wedge \omega^\wedge , $$

a body-fixed point $r$ accelerates by $a + \Omega r$, and the wrench on the body is

$$ f = m a + \Omega\, h, \qquad n = I \dot\omega + \omega \times I \omega + h \times a, \qquad h = m c, $$

the "sensor" form of Newton and Euler's equations: neither attitude nor linear velocity enters, and with $a$ taken
relative to free fall gravity is included. With the second moments $\Sigma = \int \rho\, r r^\top = \tfrac12
\mathrm{tr}(I) 1 - I$ the moment $\int \rho\, r \times (a + \Omega r)$ is (row x, the others cyclic)

$$ n_x = \Omega_{zy} \Sigma_{yy} - \Omega_{yz} \Sigma_{zz} + \Omega_{zx} \Sigma_{xy} - \Omega_{yx} \Sigma_{xz}
       + (\Omega_{zz} - \Omega_{yy}) \Sigma_{yz} + (h \times a)_x . $$

S. Traversaro, "Modelling, estimation and identification of humanoid robots dynamics", 2017, section 2.5 and (4.11).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from floatbase.spatial.turns import Rotation, turn, turn_symmetric
from floatbase.spatial.vectors import (
    Matrix,
    Symmetric,
    Vector,
    add,
    cross,
    dot,
    multiply,
    multiply_symmetric,
    scale,
    sum_symmetric,
)


class RigidInertia(NamedTuple):
    r"""Mass, first moments $m c$ and second moments $\Sigma$ about the origin of the frame, in its axes."""

    mass: Any
    moment: Vector
    second: Symmetric


def tensor_of(second: Symmetric) -> Symmetric:
    r"""The tensor $I = \mathrm{tr}(\Sigma) 1 - \Sigma$ of second moments."""
    xx, xy, xz, yy, yz, zz = second
    return (yy + zz, -xy, -xz, zz + xx, -yz, xx + yy)


def second_of(tensor: Symmetric) -> Symmetric:
    r"""The second moments $\Sigma = \tfrac12 \mathrm{tr}(I) 1 - I$ of a tensor."""
    xx, xy, xz, yy, yz, zz = tensor
    half = 0.5 * (xx + (yy + zz))
    return (half - xx, -xy, -xz, half - yy, -yz, half - zz)


def angular_matrix(omega: Vector, omega_dot: Vector) -> Matrix:
    r"""$\Omega = \dot\omega^\wedge + \omega^\wedge\omega^\wedge$."""
    x, y, z = omega
    ax, ay, az = omega_dot
    yz, zx, xy = y * z, z * x, x * y
    xx, yy, zz = x * x, y * y, z * z
    return (
        (-(yy + zz), xy - az, zx + ay),
        (xy + az, -(zz + xx), yz - ax),
        (zx - ay, yz + ax, -(xx + yy)),
    )


def newton_euler(inertia: RigidInertia, acceleration: Vector, spin: Matrix) -> tuple[Vector, Vector]:
    r"""Force and moment about the origin that move a body, `spin` being $\Omega$ (module's equations)."""
    mass, moment, (xx, xy, xz, yy, yz, zz) = inertia
    (a_xx, a_xy, a_xz), (a_yx, a_yy, a_yz), (a_zx, a_zy, a_zz) = spin
    force = add(scale(mass, acceleration), multiply(spin, moment))
    turning = (
        a_zy * yy - a_yz * zz + a_zx * xy - a_yx * xz + (a_zz - a_yy) * yz,
        a_xz * zz - a_zx * xx + a_xy * yz - a_zy * xy + (a_xx - a_zz) * xz,
        a_yx * xx - a_xy * yy + a_yz * xz - a_xz * yz + (a_yy - a_xx) * xy,
    )
    return force, add(turning, cross(moment, acceleration))


def centrifugal(inertia: RigidInertia, spin: Matrix) -> tuple[Vector, Vector]:
    r"""`newton_euler` at constant velocity of the origin and constant $\omega$, when $\Omega$ is symmetric."""
    _, moment, (xx, xy, xz, yy, yz, zz) = inertia
    (a_xx, a_xy, a_xz), (_, a_yy, a_yz), (_, _, a_zz) = spin
    turning = (
        (yy - zz) * a_yz + a_xz * xy - a_xy * xz + (a_zz - a_yy) * yz,
        (zz - xx) * a_xz + a_xy * yz - a_yz * xy + (a_xx - a_zz) * xz,
        (xx - yy) * a_xy + a_yz * xz - a_xz * yz + (a_yy - a_xx) * xy,
    )
    return multiply(spin, moment), turning


def turn_inertia(rotation: Rotation, inertia: RigidInertia) -> RigidInertia:
    """The same inertia in the axes of the outer frame."""
    return RigidInertia(inertia.mass, turn(rotation, inertia.moment), turn_symmetric(rotation, inertia.second))


def shift_inertia(inertia: RigidInertia, p: Vector) -> RigidInertia:
    r"""The inertia about a new origin from which the old one is at `p`.

    $h' = h + m p$ and $\Sigma' = \Sigma + h p^\top + p h'^\top$, which is symmetric.
    """
    mass, h, (xx, xy, xz, yy, yz, zz) = inertia
    new = add(h, scale(mass, p))
    second = (
        xx + (h[0] + new[0]) * p[0],
        xy + (h[0] * p[1] + p[0] * new[1]),
        xz + (h[0] * p[2] + p[0] * new[2]),
        yy + (h[1] + new[1]) * p[1],
        yz + (h[1] * p[2] + p[1] * new[2]),
        zz + (h[2] + new[2]) * p[2],
    )
    return RigidInertia(mass, new, second)


def sum_inertia(a: RigidInertia, b: RigidInertia) -> RigidInertia:
    """The inertia of two bodies fixed to one another."""
    return RigidInertia(a.mass + b.mass, add(a.moment, b.moment), sum_symmetric(a.second, b.second))


def twice_kinetic_energy(inertia: RigidInertia, v: Vector, omega: Vector) -> Any:
    r"""$m |v|^2 + \omega^\top I \omega + 2\, \omega \cdot (h \times v)$."""
    turning = multiply_symmetric(tensor_of(inertia.second), omega)
    coupled = scale(2.0, cross(inertia.moment, v))
    return inertia.mass * dot(v, v) + dot(omega, add(turning, coupled))


def inertia_rows(mass: Any, moment: Vector, tensor: Symmetric) -> list[list[Any]]:
    """The 6x6 matrix `[[m 1, -h^], [h^, I]]`."""
    m, (x, y, z), (xx, xy, xz, yy, yz, zz) = mass, moment, tensor
    return [
        [m, 0.0, 0.0, 0.0, z, -y],
        [0.0, m, 0.0, -z, 0.0, x],
        [0.0, 0.0, m, y, -x, 0.0],
        [0.0, -z, y, xx, xy, xz],
        [z, 0.0, -x, xy, yy, yz],
        [-y, x, 0.0, xz, yz, zz],
    ]
