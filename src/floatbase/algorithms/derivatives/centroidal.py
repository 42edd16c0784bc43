r"""Derivatives of the centroidal momentum and of its rate.

Velocity $j$ gives what it carries (with inertia $\mathbb M^c$, momentum $h^c$ and net wrench $f^c$) the momentum
$\mathbb M^c S_j$. With the columns of `floatbase.algorithms.derivatives.columns` and $\mathbb B^c$ of `composites`, all
about the centre of mass in world axes, and with the motion $\delta_j c$ of the centre, the linear part of
$\mathbb M^c S_j / m$,

$$ \frac{\partial h}{\partial q_j} = \mathbb M^c \dot\Psi_j + S_j \times^* h^c - (0,\ \delta_j c \times h^l), \qquad
   \frac{\partial \dot h}{\partial q_j} = 2 \mathbb B^c \dot\Psi_j + \mathbb M^c \ddot\Psi_j + S_j \times^* f^c
   - (0,\ \delta_j c \times \dot h^l), $$

$$ \frac{\partial \dot h}{\partial v_j} = 2 \mathbb B^c S_j + \mathbb M^c (\dot\Psi_j + \dot S_j), \qquad
   \frac{\partial \dot h}{\partial a_j} = \frac{\partial h}{\partial v_j} = \mathbb M^c S_j . $$

What carries the whole robot moves the centre by $\delta_j c = s_j$, so that of the last terms
$(z_j \times h^l,\ z_j \times h^a)$ is left. The linear parts over the mass are the derivatives of the velocity and of
the acceleration of the centre of mass. Derivatives with respect to the configuration hold the components of velocity
and acceleration fixed.

S. Singh, R. Russell, P. Wensing, "Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra", 2022; J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics algorithms", 2018;
Traversaro 2017, (3.84)-(3.92).
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.center_of_mass import total_mass
from floatbase.algorithms.centroidal import locked_about_center
from floatbase.algorithms.derivatives.columns import Column, joined_elements, twist_from, wrench_from
from floatbase.algorithms.derivatives.composites import composites, gyrate, placed
from floatbase.algorithms.derivatives.inverse_dynamics import products
from floatbase.algorithms.derivatives.state import State, matrix_of, state_of, twist_pose
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.kinematics import Pose, all_poses
from floatbase.algorithms.momentum import carried_momenta
from floatbase.model.tree import Tree
from floatbase.results import CentroidalMomentumDerivatives, CentroidalMomentumRateDerivatives
from floatbase.spatial.arrays import Component
from floatbase.spatial.rigid_inertia import RigidInertia
from floatbase.spatial.screws import Screw, momentum_of, sum_screws, wrench_product
from floatbase.spatial.vectors import ZERO, add, cross, scale, subtract


def centroidal_momentum_derivatives(
    tree: Tree, q: Any, v: Any, parameters: Any = None
) -> CentroidalMomentumDerivatives:
    """The derivatives of `centroidal_momentum`, to which the arguments belong, by configuration and velocity.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    state = state_of(tree, q, v)
    center = _about_center(state, parameters)
    momenta = carried_momenta(state.mechanism, state.motions, center.inertias)
    whole = wrench_from(center.poses[0], momenta[0])
    dq, dv = [], []
    for column in center.base:
        dq.append(sum_screws(momentum_of(center.locked, column.rate), wrench_product((ZERO, column.unit[1]), whole)))
        dv.append(momentum_of(center.locked, column.unit))
    for column in state.joints:
        carried, pose = center.carried[column.carrier], center.poses[column.carrier]
        change = sum_screws(momentum_of(carried, column.rate), wrench_product(column.unit, momenta[column.carrier]))
        dv.append(wrench_from(pose, momentum_of(carried, column.unit)))
        dq.append(center.follow(wrench_from(pose, change), dv[-1], whole))
    columns = [*center.base, *state.joints]
    like = [x for x in (q, v, parameters) if x is not None]
    return CentroidalMomentumDerivatives(*(matrix_of(tree, columns, parts, *like) for parts in (dq, dv)))


def centroidal_momentum_rate_derivatives(
    tree: Tree, q: Any, v: Any, a: Any, parameters: Any = None
) -> CentroidalMomentumRateDerivatives:
    """The derivatives of `centroidal_momentum_rate`, to which the arguments belong, by configuration, velocity, `a`.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration.
    """
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    parameters = optional_parameters(tree, parameters)
    state = state_of(tree, q, v, a)
    center = _about_center(state, parameters)
    carried = composites(state.mechanism, state.motions, center.inertias, {}, with_fixed_base=True)
    whole = placed(carried[0], center.poses[0])._replace(inertia=center.locked)
    dq, dv, da = [], [], []
    for column in center.base:
        moving = sum_screws(gyrate(whole, column.rate), momentum_of(whole.inertia, column.second))
        dq.append(sum_screws(moving, wrench_product((ZERO, column.unit[1]), whole.wrench)))
        dv.append(sum_screws(gyrate(whole, column.unit), momentum_of(whole.inertia, column.double)))
        da.append(momentum_of(whole.inertia, column.unit))
    for column in state.joints:
        part = products(column, carried[column.carrier])
        mass, change, velocity = (
            wrench_from(center.poses[column.carrier], wrench)
            for wrench in (part.mass, part.configuration, part.velocity)
        )
        dq.append(center.follow(change, mass, whole.wrench))
        dv.append(velocity)
        da.append(mass)
    columns = [*center.base, *state.joints]
    like = [x for x in (q, v, a, parameters) if x is not None]
    return CentroidalMomentumRateDerivatives(*(matrix_of(tree, columns, parts, *like) for parts in (dq, dv, da)))


class _Center(NamedTuple):
    """A robot seen from its centre of mass, with world axes."""

    inertias: list[RigidInertia]
    carried: list[RigidInertia]  # of every element with what it carries, in its frame
    poses: list[Pose]  # of the elements
    locked: RigidInertia  # of the whole robot
    base: list[Column]  # of the base twist
    inverse_mass: Component

    def follow(self, change: Screw, momentum: Screw, whole: Screw) -> Screw:
        """The derivative of a wrench (or momentum) `whole` about the centre, from that about a point at rest."""
        return change[0], subtract(change[1], cross(momentum[0], scale(self.inverse_mass, whole[0])))


def _about_center(state: State, parameters: Any) -> _Center:
    m = state.mechanism
    inertias = grouped_inertias(m, parameters, joined_elements(m))
    carried, center, locked = locked_about_center(m, inertias, parameters)
    poses = all_poses(m, Pose(m.base.rotation, subtract(ZERO, center)))
    start = twist_pose(m.tree, poses[0], subtract(ZERO, add(m.base.position, center)))
    base = [column.mapped(partial(twist_from, start)) for column in state.base]
    return _Center(inertias, carried, poses, locked, base, 1.0 / total_mass(m.tree, parameters))
