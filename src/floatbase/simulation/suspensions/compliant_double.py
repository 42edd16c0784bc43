r"""Compliant suspension of hook and platform: the hook slides on a cable, the platform hangs from it on another.

The hook can move along its own z axis alone, which points to the suspension point: two rows $A_r$ hold it, and an axial
spring $k_H (\rho_H - l_H)$ pulls it up. The platform hangs from the hook as from the suspension point in `compliant`,
with the place of the hook in its stead, and pulls the hook by the opposite force, which is missing in print, (3.7).
Damping is that of the rows of the rigid double pendulum, $\Pi D \Pi V$ for both bodies; rows of a slack cable are left
out. Rothammer 2021, (3.5)-(3.7) with the sign of l corrected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from floatbase.simulation.laws import Number, require_not_negative, require_place, require_positive
from floatbase.simulation.suspensions import equations
from floatbase.simulation.suspensions.compliant import (
    SpringLaw,
    damped,
    damping_weights,
    require_law,
    spring_between,
)
from floatbase.simulation.suspensions.suspension import Suspension
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.rotations import real


@dataclass(frozen=True)
class CompliantDoublePendulum(Suspension):
    """A hook on a cable of `hook_length` [m] from `point` in the world, a platform on one of `platform_length` below.

    hook_stiffness [N/m] is along the hook's cable; stiffness [N/m] along the platform's, torsion [N m/rad] against
    turns of the platform's z axis away from it. Dampings [N s/m], [N m s/rad] weigh what the rigid double pendulum
    would not allow each body.
    """

    hook_length: Number
    platform_length: Number
    hook_stiffness: Number
    stiffness: Number
    torsion: Number
    hook_damping: Number = 0.0
    hook_torsion_damping: Number = 0.0
    damping: Number = 0.0
    torsion_damping: Number = 0.0
    law: SpringLaw = "consistent"
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    bodies: ClassVar[int] = 2
    rows: ClassVar[int] = 2

    def __post_init__(self) -> None:
        require_positive(
            hook_length=self.hook_length,
            platform_length=self.platform_length,
            hook_stiffness=self.hook_stiffness,
            stiffness=self.stiffness,
            torsion=self.torsion,
        )
        require_not_negative(
            hook_damping=self.hook_damping,
            hook_torsion_damping=self.hook_torsion_damping,
            damping=self.damping,
            torsion_damping=self.torsion_damping,
        )
        require_law(self.law)
        require_place(point=self.point)

    def constraint(self, world_H_bodies: Array) -> Array:
        """`A` (..., 2, 12): the suspension point, fixed to the hook, does not move sideways."""
        return self._wide(equations.lateral_rows(self._hook_distance(world_H_bodies)))

    def constraint_rate(self, world_H_bodies: Array, twists: Array) -> Array:
        """Derivative (..., 2, 12) of A: the distance falls at the hook's velocity along its z axis."""
        return self._wide(equations.lateral_rows_rate(-twists[..., 2]))

    def deviation(self, world_H_bodies: Array) -> Array:
        """Where the hook's z axis passes beside the suspension point (..., 2), in its axes, m."""
        hook = world_H_bodies[..., 0, :, :]
        seen = apply_matrix(transpose(rotation_of(hook)), position_of(hook) - np.array(self.point))
        return seen[..., :2]

    def wrenches(self, world_H_bodies: Array, twists: Array) -> Array:
        """The wrenches (..., 12) of springs and dampers on hook and platform, in their frames."""
        return self._spring_wrenches(world_H_bodies) - self._damping_wrenches(world_H_bodies, twists)

    def energy(self, world_H_bodies: Array) -> Array:
        """The energy (...) of both springs."""
        stretch, is_taut = self._hook_stretch(world_H_bodies)
        hook = np.where(is_taut, 0.5 * self.hook_stiffness * stretch * stretch, 0.0)
        return hook + self._platform_spring(world_H_bodies).energy

    def dissipation(self, world_H_bodies: Array, twists: Array) -> Array:
        """The power (...) that damping takes; as printed it can be negative."""
        return np.sum(self._damping_wrenches(world_H_bodies, twists) * twists, axis=-1)

    def slack(self, world_H_bodies: Array) -> Array:
        """By how much the cables of hook and platform (..., 2) are longer than the distances."""
        hook = self.hook_length - self._hook_distance(world_H_bodies)
        platform = self.platform_length - self._platform_spring(world_H_bodies).distance
        return np.stack([hook, platform], axis=-1)

    def _hook_distance(self, world_H_bodies: Array) -> Any:
        """Distance (...) along the hook's z axis to the suspension point."""
        hook = world_H_bodies[..., 0, :, :]
        z = rotation_of(hook)[..., 2]
        return np.sum(z * (np.array(self.point) - position_of(hook)), axis=-1)

    def _hook_stretch(self, world_H_bodies: Array) -> tuple[Any, Any]:
        stretch = self._hook_distance(world_H_bodies) - self.hook_length
        return stretch, real(stretch) > 0.0

    def _platform_spring(self, world_H_bodies: Array) -> equations.Spring:
        hook, platform = world_H_bodies[..., 0, :, :], world_H_bodies[..., 1, :, :]
        offset = position_of(platform) - position_of(hook)
        return spring_between(offset, platform, self.platform_length, self.stiffness, self.torsion, self.law)

    def _spring_wrenches(self, world_H_bodies: Array) -> Array:
        """(..., 12), linear first."""
        world_R_hook = rotation_of(world_H_bodies[..., 0, :, :])
        world_R_platform = rotation_of(world_H_bodies[..., 1, :, :])
        stretch, is_taut = self._hook_stretch(world_H_bodies)
        pull = np.where(is_taut, self.hook_stiffness * stretch, 0.0)
        spring = self._platform_spring(world_H_bodies)
        along = equations.hanging(-pull, spring.force)
        if self.law == "consistent":  # the platform's cable pulls the hook, too
            along = along - apply_matrix(transpose(world_R_hook), spring.force)
        force = apply_matrix(transpose(world_R_platform), spring.force)
        moment = apply_matrix(transpose(world_R_platform), spring.moment)
        return np.concatenate([along, 0.0 * along, force, moment], axis=-1)

    def _damping_wrenches(self, world_H_bodies: Array, twists: Array) -> Array:
        """What damping takes from the wrenches (..., 12), linear first."""
        R = rotation_of(world_H_bodies)
        A = equations.double_pendulum_rows(R[..., 0, :, :], R[..., 1, :, :], self.hook_length, self.platform_length)
        _, hook_is_taut = self._hook_stretch(world_H_bodies)
        is_taut = self._platform_spring(world_H_bodies).is_taut
        held = np.stack([hook_is_taut] * 3 + [is_taut] * 3, axis=-1)
        hook = damping_weights(self.hook_torsion_damping, self.hook_damping)
        platform = damping_weights(self.torsion_damping, self.damping)
        weights = np.concatenate(np.broadcast_arrays(hook, platform, subok=True), axis=-1)
        return equations.linear_first(damped(A, held, weights, equations.linear_first(twists), self.law))

    def _check_attitudes(self, world_H_bodies: Array) -> None:
        self._platform_spring(world_H_bodies)

    def _wide(self, hook_rows: Array) -> Array:
        """Rows for the hook (..., 2, 6), angular first, as rows for both bodies, linear first."""
        rows = equations.linear_first(hook_rows)
        return np.concatenate([rows, 0.0 * rows], axis=-1)
