"""Where the bodies of a robot are, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, split
from floatbase.algorithms.base import BasePose
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.kinematics import Pose, all_poses
from floatbase.errors import ShapeError, StateError
from floatbase.model import Tree
from floatbase.viewer.mesh import Array


def body_poses(tree: Tree, q: Any) -> Array:
    """`world_H_body` (..., n_bodies, 4, 4) at configurations `q: (..., nq)`."""
    q = configuration(tree, q)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    base: BasePose = m.base
    poses = all_poses(m, Pose(base.rotation, base.position))
    result = np.zeros((*q.shape[:-1], len(tree.bodies), 4, 4))
    result[..., 3, 3] = 1.0
    for number in range(len(tree.bodies)):
        pose = poses[m.carriers[number]]
        for i in range(3):
            result[..., number, i, 3] = pose.position[i]
            for j in range(3):
                result[..., number, i, j] = pose.rotation[i][j]
    return result


def checked_configurations(tree: Tree, q: Any) -> Array:
    """Finite configurations (n, nq) of a robot, with quaternions of unit length; one may be given as (nq,)."""
    values = np.array(q, dtype=np.float64, ndmin=2)
    if values.ndim != 2 or values.shape[1] != tree.nq or not len(values):
        raise ShapeError(f"q must be of shape ({tree.nq},) or (n, {tree.nq}) for {tree.name!r}, got {np.shape(q)}")
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values).all(axis=1)))
        raise StateError(f"q has numbers that are not finite, first in configuration {row} of {len(values)}")
    for first in quaternion_places(tree):
        length = np.linalg.norm(values[:, first : first + 4], axis=1, keepdims=True)
        if (np.abs(length - 1.0) > 0.1).any():
            raise StateError(f"q[{first}:{first + 4}] is a quaternion of length {float(length.min()):.3g}, not 1")
        values[:, first : first + 4] /= length
    return values


def quaternion_places(tree: Tree) -> list[int]:
    """Where quaternions begin in a configuration."""
    head = 7 if tree.floating else 0
    joints = [body.joint for body in tree.bodies if body.joint is not None]
    shifts = {"spherical": 0, "floating": 3}
    places = {head + (joint.q_index or 0) + shifts[joint.kind] for joint in joints if joint.kind in shifts}
    return sorted(places | ({3} if tree.floating else set()))
