r"""What external wrenches add to the derivative of inverse dynamics because they do not move with the robot.

A wrench is held fixed as the representation of the tree writes it: in "body" it moves with the frame it acts at, in
"mixed" only its point of application does and its directions stay, in "inertial" nothing of it moves. The recursion
takes every wrench to move with its link; with columns $S_j = (s_j, z_j)$ and $\dot o_i = s_i + z_i \times o$ the
velocity of the frame's origin, what this is too much by is

$$ \Delta\frac{\partial\tau_i}{\partial q_j} = \dot o_i \cdot (z_j \times f) + z_i \cdot (z_j \times n)
   \quad\text{(mixed)}, \qquad S_i^\top (S_j \times^* \mathrm f) \quad\text{(inertial)}, $$

for all pairs of columns on the way from the base to the frame.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from floatbase.algorithms.arguments import frame_of
from floatbase.algorithms.derivatives.columns import Column, twist_from
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import all_poses, attached_pose, representation_pose
from floatbase.spatial.arrays import Array, Component, components
from floatbase.spatial.screws import Screw, power, wrench_product
from floatbase.spatial.vectors import Vector, add, cross, dot


def add_fixed_wrenches(
    dq: list[list[Component]],
    m: Mechanism,
    columns: Sequence[Column],
    base: Sequence[Column],
    wrenches: Mapping[str, Array],
) -> None:
    """Correct `dq`, which takes every wrench to move with its link, for what the representation holds fixed."""
    if m.tree.representation == "body" or not wrenches:
        return
    poses = all_poses(m, representation_pose(m.tree, m.base))
    for frame, wrench in wrenches.items():
        body, body_H_frame = frame_of(m.tree, frame)
        element = m.carriers[body]
        path = set(m.path_to(element))
        moving = [(column.velocity, column.unit) for column in base]
        for column in columns:
            if column.carrier in path:
                moving.append((column.velocity, twist_from(poses[column.carrier], column.unit)))
        x, y, z, *n = components(wrench)
        acting: Screw = ((x, y, z), (n[0], n[1], n[2]))
        origin = attached_pose(poses[element], body_H_frame).position
        for j, turning in moving:
            for i, own in moving:
                dq[i][j] = dq[i][j] + _held(m.tree.representation, own, turning, acting, origin)


def _held(representation: str, own: Screw, turning: Screw, acting: Screw, origin: Vector) -> Component:
    if representation == "inertial":
        return power(own, wrench_product(turning, acting))
    velocity = add(own[0], cross(own[1], origin))
    return dot(velocity, cross(turning[1], acting[0])) + dot(own[1], cross(turning[1], acting[1]))
