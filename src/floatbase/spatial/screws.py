r"""Twists and wrenches as pairs of vectors, linear part first, for recursions that must not spend an operation in vain.

$$ v \times u = (\omega \times u^l + v^l \times u^a,\ \omega \times u^a), \qquad
   v \times^* f = (\omega \times f,\ \omega \times n + v^l \times f), \qquad
   \mathbb M v = (m v^l + \omega \times h,\ h \times v^l + I \omega). $$
"""

from __future__ import annotations

from typing import Any

from floatbase.spatial.rigid_inertia import RigidInertia, tensor_of
from floatbase.spatial.vectors import ZERO, Vector, add, cross, dot, multiply_symmetric
from floatbase.spatial.vectors import scale as scale_vector

Screw = tuple[Vector, Vector]  # a twist (linear, angular) or a wrench (force, moment)

NOTHING: Screw = (ZERO, ZERO)


def sum_screws(a: Screw, b: Screw) -> Screw:
    """A + b."""
    return add(a[0], b[0]), add(a[1], b[1])


def scale_screw(factor: Any, a: Screw) -> Screw:
    """A multiple of a twist or wrench."""
    return scale_vector(factor, a[0]), scale_vector(factor, a[1])


def twist_product(a: Screw, b: Screw) -> Screw:
    """A x b: the rate of a twist b that moves with velocity a."""
    return add(cross(a[1], b[0]), cross(a[0], b[1])), cross(a[1], b[1])


def wrench_product(a: Screw, f: Screw) -> Screw:
    """A x* f: the rate of a wrench f that moves with velocity a."""
    return cross(a[1], f[0]), add(cross(a[1], f[1]), cross(a[0], f[0]))


def power(twist: Screw, wrench: Screw) -> Any:
    """What a wrench does per time along a twist."""
    return dot(twist[0], wrench[0]) + dot(twist[1], wrench[1])


def momentum_of(inertia: RigidInertia, twist: Screw) -> Screw:
    """The momentum of a body that moves with a twist, about the origin of the frame."""
    (mass, h, second), (v, omega) = inertia, twist
    turning = multiply_symmetric(tensor_of(second), omega)
    return add(scale_vector(mass, v), cross(omega, h)), add(turning, cross(h, v))
