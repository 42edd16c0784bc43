r"""The Jacobian of a frame: from the robot's velocity to the frame's twist, both in the representation of the tree.

Column $j$ is the twist ${}^CX_j S_j = (p_j \times z_j,\ z_j)$ of a unit rate of a revolute joint on the way there,
$(z_j, 0)$ for a prismatic one, with axis $z_j$ and position $p_j$ of joint $j$ in the frame C in which the twist is
written: the world ("inertial"), the world's axes at the frame ("mixed"), or the frame ("body"). The base's block is

$$ 1_6, \qquad \begin{bmatrix} 1 & (o_B - o_F)^\wedge \\ 0 & 1 \end{bmatrix}, \qquad {}^FX_B $$

respectively. Traversaro 2017, (3.47), (3.70), (3.76)-(3.78) with errata.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, split
from floatbase.algorithms.base import IDENTITY
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.kinematics import Pose, attached_pose, poses_along
from floatbase.algorithms.rates import Row, scale
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.turns import invert, turn_columns
from floatbase.spatial.vectors import ZERO, Vector, cross, multiply, subtract


def jacobian(tree: Tree, q: Any, frame: str) -> Array:
    """`J` (..., 6, nv) with `velocity(tree, q, v, frame) = J v`; rows linear first.

    q: (..., nq) configuration.
    """
    q = configuration(tree, q)
    body, body_H_frame = frame_of(tree, frame)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    path = m.path_to(m.carriers[body])
    base, elements = frame_columns(m, path, body_H_frame)
    columns: list[list[Component]] = [[0.0] * 6 for _ in range(tree.nv)]
    first = 0
    if tree.floating:
        first = 6
        columns[:6] = base_columns(tree, base)
    for i, (linear, angular) in zip(path, elements, strict=True):
        add_column(columns, first, m.rows[i], [*linear, *angular])
    return matrix([[column[k] for column in columns] for k in range(6)], q)


def frame_columns(m: Mechanism, path: Sequence[int], body_H_frame: Any) -> tuple[Pose, list[tuple[Vector, Vector]]]:
    """The pose of the base in the frame C of the twist, and every element's column."""
    poses = poses_at_frame(m, path, body_H_frame)
    return poses[0], [joint_column(place, m.revolute(i)) for i, place in zip(path, poses[1:], strict=True)]


def poses_at_frame(m: Mechanism, path: Sequence[int], body_H_frame: Any) -> list[Pose]:
    """The poses of the base and of the elements of a path in the frame C in which the twist of its end is written."""
    if m.tree.representation == "body":
        return poses_in_frame(m, path, body_H_frame)
    poses = poses_along(m, path)
    if m.tree.representation == "inertial":
        return poses
    origin = attached_pose(poses[-1], body_H_frame).position
    return [Pose(place.rotation, subtract(place.position, origin)) for place in poses]


def add_column(columns: list[list[Component]], first: int, row: Row, column: Sequence[Component]) -> None:
    """Add what a unit rate of an element gives to the columns of the velocities that move it."""
    for index, coefficient in row:
        old = columns[first + index]
        columns[first + index] = [a + scale(coefficient, b) for a, b in zip(old, column, strict=True)]


def joint_column(element: Pose, revolute: bool) -> tuple[Vector, Vector]:
    """The twist of a unit rate of an element with a pose."""
    axis: Vector = (element.rotation[0][2], element.rotation[1][2], element.rotation[2][2])
    return (cross(element.position, axis), axis) if revolute else (axis, ZERO)


def base_columns(tree: Tree, base: Pose) -> list[list[Component]]:
    """The columns of the base twist for a frame from which the base is seen at a pose (see the module's equations)."""
    if tree.representation == "inertial":
        base = Pose(IDENTITY, ZERO)
    elif tree.representation == "mixed":
        base = Pose(IDENTITY, base.position)
    axes: list[Vector] = [(row[0], row[1], row[2]) for row in zip(*base.rotation, strict=True)]
    return [[*axis, *ZERO] for axis in axes] + [[*cross(base.position, axis), *axis] for axis in axes]


def poses_in_frame(m: Mechanism, path: Sequence[int], body_H_frame: Any) -> list[Pose]:
    """The poses of the base and of the elements on a path, seen from a frame fixed to the last one."""
    rotation = body_H_frame[:3, :3].T
    columns = rotation.tolist()
    poses = [Pose((columns[0], columns[1], columns[2]), (-rotation @ body_H_frame[:3, 3]).tolist())]
    for i in reversed(path):
        outer = turn_columns(poses[-1].rotation, invert(m.joints[i].rotation))
        poses.append(Pose(outer, subtract(poses[-1].position, multiply(outer, m.joints[i].position))))
    return poses[::-1]
