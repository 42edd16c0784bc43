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
from floatbase.algorithms.base import BasePose
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.inverse_dynamics import rotor_inertias
from floatbase.algorithms.kinematics import Pose, next_pose, representation_pose
from floatbase.algorithms.rates import scale
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
    m = mechanism(tree, q_base, q_joints)
    composites = composite_inertias(m, grouped_inertias(m, parameters))
    first = 6 if tree.floating else 0
    rows: list[list[Component]] = [[0.0] * tree.nv for _ in range(tree.nv)]

    def add_entry(i: int, j: int, entry: Component) -> None:
        for row, left in m.rows[i]:
            for column, right in m.rows[j]:
                scaled = scale(left, scale(right, entry))
                rows[first + row][first + column] = rows[first + row][first + column] + scaled
                if i != j:
                    rows[first + column][first + row] = rows[first + column][first + row] + scaled

    stops = stops_of(m)
    poses = poses_in_base_axes(m, stops)
    for i in range(1, m.count):
        force, moment = unit_momentum(m.revolute(i), composites[i])
        j = i
        while True:  # in the axes of the bodies, towards the base
            add_entry(i, j, moment[2] if m.revolute(j) else force[2])
            parent = m.parent(j)
            if j in stops or (parent == 0 and not tree.floating):
                break
            force, moment = turn(m.joints[j].rotation, force), turn(m.joints[j].rotation, moment)
            moment = add(moment, cross(m.joints[j].position, force))
            j = parent
            if j == 0:
                break
        if not tree.floating:
            continue
        stop = poses[j]  # the rest in the axes of the base twist
        force, moment = multiply(stop.rotation, force), multiply(stop.rotation, moment)
        moment = add(moment, cross(stop.position, force))
        while j > 0 and (j := m.parent(j)) > 0:
            add_entry(i, j, _along_joint(poses[j], m.revolute(j), force, moment))
        for column, coefficient in m.rows[i]:
            for k, entry in enumerate([*force, *moment]):
                rows[k][first + column] = rows[k][first + column] + scale(coefficient, entry)
    if tree.floating:
        for k, head in enumerate(_base_block(tree, m.base, composites[0])):
            rows[k][:6] = head
            for column in range(6, tree.nv):
                rows[column][k] = rows[k][column]
    for column, armature in rotor_inertias(tree).items():
        rows[first + column][first + column] = rows[first + column][first + column] + armature
    return rows


def composite_inertias(
    m: Mechanism, inertias: Sequence[RigidInertia], with_fixed_base: bool = False
) -> list[RigidInertia]:
    """The inertia of every element with all that it carries, in its frame.

    That of a fixed base is its own alone, unless asked for.
    """
    composites = list(inertias)
    for i in range(m.count - 1, 0, -1):
        parent = m.parent(i)
        if parent == 0 and not (m.tree.floating or with_fixed_base):
            continue
        moved = shift_inertia(turn_inertia(m.joints[i].rotation, composites[i]), m.joints[i].position)
        composites[parent] = sum_inertia(composites[parent], moved)
    return composites


def unit_momentum(revolute: bool, inertia: RigidInertia) -> tuple[Vector, Vector]:
    """Momentum of a body that turns about, or moves along, its z axis at a unit rate."""
    hx, hy, _ = inertia.moment
    if revolute:
        tensor = tensor_of(inertia.second)
        return (-hy, hx, 0.0), (tensor[2], tensor[4], tensor[5])
    return (0.0, 0.0, inertia.mass), (hy, -hx, 0.0)


def stops_of(m: Mechanism) -> set[int]:
    """The bodies where momenta leave the axes of the bodies for those of the base twist.

    Next to the base if that serves many joints; and where branches with many joints meet, such as a chest: from there
    a transformation at once and a scalar product for each joint take fewer operations than going from joint to joint.
    """
    if not m.tree.floating:
        return set()
    carried, children = [1] * m.count, [0] * m.count
    for i in range(m.count - 1, 0, -1):
        carried[m.parent(i)] += carried[i]
        children[m.parent(i)] += 1
    branching = {i for i in range(1, m.count) if children[i] > 1 and carried[i] > 3 * len(m.path_to(i))}
    return branching | {i for i in range(1, m.count) if m.parent(i) == 0 and carried[i] > 5}


def poses_in_base_axes(m: Mechanism, stops: set[int]) -> dict[int, Pose]:
    """Poses, in the frame in which the base twist is written, of the elements from the base to those of `stops`."""
    poses = {0: representation_pose(m.tree, m.base)}
    for i in sorted({i for stop in stops for i in m.path_to(stop)}):
        poses[i] = next_pose(poses[m.parent(i)], m.joints[i])
    return poses


def _along_joint(joint: Pose, revolute: bool, force: Vector, moment: Vector) -> Component:
    """The power of a wrench on a unit rate of a joint with a pose: (p x z, z) . (f, n), or z . f."""
    axis: Vector = (joint.rotation[0][2], joint.rotation[1][2], joint.rotation[2][2])
    if not revolute:
        return dot(axis, force)
    return dot(axis, moment) + dot(cross(joint.position, axis), force)


def _base_block(tree: Tree, base: BasePose, locked: RigidInertia) -> list[list[Component]]:
    """The locked inertia of the whole robot in the frame in which the base twist is written."""
    if tree.representation != "body":
        h, second = multiply(base.rotation, locked.moment), congruence(base.rotation, locked.second)
        locked = shift_inertia(RigidInertia(locked.mass, h, second), representation_pose(tree, base).position)
    return inertia_rows(locked.mass, locked.moment, tensor_of(locked.second))
