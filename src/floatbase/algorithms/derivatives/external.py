r"""What external wrenches add to the derivative of inverse dynamics because they do not move with the robot.

While the configuration changes, a wrench is held fixed in one of three ways. If none is chosen, its components are held
as the representation of the tree writes them:

| fixed in | what moves with the link | components held in |
|---|---|---|
| "link" | all of it | "body" |
| "directions" | its point of application, the frame's origin; not its directions | "mixed" |
| "world" | nothing | "inertial" |

The recursion takes every wrench to move with its link; with columns $S_j = (s_j, z_j)$ and $\dot o_i = s_i + z_i \times
o$ the velocity of the frame's origin, what this is too much by is

$$ \Delta\frac{\partial\tau_i}{\partial q_j} = \dot o_i \cdot (z_j \times f) + z_i \cdot (z_j \times n)
   \quad\text{(directions)}, \qquad S_i^\top (S_j \times^* \mathrm f) \quad\text{(world)}, $$

for all pairs of columns on the way from the base to the frame: powers, which are the same in all axes and about all
points. The moment $n$ is about the frame's origin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from floatbase.algorithms.arguments import frame_of
from floatbase.algorithms.derivatives.columns import Column, twist_from
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Motion, Pose, all_poses, attached_pose, representation_pose
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import fixed_wrenches
from floatbase.spatial.arrays import Array, Component, components
from floatbase.spatial.screws import Screw, power, wrench_product
from floatbase.spatial.vectors import Vector, add, cross, dot, multiply, subtract


def fixed_in(tree: Tree, choice: str | None) -> str:
    """What wrenches are held fixed in; as the representation writes them if nothing is chosen."""
    choices = fixed_wrenches(tree.representation)
    if choice is not None and choice not in choices:
        raise ArgumentError(f"wrenches_fixed is {choice!r}; it must be one of {choices}")
    return choices[0] if choice is None else choice


def add_fixed_wrenches(
    dq: list[list[Component]],
    m: Mechanism,
    columns: Sequence[Column],
    base: Sequence[Column],
    wrenches: Mapping[str, Array],
    fixed: str,
) -> None:
    """Correct `dq`, which takes every wrench to move with its link, for what is held fixed."""
    for held in held_wrenches(m, columns, base, wrenches, fixed):
        for j, turning in held.columns:
            for i, own in held.columns:
                dq[i][j] = dq[i][j] + held.correction(own, turning)


class ActingWrench(NamedTuple):
    """A wrench in the frame of the base twist, its moment about the origin of that or of the frame it acts at."""

    element: int
    pose: Pose  # of the element
    wrench: Screw
    origin: Vector  # of the frame it acts at


class HeldWrench(NamedTuple):
    """A wrench that does not move with its link, and the columns that move the link, in the frame of the base twist."""

    acting: ActingWrench
    fixed: str
    columns: list[tuple[int, Screw]]

    def twist_of(self, motions: Sequence[Motion]) -> Screw:
        """That of the link."""
        motion = motions[self.acting.element]
        return twist_from(self.acting.pose, (motion.velocity, motion.omega))

    def correction(self, own: Screw, turning: Screw) -> Component:
        """What two twists of the link, the second of which moves it, have to do with the wrench."""
        _, _, (force, moment), origin = self.acting
        if self.fixed == "world":
            return power(own, wrench_product(turning, (force, moment)))
        velocity = add(own[0], cross(own[1], origin))
        return dot(velocity, cross(turning[1], force)) + dot(own[1], cross(turning[1], moment))


def held_wrenches(
    m: Mechanism, columns: Sequence[Column], base: Sequence[Column], wrenches: Mapping[str, Array], fixed: str
) -> Iterator[HeldWrench]:
    """The wrenches that do not move with their links."""
    if fixed == "link" or not wrenches:
        return
    poses = all_poses(m, representation_pose(m.tree, m.base))
    for acting in acting_wrenches(m, poses, wrenches, fixed):
        path = set(m.path_to(acting.element))
        moving = [(column.velocity, column.unit) for column in base]
        for column in columns:
            if column.carrier in path:
                moving.append((column.velocity, twist_from(poses[column.carrier], column.unit)))
        yield HeldWrench(acting, fixed, moving)


def acting_wrenches(
    m: Mechanism, poses: Sequence[Pose], wrenches: Mapping[str, Array], fixed: str
) -> Iterator[ActingWrench]:
    """Wrenches in the frame of the base twist, where the elements have the poses.

    Moments are about its origin if wrenches are fixed in the world, otherwise about that of the frame they act at.
    """
    for frame, wrench in wrenches.items():
        body, body_H_frame = frame_of(m.tree, frame)
        element = m.carriers[body]
        x, y, z, *n = components(wrench)
        pose = attached_pose(poses[element], body_H_frame)
        force, moment = (x, y, z), (n[0], n[1], n[2])
        if m.tree.representation == "body":
            force, moment = multiply(pose.rotation, force), multiply(pose.rotation, moment)
        if m.tree.representation != "inertial" and fixed == "world":
            moment = add(moment, cross(pose.position, force))
        if m.tree.representation == "inertial" and fixed == "directions":
            moment = subtract(moment, cross(pose.position, force))
        yield ActingWrench(element, poses[element], (force, moment), pose.position)
