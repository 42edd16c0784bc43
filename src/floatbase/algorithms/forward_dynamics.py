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

from floatbase.algorithms.added_inertia import AddedInertia, added_arrays, added_matrix, added_to_elements
from floatbase.algorithms.arguments import configuration, optional_parameters, rates, split
from floatbase.algorithms.base import (
    base_acceleration_rate,
    base_angular_velocity,
    base_wrench_in_body,
)
from floatbase.algorithms.bias import bias
from floatbase.algorithms.definiteness import require_definite
from floatbase.algorithms.elements import Mechanism, mechanism
from floatbase.algorithms.factorization import elimination_order, factorize, solve
from floatbase.algorithms.inertias import grouped_inertias
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.algorithms.wrenches import Wrenches, external_wrenches, wrench_arrays
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, components, is_nothing, vector
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
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    added: AddedInertia | None = None,
) -> Array:
    """The acceleration (..., nv): the derivative of `v`, component by component, in `tree.representation`.

    q: (..., nq) configuration; v: (..., nv) velocity; tau: (..., nv) generalised force, its first six entries (zero for
    a robot that nothing holds) the wrench on a floating base; wrenches: frame -> (..., 6), applied by the environment
    on the robot, in the same representation; parameters: (..., 10 n_bodies) inertial parameters instead of the tree's;
    added: forces against accelerations, see `floatbase.algorithms.added_inertia`.
    """
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    external = wrench_arrays(tree, wrenches)
    parameters = optional_parameters(tree, parameters)
    added = added_arrays(tree, added or AddedInertia({}))
    like = [x for x in (q, v, tau, parameters, added.joints, *external.values()) if x is not None]
    like += [W[..., 0] for W in added.frames.values()]
    if not _every_element_has_its_own_velocity(tree):
        return _by_mass_matrix(tree, q, v, tau, external, parameters, added, like)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    tau_base, tau_joints = split(tree, tau, 6)
    m = mechanism(tree, q_base, q_joints)
    applied = base_wrench_in_body(tree, m.base, tau_base) if tree.floating else (ZERO, ZERO)
    g: Vector = (-float(tree.gravity[0]), -float(tree.gravity[1]), -float(tree.gravity[2]))
    omega, rate = base_angular_velocity(tree, m.base, v_base), m.rates(v_joints)
    inertias, resisting = added_to_elements(m, omega, rate, added.frames)
    rotors = _rotors(m, added.joints)
    linear, angular, accelerations = articulated_accelerations(
        m,
        omega,
        rate,
        _element_forces(m, rotors, tau_joints, v_joints),
        applied,
        None if tree.floating else g,
        grouped_inertias(m, parameters),
        _summed(external_wrenches(m, external), resisting),
        parameters,
        inertias,
        rotors,
    )
    result: list[Component] = [0.0] * tree.joint_nv
    for row, drift, acceleration in zip(m.rows[1:], m.drifts(v_joints)[1:], accelerations[1:], strict=True):
        ((column, ratio),) = row
        result[column] = (acceleration if is_nothing(drift) else acceleration - drift) / ratio
    head = base_acceleration_rate(tree, m.base, v_base, linear, angular) if tree.floating else []
    return vector(head + result, *like)


