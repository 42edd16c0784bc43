r"""A rectangular sole that touches visco-elastic ground, tips, slips and leaves it.

The wrench is that of `sole` with what the ground can do (section 8.1 of Romualdi 2022 leaves that to the reader):

* *Touch-down.* When the sole's centre reaches the ground, the place of touch-down is remembered: the centre projected
  on the ground, the heading of the sole, and the ground's normal. So each point is at rest where it meets the ground,
  and a sole that lands inclined is turned flat. Springs along the normal are at rest at the ground's surface.
* *No pulling.* The force along the normal $f_n$ is never negative, and no part of the sole pulls: the centre of
  pressure stays inside, $|\mu \cdot t_1| \le \frac w2 f_n$ and $|\mu \cdot t_2| \le \frac l2 f_n$ for the sole's axes
  $t$ in the ground. Moments beyond are limited: the sole tips.
* *Friction.* $|f_t| \le \mu_f f_n$ and $|\mu \cdot n| \le \mu_r f_n$. What is beyond is limited, and then the place of
  touch-down slips: the spring and the damper are in series with a sliding block, and their stretch follows
  $k e + b \dot e = f$, in a step of backward Euler; the same holds for the heading.

Inside those limits on flat ground the wrench is that of `sole_wrench` for the pose `touchdown_pose(memory)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.arrays import stacked, stacked_matrix
from floatbase.simulation.contacts.implicit import about_origin, across_and_along, in_axes
from floatbase.simulation.contacts.points import as_vector, chosen, limited, positive_part, relaxed, switched
from floatbase.simulation.contacts.sole import Patch, columns_of, magnitude, patch_wrench
from floatbase.simulation.laws import ContactLaw, Ground, Number, require_not_negative, require_place, require_positive
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array, components, require_shape
from floatbase.spatial.rotations import real
from floatbase.spatial.vectors import Vector

_TINY = 1e-12  # squared length below which the sole has no heading


class _Landing(NamedTuple):
    """A sole over the ground, and the place where it touched it."""

    depth: Any
    arm: Vector  # from the frame's origin to the sole's centre
    center: Vector
    axes: tuple[Vector, Vector, Vector]
    normal: Vector
    heading: tuple[Vector, Vector]  # the sole's first two axes, in the ground
    velocity: Vector
    angular: Vector
    patch: Patch
    area: Any
    known: Any  # whether the place of touch-down is remembered
    resting: tuple[Vector, Vector]
    stretch: Vector  # from the sole's centre to its place of touch-down, in the tangent plane


class _Limited(NamedTuple):
    """Parts of the wrench about the sole's centre, after the ground's limits."""

    pressing: Any
    sliding: Vector
    tipping: tuple[Any, Any]
    spinning: Any
    slips: Any
    spins: Any


@dataclass(frozen=True)
class SoleContact(ContactLaw):
    """A sole of a length along x and a width along y of the frame, in m, whose centre is at a place in the frame.

    Stiffness in N/m^3 and damping in N s/m^3, per area; coefficient of friction; radius of friction in m, the largest
    moment about the normal over the normal force.
    """

    length: Number = 0.2
    width: Number = 0.1
    stiffness: Number = 2e6
    damping: Number = 1e4
    friction: Number = 0.7
    friction_radius: Number = 0.03
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        require_positive(length=self.length, width=self.width, stiffness=self.stiffness, damping=self.damping)
        require_not_negative(friction=self.friction, friction_radius=self.friction_radius)
        require_place(center=self.center)
        if not np.all(np.isfinite(self.center)):
            raise ArgumentError(f"center is {self.center!r}; its coordinates must be finite")
        object.__setattr__(self, "center", tuple(float(entry) for entry in self.center))

    @property
    def memory_size(self) -> int:
        """1 if the sole touches, and then where it touched down: its centre, and its first two axes."""
        return 10

    def touchdown_pose(self, memory: Array) -> Array:
        """The pose (..., 4, 4) of the sole's centre at touch-down; all zeros for a sole that does not touch."""
        require_shape(memory, self.memory_size)
        touches, *entries = components(memory)
        first, second = as_vector(memory[..., 4:7]), as_vector(memory[..., 7:10])
        third = vectors.cross(first, second)
        rows = [[first[k], second[k], third[k], entries[k]] for k in range(3)]
        return stacked_matrix([*rows, [0.0, 0.0, 0.0, touches]])

    def begin(self, world_H_frame: Array, ground: Ground) -> Array:
        """A sole in the ground touched down right there."""
        at_rest = 0.0 * world_H_frame[..., 0, :1] * np.ones(6)
        nowhere = 0.0 * world_H_frame[..., 0, :1] * np.ones(self.memory_size)
        return self.remember(world_H_frame, at_rest, nowhere, ground, 1.0)

    def wrench(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> Array:
        """The wrench (..., 6) on the frame."""
        landing = self._land(world_H_frame, twist, memory, ground)
        found = self._limit(landing)
        normal, (first, second) = landing.normal, landing.heading
        force = vectors.add(vectors.scale(found.pressing, normal), found.sliding)
        tipping = vectors.add(vectors.scale(found.tipping[0], first), vectors.scale(found.tipping[1], second))
        moment = vectors.add(tipping, vectors.scale(found.spinning, normal))
        moment = vectors.add(moment, vectors.cross(landing.arm, force))
        return stacked(*(switched(real(landing.depth) > 0.0, entry) for entry in (*force, *moment)))

    def implicit(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> tuple[Array, Array]:
        """Damping and stiffness (..., 6, 6): those of the patch, weaker in proportion where the ground gives way."""
        landing = self._land(world_H_frame, twist, memory, ground)
        free, found = self._free(landing), self._limit(landing)
        presses = (real(found.pressing) > 0.0) & (real(landing.depth) > 0.0)
        sliding, slid = vectors.dot(free.sliding, free.sliding), vectors.dot(found.sliding, found.sliding)
        share = np.sqrt(np.where(found.slips, slid / np.where(found.slips, sliding, 1.0), 1.0))[()]
        turns = [_share(a, b) for a, b in zip(found.tipping, free.tipping, strict=True)]
        turns.append(_share(found.spinning, free.spinning))
        length, width, stiffness, damping = landing.patch
        squares = (width * width, length * length, length * length + width * width)
        axes = (*landing.heading, landing.normal)
        matrices = []
        for slope in (damping, stiffness):
            size = switched(presses, landing.area * slope)
            linear = across_and_along(landing.normal, size, share * size)
            values = [size / 12.0 * square * turn for square, turn in zip(squares, turns, strict=True)]
            matrices.append(about_origin(linear, landing.arm, in_axes(axes, (values[0], values[1], values[2]))))
        return matrices[0], matrices[1]

    def remember(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground, dt: Any) -> Array:
        """The place of touch-down, which slips where a limit of friction is reached; nothing off the ground."""
        landing = self._land(world_H_frame, twist, memory, ground)
        found = self._limit(landing)
        length, width, stiffness, damping = landing.patch
        area = np.where(real(landing.area) > 0.0, landing.area, 1.0)[()]
        surface = vectors.add(landing.center, vectors.scale(landing.depth, landing.normal))

        before = vectors.add(landing.stretch, vectors.scale(dt, _tangential(landing.velocity, landing.normal)))
        slipped = relaxed(before, vectors.scale(1.0 / area, found.sliding), stiffness, damping, dt)
        moved = landing.known & found.slips
        stretch = chosen(moved, slipped, landing.stretch)

        inertia = (length * length + width * width) / 12.0
        ahead = 0.0
        for size, axis, rest in zip((length, width), landing.axes, landing.resting, strict=False):
            ahead = ahead + size * size / 12.0 * vectors.dot(landing.normal, vectors.cross(axis, rest)) / inertia
        lagging = ahead + dt * vectors.dot(landing.normal, landing.angular)
        spun = (damping * lagging + dt * found.spinning / (area * inertia)) / (damping + dt * stiffness)
        turned = landing.known & found.spins
        turn = switched(turned, spun - ahead)
        first = vectors.add(landing.resting[0], vectors.scale(turn, vectors.cross(landing.normal, landing.resting[0])))
        fresh = _heading(first, landing.normal, landing.axes[2])
        keep = landing.known & ~turned & ~moved
        axes = [chosen(keep, old, new) for old, new in zip(landing.resting, fresh, strict=True)]

        entries = [1.0, *vectors.add(surface, stretch), *axes[0], *axes[1]]
        return stacked(*(switched(real(landing.depth) > 0.0, entry) for entry in entries))

    def _land(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> _Landing:
        require_shape(world_H_frame, 4, 4)
        require_shape(twist, 6)
        require_shape(memory, self.memory_size)
        axes = columns_of(world_H_frame[..., :3, :3])
        arm = vectors.ZERO
        for size, axis in zip(self.center, axes, strict=True):
            arm = vectors.add(arm, vectors.scale(size, axis))
        center = vectors.add(as_vector(world_H_frame[..., :3, 3]), arm)
        angular = as_vector(twist[..., 3:])
        velocity = vectors.add(as_vector(twist[..., :3]), vectors.cross(angular, arm))

        normal = as_vector(ground.normal(center[0], center[1]))
        depth = (ground.height(center[0], center[1]) - center[2]) * normal[2]
        factors = ground.softness(center[0], center[1])
        patch = Patch(self.length, self.width, self.stiffness * factors[0], self.damping * factors[1])
        area = self.length * self.width * magnitude(vectors.dot(normal, axes[2]))

        heading = _heading(axes[0], normal, axes[2])
        known = real(memory[..., 0][()]) > 0.5
        away = _tangential(vectors.subtract(as_vector(memory[..., 1:4]), center), normal)
        stretch = chosen(known, away, vectors.ZERO)
        resting = (
            chosen(known, as_vector(memory[..., 4:7]), heading[0]),
            chosen(known, as_vector(memory[..., 7:10]), heading[1]),
        )
        return _Landing(
            depth, arm, center, axes, normal, heading, velocity, angular, patch, area, known, resting, stretch
        )

    def _free(self, landing: _Landing) -> _Limited:
        """Parts of the wrench before the ground's limits; the force along the normal may pull."""
        normal, (first, second) = landing.normal, landing.heading
        stretch = vectors.add(landing.stretch, vectors.scale(landing.depth, normal))
        force, moment = patch_wrench(
            landing.patch, landing.area, landing.axes, landing.resting, stretch, landing.velocity, landing.angular
        )
        along = vectors.dot(normal, force)
        sliding = vectors.subtract(force, vectors.scale(along, normal))
        tipping = (vectors.dot(moment, first), vectors.dot(moment, second))
        return _Limited(along, sliding, tipping, vectors.dot(moment, normal), False, False)

    def _limit(self, landing: _Landing) -> _Limited:
        free = self._free(landing)
        pressing = positive_part(free.pressing)
        sliding, slips = limited(free.sliding, self.friction * pressing)
        roll, _ = _clipped(free.tipping[0], 0.5 * self.width * pressing)
        pitch, _ = _clipped(free.tipping[1], 0.5 * self.length * pressing)
        spinning, spins = _clipped(free.spinning, self.friction_radius * pressing)
        return _Limited(pressing, sliding, (roll, pitch), spinning, slips, spins)


def _share(part: Any, whole: Any) -> Any:
    """What is left of a number that was limited, relative to it; 1 if nothing was taken."""
    limited_ = real(part) != real(whole)
    return np.where(limited_, part / np.where(limited_, whole, 1.0), 1.0)[()]


def _tangential(x: Vector, normal: Vector) -> Vector:
    """The part of a vector in the tangent plane."""
    return vectors.subtract(x, vectors.scale(vectors.dot(x, normal), normal))


def _heading(first: Vector, normal: Vector, third: Vector) -> tuple[Vector, Vector]:
    """The first two axes of a sole laid flat on the ground; the second one's side is that of a sole's upper face."""
    flat = _tangential(first, normal)
    square = vectors.dot(flat, flat)
    flat = vectors.scale(1.0 / np.sqrt(np.where(real(square) > _TINY, square, 1.0))[()], flat)
    side = np.where(real(vectors.dot(normal, third)) < 0.0, -1.0, 1.0)[()]
    return flat, vectors.scale(side, vectors.cross(normal, flat))


def _clipped(x: Any, limit: Any) -> tuple[Any, Any]:
    """A number limited in size, and whether it had to be."""
    high, low = real(x) > real(limit), real(x) < -real(limit)
    return np.where(high, limit, np.where(low, -limit, x))[()], high | low
