r"""Places that constraints refer to: fixed to a frame of the robot, or to the world.

Twists of places and their Jacobians are mixed (at the place's origin, in the axes of the world), whatever the robot's
representation; the columns are those of the robot's own velocities.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from floatbase.algorithms import drift, jacobian, pose, velocity
from floatbase.algorithms.arguments import configuration, frame_of, rates
from floatbase.errors import ArgumentError, ShapeError
from floatbase.model.tree import Tree
from floatbase.simulation.laws import require_place
from floatbase.spatial.arrays import Array, apply_matrix, zeros
from floatbase.spatial.checks import check_pose
from floatbase.spatial.poses import invert_pose, pose_from, position_of, rotation_of
from floatbase.spatial.representations import change_acceleration, change_twist, form_H_body
from floatbase.spatial.twists import adjoint


@dataclass(frozen=True)
class Place:
    """A pose (4, 4) that moves with a frame, in that frame's axes, or one in the world (`frame` is None)."""

    frame: str | None
    frame_H_place: Any = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))

    def __post_init__(self) -> None:
        if self.frame is not None and not isinstance(self.frame, str):
            raise ArgumentError(
                f"a place is fixed to a frame given by its name, or to the world (None): {self.frame!r}"
            )
        H = np.asarray(self.frame_H_place, dtype=np.float64)
        if H.shape != (4, 4):
            raise ShapeError(f"frame_H_place has shape {H.shape}; it must be one pose (4, 4)")
        check_pose("frame_H_place", H)
        object.__setattr__(self, "frame_H_place", tuple(map(tuple, H.tolist())))

    @property
    def pose(self) -> Array:
        """`frame_H_place` (4, 4)."""
        return np.array(self.frame_H_place)

    @property
    def label(self) -> str:
        """What messages call it."""
        return "the world" if self.frame is None else repr(self.frame)


def point(frame: str | None, *position: float) -> Place:
    """A point of a frame, or of the world, with the frame's axes; position: x, y, z, m."""
    require_place(position=position)
    return Place(frame, pose_from(np.eye(3), np.array(position, dtype=np.float64)))


def as_place(place: str | Place | None) -> Place:
    """A place, also if given as a frame's name or None for the world."""
    return place if isinstance(place, Place) else Place(place)


@dataclass(frozen=True, eq=False)
class PlaceMotion:
    r"""`world_H_place` (..., 4, 4), the Jacobian (..., 6, nv), the twist and $\dot J \nu$ (..., 6) if asked for."""

    pose: Array
    jacobian: Array
    twist: Array
    drift: Array

    @property
    def rotation(self) -> Array:
        """Axes of the place in the world (..., 3, 3)."""
        return rotation_of(self.pose)

    @property
    def position(self) -> Array:
        """Origin of the place in the world (..., 3)."""
        return position_of(self.pose)


def place_pose(tree: Tree, q: Any, place: Place) -> Array:
    """`world_H_place` (..., 4, 4)."""
    q = configuration(tree, q)
    if place.frame is None:
        return zeros((4, 4), q) + place.pose
    return pose(_with_place(tree, place), q, "place")


def place_jacobian(tree: Tree, q: Any, place: Place) -> PlaceMotion:
    """Pose and Jacobian; twist and drift are left zero."""
    q = configuration(tree, q)
    H, still = place_pose(tree, q, place), zeros((6,), q)
    if place.frame is None:
        return PlaceMotion(H, zeros((6, tree.nv), q), still, still)
    J = jacobian(_with_place(tree, place), q, "place")
    if tree.representation != "mixed":
        J = adjoint(form_H_body("mixed", H) @ invert_pose(form_H_body(tree.representation, H))) @ J
    return PlaceMotion(H, J, still, still)


def place_motion(tree: Tree, q: Any, v: Any, place: Place) -> PlaceMotion:
    """Pose, twist and drift; the Jacobian is left empty."""
    q, v = configuration(tree, q), rates(tree, "v", v)
    H = place_pose(tree, q, place)
    if place.frame is None:
        still = zeros((6,), q, v)
        return PlaceMotion(H, still[..., None, :0], still, still)
    at = _with_place(tree, place)
    twist, change = velocity(at, q, v, "place"), drift(at, q, v, "place")
    if tree.representation != "mixed":
        body_twist = change_twist(twist, tree.representation, "body", H)
        twist = change_twist(twist, tree.representation, "mixed", H)
        change = change_acceleration(change, tree.representation, "mixed", H, body_twist)
    return PlaceMotion(H, twist[..., None, :0], twist, change)


def world_axis(motion: PlaceMotion, axis: Array) -> Array:
    """A vector (3,) fixed in the place, in the axes of the world (..., 3)."""
    return apply_matrix(motion.rotation, np.asarray(axis, dtype=np.float64))


def _with_place(tree: Tree, place: Place) -> Tree:
    body, body_H_frame = frame_of(tree, place.frame)  # type: ignore[arg-type]
    return replace(tree, frames={"place": (body, body_H_frame @ place.pose)})
