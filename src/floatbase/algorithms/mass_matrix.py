r"""The mass matrix.

$$ M = \sum_L J_L^\top\, {}_L\mathbb M_L\, J_L
     = \begin{bmatrix} {}_B\mathbb M(s) & F(s) \\ F^\top & H(s) \end{bmatrix} $$

by the composite rigid body algorithm: the inertia of the subtree moved by joint $i$, times the joint's axis, is the
momentum $F_i = (z \times h, I z)$ (prismatic: $(m z, h \times z)$) of a unit rate, of which every joint towards the
base takes the part along its axis, $M_{ij} = S_j^\top F_i$, and the base all six components, in the frame in which its
twist is written.

Traversaro 2017, (3.56)-(3.58); Bos 2019, table E.4 with its erratum; R. Featherstone, "Rigid body dynamics algorithms",
2008, section 6.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, split
from floatbase.algorithms.base import BasePose, base_pose
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.joints import JointPose, joint_poses
from floatbase.algorithms.kinematics import Pose, next_pose, path_to, representation_pose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix
from floatbase.spatial.rigid_inertia import (
    RigidInertia,
    inertia_rows,
    shift_inertia,
    sum_inertia,
    tensor_of,
    turn_inertia,
)
from floatbase.spatial.turns import turn
from floatbase.spatial.vectors import Vector, add, congruence, cross, dot, multiply


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

    def add_entry(row: int, column: int, entry: Component) -> None:
        rows[row][column] = rows[row][column] + entry

    stops = _stops(tree)
    poses = _poses_in_base_axes(tree, base, joints, stops)
    for i in range(1, len(tree.bodies)):
        own = tree.bodies[i].joint
        assert own is not None
        row, ratio = first + own.index, float(own.ratio)
        force, moment = _unit_momentum(own.kind, composites[i])
        j = i
        while True:  # in the axes of the bodies, towards the base
            other = tree.bodies[j].joint
            assert other is not None
            entry = ratio * float(other.ratio) * (moment[2] if other.kind == "revolute" else force[2])
            add_entry(row, first + other.index, entry)
            if i != j:
                add_entry(first + other.index, row, entry)
            parent = tree.bodies[j].parent
            if j in stops or (parent == 0 and not tree.floating):
                break
            force, moment = turn(joints[j].rotation, force), turn(joints[j].rotation, moment)
            moment = add(moment, cross(joints[j].position, force))
            j = parent
            if j == 0:
                break
        if not tree.floating:
            continue
        stop = poses[j]  # the rest in the axes of the base twist
        force, moment = multiply(stop.rotation, force), multiply(stop.rotation, moment)
        moment = add(moment, cross(stop.position, force))
        while j > 0 and (j := tree.bodies[j].parent) > 0:
            other = tree.bodies[j].joint
            assert other is not None
            entry = ratio * float(other.ratio) * _along_joint(poses[j], other.kind, force, moment)
            add_entry(row, first + other.index, entry)
            add_entry(first + other.index, row, entry)
        for k, entry in enumerate([*force, *moment]):
            add_entry(k, row, ratio * entry)
    if tree.floating:
        for k, head in enumerate(_base_block(tree, base, composites[0])):
            rows[k][:6] = head
            for column in range(6, tree.nv):
                rows[column][k] = rows[k][column]
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
        tensor = tensor_of(inertia.second)
        return (-hy, hx, 0.0), (tensor[2], tensor[4], tensor[5])
    return (0.0, 0.0, inertia.mass), (hy, -hx, 0.0)


def _stops(tree: Tree) -> set[int]:
    """The bodies where momenta leave the axes of the bodies for those of the base twist.

    Next to the base if that serves many joints; and where branches with many joints meet, such as a chest: from there
    a transformation at once and a scalar product for each joint take fewer operations than going from joint to joint.
    """
    if not tree.floating:
        return set()
    carried, children = [1] * len(tree.bodies), [0] * len(tree.bodies)
    for i in range(len(tree.bodies) - 1, 0, -1):
        carried[tree.bodies[i].parent] += carried[i]
        children[tree.bodies[i].parent] += 1
    branching = {i for i in range(1, len(tree.bodies)) if children[i] > 1 and carried[i] > 3 * len(path_to(tree, i))}
    return branching | {i for i, body in enumerate(tree.bodies) if body.parent == 0 and carried[i] > 5}


def _poses_in_base_axes(tree: Tree, base: BasePose, joints: Sequence[JointPose], stops: set[int]) -> dict[int, Pose]:
    """Poses, in the frame in which the base twist is written, of the bodies from the base to those of `stops`."""
    poses = {0: representation_pose(tree, base)}
    for i in sorted({i for stop in stops for i in path_to(tree, stop)}):
        poses[i] = next_pose(poses[tree.bodies[i].parent], joints[i])
    return poses


def _along_joint(joint: Pose, kind: str, force: Vector, moment: Vector) -> Component:
    """The power of a wrench on a unit rate of a joint with a pose: (p x z, z) . (f, n), or z . f."""
    axis: Vector = (joint.rotation[0][2], joint.rotation[1][2], joint.rotation[2][2])
    if kind != "revolute":
        return dot(axis, force)
    return dot(axis, moment) + dot(cross(joint.position, axis), force)


def _base_block(tree: Tree, base: BasePose, locked: RigidInertia) -> list[list[Component]]:
    """The locked inertia of the whole robot in the frame in which the base twist is written."""
    if tree.representation != "body":
        h, second = multiply(base.rotation, locked.moment), congruence(base.rotation, locked.second)
        locked = shift_inertia(RigidInertia(locked.mass, h, second), representation_pose(tree, base).position)
    return inertia_rows(locked.mass, locked.moment, tensor_of(locked.second))
