r"""The inertias of a tree's bodies, as they are and as the equations of motion need them.

Some inertia of a body moves in the same way as its parent does, whatever the joint does, and can be counted with the
parent without changing the equations of motion, the kinetic energy or the potential energy. For a revolute joint
about z that is what mass along the axis has: with second moments $\Sigma = \tfrac12 \mathrm{tr}(I) 1 - I$,

$$ \{ m,\ (0, 0, h_z),\ \mathrm{diag}(0, 0, \Sigma_{zz}) \} \;\to\; parent, \qquad
   \{ 0,\ (h_x, h_y, 0),\ \Sigma \text{ with } \Sigma_{zz} = 0 \} \;\text{stays}; $$

for a prismatic joint it is all of $\Sigma$. What stays are the base parameters of M. Gautier and W. Khalil, "Direct
calculation of minimum set of inertial parameters of serial robots", IEEE Trans. Robotics and Automation 6(3), 1990.
They are no physical inertias, but the torques are the same for fewer operations.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.joints import rest_pose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import components
from floatbase.spatial.rigid_inertia import RigidInertia, second_of, shift_inertia, sum_inertia, turn_inertia
from floatbase.spatial.vectors import ZERO, ZERO_SYMMETRIC, Matrix, Vector

NOTHING = RigidInertia(0.0, ZERO, ZERO_SYMMETRIC)


def body_inertias(tree: Tree, parameters: Any = None) -> list[RigidInertia]:
    """The inertia of every body in its frame: the tree's constants, or from `parameters: (..., 10 n_bodies)`.

    Parameters are in the order of `Tree.body_names`, about the origin and in the axes of the link that each is named
    after.
    """
    if parameters is None:
        return [_inertia([float(entry) for entry in body.parameters]) for body in tree.bodies]
    flat = components(parameters)
    inertias = [NOTHING] * len(tree.bodies)
    for place, body in enumerate(tree.order):
        inertias[body] = _moved_inertia(_inertia(flat[10 * place : 10 * place + 10]), body_frame(tree, body))
    return inertias


def body_frame(tree: Tree, body: int) -> Any:
    """The pose (4, 4), in the frame that recursions use, of the link that a body is named after."""
    return tree.frames[tree.bodies[body].name][1]


def element_inertias(mechanism: Mechanism, parameters: Any = None) -> list[RigidInertia]:
    """The inertia of every element: nothing for all but the last of a joint."""
    inertias = [NOTHING] * mechanism.count
    for carrier, inertia in zip(mechanism.carriers, body_inertias(mechanism.tree, parameters), strict=True):
        inertias[carrier] = inertia
    return inertias


def grouped_inertias(
    mechanism: Mechanism, parameters: Any = None, untouched: Collection[int] = ()
) -> list[RigidInertia]:
    """Inertias of elements that give the same equations of motion with as much as possible counted with the base.

    `untouched`: elements that keep what they have.
    """
    inertias = element_inertias(mechanism, parameters)
    for i in range(mechanism.count - 1, 0, -1):
        element = mechanism.moving[i - 1]
        pose = rest_pose(element.joint, element.order, element.placement)
        if pose is None or i in untouched:
            continue
        mass, (hx, hy, hz), (xx, xy, xz, yy, yz, zz) = inertias[i]
        if element.revolute:
            inertias[i] = RigidInertia(0.0, (hx, hy, 0.0), (xx, xy, xz, yy, yz, 0.0))
            moved = RigidInertia(mass, (0.0, 0.0, hz), (0.0, 0.0, 0.0, 0.0, 0.0, zz))
        else:
            inertias[i] = RigidInertia(mass, (hx, hy, hz), ZERO_SYMMETRIC)
            moved = RigidInertia(0.0, ZERO, (xx, xy, xz, yy, yz, zz))
        # the moved part is in the same place of the parent for every coordinate of the joint
        moved = shift_inertia(turn_inertia(pose.rotation, moved), pose.position)
        inertias[element.parent] = sum_inertia(inertias[element.parent], moved)
    return inertias


def _inertia(ten: Sequence[Any]) -> RigidInertia:
    return RigidInertia(ten[0], (ten[1], ten[2], ten[3]), second_of(tuple(ten[4:])))


def _moved_inertia(inertia: RigidInertia, a_H_b: Any) -> RigidInertia:
    """An inertia in b written in a."""
    rows = [[float(entry) for entry in row] for row in a_H_b[:3]]
    rotation: Matrix = ((*rows[0][:3],), (*rows[1][:3],), (*rows[2][:3],))  # type: ignore[assignment]
    position: Vector = (rows[0][3], rows[1][3], rows[2][3])
    return shift_inertia(turn_inertia((rotation,), inertia), position)
