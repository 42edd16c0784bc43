r"""The pose of a frame, ${}^AH_F = {}^AH_B\, {}^BH_F(s)$. Traversaro 2017, (3.28), (3.46)."""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, frame_of, split
from floatbase.algorithms.elements import mechanism
from floatbase.algorithms.kinematics import attached_pose, poses_along
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, matrix


def pose(tree: Tree, q: Any, frame: str) -> Array:
    """`world_H_frame` (..., 4, 4) at the configuration `q: (..., nq)`."""
    q = configuration(tree, q)
    body, body_H_frame = frame_of(tree, frame)
    q_base, q_joints = split(tree, q, 7)
    m = mechanism(tree, q_base, q_joints)
    poses = poses_along(m, m.path_to(m.carriers[body]))
    place = attached_pose(poses[-1], body_H_frame)
    rows = [[*row, entry] for row, entry in zip(place.rotation, place.position, strict=True)]
    return matrix([*rows, [0.0, 0.0, 0.0, 1.0]], q)
