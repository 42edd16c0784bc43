r"""Poses, velocities and accelerations of the bodies on the way from the base to one of them.

With $R = {}^{\lambda}R_i$ and $p = {}^{\lambda}o_i$ for a body and its parent, in world axes for poses and in body axes
for the rest,

$$ {}^AR_i = {}^AR_\lambda R, \quad o_i = o_\lambda + {}^AR_\lambda p, \qquad
   v_i = R^\top(v_\lambda + \omega_\lambda \times p) + z \dot s|_{prismatic}, \quad
   \omega_i = R^\top \omega_\lambda + z \dot s|_{revolute}, $$

and classical accelerations as in `floatbase.algorithms.inverse_dynamics`. Traversaro 2017, (3.3)-(3.10), (3.46).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from floatbase.algorithms.base import IDENTITY, BasePose
from floatbase.algorithms.elements import Mechanism
from floatbase.algorithms.joints import JointPose
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Component
from floatbase.spatial.rigid_inertia import angular_matrix
from floatbase.spatial.turns import turn_back, turn_columns
from floatbase.spatial.vectors import ZERO, Matrix, Vector, add, cross, multiply


@dataclass(frozen=True, eq=False)
class Pose:
    """`world_R_body` and the position of the body's origin in the world."""

    rotation: Matrix
    position: Vector


@dataclass(frozen=True, eq=False)
class Motion:
    """Velocity and classical acceleration of a body's origin, angular velocity and acceleration, in body axes."""

    velocity: Vector
    omega: Vector
    acceleration: Vector
    omega_dot: Vector


def representation_pose(tree: Tree, base: BasePose) -> Pose:
    """The pose of the base in the frame of its twist: itself, the same with world axes, or the world."""
    if tree.representation == "body":
        return Pose(IDENTITY, ZERO)
    return Pose(base.rotation, base.position if tree.representation == "inertial" else ZERO)


def poses_along(m: Mechanism, path: Sequence[int]) -> list[Pose]:
    """The poses of the base and of the elements of a path that starts there."""
    poses = [Pose(m.base.rotation, m.base.position)]
    for i in path:
        poses.append(next_pose(poses[-1], m.joints[i]))
    return poses


def all_poses(m: Mechanism, base: Pose) -> list[Pose]:
    """The poses of all elements in the frame in which that of the base is given."""
    poses = [base]
    for i in range(1, m.count):
        poses.append(next_pose(poses[m.parent(i)], m.joints[i]))
    return poses


def all_motions(m: Mechanism, base: Motion, rate: Sequence[Component], rate_dot: Sequence[Component]) -> list[Motion]:
    """The motions of all elements, from that of the base."""
    motions = [base]
    for i in range(1, m.count):
        motions.append(next_motion(motions[m.parent(i)], m.joints[i], m.revolute(i), rate[i], rate_dot[i]))
    return motions


def next_pose(parent: Pose, joint: JointPose) -> Pose:
    """The pose of a body from that of its parent."""
    position = add(parent.position, multiply(parent.rotation, joint.position))
    return Pose(turn_columns(parent.rotation, joint.rotation), position)


def attached_pose(body: Pose, body_H_frame: Sequence[Sequence[float]]) -> Pose:
    """The pose of a frame that is fixed to a body."""
    columns = list(zip(*[[float(entry) for entry in row] for row in body_H_frame[:3]], strict=True))
    x, y, z, p = (multiply(body.rotation, column) for column in columns)
    rows = list(zip(x, y, z, strict=True))
    return Pose((rows[0], rows[1], rows[2]), add(body.position, p))


def motion_along(
    m: Mechanism,
    path: Sequence[int],
    base: Motion,
    rate: Sequence[Component],
    rate_dot: Sequence[Component],
) -> Motion:
    """The motion of the last element of a path that starts at the base."""
    motion = base
    for i in path:
        motion = next_motion(motion, m.joints[i], m.revolute(i), rate[i], rate_dot[i])
    return motion


def next_motion(parent: Motion, joint: JointPose, revolute: bool, rate: Component, rate_dot: Component) -> Motion:
    """The motion of a body from that of its parent."""
    velocity, acceleration = motion_of_point(parent, joint.position)
    vx, vy, vz = turn_back(joint.rotation, velocity)
    ax, ay, az = turn_back(joint.rotation, acceleration)
    x, y, z = turn_back(joint.rotation, parent.omega)
    dx, dy, dz = turn_back(joint.rotation, parent.omega_dot)
    if revolute:
        return Motion((vx, vy, vz), (x, y, z + rate), (ax, ay, az), (dx + y * rate, dy - x * rate, dz + rate_dot))
    acceleration = (ax + 2.0 * (y * rate), ay - 2.0 * (x * rate), az + rate_dot)
    return Motion((vx, vy, vz + rate), (x, y, z), acceleration, (dx, dy, dz))


def motion_of_point(body: Motion, p: Vector) -> tuple[Vector, Vector]:
    """Velocity and classical acceleration of a point fixed to a body, in the body's axes."""
    spin = angular_matrix(body.omega, body.omega_dot)
    return add(body.velocity, cross(body.omega, p)), add(body.acceleration, multiply(spin, p))
