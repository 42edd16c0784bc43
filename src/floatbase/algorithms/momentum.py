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
from floatbase.spatial.rigid_inertia import tensor_of
from floatbase.spatial.turns import turn
from floatbase.spatial.vectors import ZERO, Vector, add, cross, multiply_symmetric, scale


def momentum_about_base(
    m: Mechanism, v_base: list[Component], v_joints: Sequence[Component], parameters: Any
) -> tuple[Vector, Vector, Vector]:
    """Linear and angular momentum about the base's origin, and the first moment there, in base axes."""
    start = Motion(*base_twist(m.tree, m.base, v_base), ZERO, ZERO)
    motions = all_motions(m, start, m.rates(v_joints), [0.0] * m.count)
    linear, angular, moments, masses = [], [], [], []
    for inertia, motion in zip(grouped_inertias(m, parameters), motions, strict=True):
        turning = multiply_symmetric(tensor_of(inertia.second), motion.omega)
        linear.append(add(scale(inertia.mass, motion.velocity), cross(motion.omega, inertia.moment)))
        angular.append(add(turning, cross(inertia.moment, motion.velocity)))
        moments.append(inertia.moment)
        masses.append(inertia.mass)
    for i in range(m.count - 1, 0, -1):
        joint, parent = m.joints[i], m.parent(i)
        force = turn(joint.rotation, linear[i])
        linear[parent] = add(linear[parent], force)
        angular[parent] = add(angular[parent], add(turn(joint.rotation, angular[i]), cross(joint.position, force)))
        carried = add(turn(joint.rotation, moments[i]), scale(masses[i], joint.position))
        moments[parent] = add(moments[parent], carried)
        masses[parent] = masses[parent] + masses[i]
    return linear[0], angular[0], moments[0]
