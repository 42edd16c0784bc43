r"""Motion of one frame relative to another, which depends on the joints between them only.

The reference frame R takes the place of the world: the twist of a frame F relative to it is written in F ("body"), at
F's origin in R's axes ("mixed"), or in R ("inertial"). A column of its Jacobian is the twist of a unit rate of an
element between the two, positive on the side of F and negative on the side of R,

$$ {}^Dv_{L,D} = {}^DS_{L,D}\, \dot s, \qquad
   ({}^DS_{L,D})_k = \pm\,{}^DX_k\, {}^k s_k , $$

here first written in the element at which the ways from the base part. Traversaro 2017, (3.36)-(3.41) with errata.
"""

from __future__ import annotations

from itertools import chain
from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, rates, split
from floatbase.algorithms.base import IDENTITY
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.jacobian import add_column, joint_column
from floatbase.algorithms.kinematics import Pose, attached_pose, next_pose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix, vector
from floatbase.spatial.vectors import ZERO, Vector, add, cross, multiply, multiply_transposed, subtract, transpose

Columns = list[tuple[int, tuple[Vector, Vector]]]


def relative_pose(tree: Tree, q: Any, reference: str, frame: str) -> Array:
    """`reference_H_frame` (..., 4, 4); q: (..., nq) configuration."""
    q = configuration(tree, q)
    _, here, there, _ = ways_between(tree, q, reference, frame)
    back = transpose(there.rotation)
    position = multiply(back, subtract(here.position, there.position))
    columns = [multiply(back, column) for column in transpose(here.rotation)]
    rows = [[*row, entry] for row, entry in zip(zip(*columns, strict=True), position, strict=True)]
    return matrix([*rows, [0.0, 0.0, 0.0, 1.0]], q)


def relative_jacobian(tree: Tree, q: Any, reference: str, frame: str) -> Array:
    """`J` (..., 6, nv) with `relative_velocity(q, v, reference, frame) = J v`; the base's columns are zero.

    q: (..., nq) configuration.
    """
    q = configuration(tree, q)
    m, here, there, columns = ways_between(tree, q, reference, frame)
    result: list[list[Component]] = [[0.0] * 6 for _ in range(tree.nv)]
    for i, twist in chain(*columns):
        add_column(result, 6 if tree.floating else 0, m.rows[i], written(tree, here, there, twist))
    return matrix([[column[k] for column in result] for k in range(6)], q)


def relative_velocity(tree: Tree, q: Any, v: Any, reference: str, frame: str) -> Array:
    """The twist (..., 6) of a frame relative to another, linear first, in the representation of the tree.

    q: (..., nq) configuration; v: (..., nv) velocity.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    m, here, there, columns = ways_between(tree, q, reference, frame)
    rate = m.rates(split(tree, v, 6)[1])
    linear, angular = ZERO, ZERO
    for i, (along, about) in chain(*columns):
        linear = add(linear, (rate[i] * along[0], rate[i] * along[1], rate[i] * along[2]))
        angular = add(angular, (rate[i] * about[0], rate[i] * about[1], rate[i] * about[2]))
    return vector(written(tree, here, there, (linear, angular)), q, v)


def ways_between(tree: Tree, q: Array, reference: str, frame: str) -> tuple[Mechanism, Pose, Pose, list[Columns]]:
    """Poses of frame and reference in the element where their ways part, and the columns there of both ways."""
    m = mechanism(tree, *split(tree, q, 7))
    ends = [frame_of(tree, frame), frame_of(tree, reference)]
    ways = [m.path_to(m.carriers[body]) for body, _ in ends]
    shared = 0
    while shared < min(map(len, ways)) and ways[0][shared] == ways[1][shared]:
        shared += 1
    poses: list[Pose] = []
    columns: list[Columns] = [[], []]
    for side, way in enumerate(ways):
        pose = Pose(IDENTITY, ZERO)
        for i in way[shared:]:
            pose = next_pose(pose, m.joints[i])
            linear, angular = joint_column(pose, m.revolute(i))
            twist = (linear, angular) if side == 0 else (subtract(ZERO, linear), subtract(ZERO, angular))
            columns[side].append((i, twist))
        poses.append(attached_pose(pose, ends[side][1]))
    return m, poses[0], poses[1], columns


def written(tree: Tree, here: Pose, there: Pose, twist: tuple[Vector, Vector]) -> list[Component]:
    """A twist from the element where the ways part to the representation of the tree."""
    linear, angular = twist
    point = there.position if tree.representation == "inertial" else here.position
    axes = here.rotation if tree.representation == "body" else there.rotation
    return [*multiply_transposed(axes, add(linear, cross(angular, point))), *multiply_transposed(axes, angular)]
