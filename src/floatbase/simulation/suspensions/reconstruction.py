r"""The whole state of a suspended robot from the pose of one of its frames and the positions of its joints.

Forward kinematics gives the poses of all links. A hook above a platform whose cable has the length $l_P$ is at
$r_H = r_P + l_P z_P$, seen from the suspension point; it hangs in the direction $z_H = -r_H / |r_H|$ at the distance
$|r_H|$. How far it is turned about that direction cannot be known: it is taken to be turned from the platform without a
turn about $z_P$, so that its x axis is the platform's after parallel transport from $z_P$ to $z_H$.

Rothammer 2021, chapter 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floatbase.errors import ShapeError, StateError
from floatbase.robot import Robot
from floatbase.simulation.laws import Number, require_positive
from floatbase.spatial.arrays import Array, require_shape
from floatbase.spatial.poses import invert_pose, pose_from, position_of, rotation_of
from floatbase.spatial.rotations import quaternion_from_rotation, rotation_from_quaternion

NEAREST = 1e-6  # m: a hook closer to the suspension point has no direction


class Hook(NamedTuple):
    """A hook's pose (..., 4, 4), its origin in the centre of mass and z up its cable, and the cable's length (...)."""

    world_H_hook: Array
    length: Array


class Reconstruction(NamedTuple):
    """Configuration (..., nq) of a robot and the poses (..., 4, 4) of its links by name."""

    q: Array
    world_H_links: dict[str, Array]


def reconstruct_robot(robot: Robot, frame: str, world_H_frame: Array, joints: Array) -> Reconstruction:
    """The configuration of a floating-base robot from the pose (..., 4, 4) of one frame and joint positions."""
    require_shape(world_H_frame, 4, 4)
    if not robot.floating:
        raise StateError("the robot's base is fixed, so that its joints are its state; a floating base is needed")
    size = robot.nq - 7
    if joints.shape[-1:] != (size,):
        raise ShapeError(f"joints has shape {joints.shape}; the robot's joints have {size} positions: (..., {size})")
    at_origin = np.zeros((*joints.shape[:-1], 7))
    at_origin[..., 3] = 1.0
    base_H_frame = robot.pose(np.concatenate([at_origin, joints], axis=-1), frame)
    world_H_base = world_H_frame @ invert_pose(base_H_frame)
    base = np.concatenate([position_of(world_H_base), quaternion_from_rotation(rotation_of(world_H_base))], axis=-1)
    batch = np.broadcast_shapes(base.shape[:-1], joints.shape[:-1])
    parts = (np.broadcast_to(part, (*batch, part.shape[-1])) for part in (base, joints))
    q = np.concatenate(list(parts), axis=-1)
    return Reconstruction(q, {name: robot.pose(q, name) for name in robot.body_names})


def reconstruct_hook(
    world_H_platform: Array, platform_length: Number, point: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Hook:
    """The hook above a platform, whose frame (..., 4, 4) is at its centre of mass with z up a cable of a length."""
    require_shape(world_H_platform, 4, 4)
    require_positive(platform_length=platform_length)
    R = rotation_of(world_H_platform)
    z_P = R[..., 2]
    from_point = position_of(world_H_platform) + np.asanyarray(platform_length)[..., None] * z_P - np.array(point)
    length = np.sqrt(np.sum(from_point * from_point, axis=-1))
    if (length < NEAREST).any():
        raise StateError(
            f"the hook is {float(np.min(length)):.3g} m from the suspension point: its cable has no direction; it must "
            f"be at least {NEAREST:g} m away"
        )
    z_H = -from_point / length[..., None]
    half = np.sqrt(0.5 * (1.0 + np.sum(z_P * z_H, axis=-1)))
    if (half < NEAREST).any():
        raise StateError("the hook hangs upside down from the platform: parallel transport needs an angle below pi")
    quaternion = np.concatenate([half[..., None], np.cross(z_P, z_H) / (2.0 * half)[..., None]], axis=-1)
    return Hook(pose_from(rotation_from_quaternion(quaternion) @ R, from_point + np.array(point)), length)
