r"""Derivatives of the velocity of the centre of mass.

Velocity $j$ moves the centre by the column of its Jacobian, which is therefore the derivative of its position, and of
its velocity with respect to $v_j$. What the velocity carries has mass $m^c$, first moment $h^c$ and linear momentum
$p^c$, of which, with the columns $S_j = (s_j, z_j)$ and $\dot\Psi_j = (p_j, w_j)$ of
`floatbase.algorithms.derivatives.columns`,

$$ m \frac{\partial c}{\partial q_j} = m^c s_j + z_j \times h^c, \qquad
   m \frac{\partial \dot c}{\partial q_j} = m^c p_j + w_j \times h^c + z_j \times p^c . $$

The components of the velocity are held fixed. Those of the acceleration of the centre are the linear part of
`centroidal_momentum_rate_derivatives` over the mass.

J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics algorithms", 2018; Traversaro 2017, (3.79)
with erratum, (3.83).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.center_of_mass import total_mass
from floatbase.algorithms.derivatives.columns import joined_elements, twist_from
from floatbase.algorithms.derivatives.state import matrix_of, state_of, twist_pose
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.kinematics import Pose, all_poses
from floatbase.algorithms.mass_matrix import composite_inertias
from floatbase.algorithms.momentum import carried_momenta
from floatbase.model.tree import Tree
from floatbase.results import ComVelocityDerivatives
from floatbase.spatial.rigid_inertia import RigidInertia
from floatbase.spatial.screws import momentum_of
from floatbase.spatial.vectors import ZERO, add, cross, multiply, scale, subtract


def com_velocity_derivatives(tree: Tree, q: Any, v: Any, parameters: Any = None) -> ComVelocityDerivatives:
    """The derivatives of `com_velocity`, to which the arguments belong, by configuration and velocity.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    state = state_of(tree, q, v)
    m = state.mechanism
    inverse = 1.0 / total_mass(tree, parameters)
    fractions = [
        RigidInertia(inverse * mass, scale(inverse, moment), second)
        for mass, moment, second in grouped_inertias(m, parameters, joined_elements(m))
    ]
    carried = composite_inertias(m, fractions, with_fixed_base=True)
    momenta = carried_momenta(m, state.motions, fractions)
    center = multiply(m.base.rotation, carried[0].moment)
    velocity = multiply(m.base.rotation, momenta[0][0])
    poses = all_poses(m, Pose(m.base.rotation, subtract(ZERO, center)))
    start = twist_pose(tree, poses[0], subtract(ZERO, add(m.base.position, center)))
    dq, dv = [], []
    for column in state.base:
        seen = column.mapped(partial(twist_from, start))
        dq.append((add(seen.rate[0], cross(seen.unit[1], velocity)),))
        dv.append((seen.unit[0],))
    for column in state.joints:
        i = column.carrier
        change = add(momentum_of(carried[i], column.rate)[0], cross(column.unit[1], momenta[i][0]))
        dq.append((multiply(poses[i].rotation, change),))
        dv.append((multiply(poses[i].rotation, momentum_of(carried[i], column.unit)[0]),))
    columns, like = [*state.base, *state.joints], [x for x in (q, v, parameters) if x is not None]
    return ComVelocityDerivatives(*(matrix_of(tree, columns, parts, *like) for parts in (dq, dv)))
