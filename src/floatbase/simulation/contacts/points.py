r"""Contact of points and spheres that are fixed in a frame: what all its laws have in common.

A sphere of radius $\rho$ (a point has none) at $c$ in the frame is at $x = o + R c$ in the world. Over ground of height
$h$ and normal $n$ at its place, it is in the ground by the depth

$$ \delta = (h(x_x, x_y) - x_z)\, n_z + \rho $$

to first order in the ground's curvature, exactly on a plane. It touches the ground at $x - \rho\, n$, at the velocity
$u = \dot o + \omega \times (x - \rho\, n - o)$, of which $u_n = n \cdot u$ parts from the ground and
$u_t = u - u_n n$ slides on it. A force $f = f_n n + f_t$ on each, at that place, makes the wrench
$(\sum f, \sum (x - \rho\, n - o) \times f)$ on the frame. The normal force is never negative.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.arrays import stacked
from floatbase.simulation.contacts.implicit import Springs, about_origin, across_and_along
from floatbase.simulation.laws import ContactLaw, Ground, Number, require_not_negative
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array, components, require_shape
from floatbase.spatial.rotations import real
from floatbase.spatial.vectors import Vector

Points = tuple[tuple[float, float, float], ...]


class Touch(NamedTuple):
    """How one point or sphere meets the ground; what has axes is in the axes of the world."""

    depth: Any  # of the sphere in the ground, negative above it
    arm: Vector  # from the frame's origin to the place of contact
    place: Vector  # of contact
    normal: Vector
    parting: Any  # speed along the normal
    sliding: Vector  # velocity in the tangent plane
    stiffness: Any  # factors of the ground there
    damping: Any


@dataclass(frozen=True)
class PointContact(ContactLaw):
    """Points or spheres in a frame; `points` are their places (x, y, z) in the frame, in m."""

    points: Points = field(default=((0.0, 0.0, 0.0),), kw_only=True)
    radius: Number = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", checked_points(self.points))
        require_not_negative(radius=self.radius)

    @abstractmethod
    def force(self, touch: Touch, memory: Array) -> Vector:
        """The force of the ground on one point, in the axes of the world, if it touches; with its own memory."""

    @abstractmethod
    def springs(self, touch: Touch, memory: Array) -> Springs:
        """What stands for the force of a point that touches in an implicit step."""

    def implicit(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> tuple[Array, Array]:
        """Damping and stiffness (..., 6, 6) of all points: symmetric and positive semidefinite."""
        damping: Any = 0.0
        stiffness: Any = 0.0
        for touch, own in self.touches(world_H_frame, twist, memory, ground):
            inside = real(touch.depth) > 0.0
            k_n, b_n, k_t, b_t = (switched(inside, value) for value in self.springs(touch, own))
            damping = damping + about_origin(across_and_along(touch.normal, b_n, b_t), touch.arm)
            stiffness = stiffness + about_origin(across_and_along(touch.normal, k_n, k_t), touch.arm)
        return damping, stiffness

    def begin(self, world_H_frame: Array, ground: Ground) -> Array:
        """Nothing is remembered."""
        return world_H_frame[..., 0, :0]

    def remember(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground, dt: Any) -> Array:
        """Nothing is remembered."""
        return memory

    def wrench(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> Array:
        """The wrench (..., 6) of all points on the frame."""
        force, moment = vectors.ZERO, vectors.ZERO
        for touch, own in self.touches(world_H_frame, twist, memory, ground):
            one = chosen(real(touch.depth) > 0.0, self.force(touch, own), vectors.ZERO)
            force, moment = vectors.add(force, one), vectors.add(moment, vectors.cross(touch.arm, one))
        return stacked(*force, *moment)

    def touches(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> list[tuple[Touch, Array]]:
        """How each point meets the ground, with its part of the memory."""
        require_shape(world_H_frame, 4, 4)
        require_shape(memory, self.memory_size)
        origin = as_vector(world_H_frame[..., :3, 3])
        rotation = [as_vector(world_H_frame[..., k, :3]) for k in range(3)]
        require_shape(twist, 6)
        linear, angular = as_vector(twist[..., :3]), as_vector(twist[..., 3:])
        size = self.memory_size // len(self.points)
        found = []
        for k, point in enumerate(self.points):
            arm: Vector = (
                vectors.dot(rotation[0], point),
                vectors.dot(rotation[1], point),
                vectors.dot(rotation[2], point),
            )
            center = vectors.add(origin, arm)
            normal = as_vector(ground.normal(center[0], center[1]))
            depth = (ground.height(center[0], center[1]) - center[2]) * normal[2] + self.radius
            arm = vectors.subtract(arm, vectors.scale(self.radius, normal))
            velocity = vectors.add(linear, vectors.cross(angular, arm))
            parting = vectors.dot(normal, velocity)
            sliding = vectors.subtract(velocity, vectors.scale(parting, normal))
            stiffness, damping = ground.softness(center[0], center[1])
            place = vectors.add(origin, arm)
            touch = Touch(depth, arm, place, normal, parting, sliding, stiffness, damping)
            found.append((touch, memory[..., k * size : (k + 1) * size]))
        return found


def box_corners(length: float, width: float, center: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Points:
    """The corners of a rectangle, `length` along x and `width` along y of a frame: points of a sole."""
    require_not_negative(length=length, width=width)
    return tuple(
        (center[0] + 0.5 * i * length, center[1] + 0.5 * j * width, center[2])
        for i, j in ((1, 1), (1, -1), (-1, -1), (-1, 1))
    )


def checked_points(points: Any) -> Points:
    """Places (x, y, z) as tuples of floats; an error that says what is wrong with them."""
    places = np.asarray(points)
    if places.dtype == object or places.ndim != 2 or places.shape[1] != 3 or not len(places):
        raise ShapeError(f"points have shape {places.shape}; they must be one or more places (x, y, z)")
    if not np.all(np.isfinite(places)):
        raise ArgumentError(f"points are {points}; all their coordinates must be finite")
    return tuple((float(x), float(y), float(z)) for x, y, z in places)


def as_vector(x: Array) -> Vector:
    """The three components of an array (..., 3)."""
    first, second, third = components(x, 3)
    return first, second, third


def switched(condition: Any, value: Any) -> Any:
    """A value where a condition holds, and 0 elsewhere."""
    return np.where(condition, value, 0.0 * value)[()]


def positive_part(value: Any) -> Any:
    """The larger of a value and 0."""
    return switched(real(value) > 0.0, value)


def regularized_coulomb(friction: Any, normal_force: Any, sliding: Vector, slip_speed: Any) -> Vector:
    r"""Friction $-\mu f_n u_t / \sqrt{|u_t|^2 + \epsilon^2}$: viscous well below the slip speed, Coulomb's above it."""
    return vectors.scale(-friction_damping(friction, normal_force, sliding, slip_speed), sliding)


