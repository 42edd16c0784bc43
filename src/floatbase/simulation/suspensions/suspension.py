r"""What all suspensions have in common: rows of constraints, wrenches, energies, and states that they refuse.

A suspension holds one body, the platform, or two, hook and platform in this order. Each body's frame has its origin in
the centre of mass and its z axis towards what it hangs from when it hangs at rest. For the stacked twists V of bodies
in their own frames, linear part first,

$$ A V = 0, \qquad \Lambda \dot V = F^\top \Lambda V + f_{in} + f + A^\top \lambda, \qquad
   f^\top V = -\dot U - P, \quad P \ge 0, $$

with the rows A (none for a soft suspension), the wrenches f (none for a rigid one), the energy U that is stored and
the power P that is dissipated. Poses are `world_H_bodies` (..., n, 4, 4), twists (..., 6 n), wrenches (..., 6 n), as in
`floatbase.spatial.stacked_acceleration`. Rothammer 2021, chapter 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, StateError
from floatbase.simulation.laws import ContactLaw, Ground, Law
from floatbase.spatial.arrays import Array, apply_matrix, zeros
from floatbase.spatial.representations import change_twist, change_wrench

TOLERANCE = 1e-6  # m, m/s: how far a state may be from its constraints


@dataclass(frozen=True)
class Suspension(Law, ABC):
    """How bodies hang from the world."""

    bodies: ClassVar[int]
    rows: ClassVar[int] = 0

    def constraint(self, world_H_bodies: Array) -> Array:
        """`A` (..., rows, 6 n)."""
        return zeros((0, 6 * self.bodies), world_H_bodies[..., 0, 0, :])

    def constraint_rate(self, world_H_bodies: Array, twists: Array) -> Array:
        """Derivative (..., rows, 6 n) of A along the motion."""
        return zeros((0, 6 * self.bodies), twists)

    def deviation(self, world_H_bodies: Array) -> Array:
        """How far poses are from those the constraints allow (..., rows), m; its rate is A V where it is zero."""
        return zeros((0,), world_H_bodies[..., 0, 0, :])

    def wrenches(self, world_H_bodies: Array, twists: Array) -> Array:
        """The wrenches (..., 6 n) of springs and dampers on the bodies, in their frames."""
        return 0.0 * twists

    def energy(self, world_H_bodies: Array) -> Array:
        """The energy (...) stored in springs, J."""
        return 0.0 * world_H_bodies[..., 0, 0, 0]

    def dissipation(self, world_H_bodies: Array, twists: Array) -> Array:
        """The power (...) that dampers take, W."""
        return 0.0 * twists[..., 0]

    @abstractmethod
    def slack(self, world_H_bodies: Array) -> Array:
        """By how much each cable (..., cables) is shorter than it would have to be to pull, m; negative if taut."""

    def check(self, world_H_bodies: Array, twists: Array, taut: bool = False, tolerance: float = TOLERANCE) -> None:
        """Raise unless a state, or each state of a batch, is one that the suspension can begin from.

        Poses and velocities must obey the constraints, and z axes must not point away from what bodies hang from.
        `taut`: slack cables are refused, too.
        """
        self._require_shapes(world_H_bodies, twists)
        residual = self.deviation(world_H_bodies)
        _refuse(residual, tolerance, "poses are off the constraint", "m")
        speed = apply_matrix(self.constraint(world_H_bodies), twists)
        _refuse(speed, tolerance, "twists violate the constraint A V = 0", "m/s")
        self._check_attitudes(world_H_bodies)
        if taut and ((gap := self.slack(world_H_bodies)) >= 0.0).any():
            place = tuple(np.argwhere(gap >= 0.0)[0])
            raise StateError(
                f"cable {place[-1]} is slack{_row(place[:-1])}: the distance of its ends is {gap[place]:.6g} m less "
                "than its length; a state with all cables taut is needed"
            )

    def _check_attitudes(self, world_H_bodies: Array) -> None:
        """Raise where the direction of a force or moment is not defined."""

    def _require_shapes(self, world_H_bodies: Array, twists: Array) -> None:
        n = self.bodies
        if world_H_bodies.shape[-3:] != (n, 4, 4):
            raise ShapeError(f"world_H_bodies has shape {world_H_bodies.shape}; it must be (..., {n}, 4, 4)")
        if twists.shape[-1:] != (6 * n,):
            raise ShapeError(f"twists has shape {twists.shape}; it must be (..., {6 * n})")


@dataclass(frozen=True)
class FrameSuspension(Suspension, ContactLaw):
    """A suspension by wrenches: one of a single body also acts on a frame of a robot, as a law of contact does.

    The frame is that of a platform: at its centre of mass, z towards what it hangs from. There is no ground in it.
    """

    def begin(self, world_H_frame: Array, ground: Ground) -> Array:
        """Nothing is remembered (..., 0)."""
        if self.bodies != 1:
            raise ArgumentError(f"the suspension holds {self.bodies} bodies; one that acts on a frame holds one")
        return zeros((0,), world_H_frame[..., 0, :])

    def wrench(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground) -> Array:
        """The wrench (..., 6) on the frame; twist and wrench are mixed."""
        body_twist = change_twist(twist, "mixed", "body", world_H_frame)
        return change_wrench(self.wrenches(world_H_frame[..., None, :, :], body_twist), "body", "mixed", world_H_frame)

    def remember(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground, dt: object) -> Array:
        """The memory as it is."""
        return memory


def _refuse(residual: Array, tolerance: float, what: str, unit: str) -> None:
    """Raise, with the largest residual, unless all are small."""
    wrong = ~(np.abs(residual) <= tolerance)
    if wrong.any():
        row = tuple(np.argwhere(wrong)[0][:-1])
        shown = ", ".join(f"{x:.6g}" for x in residual[row])
        raise StateError(f"{what}{_row(row)}: the residual is ({shown}) {unit}; it must be below {tolerance:g} {unit}")


def _row(place: tuple[int, ...]) -> str:
    return f" in state {place[0] if len(place) == 1 else place}" if place else ""
