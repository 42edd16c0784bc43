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

from typing import Any

from floatbase.algorithms.joints import joint_pose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import components
from floatbase.spatial.rigid_inertia import RigidInertia, second_of, shift_inertia, sum_inertia, turn_inertia
from floatbase.spatial.vectors import ZERO, ZERO_SYMMETRIC


def body_inertias(tree: Tree, parameters: Any = None) -> list[RigidInertia]:
    """The inertia of every body in its frame, from `parameters: (..., 10 n_bodies)` or else the tree's constants."""
    if parameters is None:
        flat: list[Any] = [float(entry) for body in tree.bodies for entry in body.parameters]
    else:
        flat = components(parameters)
    tens = [flat[10 * k : 10 * k + 10] for k in range(len(tree.bodies))]
    return [RigidInertia(ten[0], (ten[1], ten[2], ten[3]), second_of(tuple(ten[4:]))) for ten in tens]


def grouped_inertias(tree: Tree, parameters: Any = None) -> list[RigidInertia]:
    """Inertias that give the same equations of motion with as much as possible counted with the base."""
    inertias = body_inertias(tree, parameters)
    for i in range(len(tree.bodies) - 1, 0, -1):
        body = tree.bodies[i]
        assert body.joint is not None
        mass, (hx, hy, hz), (xx, xy, xz, yy, yz, zz) = inertias[i]
        if body.joint.kind == "revolute":
            inertias[i] = RigidInertia(0.0, (hx, hy, 0.0), (xx, xy, xz, yy, yz, 0.0))
            moved = RigidInertia(mass, (0.0, 0.0, hz), (0.0, 0.0, 0.0, 0.0, 0.0, zz))
        else:
            inertias[i] = RigidInertia(mass, (hx, hy, hz), ZERO_SYMMETRIC)
            moved = RigidInertia(0.0, ZERO, (xx, xy, xz, yy, yz, zz))
        pose = joint_pose(body, 0.0)  # the moved part is in the same place of the parent for every joint coordinate
        moved = shift_inertia(turn_inertia(pose.rotation, moved), pose.position)
        inertias[body.parent] = sum_inertia(inertias[body.parent], moved)
    return inertias
