r"""What external wrenches that are held fixed add to the second derivatives of inverse dynamics.

Wrenches in "body" representation move with their links like all other forces there. In the others, the power
$-W^\top \mathrm f$ of a fixed wrench along a virtual velocity $w$ (see
`floatbase.algorithms.derivatives.second_order`) changes with the twist $W = J w$ of the link alone, at the frame's
origin $o$ ("mixed") or at that of the world ("inertial"). With columns $S_j = (s_j, z_j)$ and
$\dot\Psi^w_j = (\ldots, \psi_j)$ of which $i$ carries $j$ or neither does the other,

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

from floatbase.algorithms.arguments import frame_of
from floatbase.algorithms.base import IDENTITY
from floatbase.algorithms.derivatives.columns import twist_from
from floatbase.algorithms.derivatives.second_order_columns import MovedColumn, acts_first
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose, all_poses, attached_pose, representation_pose
from floatbase.spatial.arrays import Array, Component, components
from floatbase.spatial.screws import Screw, power, twist_product
from floatbase.spatial.vectors import ZERO, Vector, add, cross


def add_held_wrenches(
    dqdq: list[list[Component]],
    m: Mechanism,
    columns: Sequence[MovedColumn],
    virtual: Sequence[Motion],
    wrenches: Mapping[str, Array],
) -> None:
    """Add what the wrenches do along a virtual velocity to its second derivatives by the configuration.

    columns: of the base and of all joints; virtual: motions of all elements at the virtual velocity.
    """
    poses = all_poses(m, representation_pose(m.tree, m.base))
    mixed = m.tree.representation == "mixed"
    for frame, wrench in wrenches.items():
        body, body_H_frame = frame_of(m.tree, frame)
        element = m.carriers[body]
        origin = attached_pose(poses[element], body_H_frame).position

        def seen(pose: Pose, twist: Screw, origin: Vector = origin) -> Screw:
            """A twist in the frame in which the wrench is written."""
            linear, angular = twist_from(pose, twist)
            return (add(linear, cross(angular, origin)) if mixed else linear), angular

        link = seen(poses[element], (virtual[element].velocity, virtual[element].omega))
        moving = []
        for step in [0, *m.path_to(element)]:
            pose = poses[step] if step else Pose(IDENTITY, ZERO)  # columns of the base are in the frame of its twist
            moving += [column.mapped(partial(seen, pose)) for column in columns if column.carrier == step]
        x, y, z, *n = components(wrench)
        acting: Screw = ((x, y, z), (n[0], n[1], n[2]))
        for i, k in product(moving, repeat=2):
            outer, inner = (i, k) if acts_first(i, k) else (k, i)
            entry = power(_second_change(outer, inner, link, mixed), acting)
            dqdq[i.velocity][k.velocity] = dqdq[i.velocity][k.velocity] - entry


def _second_change(outer: MovedColumn, inner: MovedColumn, link: Screw, mixed: bool) -> Screw:
    """The second derivative of the twist of a link, or of the velocity of a point of it and the angular one."""
    (s, z), (velocity, omega) = inner.unit, link
    along, psi = outer.unit[1], outer.virtual[1]
    moved = add(cross(z, velocity), inner.virtual[0]), add(cross(z, omega), inner.virtual[1])
    if mixed:
        return add(cross(along, moved[0]), cross(psi, s)), cross(along, moved[1])
    return twist_product(outer.unit, (add(moved[0], cross(s, omega)), moved[1]))
