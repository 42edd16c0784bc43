r"""Forward dynamics: the acceleration that generalised forces and external wrenches give.

The articulated body algorithm in body axes, for classical accelerations $(a, \dot\omega)$ of the bodies' origins
relative to free fall. The wrench of the parent's joint on body $i$ is $\mathbb A_i (a_i, \dot\omega_i) + b_i$; inwards,
with $S$ the unit vector of the joint,

$$ U = \mathbb A_i S, \quad D = S^\top U, \quad u = \tau_i - S^\top b_i, \quad
   \mathbb A^a = \mathbb A_i - U U^\top / D, \quad b^a = b_i + \mathbb A^a c_i + U u / D, $$

both brought to the parent and added there; the base solves $\mathbb A_0 (a_0, \dot\omega_0) = F_B - b_0$; outwards,
$\ddot s = (u - U^\top a') / D$ with $a' = X a_\lambda + c_i$. The velocity terms are, with $p$ the position of
the origin in the parent,

$$ b_i = (\omega \times (\omega \times h),\ \omega \times I \omega) - f^x_i, \qquad
   c_i = (R^\top(\omega_\lambda \times (\omega_\lambda \times p)) + 2\,\omega \times z \dot s|_{prismatic},\
          R^\top\omega_\lambda \times z \dot s|_{revolute}). $$

Joints that mimic others couple branches of the tree; then $M \dot\nu = \tau - h$ is solved with
$M = L^\top L$ over the entries of $M$ that are not zero.

R. Featherstone, "Rigid body dynamics algorithms", 2008, sections 6.5 and 7.3; Bos 2019, table E.6 with its errata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import (
    base_acceleration_rate,
    base_angular_velocity,
    base_pose,
    base_wrench_in_body,
)
from floatbase.algorithms.bias import bias
from floatbase.algorithms.factorization import solve_symmetric
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.joints import JointPose, joint_poses, joint_rates
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.algorithms.wrenches import Wrenches, external_wrenches, wrench_arrays
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, components, vector
from floatbase.spatial.articulated_inertia import (
    ArticulatedInertia,
    ReleasedJoint,
    from_rigid,
    release_joint,
    shift_articulated,
    sum_articulated,
    turn_articulated,
    wrench_of,
)
from floatbase.spatial.rigid_inertia import RigidInertia, angular_matrix, centrifugal
from floatbase.spatial.turns import turn, turn_back
from floatbase.spatial.vectors import ZERO, Vector, add, cross, dot, full, multiply, scale, subtract


def forward_dynamics(
    tree: Tree, q: Any, v: Any, tau: Any, wrenches: Wrenches | None = None, parameters: Any = None
) -> Array:
    """The acceleration (..., nv): the derivative of `v`, component by component, in `tree.representation`.

    q: (..., nq) configuration; v: (..., nv) velocity; tau: (..., nv) generalised force, its first six entries (zero for
    a robot that nothing holds) the wrench on a floating base; wrenches: frame -> (..., 6), applied by the environment
    on the robot, in the same representation; parameters: (..., 10 n_bodies) inertial parameters instead of the tree's.
    """
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    external = wrench_arrays(tree, wrenches)
    parameters = optional_parameters(tree, parameters)
    like = [x for x in (q, v, tau, parameters, *external.values()) if x is not None]
    if len({body.joint.index for body in tree.bodies if body.joint is not None}) < len(tree.bodies) - 1:
        return _by_mass_matrix(tree, q, v, tau, external, parameters, like)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    tau_base, tau_joints = split(tree, tau, 6)
    base = base_pose(tree, q_base)
    joints = joint_poses(tree, q_joints)
    applied = base_wrench_in_body(tree, base, tau_base) if tree.floating else (ZERO, ZERO)
    g: Vector = (-float(tree.gravity[0]), -float(tree.gravity[1]), -float(tree.gravity[2]))
    linear, angular, accelerations = articulated_accelerations(
        tree,
        joints,
        base_angular_velocity(tree, base, v_base),
        joint_rates(tree, v_joints),
        _joint_forces(tree, tau_joints),
        applied,
        None if tree.floating else g,
        grouped_inertias(tree, parameters),
        external_wrenches(tree, base, joints, external),
    )
    result: list[Component] = [0.0] * tree.n_joints
    for body, acceleration in zip(tree.bodies[1:], accelerations[1:], strict=True):
        assert body.joint is not None
        result[body.joint.index] = acceleration / float(body.joint.ratio)
    head = base_acceleration_rate(tree, base, v_base, linear, angular) if tree.floating else []
    return vector(head + result, *like)


def articulated_accelerations(
    tree: Tree,
    joints: Sequence[JointPose],
    omega_base: Vector,
    rate: Sequence[Component],
    torque: Sequence[Component],
    applied: tuple[Vector, Vector],
    base_linear: Vector | None,
    inertias: Sequence[RigidInertia],
    external: Mapping[int, tuple[Vector, Vector]],
) -> tuple[Vector, Vector, list[Component]]:
    """Classical acceleration of the base relative to free fall, angular acceleration, and those of the bodies' joints.

    `applied`: wrench on a floating base in body axes; `base_linear`: the acceleration of a base that is held, or None.
    """
    spins = [omega_base]  # the parent's angular velocity in the axes of the body
    omegas = [omega_base]
    for i, body in enumerate(tree.bodies[1:], start=1):
        x, y, z = spin = turn_back(joints[i].rotation, omegas[body.parent])
        spins.append(spin)
        assert body.joint is not None
        omegas.append((x, y, z + rate[i]) if body.joint.kind == "revolute" else spin)
    matrices = [angular_matrix(omega, ZERO) for omega in omegas]
    biases = [centrifugal(inertia, matrix) for inertia, matrix in zip(inertias, matrices, strict=True)]
    for i, (force, moment) in external.items():
        biases[i] = (subtract(biases[i][0], force), subtract(biases[i][1], moment))
    articulated = [from_rigid(inertia) for inertia in inertias]
    released: list[ReleasedJoint | None] = [None] * len(tree.bodies)
    centripetal = [ZERO] * len(tree.bodies)
    efforts: list[Component] = [0.0] * len(tree.bodies)
    for i in range(len(tree.bodies) - 1, 0, -1):
        body, joint, (force, moment) = tree.bodies[i], joints[i], biases[i]
        assert body.joint is not None
        revolute = body.joint.kind == "revolute"
        effort = torque[i] - (moment[2] if revolute else force[2])
        left, free = release_joint(articulated[i], revolute)
        released[i], efforts[i] = free, free.inverse * effort
        centripetal[i] = multiply(matrices[body.parent], joint.position)
        if body.parent == 0 and base_linear is not None:
            continue
        inertial_force, inertial_moment = wrench_of(left, *_joint_drift(revolute, spins[i], rate[i]))
        force = add(add(force, inertial_force), scale(effort, free.force))
        moment = add(add(moment, inertial_moment), scale(effort, free.moment))
        left = turn_articulated(joint.rotation, left)
        inertial_force, inertial_moment = wrench_of(left, centripetal[i], ZERO)
        force = add(turn(joint.rotation, force), inertial_force)
        moment = add(add(turn(joint.rotation, moment), inertial_moment), cross(joint.position, force))
        parent_force, parent_moment = biases[body.parent]
        biases[body.parent] = (add(parent_force, force), add(parent_moment, moment))
        articulated[body.parent] = sum_articulated(articulated[body.parent], shift_articulated(left, joint.position))
    if base_linear is None:
        linear, angular = _solve_base(articulated[0], applied, biases[0])
    else:
        linear, angular = base_linear, ZERO
    return linear, angular, _outwards(tree, joints, linear, angular, spins, rate, released, centripetal, efforts)


def _outwards(
    tree: Tree,
    joints: Sequence[JointPose],
    linear: Vector,
    angular: Vector,
    spins: Sequence[Vector],
    rate: Sequence[Component],
    released: Sequence[ReleasedJoint | None],
    centripetal: Sequence[Vector],
    efforts: Sequence[Component],
) -> list[Component]:
    """Accelerations of the bodies' joints, from the base on."""
    linears, angulars = [linear], [angular]
    result: list[Component] = [0.0] * len(tree.bodies)
    for i, body in enumerate(tree.bodies[1:], start=1):
        joint, free = joints[i], released[i]
        assert body.joint is not None and free is not None
        revolute = body.joint.kind == "revolute"
        here = add(linears[body.parent], add(cross(angulars[body.parent], joint.position), centripetal[i]))
        drift_linear, drift_angular = _joint_drift(revolute, spins[i], rate[i])
        a = add(turn_back(joint.rotation, here), drift_linear)
        w = add(turn_back(joint.rotation, angulars[body.parent]), drift_angular)
        # along the joint U / D is 1: the total acceleration there follows first, the joint's own by difference
        if revolute:
            total = efforts[i] - (dot(free.force, a) + (free.moment[0] * w[0] + free.moment[1] * w[1]))
            result[i] = total - w[2]
            w = (w[0], w[1], total)
        else:
            total = efforts[i] - ((free.force[0] * a[0] + free.force[1] * a[1]) + dot(free.moment, w))
            result[i] = total - a[2]
            a = (a[0], a[1], total)
        linears.append(a)
        angulars.append(w)
    return result


