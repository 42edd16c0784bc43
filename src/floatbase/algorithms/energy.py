r"""Kinetic and potential energy.

$k = \frac12 \sum_L v_L^\top\, {}_L\mathbb M_L v_L = \frac12 \nu^\top M \nu$ and $U = -m\, g^\top {}^Ac$, zero at the
world's origin. Traversaro 2017, (3.48)-(3.50) with errata.
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import base_twist
from floatbase.algorithms.center_of_mass import com, total_mass
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.inverse_dynamics import rotor_inertias
from floatbase.algorithms.kinematics import Motion, all_motions
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, zeros
from floatbase.spatial.rigid_inertia import twice_kinetic_energy
from floatbase.spatial.vectors import ZERO


def kinetic_energy(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    """Kinetic energy (...) [J].

    q: (..., nq) configuration; v: (..., nv) velocity; parameters: (..., 10 n_bodies) instead of the tree's.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    start = Motion(*base_twist(tree, m.base, v_base), ZERO, ZERO)
    motions = all_motions(m, start, m.rates(v_joints), [0.0] * m.count)
    total: Any = 0.0
    for inertia, motion in zip(grouped_inertias(m, parameters), motions, strict=True):
        total = total + twice_kinetic_energy(inertia, motion.velocity, motion.omega)
    for column, armature in rotor_inertias(tree).items():
        total = total + armature * (v_joints[column] * v_joints[column])
    result = zeros((), *(x for x in (q, v, parameters) if x is not None))
    result[...] = 0.5 * total
    return result[()]


def potential_energy(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """Potential energy (...) [J]; arguments as in `kinetic_energy`."""
    place = com(tree, q, parameters)
    gx, gy, gz = (float(entry) for entry in tree.gravity)
    height = gx * place[..., 0] + gy * place[..., 1] + gz * place[..., 2]
    return -total_mass(tree, optional_parameters(tree, parameters)) * height
