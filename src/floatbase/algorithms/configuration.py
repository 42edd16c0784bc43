r"""Configurations as points of a manifold: moving along a velocity, and the velocity between two of them.

`integrate` holds the components of the velocity constant for one unit of time, in the representation they are in:

| | what is held | configuration after |
|---|---|---|
| base, "body" | body twist $v$ | $H \exp(v)$ |
| base, "inertial" | spatial twist $v$ | $\exp(v) H$ |
| base, "mixed" | velocity of the origin and angular velocity in world axes | $o + v$, $\exp(\omega) R$ |
| spherical joint | $\omega$ in the axes of the moved side | $R \exp(\omega)$ |
| floating joint | twist in the axes of the moved side | $H \exp(v)$ |
| other joints | rates | $s + \dot s$ |

with the exponentials of $SO(3)$ and $SE(3)$, exactly. `difference` is the inverse, turning each rotation by at most
half a turn. Their derivatives relate velocities: a change of $q$ is given, and asked for, as the velocity (in the
tree's representation) that makes it in unit time. With $J_l, J_r$ of `floatbase.spatial.tangents`

$$ \mathrm{integrate}(q \oplus \delta, v + \epsilon) = \mathrm{integrate}(q, v) \oplus
   (\mathrm{Ad}_{\exp(-v)} \delta + J_r(v) \epsilon) $$

for body twists, with $\mathrm{Ad}_{\exp(v)}$ and $J_l$ for those written in fixed axes. While the configuration
moves at $v$, and a disturbed one at $v + \epsilon$, $\dot\delta = K \delta + \epsilon$ with $K = -v\times$ or, in fixed
axes, $v\times$.

Bos 2019, (2.20)-(2.24).
"""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import as_array, configuration, rates
from floatbase.compiler.control import guard
from floatbase.model.tree import Tree, TreeJoint, position_index
from floatbase.results import DifferenceDerivatives, IntegrationDerivatives
from floatbase.spatial.arrays import Array, apply_matrix, components, transpose, zeros
from floatbase.spatial.poses import invert_pose, pose_exponential, pose_from, pose_logarithm, position_of, rotation_of
from floatbase.spatial.rotations import (
    multiply_quaternions,
    quaternion_exponential,
    quaternion_logarithm,
    rotation_exponential,
    rotation_from_quaternion,
)
from floatbase.spatial.skew import hat
from floatbase.spatial.tangents import (
    pose_left_jacobian,
    pose_left_jacobian_inverse,
    pose_right_jacobian,
    pose_right_jacobian_inverse,
    rotation_left_jacobian,
    rotation_left_jacobian_inverse,
    rotation_right_jacobian,
    rotation_right_jacobian_inverse,
)
from floatbase.spatial.twists import adjoint, twist_cross

LARGEST = 1e300  # of a step; infinite in single precision


def integrate(tree: Tree, q: Any, v: Any) -> Array:
    """The configuration (..., nq) after moving from `q: (..., nq)` at `v: (..., nv)` for one unit of time."""
    q, v = configuration(tree, q), rates(tree, "v", v)
    result = zeros((tree.nq,), q, v)
    if tree.floating:
        result[..., :7] = _move_base(tree, q[..., :7], v[..., :6])
    for joint, at, to in _joints(tree):
        here, step = q[..., at : at + joint.nq], v[..., to : to + joint.nv]
        if joint.kind == "spherical":
            here = _unit(multiply_quaternions(here, quaternion_exponential(step)))
        else:
            here = _move_pose(here, step) if joint.kind == "floating" else here + step
        result[..., at : at + joint.nq] = here
    return result


def difference(tree: Tree, q: Any, q_end: Any) -> Array:
    """The velocity (..., nv) that leads from `q` to `q_end`, both (..., nq), in one unit of time."""
    q, q_end = configuration(tree, q), as_array("q_end", q_end, tree.nq, tree)
    result = zeros((tree.nv,), q, q_end)
    if tree.floating:
        result[..., :6] = _base_between(tree, q[..., :7], q_end[..., :7])
    for joint, at, to in _joints(tree):
        here, there = q[..., at : at + joint.nq], q_end[..., at : at + joint.nq]
        if joint.kind == "spherical":
            step = quaternion_logarithm(multiply_quaternions(_conjugate(here), there))
        else:
            step = _pose_between(here, there) if joint.kind == "floating" else there - here
        result[..., to : to + joint.nv] = step
    return result


