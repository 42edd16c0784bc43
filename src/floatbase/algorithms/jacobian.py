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
from floatbase.algorithms.base import IDENTITY, base_pose
from floatbase.algorithms.joints import JointPose, joint_poses
from floatbase.algorithms.kinematics import Pose, attached_pose, path_to, poses_along
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.turns import Turn, turn_columns
from floatbase.spatial.vectors import ZERO, Vector, cross, multiply, subtract


def jacobian(tree: Tree, q: Any, frame: str) -> Array:
    """`J` (..., 6, nv) with `velocity(tree, q, v, frame) = J v`; rows linear first.

    q: (..., nq) configuration.
    """
    q = configuration(tree, q)
    body, body_H_frame = frame_of(tree, frame)
    path = path_to(tree, body)
    q_base, q_joints = split(tree, q, 7)
    joints = joint_poses(tree, q_joints)
    if tree.representation == "body":
        poses = _poses_in_frame(joints, path, body_H_frame)
    else:
        poses = poses_along(base_pose(tree, q_base), joints, path)
        if tree.representation == "mixed":
            origin = attached_pose(poses[-1], body_H_frame).position
            poses = [Pose(place.rotation, subtract(place.position, origin)) for place in poses]
    columns: list[list[Component]] = [[0.0] * 6 for _ in range(tree.nv)]
    first = 0
    if tree.floating:
        first = 6
        columns[:6] = _base_columns(tree, poses[0])
    for i, place in zip(path, poses[1:], strict=True):
        joint = tree.bodies[i].joint
        assert joint is not None
        column = _joint_column(place, joint.kind == "revolute")
        place_in_state = first + joint.index
        columns[place_in_state] = [
            old + float(joint.ratio) * new for old, new in zip(columns[place_in_state], column, strict=True)
        ]
    return matrix([[column[k] for column in columns] for k in range(6)], q)


def _joint_column(joint: Pose, revolute: bool) -> list[Component]:
    axis: Vector = (joint.rotation[0][2], joint.rotation[1][2], joint.rotation[2][2])
    return [*cross(joint.position, axis), *axis] if revolute else [*axis, *ZERO]


def _base_columns(tree: Tree, base: Pose) -> list[list[Component]]:
    if tree.representation == "inertial":
        base = Pose(IDENTITY, ZERO)
    elif tree.representation == "mixed":
        base = Pose(IDENTITY, base.position)
    axes: list[Vector] = [(row[0], row[1], row[2]) for row in zip(*base.rotation, strict=True)]
    return [[*axis, *ZERO] for axis in axes] + [[*cross(base.position, axis), *axis] for axis in axes]


def _poses_in_frame(joints: Sequence[JointPose], path: Sequence[int], body_H_frame: Any) -> list[Pose]:
    """The poses of the base and of the bodies on a path, seen from a frame fixed to the last one."""
    rotation = body_H_frame[:3, :3].T
    columns = rotation.tolist()
    poses = [Pose((columns[0], columns[1], columns[2]), (-rotation @ body_H_frame[:3, 3]).tolist())]
    for i in reversed(path):
        inverse = [Turn(axis, cosine, -sine) for axis, cosine, sine in reversed(joints[i].rotation)]
        outer = turn_columns(poses[-1].rotation, inverse)
        poses.append(Pose(outer, subtract(poses[-1].position, multiply(outer, joints[i].position))))
    return poses[::-1]
