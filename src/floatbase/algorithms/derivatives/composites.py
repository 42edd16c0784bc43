r"""What an element carries, summed up: all that derivatives of the dynamics need to know of it.

A body-fixed point $r$ of mass $m$ moves at $\dot r = v + \omega \times r$. Beside the inertia and the wrench of the
equations of motion, derivatives with respect to a twist $u$ need the forces $2 m\, u^a \times \dot r$, whose wrench is

$$ 2 \mathbb B u = (u^a \times P,\ G u^a), \qquad P = 2 \sum m \dot r, \quad
   G = 2 (\mathrm{tr}(K) 1 - K), \quad K = \sum m\, \dot r\, r^\top . $$

For a body $K = v h^\top + \omega^\wedge \Sigma$. $P$ and $G$ add up like inertias; an origin from which the old one is
at $p$ makes $G' = G + (P \cdot p) 1 - P p^\top$. This is $\mathbb B = \tfrac12 (v \times^* \mathbb M + (\mathbb M
v) \bar\times^* - \mathbb M\, v \times)$ of the literature: S. Singh, R. Russell, P. Wensing, "Efficient analytical
derivatives of rigid-body dynamics using spatial vector algebra", 2022; its sparsity is what makes it cheap.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose
from floatbase.spatial.rigid_inertia import (
    RigidInertia,
    angular_matrix,
    newton_euler,
    shift_inertia,
    sum_inertia,
    turn_inertia,
)
from floatbase.spatial.screws import Screw, sum_screws
from floatbase.spatial.turns import Rotation, turn, turn_matrix
from floatbase.spatial.vectors import (
    Matrix,
    Vector,
    add,
    cross,
    full,
    multiply,
    multiply_transposed,
    scale,
    subtract,
    sum_matrix,
    sum_symmetric,
    transpose,
)


class Composite(NamedTuple):
    """Inertia, twice the momentum P, gyration G, and the wrench (force, moment) that moves it, in one frame."""

    inertia: RigidInertia
    momentum: Vector
    gyration: Matrix
    wrench: Screw


def composites(
    m: Mechanism,
    motions: Sequence[Motion],
    inertias: Sequence[RigidInertia],
    external: Mapping[int, Screw],
    with_fixed_base: bool = False,
) -> list[Composite]:
    """What every element carries, itself included, in its frame. `motions`: relative to free fall.

    That of a fixed base is its own alone, unless asked for.
    """
    found = [body_composite(inertia, motion) for inertia, motion in zip(inertias, motions, strict=True)]
    for i, (force, moment) in external.items():
        old = found[i].wrench
        found[i] = found[i]._replace(wrench=(subtract(old[0], force), subtract(old[1], moment)))
    for i in range(m.count - 1, 0, -1):
        if m.parent(i) > 0 or m.tree.floating or with_fixed_base:
            joint = m.joints[i]
            found[m.parent(i)] = _sum(found[m.parent(i)], moved(found[i], joint.rotation, joint.position))
    return found


def body_composite(inertia: RigidInertia, motion: Motion) -> Composite:
    """That of one body."""
    doubled = RigidInertia(
        2.0 * inertia.mass, scale(2.0, inertia.moment), sum_symmetric(inertia.second, inertia.second)
    )
    momentum = add(scale(doubled.mass, motion.velocity), cross(motion.omega, doubled.moment))
    x, y, z = (cross(motion.omega, column) for column in full(doubled.second))  # columns of a symmetric matrix
    K = sum_matrix(transpose((x, y, z)), outer(motion.velocity, doubled.moment))
    wrench = newton_euler(inertia, motion.acceleration, angular_matrix(motion.omega, motion.omega_dot))
    return Composite(inertia, momentum, trace_minus(K), wrench)


def moved(part: Composite, rotation: Rotation, position: Vector) -> Composite:
    """The same in an outer frame, in which its own has a rotation and a position."""
    inertia = shift_inertia(turn_inertia(rotation, part.inertia), position)
    momentum, force = turn(rotation, part.momentum), turn(rotation, part.wrench[0])
    gyration = turn_matrix(rotation, part.gyration)
    product = outer(momentum, position)
    gyration = sum_matrix(gyration, trace_minus(product))
    moment = add(turn(rotation, part.wrench[1]), cross(position, force))
    return Composite(inertia, momentum, gyration, (force, moment))


def placed(part: Composite, pose: Pose) -> Composite:
    """The same in the frame in which its own has a pose."""
    return moved(part, (pose.rotation,), pose.position)


def gyrate(part: Composite, twist: Screw) -> Screw:
    r"""$2 \mathbb B u$."""
    return cross(twist[1], part.momentum), multiply(part.gyration, twist[1])


def gyrate_back(part: Composite, twist: Screw) -> Vector:
    r"""The angular part of $(2 \mathbb B)^\top u$; the linear part is zero."""
    return add(cross(part.momentum, twist[0]), multiply_transposed(part.gyration, twist[1]))


def outer(a: Vector, b: Vector) -> Matrix:
    """The matrix a b^T."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


def trace_minus(K: Matrix) -> Matrix:
    """tr(K) 1 - K."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = K
    return ((yy + zz, -xy, -xz), (-yx, zz + xx, -yz), (-zx, -zy, xx + yy))


def _sum(a: Composite, b: Composite) -> Composite:
    return Composite(
        sum_inertia(a.inertia, b.inertia),
        add(a.momentum, b.momentum),
        sum_matrix(a.gyration, b.gyration),
        sum_screws(a.wrench, b.wrench),
    )