def articulated_accelerations(
    m: Mechanism,
    omega_base: Vector,
    rate: Sequence[Component],
    torque: Sequence[Component],
    applied: tuple[Vector, Vector],
    base_linear: Vector | None,
    inertias: Sequence[RigidInertia],
    external: Mapping[int, tuple[Vector, Vector]],
    parameters: Array | None = None,
    added: Mapping[int, ArticulatedInertia] | None = None,
    rotors: Sequence[Component] | None = None,
) -> tuple[Vector, Vector, list[Component]]:
    """Classical acceleration of the base relative to free fall, angular acceleration, and those of elements.

    `applied`: wrench on a floating base in body axes; `base_linear`: the acceleration of a base that is held, or None;
    `added`: inertias of elements besides their own; `rotors`: of elements, instead of the armatures of the tree.
    """
    rotor = rotors if rotors is not None else _rotors(m, None)
    spins = [omega_base]  # the parent's angular velocity in the axes of the body
    omegas = [omega_base]
    for i in range(1, m.count):
        x, y, z = spin = turn_back(m.joints[i].rotation, omegas[m.parent(i)])
        spins.append(spin)
        omegas.append((x, y, z + rate[i]) if m.revolute(i) else spin)
    matrices = [angular_matrix(omega, ZERO) for omega in omegas]
    biases = [centrifugal(inertia, matrix) for inertia, matrix in zip(inertias, matrices, strict=True)]
    for i, (force, moment) in external.items():
        biases[i] = (subtract(biases[i][0], force), subtract(biases[i][1], moment))
    articulated = [from_rigid(inertia) for inertia in inertias]
    for i, more in (added or {}).items():
        articulated[i] = sum_articulated(articulated[i], more)
    released: list[ReleasedJoint | None] = [None] * m.count
    centripetal = [ZERO] * m.count
    efforts: list[Component] = [0.0] * m.count
    for i in range(m.count - 1, 0, -1):
        parent, joint, (force, moment) = m.parent(i), m.joints[i], biases[i]
        revolute = m.revolute(i)
        effort = torque[i] - (moment[2] if revolute else force[2])
        left, free = release_joint(articulated[i], revolute, rotor[i])
        released[i], efforts[i] = free, free.inverse * effort
        centripetal[i] = multiply(matrices[parent], joint.position)
        if parent == 0 and base_linear is not None:
            continue
        inertial_force, inertial_moment = wrench_of(left, *_joint_drift(revolute, spins[i], rate[i]))
        force = add(add(force, inertial_force), scale(effort, free.force))
        moment = add(add(moment, inertial_moment), scale(effort, free.moment))
        left = turn_articulated(joint.rotation, left)
        inertial_force, inertial_moment = wrench_of(left, centripetal[i], ZERO)
        force = add(turn(joint.rotation, force), inertial_force)
        moment = add(add(turn(joint.rotation, moment), inertial_moment), cross(joint.position, force))
        parent_force, parent_moment = biases[parent]
        biases[parent] = (add(parent_force, force), add(parent_moment, moment))
        articulated[parent] = sum_articulated(articulated[parent], shift_articulated(left, joint.position))
    if base_linear is None:
        linear, angular, pivots = _solve_base(articulated[0], applied, biases[0])
    else:
        linear, angular, pivots = base_linear, ZERO, []
    require_definite([*pivots, *(free.inverse for free in released if free is not None)], parameters)
    return linear, angular, _outwards(m, linear, angular, spins, rate, rotor, released, centripetal, efforts)


def _outwards(
    m: Mechanism,
    linear: Vector,
    angular: Vector,
    spins: Sequence[Vector],
    rate: Sequence[Component],
    rotor: Sequence[Component],
    released: Sequence[ReleasedJoint | None],
    centripetal: Sequence[Vector],
    efforts: Sequence[Component],
) -> list[Component]:
    """Accelerations of the elements along their axes, from the base on."""
    linears, angulars = [linear], [angular]
    result: list[Component] = [0.0] * m.count
    for i in range(1, m.count):
        parent, joint, free = m.parent(i), m.joints[i], released[i]
        assert free is not None
        revolute = m.revolute(i)
        here = add(linears[parent], add(cross(angulars[parent], joint.position), centripetal[i]))
        drift_linear, drift_angular = _joint_drift(revolute, spins[i], rate[i])
        a = add(turn_back(joint.rotation, here), drift_linear)
        w = add(turn_back(joint.rotation, angulars[parent]), drift_angular)
        if not is_nothing(rotor[i]):
            result[i] = efforts[i] - (dot(free.force, a) + dot(free.moment, w))
            if revolute:
                w = (w[0], w[1], w[2] + result[i])
            else:
                a = (a[0], a[1], a[2] + result[i])
        # along the joint U / D is 1: the total acceleration there follows first, the joint's own by difference
        elif revolute:
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


