r"""The inertia of a rigid body as mass, first moment and tensor, for recursions.

With the classical acceleration $a$ of the frame's origin, $\omega$ and $\dot\omega$ in body axes, and

$$ \Omega = \dot\omega^\wedge + \omega^\wedge \omega^\wedge , $$

a body-fixed point $r$ accelerates by $a + \Omega r$, and the wrench on the body is

$$ f = m a + \Omega\, h, \qquad n = I \dot\omega + \omega \times I \omega + h \times a, \qquad h = m c, $$

the "sensor" form of Newton and Euler's equations: neither attitude nor linear velocity enters, and with $a$ taken
relative to free fall gravity is included. The entries of $\Omega$ serve in $n$ as well (row x, others cyclic):

$$ n_x = I_{xx} \dot\omega_x + (I_{zz} - I_{yy}) \omega_y \omega_z - I_{xy} \Omega_{zx} + I_{xz} \Omega_{yx}
       + I_{yz} (\Omega_{yy} - \Omega_{zz}) + (h \times a)_x . $$

S. Traversaro, "Modelling, estimation and identification of humanoid robots dynamics", 2017, section 2.5 and (4.11).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from floatbase.spatial.turns import Rotation, turn, turn_symmetric
from floatbase.spatial.vectors import Matrix, Symmetric, Vector, add, cross, dot, multiply, scale, sum_symmetric


class RigidInertia(NamedTuple):
    """Mass, first moment `m c` and tensor about the origin of the frame, in its axes."""

    mass: Any
    moment: Vector
    tensor: Symmetric


class AngularMotion(NamedTuple):
    r"""$\dot\omega$, the matrix $\Omega$, and the products $\omega_y\omega_z, \omega_z\omega_x, \omega_x\omega_y$."""

    acceleration: Vector
    matrix: Matrix
    products: Vector


def angular_motion(omega: Vector, omega_dot: Vector) -> AngularMotion:
    r"""$\Omega = \dot\omega^\wedge + \omega^\wedge\omega^\wedge$ and what it is made of."""
    x, y, z = omega
    ax, ay, az = omega_dot
    yz, zx, xy = y * z, z * x, x * y
    xx, yy, zz = x * x, y * y, z * z
    rows = (
        (-(yy + zz), xy - az, zx + ay),
        (xy + az, -(zz + xx), yz - ax),
        (zx - ay, yz + ax, -(xx + yy)),
    )
    return AngularMotion(omega_dot, rows, (yz, zx, xy))


def newton_euler(inertia: RigidInertia, acceleration: Vector, motion: AngularMotion) -> tuple[Vector, Vector]:
    """Force and moment about the origin that move a body (module's equations)."""
    mass, moment, (xx, xy, xz, yy, yz, zz) = inertia
    force = add(scale(mass, acceleration), multiply(motion.matrix, moment))
    (ax, ay, az), rows, (y_z, z_x, x_y) = motion
    euler = (
        xx * ax + (zz - yy) * y_z - xy * rows[2][0] + xz * rows[1][0] + yz * (rows[1][1] - rows[2][2]),
        yy * ay + (xx - zz) * z_x - yz * rows[0][1] + xy * rows[2][1] + xz * (rows[2][2] - rows[0][0]),
        zz * az + (yy - xx) * x_y - xz * rows[1][2] + yz * rows[0][2] + xy * (rows[0][0] - rows[1][1]),
    )
    return force, add(euler, cross(moment, acceleration))


def turn_inertia(rotation: Rotation, inertia: RigidInertia) -> RigidInertia:
    """The same inertia in the axes of the outer frame."""
    return RigidInertia(inertia.mass, turn(rotation, inertia.moment), turn_symmetric(rotation, inertia.tensor))


def shift_inertia(inertia: RigidInertia, p: Vector) -> RigidInertia:
    r"""The inertia about a new origin from which the old one is at `p`.

    $h' = h + m p$ and $I' = I + (h \cdot p + h' \cdot p) 1 - h p^\top - p h'^\top$, which is symmetric.
    """
    mass, h, (xx, xy, xz, yy, yz, zz) = inertia
    new = add(h, scale(mass, p))
    x, y, z = ((h[k] + new[k]) * p[k] for k in range(3))
    tensor = (
        xx + (y + z),
        xy - (h[0] * p[1] + p[0] * new[1]),
        xz - (h[0] * p[2] + p[0] * new[2]),
        yy + (z + x),
        yz - (h[1] * p[2] + p[1] * new[2]),
        zz + (x + y),
    )
    return RigidInertia(mass, new, tensor)


def sum_inertia(a: RigidInertia, b: RigidInertia) -> RigidInertia:
    """The inertia of two bodies fixed to one another."""
    return RigidInertia(a.mass + b.mass, add(a.moment, b.moment), sum_symmetric(a.tensor, b.tensor))


def momentum(inertia: RigidInertia, v: Vector, omega: Vector) -> tuple[Vector, Vector]:
    r"""Linear and angular momentum $m v + \omega \times h$, $I \omega + h \times v$ about the origin."""
    mass, h, (xx, xy, xz, yy, yz, zz) = inertia
    linear = add(scale(mass, v), cross(omega, h))
    angular = (dot((xx, xy, xz), omega), dot((xy, yy, yz), omega), dot((xz, yz, zz), omega))
    return linear, add(angular, cross(h, v))
