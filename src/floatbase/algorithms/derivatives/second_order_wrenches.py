r"""What external wrenches that do not move with their links add to the second derivatives of inverse dynamics.

Wrenches that are fixed in their links move with them like all other forces there. The power $-W^\top \mathrm f$ of
another one along a virtual velocity $w$ (see `floatbase.algorithms.derivatives.second_order`) changes with the twist
$W = J w$ of the link alone, at the frame's origin $o$ if it is fixed in its directions, or at a point of the world (see
`floatbase.algorithms.derivatives.external`). With columns $S_j = (s_j, z_j)$ and $\dot\Psi^w_j = (\ldots, \psi_j)$ of
which $i$ carries $j$ or neither does the other,

$$ \partial_j W = S_j \times W + \dot\Psi^w_j, \qquad \partial_j \partial_i W = S_i \times \partial_j W, $$

and, the velocity $\dot o_j$ of the frame's origin in column $j$ counted,

$$ \partial_j \dot o_W = z_j \times \dot o_W + \dot\Psi^w_j|_o, \qquad
   \partial_j \partial_i \dot o_W = z_i \times \partial_j \dot o_W + \psi_i \times \dot o_j . $$

$z \times$ and $\psi \times$ of angular parts are as in the first. If $j$ carries $i$ they change places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product

from floatbase.algorithms.base import IDENTITY
from floatbase.algorithms.derivatives.columns import twist_from
from floatbase.algorithms.derivatives.external import acting_wrenches
from floatbase.algorithms.derivatives.second_order_columns import MovedColumn, acts_first
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose, all_poses, representation_pose
from floatbase.spatial.arrays import Array, Component
from floatbase.spatial.screws import Screw, power, twist_product
from floatbase.spatial.vectors import ZERO, Vector, add, cross


def add_held_wrenches(
    dqdq: list[list[Component]],
    m: Mechanism,
    columns: Sequence[MovedColumn],
    virtual: Sequence[Motion],
    wrenches: Mapping[str, Array],
    fixed: str,
) -> None:
    """Add what the wrenches do along a virtual velocity to its second derivatives by the configuration.

    columns: of the base and of all joints; virtual: motions of all elements at the virtual velocity.
    """
    poses = all_poses(m, representation_pose(m.tree, m.base))
    directions = fixed == "directions"
    for element, link_pose, wrench, origin in acting_wrenches(m, poses, wrenches, fixed):

        def seen(pose: Pose, twist: Screw, origin: Vector = origin) -> Screw:
            """A twist about the point about which the wrench is given."""
            linear, angular = twist_from(pose, twist)
            return (add(linear, cross(angular, origin)) if directions else linear), angular

        link = seen(link_pose, (virtual[element].velocity, virtual[element].omega))
        moving = []
        for step in [0, *m.path_to(element)]:
            pose = poses[step] if step else Pose(IDENTITY, ZERO)  # columns of the base are in the frame of its twist
            moving += [column.mapped(partial(seen, pose)) for column in columns if column.carrier == step]
        for i, k in product(moving, repeat=2):
            outer, inner = (i, k) if acts_first(i, k) else (k, i)
            entry = power(second_change(outer, inner, link, directions), wrench)
            dqdq[i.velocity][k.velocity] = dqdq[i.velocity][k.velocity] - entry


def second_change(outer: MovedColumn, inner: MovedColumn, link: Screw, directions: bool) -> Screw:
    """The second derivative of the twist of a link, or of the velocity of a point of it and the angular one."""
    (s, z), (velocity, omega) = inner.unit, link
    along, psi = outer.unit[1], outer.virtual[1]
    moved = add(cross(z, velocity), inner.virtual[0]), add(cross(z, omega), inner.virtual[1])
    if directions:
        return add(cross(along, moved[0]), cross(psi, s)), cross(along, moved[1])
    return twist_product(outer.unit, (add(moved[0], cross(s, omega)), moved[1]))
