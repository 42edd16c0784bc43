r"""Inverse dynamics from what an inertial measurement unit on the base measures.

$$ \Gamma(\alpha^g_B, {}^B\omega_B, s, \dot s, \ddot s) = \sum_L J_{L,B/B}^\top \phi_L, $$

with the proper "sensor" acceleration $\alpha^g = ({}^BR_A(\ddot o_B - g),\ {}^B\dot\omega)$: neither attitude nor
linear velocity is needed. In free fall without rotation it vanishes. Traversaro 2017, (3.64), (4.11)-(4.17).
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import as_array, optional_parameters
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.inverse_dynamics import add_rotors, net_wrenches
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, components, vector

SOMEWHERE = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]


def sensor_inverse_dynamics(
    tree: Tree, s: Any, s_dot: Any, s_ddot: Any, proper_acceleration: Any, omega: Any, parameters: Any = None
) -> Array:
    """Wrench on the base, about its origin in its axes, and joint torques (..., 6 + joint_nv).

    s: (..., joint_nq) joint coordinates; s_dot, s_ddot: (..., joint_nv); proper_acceleration: (..., 6) of the base's
    origin relative to free fall and angular, omega: (..., 3), both in base axes; parameters: (..., 10 n_bodies).
    """
    s = as_array("s", s, tree.joint_nq, tree)
    s_dot, s_ddot = as_array("s_dot", s_dot, tree.joint_nv, tree), as_array("s_ddot", s_ddot, tree.joint_nv, tree)
    alpha, omega = as_array("proper_acceleration", proper_acceleration, 6, tree), as_array("omega", omega, 3, tree)
    parameters = optional_parameters(tree, parameters)
    m = mechanism(tree, SOMEWHERE if tree.floating else [], components(s))
    ax, ay, az, wx, wy, wz = components(alpha)
    x, y, z = components(omega)
    rate, second = components(s_dot), components(s_ddot)
    force, moment, torques = net_wrenches(
        m,
        (x, y, z),
        ((ax, ay, az), (wx, wy, wz)),
        m.rates(rate),
        m.accelerations(rate, second),
        grouped_inertias(m, parameters),
        {},
    )
    entries = [*force, *moment, *add_rotors(tree, m.forces(torques), second)]
    return vector(entries, *(x for x in (s, s_dot, s_ddot, alpha, omega, parameters) if x is not None))
