r"""Any number of cables between bodies and the world: they pull when they are longer than their rest length.

For a cable from a to b with length $l = |p_b - p_a|$, direction $d = (p_b - p_a) / l$ and rate
$\dot l = d^\top (v_b - v_a)$,

$$ T = \max(0,\ k (l - l_0) + d_c (\dot l - \dot l_0)) \ \text{if}\ l > l_0, \quad T = 0 \ \text{else}, \qquad
   f_a = T d, \quad f_b = -T d , $$

and a force at a point of a body is the wrench $(f,\ r \times f)$. Winches change the rest lengths: these are inputs,
and so are their rates. A hook that is a point mass is a body to whose origin all its cables lead, so that only its
place and velocity matter. Rothammer 2021, (3.8) with the sign of the damping corrected; how cables are fixed, their
stiffness and damping were not published.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.simulation.laws import Law, Number, require_not_negative, require_place, require_positive
from floatbase.simulation.suspensions.suspension import FrameSuspension
from floatbase.spatial.arrays import Array, apply_matrix, transpose, vector, zeros
from floatbase.spatial.poses import apply_pose, rotation_of
from floatbase.spatial.rotations import real


@dataclass(frozen=True)
class Cable(Law):
    """A cable of rest length `length` [m], stiffness [N/m] and damping [N s/m] between two points.

    first, second: which body, or None for the world; first_point, second_point: where on it, in its frame, m.
    """

    first: int | None
    second: int | None
    first_point: tuple[float, float, float]
    second_point: tuple[float, float, float]
    length: Number
    stiffness: Number
    damping: Number = 0.0

    def __post_init__(self) -> None:
        require_positive(length=self.length, stiffness=self.stiffness)
        require_not_negative(damping=self.damping)
        require_place(first_point=self.first_point, second_point=self.second_point)
        if self.first == self.second:
            raise ArgumentError(f"a cable leads from body {self.first} to itself; it must connect two")


class CableState(NamedTuple):
    """Length (...), rate of length, tension, and stored energy of a cable; direction (..., 3) from first to second."""

    length: Any
    rate: Any
    tension: Any
    energy: Any
    direction: Array


@dataclass(frozen=True)
class Cables(FrameSuspension):
    """`count` bodies that hang on cables from the world and from one another."""

    cables: tuple[Cable, ...]
    count: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.count, int) or self.count < 1:
            raise ArgumentError(f"count is {self.count!r}; it must be a number of bodies, at least 1")
        for number, cable in enumerate(self.cables):
            for body in (cable.first, cable.second):
                if body is not None and not 0 <= body < self.count:
                    raise ArgumentError(
                        f"cable {number} leads to body {body}; there are {self.count}: it must be below, or None"
                    )

    @property
    def bodies(self) -> int:  # type: ignore[override]
        """How many bodies there are."""
        return self.count

    def wound(self, lengths: Array) -> Cables:
        """The same cables with rest lengths (..., cables) as winches have set them; numbers or symbols."""
        self._require_lengths(lengths)
        cables = tuple(replace(cable, length=lengths[..., k][()]) for k, cable in enumerate(self.cables))
        return replace(self, cables=cables)

    def wrenches(
        self, world_H_bodies: Array, twists: Array, lengths: Array | None = None, rates: Array | None = None
    ) -> Array:
        """The wrenches (..., 6 n) on the bodies, in their frames.

        lengths, rates: (..., cables), the rest lengths as winches set them, and their rates; by default those of the
        cables, at rest.
        """
        forces = self._no_wrenches(world_H_bodies, twists)
        for cable, state in zip(self.cables, self.states(world_H_bodies, twists, lengths, rates), strict=True):
            pull = state.tension[..., None] * state.direction
            for body, point, force in (
                (cable.first, cable.first_point, pull),
                (cable.second, cable.second_point, -pull),
            ):
                if body is not None:
                    force = apply_matrix(transpose(rotation_of(world_H_bodies[..., body, :, :])), force)
                    forces[body] = forces[body] + np.concatenate([force, np.cross(np.array(point), force)], axis=-1)
        return np.concatenate(forces, axis=-1)

    def states(
        self, world_H_bodies: Array, twists: Array, lengths: Array | None = None, rates: Array | None = None
    ) -> list[CableState]:
        """What every cable does."""
        if lengths is not None:
            self._require_lengths(lengths)
        found = []
        for number, cable in enumerate(self.cables):
            rest = cable.length if lengths is None else lengths[..., number]
            winding = 0.0 if rates is None else rates[..., number]
            found.append(_state(cable, world_H_bodies, twists, rest, winding))
        return found

    def tensions(
        self, world_H_bodies: Array, twists: Array, lengths: Array | None = None, rates: Array | None = None
    ) -> Array:
        """The tensions (..., cables), N."""
        states = self.states(world_H_bodies, twists, lengths, rates)
        return np.stack([state.tension for state in states], axis=-1)

    def energy(self, world_H_bodies: Array, lengths: Array | None = None) -> Array:
        """The energy (...) stored in the cables."""
        still = zeros((6 * self.count,), world_H_bodies[..., 0, 0, :])
        result: Array = 0.0 * world_H_bodies[..., 0, 0, 0]
        for state in self.states(world_H_bodies, still, lengths):
            result = result + state.energy
        return result

    def dissipation(
        self, world_H_bodies: Array, twists: Array, lengths: Array | None = None, rates: Array | None = None
    ) -> Array:
        """The power (...) that dampers take."""
        result: Array = 0.0 * twists[..., 0]
        for number, state in enumerate(self.states(world_H_bodies, twists, lengths, rates)):
            cable = self.cables[number]
            rest = cable.length if lengths is None else lengths[..., number]
            spring = np.where(real(state.length) > real(rest), cable.stiffness * (state.length - rest), 0.0)
            winding = 0.0 if rates is None else rates[..., number]
            result = result + (state.tension - spring) * (state.rate - winding)
        return result

    def slack(self, world_H_bodies: Array) -> Array:
        """By how much each cable (..., cables) is longer than the distance of its ends."""
        still = zeros((6 * self.count,), world_H_bodies[..., 0, 0, :])
        states = self.states(world_H_bodies, still)
        gaps = [cable.length - state.length for cable, state in zip(self.cables, states, strict=True)]
        return np.stack(gaps, axis=-1) if gaps else zeros((0,), world_H_bodies[..., 0, 0, :])

    def _check_attitudes(self, world_H_bodies: Array) -> None:
        """Raise where both ends of a cable are in one place: it has no direction."""
        still = zeros((6 * self.count,), world_H_bodies[..., 0, 0, :])
        for number, state in enumerate(self.states(world_H_bodies, still)):
            if (np.asarray(state.length) <= 0.0).any():
                raise StateError(f"both ends of cable {number} are in one place: its length is 0 and must be positive")

    def _require_lengths(self, lengths: Array) -> None:
        if lengths.shape[-1] != len(self.cables):
            raise ShapeError(f"lengths has shape {lengths.shape}; it must be (..., {len(self.cables)})")

    def _no_wrenches(self, world_H_bodies: Array, twists: Array) -> list[Array]:
        return [zeros((6,), world_H_bodies[..., 0, 0, :], twists) for _ in range(self.count)]


def _state(cable: Cable, world_H_bodies: Array, twists: Array, rest: Any, winding: Any) -> CableState:
    """Of one cable with a rest length and its rate."""
    p_a, v_a = _end(cable.first, cable.first_point, world_H_bodies, twists)
    p_b, v_b = _end(cable.second, cable.second_point, world_H_bodies, twists)
    between = p_b - p_a
    square = np.sum(between * between, axis=-1)
    apart = real(square) > 0.0
    length = np.sqrt(np.where(apart, square, 1.0)) * np.where(apart, 1.0, 0.0)
    direction = between / np.where(apart, length, 1.0)[..., None]
    rate = np.sum(direction * (v_b - v_a), axis=-1)
    stretch = length - rest
    is_long = real(stretch) > 0.0
    pull = cable.stiffness * stretch + cable.damping * (rate - winding)
    tension = np.where(is_long & (real(pull) > 0.0), pull, 0.0)
    energy = np.where(is_long, 0.5 * cable.stiffness * stretch * stretch, 0.0)
    return CableState(length, rate, tension, energy, direction)


def _end(
    body: int | None, point: tuple[float, float, float], world_H_bodies: Array, twists: Array
) -> tuple[Array, Array]:
    """Place and velocity (..., 3) of one end, in the world."""
    if body is None:
        place = vector(point, world_H_bodies[..., 0, 0, :])
        return place, 0.0 * place
    H, r = world_H_bodies[..., body, :, :], vector(point, world_H_bodies[..., 0, 0, :])
    twist = twists[..., 6 * body : 6 * body + 6]
    velocity = twist[..., :3] + np.cross(twist[..., 3:], r)
    return apply_pose(H, r), apply_matrix(rotation_of(H), velocity)