def _joint_drift(revolute: bool, spin: Vector, rate: Component) -> tuple[Vector, Vector]:
    """Acceleration of a body due to the product of the parent's spin (in the body's axes) and the joint's rate."""
    x, y, _ = spin
    if revolute:
        return ZERO, (y * rate, -(x * rate), 0.0)
    return (2.0 * (y * rate), -(2.0 * (x * rate)), 0.0), ZERO


def _joint_forces(tree: Tree, tau_joints: Sequence[Component]) -> list[Component]:
    """Forces along the bodies' own joint coordinates, for a tree in which no two joints share a coordinate."""
    joints = [body.joint for body in tree.bodies if body.joint is not None]
    return [0.0] + [tau_joints[joint.index] / float(joint.ratio) for joint in joints]


def _solve_base(
    inertia: ArticulatedInertia, applied: tuple[Vector, Vector], biased: tuple[Vector, Vector]
) -> tuple[Vector, Vector]:
    """The acceleration of the base: six equations."""
    M, H, I = full(inertia.linear), inertia.coupling, full(inertia.angular)  # noqa: E741
    rows = [[*M[k], *H[k]] for k in range(3)] + [[H[0][k], H[1][k], H[2][k], *I[k]] for k in range(3)]
    right = [*subtract(applied[0], biased[0]), *subtract(applied[1], biased[1])]
    x = solve_symmetric(rows, right, range(6))
    return (x[0], x[1], x[2]), (x[3], x[4], x[5])


def _by_mass_matrix(
    tree: Tree, q: Array, v: Array, tau: Array, external: Mapping[str, Array], parameters: Any, like: Sequence[Array]
) -> Array:
    """The same from mass matrix and bias, for trees whose joints share coordinates."""
    h = components(bias(tree, q, v, external, parameters))
    right = [force - drift for force, drift in zip(components(tau), h, strict=True)]
    order = [6 + body.joint.index if tree.floating else body.joint.index for body in tree.bodies if body.joint]
    order = list(dict.fromkeys([*range(6 if tree.floating else 0), *order]))
    return vector(solve_symmetric(mass_matrix_rows(tree, q, parameters), right, order), *like)
