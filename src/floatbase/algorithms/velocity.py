r"""The twist of a frame, ${}^C v_{A,F} = J_F\, \nu$, in the representation of the tree.

For a frame with origin $o$ moving at $\dot o$ and turning at $\omega$: "mixed" is $(\dot o, \omega)$ in world axes,
"body" the same in the frame's axes, "inertial" $(\dot o + o \times \omega, \omega)$ in world axes, the velocity of the
body-fixed point at the world's origin. Traversaro 2017, section 2.3.3, (3.47).
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, rates, split
from floatbase.algorithms.base import base_twist
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.kinematics import Motion, attached_pose, motion_along, motion_of_point, poses_along
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, vector
from floatbase.spatial.vectors import ZERO, add, cross, multiply, multiply_transposed


def velocity(tree: Tree, q: Any, v: Any, frame: str) -> Array:
    """The twist (..., 6), linear first, of a frame with respect to the world, in `tree.representation`.

    q: (..., nq) configuration; v: (..., nv) velocity.
    """
    q, v = configuration(tree, q), rates(tree, "v", v)
    body, body_H_frame = frame_of(tree, frame)
    q_base, q_joints = split(tree, q, 7)
    v_base, v_joints = split(tree, v, 6)
    m = mechanism(tree, q_base, q_joints)
    path = m.path_to(m.carriers[body])
    start = Motion(*base_twist(tree, m.base, v_base), ZERO, ZERO)
    motion = motion_along(m, path, start, m.rates(v_joints), [0.0] * m.count)
    linear, _ = motion_of_point(motion, body_H_frame[:3, 3].tolist())
    if tree.representation == "body":
        body_R_frame = body_H_frame[:3, :3].tolist()
        halves = multiply_transposed(body_R_frame, linear), multiply_transposed(body_R_frame, motion.omega)
        return vector([*halves[0], *halves[1]], q, v)
    body_pose = poses_along(m, path)[-1]
    linear, angular = multiply(body_pose.rotation, linear), multiply(body_pose.rotation, motion.omega)
    if tree.representation == "inertial":
        linear = add(linear, cross(attached_pose(body_pose, body_H_frame).position, angular))
    return vector([*linear, *angular], q, v)
