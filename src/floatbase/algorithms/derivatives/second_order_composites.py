r"""What second derivatives of inverse dynamics need to know of all that an element carries, for a virtual velocity.

A velocity $w$ moves the bodies with the twists $W_L = J_L w$. Summed up over bodies, the power of the wrenches along
it, $\sum_L W_L^\top f_L = w^\top\tau$, changes with

$$ \mathrm p = \sum_L \mathbb M_L W_L, \qquad \mathrm g = \sum_L (2\mathbb B_L[v_L])^\top W_L, \qquad
   \sum_L (2\mathbb B_L[W_L])^\top u = -\sum_L (2\mathbb B_L[u])^\top W_L , $$

with $\mathbb B[v]$ of `floatbase.algorithms.derivatives.composites` for bodies that move at $v$. Points of mass $m$ at
velocities $\dot r_v$, $\dot r_u$, $\dot r_W$ give $W^\top 2\mathbb B[v] u = u^a \cdot 2\sum m\, \dot r_v \times
\dot r_W$, which changes its sign when $v$ and $W$ are exchanged, hence the last equation; $\mathrm g$ is a couple.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from floatbase.algorithms.derivatives.composites import Composite, body_composite, gyrate_back, moved
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose
from floatbase.spatial.rigid_inertia import RigidInertia
from floatbase.spatial.screws import Screw, momentum_of, sum_screws
from floatbase.spatial.turns import Rotation, turn
from floatbase.spatial.vectors import ZERO, ZERO_SYMMETRIC, Vector, add, sum_matrix

WEIGHTLESS = RigidInertia(0.0, ZERO, ZERO_SYMMETRIC)


class VirtualComposite(NamedTuple):
    """What moves at a virtual velocity: its doubled momentum and gyration, and momentum and couple as wrenches."""

    moving: Composite  # its wrench is the momentum
    couple: Vector


def virtual_composites(
    m: Mechanism, motions: Sequence[Motion], virtual: Sequence[Motion], inertias: Sequence[RigidInertia]
) -> list[VirtualComposite]:
    """What every element carries, itself included, in its frame. `virtual`: motions at the virtual velocity."""
    found = []
    for inertia, motion, moving in zip(inertias, motions, virtual, strict=True):
        found.append(virtual_composite(body_composite(inertia, motion), (moving.velocity, moving.omega)))
    for i in range(m.count - 1, 0, -1):
        if m.parent(i) > 0 or m.tree.floating:
            joint = m.joints[i]
            found[m.parent(i)] = _sum(found[m.parent(i)], _moved(found[i], joint.rotation, joint.position))
    return found


def placed_virtual(part: VirtualComposite, pose: Pose) -> VirtualComposite:
    """The same in the frame in which its own has a pose."""
    return _moved(part, (pose.rotation,), pose.position)


def virtual_composite(carried: Composite, twist: Screw) -> VirtualComposite:
    """That of bodies which all move with one virtual twist."""
    still = Motion(*twist, ZERO, ZERO)
    moving = body_composite(carried.inertia, still)._replace(
        inertia=WEIGHTLESS, wrench=momentum_of(carried.inertia, twist)
    )
    return VirtualComposite(moving, gyrate_back(carried, twist))


def _moved(part: VirtualComposite, rotation: Rotation, position: Vector) -> VirtualComposite:
    return VirtualComposite(moved(part.moving, rotation, position), turn(rotation, part.couple))


def _sum(a: VirtualComposite, b: VirtualComposite) -> VirtualComposite:
    x, y = a.moving, b.moving
    moving = Composite(
        WEIGHTLESS, add(x.momentum, y.momentum), sum_matrix(x.gyration, y.gyration), sum_screws(x.wrench, y.wrench)
    )
    return VirtualComposite(moving, add(a.couple, b.couple))
