r"""The mass matrix.

$$ M = \sum_L J_L^\top\, {}_L\mathbb M_L\, J_L
     = \begin{bmatrix} {}_B\mathbb M(s) & F(s) \\ F^\top & H(s) \end{bmatrix} $$

by the composite rigid body algorithm: the inertia of the subtree moved by joint $i$, times the joint's axis, is the
momentum $F_i = (z \times h, I z)$ (prismatic: $(m z, h \times z)$) of a unit rate, of which every joint towards the
base takes its z component and the base all six. The base rows are brought to the representation of the state by
$M = T^{-\top} M_{body} T^{-1}$.

Traversaro 2017, (3.56)-(3.58); Bos 2019, table E.4 with its erratum; R. Featherstone, "Rigid body dynamics algorithms",
2008, section 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, split
from floatbase.algorithms.base import BasePose, base_pose, base_wrench
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.joints import JointPose, joint_poses
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.rigid_inertia import RigidInertia, shift_inertia, sum_inertia, turn_inertia
from floatbase.spatial.turns import turn
from floatbase.spatial.vectors import Vector, add, congruence, cross, full, multiply


def mass_matrix(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """`M` (..., nv, nv), symmetric positive definite, for velocities in `tree.representation`.

    q: (..., nq) configuration; parameters: (..., 10 n_bodies) inertial parameters in the bodies' frames instead of
    the tree's.
    """
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    rows = mass_matrix_rows(tree, q, parameters)
    return matrix(rows, *(x for x in (q, parameters) if x is not None))


def mass_matrix_rows(tree: Tree, q: Array, parameters: Any = None) -> list[list[Component]]:
    """The mass matrix as rows of components, with zeros where two joints share no path to the base."""
    q_base, q_joints = split(tree, q, 7)
    base = base_pose(tree, q_base)
    joints = joint_poses(tree, q_joints)
    composites = composite_inertias(tree, joints, grouped_inertias(tree, parameters))
    first = 6 if tree.floating else 0
    rows: list[list[Component]] = [[0.0] * tree.nv for _ in range(tree.nv)]
    for i in range(len(tree.bodies) - 1, 0, -1):
        own = tree.bodies[i].joint
        assert own is not None
        force, moment = _unit_momentum(own.kind, composites[i])
        j = i
        while True:
            other = tree.bodies[j].joint
            assert other is not None
            entry = moment[2] if other.kind == "revolute" else force[2]
            entry = float(own.ratio * other.ratio) * entry
            row, column = first + own.index, first + other.index
            rows[row][column] = rows[row][column] + entry
            if i != j:
                rows[column][row] = rows[column][row] + entry
            j_parent = tree.bodies[j].parent
            if j_parent == 0 and not tree.floating:
                break
            force, moment = turn(joints[j].rotation, force), turn(joints[j].rotation, moment)
            moment = add(moment, cross(joints[j].position, force))
            j = j_parent
            if j == 0:
                for k, entry in enumerate(base_wrench(tree, base, force, moment)):
                    rows[k][row] = rows[k][row] + float(own.ratio) * entry
                break
    if tree.floating:
        for k in range(6):
            for column in range(6, tree.nv):
                rows[column][k] = rows[k][column]
        for k, head in enumerate(_base_block(tree, base, composites[0])):
            rows[k][:6] = head
    return rows


def composite_inertias(tree: Tree, joints: Sequence[JointPose], inertias: Sequence[RigidInertia]) -> list[RigidInertia]:
    """The inertia of every body with all that it carries, in the body's frame (a fixed base: its own alone)."""
    composites = list(inertias)
    for i in range(len(tree.bodies) - 1, 0, -1):
        parent = tree.bodies[i].parent
        if parent == 0 and not tree.floating:
            continue
        moved = shift_inertia(turn_inertia(joints[i].rotation, composites[i]), joints[i].position)
        composites[parent] = sum_inertia(composites[parent], moved)
    return composites


def _unit_momentum(kind: str, inertia: RigidInertia) -> tuple[Vector, Vector]:
    """Momentum of a body that turns about, or moves along, its z axis at a unit rate."""
    hx, hy, _ = inertia.moment
    if kind == "revolute":
        return (-hy, hx, 0.0), (inertia.tensor[2], inertia.tensor[4], inertia.tensor[5])
    return (0.0, 0.0, inertia.mass), (hy, -hx, 0.0)


def _base_block(tree: Tree, base: BasePose, locked: RigidInertia) -> list[list[Component]]:
    """The locked inertia `[[m 1, -h^], [h^, I]]` of the whole robot in the representation of the base twist."""
    if tree.representation != "body":
        h = multiply(base.rotation, locked.moment)
        locked = RigidInertia(locked.mass, h, congruence(base.rotation, locked.tensor))
    if tree.representation == "inertial":
        locked = shift_inertia(locked, base.position)
    m, (x, y, z) = locked.mass, locked.moment
    tensor = full(locked.tensor)
    return [
        [m, 0.0, 0.0, 0.0, z, -y],
        [0.0, m, 0.0, -z, 0.0, x],
        [0.0, 0.0, m, y, -x, 0.0],
        [0.0, -z, y, *tensor[0]],
        [z, 0.0, -x, *tensor[1]],
        [-y, x, 0.0, *tensor[2]],
    ]