def _rotors(m: Mechanism, joints: Array | None) -> list[Component]:
    """Inertias of elements against their own rates alone: of rotors, and `joints` for the velocities of joints."""
    result: list[Component] = [0.0]
    for element, row in zip(m.moving, m.rows[1:], strict=True):
        rotor: Component = float(element.joint.armature)
        if joints is not None:
            ((column, ratio),) = row
            more = joints[..., column][()] / (ratio * ratio)
            rotor = more if rotor == 0.0 else more + rotor
        result.append(rotor)
    return result


def _element_forces(
    m: Mechanism, rotors: Sequence[Component], tau_joints: Sequence[Component], v_joints: Sequence[Component]
) -> list[Component]:
    """Forces along the elements' axes, where every element has a velocity of its own."""
    result: list[Component] = [0.0]
    for rotor, row, drift in zip(rotors[1:], m.rows[1:], m.drifts(v_joints)[1:], strict=True):
        ((column, ratio),) = row
        force = tau_joints[column] / ratio
        if not (is_nothing(rotor) or is_nothing(drift)):
            force = force + rotor * drift  # the rotor feels the velocity's rate, not the drift
        result.append(force)
    return result


def _summed(
    a: Mapping[int, tuple[Vector, Vector]], b: Mapping[int, tuple[Vector, Vector]]
) -> dict[int, tuple[Vector, Vector]]:
    """Wrenches on elements, together."""
    result = dict(a)
    for i, (force, moment) in b.items():
        result[i] = (add(a[i][0], force), add(a[i][1], moment)) if i in a else (force, moment)
    return result


def _every_element_has_its_own_velocity(tree: Tree) -> bool:
    """Whether rates of elements are velocities times constants, each its own: articulated bodies need that."""
    joints = [body.joint for body in tree.bodies if body.joint is not None]
    simple = all(joint.kind != "helical" and not joint.reversed for joint in joints)
    return simple and len({joint.index for joint in joints}) == len(joints)


def _solve_base(
    inertia: ArticulatedInertia,
    applied: tuple[Vector, Vector],
    biased: tuple[Vector, Vector],
) -> tuple[Vector, Vector, list[Component]]:
    """The acceleration of the base from six equations, and the inverses of what their solution divided by."""
    M, H, I = full(inertia.linear), inertia.coupling, full(inertia.angular)  # noqa: E741
    rows = [[*M[k], *H[k]] for k in range(3)] + [[H[0][k], H[1][k], H[2][k], *I[k]] for k in range(3)]
    right = [*subtract(applied[0], biased[0]), *subtract(applied[1], biased[1])]
    factors = factorize(rows, range(6))
    x = solve(factors, right)
    return (x[0], x[1], x[2]), (x[3], x[4], x[5]), factors.inverses


def _by_mass_matrix(
    tree: Tree,
    q: Array,
    v: Array,
    tau: Array,
    external: Mapping[str, Array],
    parameters: Any,
    added: AddedInertia,
    like: Sequence[Array],
) -> Array:
    """The same from mass matrix and bias, for trees whose joints share coordinates."""
    h = components(bias(tree, q, v, external, parameters))
    right = [force - drift for force, drift in zip(components(tau), h, strict=True)]
    rows = [list(row) for row in mass_matrix_rows(tree, q, parameters)]
    order: Sequence[int] = elimination_order(tree)
    if added.frames or added.joints is not None:
        matrix, pull = added_matrix(tree, q, v, added)
        right = [a - pull[..., k][()] for k, a in enumerate(right)]
        rows = [[entry + matrix[..., i, j][()] for j, entry in enumerate(row)] for i, row in enumerate(rows)]
    factors = factorize(rows, order)
    require_definite(factors.inverses, parameters)
    return vector(solve(factors, right), *like)
