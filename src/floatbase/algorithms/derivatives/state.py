"""A tree in motion, and the columns of its velocities: where derivatives that gravity has no part in begin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from floatbase.algorithms.arguments import split
from floatbase.algorithms.base import IDENTITY, base_acceleration, base_twist
from floatbase.algorithms.derivatives.columns import Column, base_columns, base_motion, joint_columns
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.kinematics import Motion, Pose, all_motions
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.vectors import ZERO, Vector


@dataclass(frozen=True, eq=False)
class State:
    """Motions relative to the world, and columns: the base's in the frame of its twist, those of joints in theirs."""

    mechanism: Mechanism
    motions: list[Motion]
    base: list[Column]
    joints: list[Column]
    path: list[int]  # the elements whose columns there are


def state_of(tree: Tree, q: Array, v: Array | None = None, a: Array | None = None, body: int | None = None) -> State:
    """A tree at a configuration, velocity and acceleration; with the columns that move one body, or all."""
    tree = replace(tree, gravity=ZERO)
    q_base, q_joints = split(tree, q, 7)
    nothing = [0.0] * 6, [0.0] * tree.joint_nv
    v_base, v_joints = nothing if v is None else split(tree, v, 6)
    a_base, a_joints = nothing if a is None else split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    path = list(range(1, m.count)) if body is None else m.path_to(m.carriers[body])
    start = Motion(*base_twist(tree, m.base, v_base), *base_acceleration(tree, m.base, v_base, a_base))
    motions = all_motions(m, start, m.rates(v_joints), m.accelerations(v_joints, a_joints))
    base = base_columns(tree, m.base, base_motion(tree, m.base, v_base, a_base))
    return State(m, motions, base, joint_columns(m, motions, path), path)


def twist_pose(tree: Tree, base: Pose, origin: Vector = ZERO) -> Pose:
    """The pose of the frame of the base twist where the base has a pose, and the world's origin a position."""
    if tree.representation == "body":
        return base
    return Pose(IDENTITY, base.position if tree.representation == "mixed" else origin)


def matrix_of(tree: Tree, columns: Sequence[Column], parts: Sequence[Sequence[Vector]], *like: Array) -> Array:
    """The matrix (..., 3 or 6, nv) of what the columns give, in vectors; of joints that move together the sum."""
    rows: list[list[Component]] = [[0.0] * tree.nv for _ in range(3 * len(parts[0]) if parts else 6)]
    for column, part in zip(columns, parts, strict=True):
        for row, entry in zip(rows, [entry for vector in part for entry in vector], strict=True):
            row[column.velocity] = row[column.velocity] + entry
    return matrix(rows, *like)
