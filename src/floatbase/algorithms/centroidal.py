r"""Momentum about the centre of mass, the map from velocities to it, and its rate.

With $G$ the centre of mass with the world's axes, in every representation of the base,

$$ h = \begin{bmatrix} m \dot c \\ h^a \end{bmatrix} = A_G(q)\, \nu, \qquad
   I_G = \mathrm{blkdiag}(m 1_3,\ L), \qquad v_G = I_G^{-1} h = (\dot c,\ \omega_G), $$

with $L$ the inertia of the robot with its joints locked, and $\omega_G$ the angular velocity it would have if they
locked at once. A column of $A_G$ is the momentum that a unit rate of a joint gives to what it carries, moved to $G$;
those of the base twist are $(m\, 1,\ 0)$ for a translation and $(m\, e \times (c - p),\ L e)$ for a turn about an axis
through $p$. The rate $\dot h = A_G \dot\nu + \dot A_G \nu$ is the wrench that moves the robot, without gravity, about
$G$: $\dot h = [m g; 0] + \sum f^x$.

Traversaro 2017, (3.84)-(3.92); D. Orin, A. Goswami, S.-H. Lee, "Centroidal dynamics of a humanoid robot", 2013.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import base_acceleration, base_angular_velocity
from floatbase.algorithms.center_of_mass import total_mass
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.factorization import solve_symmetric
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.inverse_dynamics import net_wrenches
from floatbase.algorithms.jacobian import add_column
from floatbase.algorithms.kinematics import Pose, all_poses
from floatbase.algorithms.mass_matrix import composite_inertias, unit_momentum
from floatbase.algorithms.momentum import momentum_about_base
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, matrix, vector
from floatbase.spatial.rigid_inertia import RigidInertia, inertia_rows, shift_inertia, tensor_of
from floatbase.spatial.vectors import (
    ZERO,
    Vector,
    add,
    congruence,
    cross,
    multiply,
    multiply_symmetric,
    scale,
    subtract,
)


def centroidal_momentum(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    """Linear and angular momentum (..., 6) about the centre of mass in world axes [kg m/s, kg m^2/s].

    q: (..., nq) configuration; v: (..., nv) velocity; parameters: (..., 10 n_bodies) instead of the tree's.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    linear, angular, moment = momentum_about_base(m, *split(tree, v, 6), parameters)
    about = subtract(angular, cross(scale(1.0 / total_mass(tree, parameters), moment), linear))
    entries = [*multiply(m.base.rotation, linear), *multiply(m.base.rotation, about)]
    return vector(entries, *(x for x in (q, v, parameters) if x is not None))


def centroidal_momentum_matrix(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """`A_G` (..., 6, nv) with `centroidal_momentum(q, v) = A_G v`; arguments as there."""
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    composites, center, locked = locked_about_center(m, grouped_inertias(m, parameters), parameters)
    columns: list[list[Component]] = [[0.0] * 6 for _ in range(tree.nv)]
    first = 0
    if tree.floating:
        first = 6
        columns[:6] = _base_columns(m, center, locked)
    poses = all_poses(m, Pose(m.base.rotation, subtract(ZERO, center)))
    for i in range(1, m.count):
        force, moment = unit_momentum(m.revolute(i), composites[i])
        force, moment = multiply(poses[i].rotation, force), multiply(poses[i].rotation, moment)
        add_column(columns, first, m.rows[i], [*force, *add(moment, cross(poses[i].position, force))])
    rows = [[column[k] for column in columns] for k in range(6)]
    return matrix(rows, *(x for x in (q, parameters) if x is not None))


def centroidal_momentum_rate(tree: Tree, q: Any, v: Any, a: Any, parameters: Any = None) -> Array:
    r"""$\dot h = A_G \dot\nu + \dot A_G \nu$ (..., 6); with `a` zero what $\dot A_G \nu$ is.

    q: (..., nq) configuration; v: (..., nv) velocity; a: (..., nv) its derivative; parameters: (..., 10 n_bodies).
    """
    return _rate(tree, configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a), parameters)


