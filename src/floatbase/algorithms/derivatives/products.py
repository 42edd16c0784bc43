r"""Products of the derivatives of inverse dynamics with one vector, by recursions that never form the matrices.

**From the left**, the gradient of the power $w^\top \tau$ along a virtual velocity $w$. With the columns $S_j$ of the
velocities (`floatbase.algorithms.derivatives.columns`), $\dot\Psi^w_j$ that of the virtual motion, and over all bodies
that $j$ moves the sums of wrenches $f$, of virtual momentum $\mathrm p$ and couples $\mathrm g$
(`floatbase.algorithms.derivatives.second_order_composites`),

$$ w^\top \frac{\partial\tau}{\partial q_j} = \dot\Psi_j^\top \mathrm g + \ddot\Psi_j^\top \mathrm p
   + \dot\Psi_j^{w\top} f, \qquad
   w^\top \frac{\partial\tau}{\partial v_j} = S_j^\top \mathrm g + (\dot\Psi_j + \dot S_j)^\top \mathrm p, \qquad
   w^\top \frac{\partial\tau}{\partial a_j} = S_j^\top \mathrm p . $$

**From the right**, the change of $\tau$ with $q \oplus \delta$, $\nu + \epsilon$ and $\dot\nu + \zeta$. All columns on
the way to a body $L$ change its velocity and acceleration by

$$ \alpha_L = \sum_j \dot\Psi_j \delta_j + S_j \epsilon_j, \qquad
   \beta_L = \sum_j \ddot\Psi_j \delta_j + (\dot\Psi_j + \dot S_j)\, \epsilon_j + S_j \zeta_j , $$

and move it by the twist $\eta_L = \sum_j S_j \delta_j$. With $\eta^+_i$ that of what carries $S_i$,

$$ d\tau_i = S_i^\top \sum_L \bigl( 2 \mathbb B_L \alpha_L + \mathbb M_L \beta_L + \eta_L \times^* f_L \bigr)
   + (\eta^+_i \times S_i)^\top \sum_L f_L . $$

Both take a few times as long as inverse dynamics itself, whatever the number of joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.arguments import as_array, rates
from floatbase.algorithms.derivatives.columns import Column, wrench_from
from floatbase.algorithms.derivatives.composites import Composite, body_composite, gyrate, placed
from floatbase.algorithms.derivatives.second_order_composites import (
    VirtualComposite,
    placed_virtual,
    virtual_composites,
)
from floatbase.algorithms.derivatives.situation import Situation, situation
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.kinematics import Pose, representation_pose
from floatbase.algorithms.wrenches import Wrenches
from floatbase.model.tree import Tree
from floatbase.results import InverseDynamicsGradient
from floatbase.spatial.arrays import Array, Component, components, vector
from floatbase.spatial.screws import NOTHING, Screw, momentum_of, power, scale_screw, sum_screws, wrench_product
from floatbase.spatial.turns import turn, turn_back
from floatbase.spatial.vectors import add, cross, dot, multiply_transposed, subtract


def inverse_dynamics_gradient(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    w: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> InverseDynamicsGradient:
    r"""`w: (..., nv)` times the derivatives of `inverse_dynamics`, to which the other arguments belong.

    That is the gradient of $w^\top\tau$ with respect to configuration, velocity and acceleration, (..., nv) each.
    """
    w = rates(tree, "w", w)
    s = situation(tree, q, v, a, wrenches, parameters, wrenches_fixed)
    m, along = s.mechanism, s.virtual(w)
    virtual = virtual_composites(m, s.motions, along.motions, s.inertias)
    dq, dv, da = ([0.0] * tree.nv for _ in range(3))

    def add_column(column: Column, moving: Column, carried: Composite, whole: VirtualComposite) -> None:
        j, momentum, couple = column.velocity, whole.moving.wrench, whole.couple
        by_q = dot(column.rate[1], couple) + power(column.second, momentum) + power(moving.rate, carried.wrench)
        _add(dq, j, by_q)
        _add(dv, j, dot(column.unit[1], couple) + power(column.double, momentum))
        _add(da, j, power(column.unit, momentum))

    for column, moving in zip(s.joints, along.joints, strict=True):
        add_column(column, moving, s.carried[column.carrier], virtual[column.carrier])
    if s.base:
        pose = representation_pose(tree, m.base)
        whole, whole_virtual = placed(s.carried[0], pose), placed_virtual(virtual[0], pose)
        for column, moving in zip(s.base, along.base, strict=True):
            add_column(column, moving, whole, whole_virtual)
    for held in s.held_wrenches():
        link = held.twist_of(along.motions)
        for j, unit in held.columns:
            _add(dq, j, held.correction(link, unit))
    for k, armature in s.rotors():
        _add(da, k, armature * w[..., k])
    like = (w, *s.like)
    return InverseDynamicsGradient(*(vector(entries, *like) for entries in (dq, dv, da)))


def inverse_dynamics_product(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    z: Any,
    w: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> Array:
    """The change (..., nv) of `inverse_dynamics` with a change `z: (..., 2 nv)` of the state, `w` of the acceleration.

    That is the derivatives by configuration, velocity and acceleration times the two halves of `z` and `w: (..., nv)`.
    """
    z, w = as_array("z", z, 2 * tree.nv, tree), rates(tree, "w", w)
    s = situation(tree, q, v, a, wrenches, parameters, wrenches_fixed)
    return _change(s, z[..., : tree.nv], z[..., tree.nv :], w)


def inverse_dynamics_change(
    tree: Tree,
    q: Any,
    v: Any,
    a: Any,
    delta: Any,
    epsilon: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> Array:
    """How much `inverse_dynamics` (..., nv) changes with the configuration, along `delta`, and the velocity.

    delta, epsilon: (..., nv), changes of configuration and velocity; the acceleration is held.
    """
    delta, epsilon = rates(tree, "delta", delta), rates(tree, "epsilon", epsilon)
    s = situation(tree, q, v, a, wrenches, parameters, wrenches_fixed)
    return _change(s, delta, epsilon, None)


def _change(s: Situation, delta: Array, epsilon: Array, alpha: Array | None) -> Array:
    """The change of inverse dynamics with those of configuration, velocity and, if not None, acceleration."""
    tree = s.tree
    m, along = s.mechanism, s.virtual(delta)
    changes = _changes(s, components(delta), components(epsilon), None if alpha is None else components(alpha))
    acting = s.acting()
    forces: list[Screw] = []
    for change, motion, inertia, turning, outside in zip(
        changes, s.motions, s.inertias, along.motions, acting, strict=True
    ):
        own = body_composite(inertia, motion)
        wrench = own.wrench if outside is None else _minus(own.wrench, outside)
        change_of_force = sum_screws(gyrate(own, change[0]), momentum_of(inertia, change[1]))
        forces.append(sum_screws(change_of_force, wrench_product((turning.velocity, turning.omega), wrench)))
    for i in range(m.count - 1, 0, -1):
        if m.parent(i) > 0 or tree.floating:
            forces[m.parent(i)] = sum_screws(forces[m.parent(i)], _outward(m, i, forces[i]))
    result: list[Component] = [0.0] * tree.nv

    def add_column(column: Column, moving: Column, carried: Composite, force: Screw) -> None:
        turned = _minus(moving.double, moving.rate)
        _add(result, column.velocity, power(column.unit, force) + power(turned, carried.wrench))

    for column, moving in zip(s.joints, along.joints, strict=True):
        add_column(column, moving, s.carried[column.carrier], forces[column.carrier])
    if s.base:
        pose = representation_pose(tree, m.base)
        whole, force = placed(s.carried[0], pose), wrench_from(pose, forces[0])
        for column, moving in zip(s.base, along.base, strict=True):
            add_column(column, moving, whole, force)
    for held in s.held_wrenches():
        link_twist = held.twist_of(along.motions)
        for i, unit in held.columns:
            _add(result, i, held.correction(unit, link_twist))
    if alpha is None:
        return vector(result, delta, epsilon, *s.like)
    for k, armature in s.rotors():
        _add(result, k, armature * alpha[..., k])
    return vector(result, delta, epsilon, alpha, *s.like)


def _changes(
    s: Situation, delta: Sequence[Component], epsilon: Sequence[Component], alpha: Sequence[Component] | None
) -> list[tuple[Screw, Screw]]:
    """By how much velocity and acceleration of every element change, its own turn not counted."""
    m = s.mechanism
    own: dict[int, tuple[Screw, Screw]] = {}
    for column in s.joints:
        own[column.carrier] = _with_column(own.get(column.carrier), column, delta, epsilon, alpha)
    base = None
    for column in s.base:
        base = _with_column(base, column, delta, epsilon, alpha)
    start = (NOTHING, NOTHING)
    if base is not None:
        pose = representation_pose(s.tree, m.base)
        start = _into(pose, base[0]), _into(pose, base[1])
    found = [start]
    for i in range(1, m.count):
        by_velocity, by_acceleration = found[m.parent(i)]
        inner = _inward(m, i, by_velocity), _inward(m, i, by_acceleration)
        if i in own:
            inner = sum_screws(inner[0], own[i][0]), sum_screws(inner[1], own[i][1])
        found.append(inner)
    return found


def _with_column(
    before: tuple[Screw, Screw] | None,
    column: Column,
    delta: Sequence[Component],
    epsilon: Sequence[Component],
    alpha: Sequence[Component] | None,
) -> tuple[Screw, Screw]:
    d, e = delta[column.velocity], epsilon[column.velocity]
    by_velocity = sum_screws(scale_screw(d, column.rate), scale_screw(e, column.unit))
    by_acceleration = sum_screws(scale_screw(d, column.second), scale_screw(e, column.double))
    if alpha is not None:
        by_acceleration = sum_screws(by_acceleration, scale_screw(alpha[column.velocity], column.unit))
    if before is None:
        return by_velocity, by_acceleration
    return sum_screws(before[0], by_velocity), sum_screws(before[1], by_acceleration)


def _into(pose: Pose, twist: Screw) -> Screw:
    """A twist in a frame that has a pose in the twist's."""
    linear = add(twist[0], cross(twist[1], pose.position))
    return multiply_transposed(pose.rotation, linear), multiply_transposed(pose.rotation, twist[1])


def _inward(m: Mechanism, i: int, twist: Screw) -> Screw:
    """A twist in the frame of an element, from that of its parent."""
    joint = m.joints[i]
    linear = add(twist[0], cross(twist[1], joint.position))
    return turn_back(joint.rotation, linear), turn_back(joint.rotation, twist[1])


def _outward(m: Mechanism, i: int, wrench: Screw) -> Screw:
    """A wrench in the frame of the parent of an element."""
    joint = m.joints[i]
    force = turn(joint.rotation, wrench[0])
    return force, add(turn(joint.rotation, wrench[1]), cross(joint.position, force))


def _minus(a: Screw, b: Screw) -> Screw:
    return subtract(a[0], b[0]), subtract(a[1], b[1])


def _add(entries: list[Component], i: int, entry: Component) -> None:
    entries[i] = entries[i] + entry
