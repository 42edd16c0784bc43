r"""The moving bodies of a tree as steps of one axis each.

An *element* turns about or moves along its own z axis relative to its parent element. A revolute or prismatic joint is
one element, a helical one two elements on one axis, a planar one three: along x, along y, about z. Spherical and
floating joints, whose coordinates contain a quaternion, are written near the present configuration as

$$ {}^\lambda H_i = {}^\lambda H_{joint}\, motion(q)\, R_x(\alpha) R_y(\beta) R_z(\gamma)
   \quad\text{at } \alpha = \beta = \gamma = 0 , $$

a floating one with translations along x, y, z before the turns. Every recursion then knows two kinds of element, and
what a joint's velocities are to the rates of its elements is said in one place, `floatbase.algorithms.rates`. All
elements of a joint but the last have no mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from floatbase.algorithms.base import BasePose, base_pose
from floatbase.algorithms.joints import JointPose, Placement, element_pose
from floatbase.algorithms.rates import Row, rate_rates, rate_rows, scale
from floatbase.model.tree import Tree, TreeJoint
from floatbase.spatial.arrays import Component


@dataclass(frozen=True, eq=False)
class Element:
    """One step of a joint: its axis is the `order`-th of the joint's."""

    parent: int  # element, -1 for the base
    body: int  # of the tree, whose joint this is a step of
    joint: TreeJoint
    order: int
    placement: Placement
    last: bool  # the body is fixed to this element

    @property
    def revolute(self) -> bool:
        """Whether it turns about its z axis; otherwise it moves along it."""
        return self.placement.revolute


def placements(joint: TreeJoint) -> tuple[Placement, ...]:
    """The steps of a joint, in order from the parent."""
    if joint.kind == "revolute":
        return (Placement(True, "own", "z", "z"),)
    if joint.kind == "prismatic":
        return (Placement(False, "own", "z", "z"),)
    if joint.kind == "helical":
        return (Placement(False, "own", "z", "z"), Placement(True, "own", "z", "z"))
    if joint.kind == "planar" and not joint.reversed:
        return (Placement(False, "own", "z", "x"), Placement(False, "own", "x", "y"), Placement(True, "own", "y", "z"))
    if joint.kind == "planar":
        first = (Placement(False, "whole", "z", "x"), Placement(False, "still", "x", "y"))
        return (*first, Placement(True, "still", "y", "z"))
    turns = (Placement(True, "still", "x", "y"), Placement(True, "still", "y", "z"))
    if joint.kind == "spherical":
        return (Placement(True, "whole", "z", "x"), *turns)
    moves = (
        Placement(False, "whole", "z", "x"),
        Placement(False, "still", "x", "y"),
        Placement(False, "still", "y", "z"),
    )
    return (*moves, Placement(True, "still", "z", "x"), *turns)


def elements_of(tree: Tree) -> tuple[tuple[Element | None, ...], tuple[int, ...]]:
    """The elements, the base (None) first, and the element to which each body is fixed."""
    elements: list[Element | None] = [None]
    carriers = [0]
    for number, body in enumerate(tree.bodies[1:], start=1):
        assert body.joint is not None
        parent, steps = carriers[body.parent], placements(body.joint)
        for order, placement in enumerate(steps):
            elements.append(Element(parent, number, body.joint, order, placement, order == len(steps) - 1))
            parent = len(elements) - 1
        carriers.append(parent)
    return tuple(elements), tuple(carriers)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """The elements of a tree at one configuration."""

    tree: Tree
    base: BasePose
    moving: tuple[Element, ...]  # element 1, 2, ...; element 0 is the base
    carriers: tuple[int, ...]  # body -> the element it is fixed to
    joints: tuple[JointPose, ...]  # of every element in its parent
    q_joints: Sequence[Component]

    @property
    def count(self) -> int:
        """Number of elements, the base included."""
        return len(self.moving) + 1

    def parent(self, element: int) -> int:
        """The element that an element moves on; -1 for the base."""
        return self.moving[element - 1].parent if element else -1

    def revolute(self, element: int) -> bool:
        """Whether an element turns (it moves along its axis otherwise)."""
        return self.moving[element - 1].revolute

    @cached_property
    def rows(self) -> list[Row]:
        """What every element's rate is in terms of the velocities of joints: entries (velocity, coefficient)."""
        return rate_rows([(element.joint, element.order) for element in self.moving], self.q_joints)

    def row_rates(self, v_joints: Sequence[Component]) -> list[Row]:
        """The derivatives of `rows` along the motion."""
        return rate_rates([(element.joint, element.order) for element in self.moving], self.q_joints, v_joints)

    def rates(self, v_joints: Sequence[Component]) -> list[Component]:
        """The rate of every element (0 for the base) from the velocities of joints."""
        return [_combine(row, v_joints) for row in self.rows]

    def accelerations(self, v_joints: Sequence[Component], a_joints: Sequence[Component]) -> list[Component]:
        """The second derivative of every element's coordinate (0 for the base)."""
        return [
            _sum(_combine(row, a_joints), _combine(drift, v_joints))
            for row, drift in zip(self.rows, self.row_rates(v_joints), strict=True)
        ]

    def drifts(self, v_joints: Sequence[Component]) -> list[Component]:
        """The part of `accelerations` that is there at `a = 0`."""
        return [_combine(drift, v_joints) for drift in self.row_rates(v_joints)]

    def forces(self, torques: Sequence[Component]) -> list[Component]:
        """Forces along the elements' axes as generalised forces of joints: the transpose of `rates`."""
        result: list[Component] = [0.0] * self.tree.joint_nv
        for row, torque in zip(self.rows, torques, strict=True):
            for column, coefficient in row:
                result[column] = _sum(result[column], scale(coefficient, torque))
        return result

    def path_to(self, element: int) -> list[int]:
        """The elements from the base's child to one of them; empty for the base."""
        path = []
        while element > 0:
            path.append(element)
            element = self.parent(element)
        return path[::-1]


def mechanism(tree: Tree, q_base: Sequence[Component], q_joints: Sequence[Component]) -> Mechanism:
    """A tree at a configuration."""
    elements, carriers = elements_of(tree)
    moving = tuple(element for element in elements if element is not None)
    poses = [JointPose((), (0.0, 0.0, 0.0))]
    poses += [element_pose(element.joint, element.order, element.placement, q_joints) for element in moving]
    return Mechanism(tree, base_pose(tree, list(q_base)), moving, carriers, tuple(poses), q_joints)


def _combine(row: Row, values: Sequence[Component]) -> Component:
    total: Any = 0.0
    for column, coefficient in row:
        total = _sum(total, scale(coefficient, values[column]))
    return total


def _sum(a: Component, b: Component) -> Component:
    """The sum, without an operation for a structural zero."""
    if type(a) is float and a == 0.0:
        return b
    return a if type(b) is float and b == 0.0 else a + b