def centroidal_momentum_drift(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    r"""$\dot A_G \nu$ (..., 6): the rate of the centroidal momentum at constant `v`."""
    return _rate(tree, configuration(tree, q), rates(tree, "v", v), None, parameters)


def locked_inertia(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """The inertia (..., 6, 6) of the robot with its joints locked, about its centre of mass in world axes.

    It is block diagonal: mass, and the rotational inertia. q: (..., nq) configuration.
    """
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    m = mechanism(tree, *split(tree, q, 7))
    _, _, locked = locked_about_center(m, grouped_inertias(m, parameters), parameters)
    rows = inertia_rows(locked.mass, ZERO, tensor_of(locked.second))
    return matrix(rows, *(x for x in (q, parameters) if x is not None))


def average_velocity(tree: Tree, q: Any, v: Any, parameters: Any = None) -> Array:
    r"""$v_G = (\dot c, \omega_G)$ (..., 6): the twist of the robot if its joints locked at once, in world axes.

    Arguments as in `centroidal_momentum`.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    linear, angular, moment = momentum_about_base(m, *split(tree, v, 6), parameters)
    _, _, locked = locked_about_center(m, grouped_inertias(m, parameters), parameters)
    inverse = 1.0 / total_mass(tree, parameters)
    about = multiply(m.base.rotation, subtract(angular, cross(scale(inverse, moment), linear)))
    xx, xy, xz, yy, yz, zz = tensor_of(locked.second)
    omega = solve_symmetric([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], list(about), range(3))
    entries = [*scale(inverse, multiply(m.base.rotation, linear)), *omega]
    return vector(entries, *(x for x in (q, v, parameters) if x is not None))


def locked_about_center(
    m: Mechanism, inertias: Sequence[RigidInertia], parameters: Any
) -> tuple[list[RigidInertia], Vector, RigidInertia]:
    """Composite inertias, the centre of mass relative to the base's origin, and the whole about it, in world axes."""
    composites = composite_inertias(m, inertias, with_fixed_base=True)
    whole = composites[0]
    mass = total_mass(m.tree, parameters)
    center = multiply(m.base.rotation, scale(1.0 / mass, whole.moment))
    moment, second = multiply(m.base.rotation, whole.moment), congruence(m.base.rotation, whole.second)
    about = shift_inertia(RigidInertia(mass, moment, second), subtract(ZERO, center))
    return composites, center, RigidInertia(mass, ZERO, about.second)


def _base_columns(m: Mechanism, center: Vector, locked: RigidInertia) -> list[list[Component]]:
    axes: list[Vector] = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
    if m.tree.representation == "body":
        axes = [(row[0], row[1], row[2]) for row in zip(*m.base.rotation, strict=True)]
    arm = add(m.base.position, center) if m.tree.representation == "inertial" else center
    tensor = tensor_of(locked.second)
    moving = [scale(locked.mass, axis) for axis in axes]
    turning = [scale(locked.mass, cross(axis, arm)) for axis in axes]
    return [[*momentum, *ZERO] for momentum in moving] + [
        [*momentum, *multiply_symmetric(tensor, axis)] for momentum, axis in zip(turning, axes, strict=True)
    ]


def _rate(tree: Tree, q: Array, v: Array, a: Array | None, parameters: Any) -> Array:
    parameters = optional_parameters(tree, parameters)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    a_base, a_joints = ([0.0] * 6, [0.0] * tree.joint_nv) if a is None else split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    inertias = grouped_inertias(m, parameters)
    force, moment, _ = net_wrenches(
        m,
        base_angular_velocity(tree, m.base, v_base),
        base_acceleration(tree, m.base, v_base, a_base, gravity=False),
        m.rates(v_joints),
        m.accelerations(v_joints, a_joints),
        inertias,
        {},
    )
    center = scale(1.0 / total_mass(tree, parameters), composite_inertias(m, inertias, with_fixed_base=True)[0].moment)
    about = subtract(moment, cross(center, force))
    entries = [*multiply(m.base.rotation, force), *multiply(m.base.rotation, about)]
    return vector(entries, *(x for x in (q, v, a, parameters) if x is not None))
