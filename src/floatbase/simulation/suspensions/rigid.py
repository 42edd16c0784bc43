r"""Rigid suspensions: a platform on a rod from a point of the world, and one on a hook on a rod.

The constraint of the pendulum says that the point of the platform at $(0, 0, l)$ does not move; that of the double
pendulum says so of the hook, and that hook and platform agree about the velocity of the hook's centre of mass. What is
suspended keeps 3 or 6 velocities. Rothammer 2021, (3.1)-(3.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from floatbase.simulation.laws import Number, require_place, require_positive
from floatbase.simulation.suspensions import equations
from floatbase.simulation.suspensions.suspension import Suspension
from floatbase.spatial.arrays import Array, apply_matrix, transpose, zeros
from floatbase.spatial.poses import position_of, rotation_of


@dataclass(frozen=True)
class RigidPendulum(Suspension):
    """A platform whose centre of mass is `length` [m] from the suspension point, `point` in the world."""

    length: Number
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    bodies: ClassVar[int] = 1
    rows: ClassVar[int] = 3

    def __post_init__(self) -> None:
        require_positive(length=self.length)
        require_place(point=self.point)

    def constraint(self, world_H_bodies: Array) -> Array:
        """`A` (..., 3, 6), constant: the velocity of the suspension point, in the platform's axes."""
        return equations.linear_first(equations.pendulum_rows(self.length, world_H_bodies[..., 0, 0, :]))

    def constraint_rate(self, world_H_bodies: Array, twists: Array) -> Array:
        """Zeros (..., 3, 6)."""
        return zeros((3, 6), twists)

    def deviation(self, world_H_bodies: Array) -> Array:
        """Where the platform puts its suspension point, from where that is (..., 3), in its axes, m."""
        return attached(world_H_bodies[..., 0, :, :], self.length, np.array(self.point))

    def slack(self, world_H_bodies: Array) -> Array:
        """No cables (..., 0): a rod."""
        return zeros((0,), world_H_bodies[..., 0, 0, :])


@dataclass(frozen=True)
class RigidDoublePendulum(Suspension):
    """A hook `hook_length` [m] from the suspension point, and a platform `platform_length` [m] from the hook."""

    hook_length: Number
    platform_length: Number
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    bodies: ClassVar[int] = 2
    rows: ClassVar[int] = 6

    def __post_init__(self) -> None:
        require_positive(hook_length=self.hook_length, platform_length=self.platform_length)
        require_place(point=self.point)

    def constraint(self, world_H_bodies: Array) -> Array:
        """`A` (..., 6, 12): velocities of the suspension point and of the hook."""
        R = rotation_of(world_H_bodies)
        A = equations.double_pendulum_rows(R[..., 0, :, :], R[..., 1, :, :], self.hook_length, self.platform_length)
        return equations.linear_first(A)

    def constraint_rate(self, world_H_bodies: Array, twists: Array) -> Array:
        """Derivative (..., 6, 12) of A: of the hook's attitude seen from the platform."""
        R = rotation_of(world_H_bodies)
        rate = equations.double_pendulum_rows_rate(
            R[..., 0, :, :], R[..., 1, :, :], twists[..., 3:6], twists[..., 9:12]
        )
        return equations.linear_first(rate)

    def deviation(self, world_H_bodies: Array) -> Array:
        """Where hook and platform put what they hang from, from where that is (..., 6), each in its axes, m."""
        hook, platform = world_H_bodies[..., 0, :, :], world_H_bodies[..., 1, :, :]
        above = attached(hook, self.hook_length, np.array(self.point))
        below = attached(platform, self.platform_length, position_of(hook))
        return np.concatenate([above, below], axis=-1)

    def slack(self, world_H_bodies: Array) -> Array:
        """No cables (..., 0): rods."""
        return zeros((0,), world_H_bodies[..., 0, 0, :])


def attached(world_H_body: Array, length: Number, point: Array) -> Array:
    """Where a body puts what it hangs from at a distance, from a point of the world (..., 3), in the body's axes."""
    r = equations.hanging(length, world_H_body[..., 0, :])
    return apply_matrix(transpose(rotation_of(world_H_body)), position_of(world_H_body) - point) - r
