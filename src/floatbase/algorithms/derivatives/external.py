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

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from floatbase.algorithms.arguments import frame_of
from floatbase.algorithms.derivatives.columns import Column, twist_from
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose, all_poses, attached_pose, representation_pose
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
    for held in held_wrenches(m, columns, base, wrenches):
        for j, turning in held.columns:
            for i, own in held.columns:
                dq[i][j] = dq[i][j] + held_wrench(m.tree.representation, own, turning, held.wrench, held.origin)


class HeldWrench(NamedTuple):
    """A wrench that does not move with its link, and the columns that move the link, as the wrench is written."""

    element: int
    pose: Pose
    wrench: Screw
    origin: Vector
    columns: list[tuple[int, Screw]]

    def twist_of(self, motions: Sequence[Motion]) -> Screw:
        """That of the link."""
        return twist_from(self.pose, (motions[self.element].velocity, motions[self.element].omega))


def held_wrenches(
    m: Mechanism, columns: Sequence[Column], base: Sequence[Column], wrenches: Mapping[str, Array]
) -> Iterator[HeldWrench]:
    """The wrenches that the representation holds fixed."""
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
        origin = attached_pose(poses[element], body_H_frame).position
        yield HeldWrench(element, poses[element], ((x, y, z), (n[0], n[1], n[2])), origin, moving)


def held_wrench(representation: str, own: Screw, turning: Screw, acting: Screw, origin: Vector) -> Component:
    """What two twists of a link, the second of which moves it, have to do with a wrench that does not move with it."""
    if representation == "inertial":
        return power(own, wrench_product(turning, acting))
    velocity = add(own[0], cross(own[1], origin))
    return dot(velocity, cross(turning[1], acting[0])) + dot(own[1], cross(turning[1], acting[1]))
