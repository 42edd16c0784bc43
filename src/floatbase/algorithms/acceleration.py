r"""The derivative of a frame's twist, component by component, in the representation of the tree.

With the classical acceleration $\ddot o$ of the frame's origin and $\dot\omega$ it is

* "mixed": $(\ddot o,\ \dot\omega)$,
* "body": ${}^FR_A(\ddot o - \omega \times \dot o,\ \dot\omega)$,
* "inertial": $(\ddot o - \dot\omega \times o - \omega \times \dot o,\ \dot\omega)$.

Traversaro 2017, table 2.2, (3.5)-(3.7) with errata.
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, rates, split
from floatbase.algorithms.base import base_acceleration, base_twist
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.kinematics import Motion, attached_pose, motion_along, motion_of_point, poses_along
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, vector
from floatbase.spatial.vectors import cross, multiply, multiply_transposed, subtract


def acceleration(tree: Tree, q: Any, v: Any, a: Any, frame: str) -> Array:
    r"""$\dot J_F \nu + J_F \dot\nu$ (..., 6), the derivative of what `velocity` gives, linear first.

    q: (..., nq) configuration; v: (..., nv) velocity; a: (..., nv) derivative of `v`, component by component.
    """
    return _acceleration(tree, configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a), frame)


def drift(tree: Tree, q: Any, v: Any, frame: str) -> Array:
    r"""$\dot J_F \nu$ (..., 6): `acceleration` at `a = 0`, in fewer operations; arguments as there."""
    return _acceleration(tree, configuration(tree, q), rates(tree, "v", v), None, frame)


def _acceleration(tree: Tree, q: Array, v: Array, a: Array | None, frame: str) -> Array:
    like = [x for x in (q, v, a) if x is not None]
    body, body_H_frame = frame_of(tree, frame)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    a_base, a_joints = ([0.0] * 6, [0.0] * tree.joint_nv) if a is None else split(tree, a, 6)
    m = mechanism(tree, q_base, q_joints)
    path = m.path_to(m.carriers[body])
    twist, rate = base_twist(tree, m.base, v_base), base_acceleration(tree, m.base, v_base, a_base, gravity=False)
    motion = motion_along(m, path, Motion(*twist, *rate), m.rates(v_joints), m.accelerations(v_joints, a_joints))
    linear_velocity, linear = motion_of_point(motion, body_H_frame[:3, 3].tolist())
    if tree.representation != "mixed":
        linear = subtract(linear, cross(motion.omega, linear_velocity))
    if tree.representation == "body":
        body_R_frame = body_H_frame[:3, :3].tolist()
        linear, angular = (multiply_transposed(body_R_frame, part) for part in (linear, motion.omega_dot))
        return vector([*linear, *angular], *like)
    body_pose = poses_along(m, path)[-1]
    linear, angular = (multiply(body_pose.rotation, part) for part in (linear, motion.omega_dot))
    if tree.representation == "inertial":
        linear = subtract(linear, cross(angular, attached_pose(body_pose, body_H_frame).position))
    return vector([*linear, *angular], *like)
