r"""The momentum of a robot about the origin of its base, in base axes.

Outwards the velocities $(v_i, \omega_i)$ of the elements, inwards

$$ f_i = m v_i + \omega_i \times h_i, \quad n_i = I_i \omega_i + h_i \times v_i, \qquad
   f_\lambda \mathrel{+}= R f_i, \quad n_\lambda \mathrel{+}= R n_i + p \times R f_i , $$

and the first moments $h$ likewise. Traversaro 2017, (3.48)-(3.51).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.base import base_twist
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.kinematics import Motion, all_motions
from floatbase.spatial.arrays import Component
from floatbase.spatial.rigid_inertia import RigidInertia
from floatbase.spatial.screws import Screw, momentum_of, sum_screws
from floatbase.spatial.turns import turn
from floatbase.spatial.vectors import ZERO, Vector, add, cross, scale


def momentum_about_base(
    m: Mechanism, v_base: list[Component], v_joints: Sequence[Component], parameters: Any
) -> tuple[Vector, Vector, Vector]:
    """Linear and angular momentum about the base's origin, and the first moment there, in base axes."""
    start = Motion(*base_twist(m.tree, m.base, v_base), ZERO, ZERO)
    motions = all_motions(m, start, m.rates(v_joints), [0.0] * m.count)
    inertias = grouped_inertias(m, parameters)
    linear, angular = carried_momenta(m, motions, inertias)[0]
    moments, masses = [inertia.moment for inertia in inertias], [inertia.mass for inertia in inertias]
    for i in range(m.count - 1, 0, -1):
        joint, parent = m.joints[i], m.parent(i)
        carried = add(turn(joint.rotation, moments[i]), scale(masses[i], joint.position))
        moments[parent] = add(moments[parent], carried)
        masses[parent] = masses[parent] + masses[i]
    return linear, angular, moments[0]


def carried_momenta(m: Mechanism, motions: Sequence[Motion], inertias: Sequence[RigidInertia]) -> list[Screw]:
    """The momentum of every element with all that it carries, about its origin in its axes."""
    momenta = [
        momentum_of(inertia, (motion.velocity, motion.omega)) for inertia, motion in zip(inertias, motions, strict=True)
    ]
    for i in range(m.count - 1, 0, -1):
        joint, (linear, angular) = m.joints[i], momenta[i]
        force = turn(joint.rotation, linear)
        moment = add(turn(joint.rotation, angular), cross(joint.position, force))
        momenta[m.parent(i)] = sum_screws(momenta[m.parent(i)], (force, moment))
    return momenta