def friction_damping(friction: Any, normal_force: Any, sliding: Vector, slip_speed: Any) -> Any:
    """The damper that gives `regularized_coulomb` at the present velocity."""
    return friction * normal_force / np.sqrt(vectors.dot(sliding, sliding) + slip_speed * slip_speed)


def limited(force: Vector, limit: Any) -> tuple[Vector, Any]:
    """A force shortened to a length that it may not exceed, and whether it had to be."""
    square = vectors.dot(force, force)
    beyond = real(square) > real(limit * limit)
    factor = np.where(beyond, limit / np.sqrt(np.where(beyond, square, 1.0)), 1.0)[()]
    return vectors.scale(factor, force), beyond


def chosen(condition: Any, if_true: Vector, if_false: Vector) -> Vector:
    """One of two vectors."""
    x, y, z = (np.where(condition, a, b)[()] for a, b in zip(if_true, if_false, strict=True))
    return x, y, z


def relaxed(stretch: Vector, force: Vector, stiffness: Any, damping: Any, dt: Any) -> Vector:
    r"""The stretch of a spring and damper after a step under a given force: $k e + b \dot e = f$ by backward Euler."""
    return vectors.scale(
        1.0 / (damping + stiffness * dt), vectors.add(vectors.scale(damping, stretch), vectors.scale(dt, force))
    )
