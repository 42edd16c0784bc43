r"""Energies as products of a vector with the inertial parameters.

For a link with velocity $v$ of its origin and angular velocity $\omega$, in its own axes, and a pose $(R, o)$

$$ k = \tfrac12 m |v|^2 + m c \cdot (v \times \omega) + \tfrac12 \omega^\top I \omega, \qquad
   U = -m\, g \cdot o - m c \cdot R^\top g . $$

Traversaro 2017, (2.60) with erratum, (3.48); M. Gautier, W. Khalil, "On the identification of the inertial parameters
of robots", 1988.
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, rates, split
from floatbase.algorithms.base import base_twist
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.inertias import body_frame
from floatbase.algorithms.kinematics import Motion, Pose, all_poses, attached_pose
from floatbase.algorithms.regressor import body_motions
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, vector
from floatbase.spatial.vectors import ZERO, Vector, cross, dot, multiply_transposed


def kinetic_energy_regressor(tree: Tree, q: Any, v: Any) -> Array:
    """The vector (..., 10 n_bodies) whose product with the parameters is `kinetic_energy` without rotors.

    q: (..., nq) configuration; v: (..., nv) velocity.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    entries: list[Component] = []
    motions = body_motions(m, Motion(*base_twist(tree, m.base, v_base), ZERO, ZERO), v_joints, None)
    for motion in (motions[body] for body in tree.order):
        x, y, z = motion.omega
        hx, hy, hz = (0.5 * x, 0.5 * y, 0.5 * z)
        entries += [0.5 * dot(motion.velocity, motion.velocity), *cross(motion.velocity, motion.omega)]
        entries += [hx * x, x * y, x * z, hy * y, y * z, hz * z]
    return vector(entries, q, v)


def potential_energy_regressor(tree: Tree, q: Any) -> Array:
    """The vector (..., 10 n_bodies) whose product with the parameters is `potential_energy`; q: (..., nq)."""
    q = configuration(tree, q)
    m = mechanism(tree, *split(tree, q, 7))
    up: Vector = (-float(tree.gravity[0]), -float(tree.gravity[1]), -float(tree.gravity[2]))
    poses = all_poses(m, Pose(m.base.rotation, m.base.position))
    entries: list[Component] = []
    for body in tree.order:
        place = attached_pose(poses[m.carriers[body]], body_frame(tree, body))
        entries += [dot(up, place.position), *multiply_transposed(place.rotation, up), *ZERO, *ZERO]
    return vector(entries, q)