def integrate_derivatives(tree: Tree, q: Any, v: Any, dt: Any = None) -> IntegrationDerivatives:
    """Derivatives (..., nv, nv) of `integrate` with respect to `q` and to `v`, as velocities to velocities.

    q: (..., nq) configuration; v: (..., nv) velocity; dt: (...) for how long it moves, or None for one unit of time.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    if dt is None:
        return IntegrationDerivatives(*_derivatives(tree, v, q, _moving_derivatives))
    time = np.asanyarray(dt)
    step = v * time[..., None]
    if tree.nv:
        guard(reduce(np.maximum, components(np.abs(step))) < LARGEST, "the product of v and dt overflows")
    by_q, by_step = _derivatives(tree, step, q, _moving_derivatives)
    return IntegrationDerivatives(by_q, by_step * time[..., None, None])


def difference_derivatives(tree: Tree, q: Any, q_end: Any) -> DifferenceDerivatives:
    """Derivatives (..., nv, nv) of `difference` with respect to `q` and to `q_end`, as velocities to velocities."""
    v = difference(tree, q, q_end)
    return DifferenceDerivatives(*_derivatives(tree, v, configuration(tree, q), _between_derivatives))


def disturbance_rate(tree: Tree, v: Any) -> Array:
    """`K` (..., nv, nv): a disturbance of a configuration that moves at `v: (..., nv)` changes by `K` times itself."""
    v = rates(tree, "v", v)
    result = zeros((tree.nv, tree.nv), v)
    if tree.floating and tree.representation == "mixed":
        result[..., 3:6, 3:6] = hat(v[..., 3:6])
    elif tree.floating:
        result[..., :6, :6] = twist_cross(v[..., :6] if tree.representation == "inertial" else -v[..., :6])
    for joint, _, to in _joints(tree):
        place = (..., slice(to, to + joint.nv), slice(to, to + joint.nv))
        if joint.kind in ("spherical", "floating"):
            cross = hat if joint.kind == "spherical" else twist_cross
            result[place] = cross(-v[..., to : to + joint.nv])
    return result


def turning_velocities(tree: Tree) -> list[slice]:
    """The velocities among which derivatives of `integrate` are not the identity, one slice for each attitude."""
    found = []
    if tree.floating:
        found.append(slice(3 if tree.representation == "mixed" else 0, 6))
    kinds = ("spherical", "floating")
    return found + [slice(to, to + joint.nv) for joint, _, to in _joints(tree) if joint.kind in kinds]


def _joints(tree: Tree) -> list[tuple[TreeJoint, int, int]]:
    """Joints, each with its first coordinate and velocity in the state; of those that share coordinates, one."""
    q_head, v_head = (7, 6) if tree.floating else (0, 0)
    joints = {body.joint.index: body.joint for body in tree.bodies if body.joint is not None}
    return [(joint, q_head + position_index(joint), v_head + index) for index, joint in joints.items()]


def _move_base(tree: Tree, q: Array, step: Array) -> Array:
    if tree.representation == "body":
        return _move_pose(q, step)
    turned = _unit(multiply_quaternions(quaternion_exponential(step[..., 3:]), q[..., 3:]))
    if tree.representation == "mixed":
        return np.concatenate([q[..., :3] + step[..., :3], turned], axis=-1)
    motion = pose_exponential(step)
    return np.concatenate([apply_matrix(rotation_of(motion), q[..., :3]) + position_of(motion), turned], axis=-1)


def _move_pose(q: Array, twist: Array) -> Array:
    R = rotation_from_quaternion(q[..., 3:])
    place = q[..., :3] + apply_matrix(R, position_of(pose_exponential(twist)))
    turned = _unit(multiply_quaternions(q[..., 3:], quaternion_exponential(twist[..., 3:])))
    return np.concatenate([place, turned], axis=-1)


def _base_between(tree: Tree, q: Array, q_end: Array) -> Array:
    if tree.representation == "body":
        return _pose_between(q, q_end)
    turned = multiply_quaternions(q_end[..., 3:], _conjugate(q[..., 3:]))
    if tree.representation == "mixed":
        return np.concatenate([q_end[..., :3] - q[..., :3], quaternion_logarithm(turned)], axis=-1)
    return pose_logarithm(_pose(q_end) @ invert_pose(_pose(q)))


def _pose_between(q: Array, q_end: Array) -> Array:
    return pose_logarithm(invert_pose(_pose(q)) @ _pose(q_end))


def _pose(q: Array) -> Array:
    return pose_from(rotation_from_quaternion(q[..., 3:]), q[..., :3])


def _conjugate(quaternion: Array) -> Array:
    return quaternion * np.array([1.0, -1.0, -1.0, -1.0])


def _unit(quaternion: Array) -> Array:
    """Rounding must not add up over many steps."""
    return quaternion / np.sqrt(np.sum(quaternion * quaternion, axis=-1))[..., None]


def _derivatives(tree: Tree, v: Array, like: Array, blocks: Any) -> tuple[Array, Array]:
    first, second = zeros((tree.nv, tree.nv), v, like), zeros((tree.nv, tree.nv), v, like)
    if tree.floating:
        first[..., :6, :6], second[..., :6, :6] = blocks(tree.representation, v[..., :6])
    for joint, _, to in _joints(tree):
        place = (..., slice(to, to + joint.nv), slice(to, to + joint.nv))
        kind = {"spherical": "rotation", "floating": "body"}.get(joint.kind, "rates")
        first[place], second[place] = blocks(kind, v[..., to : to + joint.nv])
    return first, second


def _moving_derivatives(kind: str, step: Array) -> tuple[Array, Array]:
    if kind == "body":
        return adjoint(pose_exponential(-step)), pose_right_jacobian(step)
    if kind == "inertial":
        return adjoint(pose_exponential(step)), pose_left_jacobian(step)
    if kind == "rotation":
        return transpose(rotation_exponential(step)), rotation_right_jacobian(step)
    if kind == "mixed":
        w = step[..., 3:]
        return _beside_translation(rotation_exponential(w)), _beside_translation(rotation_left_jacobian(w))
    one = np.eye(step.shape[-1])
    return one, one


def _between_derivatives(kind: str, step: Array) -> tuple[Array, Array]:
    if kind == "body":
        return -pose_left_jacobian_inverse(step), pose_right_jacobian_inverse(step)
    if kind == "inertial":
        return -pose_right_jacobian_inverse(step), pose_left_jacobian_inverse(step)
    if kind == "rotation":
        return -rotation_left_jacobian_inverse(step), rotation_right_jacobian_inverse(step)
    if kind == "mixed":
        w = step[..., 3:]
        before, after = rotation_right_jacobian_inverse(w), rotation_left_jacobian_inverse(w)
        return -_beside_translation(before), _beside_translation(after)
    one = np.eye(step.shape[-1])
    return -one, one


def _beside_translation(angular: Array) -> Array:
    result = zeros((6, 6), angular[..., 0])
    result[..., :3, :3] = np.eye(3)
    result[..., 3:, 3:] = angular
    return result
