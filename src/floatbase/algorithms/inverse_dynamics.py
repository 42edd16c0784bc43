r"""Inverse dynamics of a floating base and its joints.

$$ M(q)\, \dot\nu + C(q, \nu)\, \nu + G(q) = \begin{bmatrix} F_B \\ \tau \end{bmatrix} + \sum_L J_L^\top f^x_L $$

solved for the generalised force on the right by the recursive Newton-Euler algorithm in body axes. Outwards, with
$R = {}^{\lambda(i)}R_i$ and $p = {}^{\lambda(i)}o_i$ for body $i$ with parent $\lambda(i)$ and a revolute joint,

$$ \omega_i = R^\top\omega_\lambda + z\dot s, \quad
   \dot\omega_i = R^\top\dot\omega_\lambda + R^\top\omega_\lambda \times z\dot s + z\ddot s, \quad
   a_i = R^\top(a_\lambda + \Omega_\lambda p), $$

a prismatic joint adding $2\,\omega_i \times z \dot s + z \ddot s$ to $a_i$ instead; $a$ is the classical acceleration
of the origin relative to free fall. Inwards, the wrench that moves the subtree of $i$ is
$f_i = f^{net}_i - f^x_i + \sum_{children} (R f,\ R n + p \times R f)$ and the joint's torque is its z component.

Traversaro 2017, (3.57), (4.11)-(4.17), errata (4.11b), (4.23); Bos 2019, table 4.1 ("EIDAmb");
J. Luh, M. Walker, R. Paul, "On-line computational scheme for mechanical manipulators", 1980.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import base_acceleration, base_angular_velocity, base_wrench
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.wrenches import Wrenches, external_wrenches, wrench_arrays
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, vector
from floatbase.spatial.rigid_inertia import RigidInertia, angular_matrix, newton_euler
from floatbase.spatial.turns import turn, turn_back
from floatbase.spatial.vectors import Vector, add, cross, multiply, subtract


def inverse_dynamics(
    tree: Tree, q: Any, v: Any, a: Any, wrenches: Wrenches | None = None, parameters: Any = None
) -> Array:
    r"""Generalised force (..., nv) that gives the acceleration `a`: base wrench and joint torques.

    q: (..., nq) configuration; v: (..., nv) velocity; a: (..., nv) derivative of `v`, component by component, in
    `tree.representation`; wrenches: frame -> (..., 6), applied by the environment on the robot, in the same
    representation; parameters: (..., 10 n_bodies) inertial parameters in the bodies' frames instead of the tree's.
    """
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    return generalised_force(tree, q, v, a, wrenches, parameters)


def generalised_force(
    tree: Tree,
    q: Array,
    v: Array | None,
    a: Array | None,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    gravity: bool = True,
) -> Array:
    """`inverse_dynamics`, where `v` or `a` may be None for zero, and gravity may be left out."""
    external = wrench_arrays(tree, wrenches)
    parameters = optional_parameters(tree, parameters)
    nothing = [0.0] * 6, [0.0] * tree.joint_nv
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = nothing if v is None else split(tree, v, 6)
    a_base, a_joints = nothing if a is None else split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    force, moment, torques = net_wrenches(
        m,
        base_angular_velocity(tree, m.base, v_base),
        base_acceleration(tree, m.base, v_base, a_base, gravity),
        m.rates(v_joints),
        m.accelerations(v_joints, a_joints),
        grouped_inertias(m, parameters),
        external_wrenches(m, external),
    )
    like = [x for x in (q, v, a, parameters, *external.values()) if x is not None]
    head = base_wrench(tree, m.base, force, moment) if tree.floating else []
    return vector(head + add_rotors(tree, m.forces(torques), a_joints), *like)


def net_wrenches(
    m: Mechanism,
    omega_base: Vector,
    acceleration_base: tuple[Vector, Vector],
    rate: Sequence[Component],
    rate_dot: Sequence[Component],
    inertias: Sequence[RigidInertia],
    external: Mapping[int, tuple[Vector, Vector]],
) -> tuple[Vector, Vector, list[Component]]:
    """Force and moment on the base in body axes, and the force along every element's axis."""
    omegas, omega_dots, linears = [omega_base], [acceleration_base[1]], [acceleration_base[0]]
    spins = [angular_matrix(omega_base, acceleration_base[1])]
    for i in range(1, m.count):
        joint, r, r_dot, p = m.joints[i], rate[i], rate_dot[i], m.parent(i)
        x, y, z = turn_back(joint.rotation, omegas[p])
        dx, dy, dz = turn_back(joint.rotation, omega_dots[p])
        ax, ay, az = turn_back(joint.rotation, add(linears[p], multiply(spins[p], joint.position)))
        if m.revolute(i):
            dx, dy, dz, z = dx + y * r, dy - x * r, dz + r_dot, z + r
        else:
            ax, ay, az = ax + 2.0 * (y * r), ay - 2.0 * (x * r), az + r_dot
        omegas.append((x, y, z))
        omega_dots.append((dx, dy, dz))
        linears.append((ax, ay, az))
        spins.append(angular_matrix(omegas[i], omega_dots[i]))
    wrenches = [newton_euler(*parts) for parts in zip(inertias, linears, spins, strict=True)]
    for i, (force, moment) in external.items():
        wrenches[i] = (subtract(wrenches[i][0], force), subtract(wrenches[i][1], moment))
    torques: list[Component] = [0.0] * m.count
    for i in range(m.count - 1, 0, -1):
        joint, parent = m.joints[i], m.parent(i)
        force, moment = wrenches[i]
        torques[i] = moment[2] if m.revolute(i) else force[2]
        force, moment = turn(joint.rotation, force), turn(joint.rotation, moment)
        parent_force, parent_moment = wrenches[parent]
        moment = add(moment, cross(joint.position, force))
        wrenches[parent] = (add(parent_force, force), add(parent_moment, moment))
    return (*wrenches[0], torques)


def add_rotors(tree: Tree, forces: Sequence[Component], a_joints: Sequence[Component]) -> list[Component]:
    """Forces of joints with what accelerates the inertia of rotors."""
    result = list(forces)
    for column, armature in rotor_inertias(tree).items():
        result[column] = result[column] + armature * a_joints[column]
    return result


def rotor_inertias(tree: Tree) -> dict[int, float]:
    """What rotors add to the diagonal of the mass matrix, by the velocity of joints concerned."""
    result: dict[int, float] = {}
    for body in tree.bodies[1:]:
        joint = body.joint
        assert joint is not None
        if joint.armature != 0.0:
            for column in range(joint.index, joint.index + joint.nv):
                result[column] = result.get(column, 0.0) + float(joint.armature) * float(joint.ratio) ** 2
    return result
