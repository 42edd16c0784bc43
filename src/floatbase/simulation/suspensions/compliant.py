r"""Compliant suspension of one body: a cable that stretches, held in the body's z axis by a spring against turning.

With the spring of `equations.compliant_spring` and the part $\Pi V$ of the twist that a rigid pendulum would not allow,
$\Pi = A^\top (A A^\top)^{-1} A$, the wrench on the platform is

$$ f = \begin{bmatrix} R^\top \tau \\ R^\top \varphi \end{bmatrix} - \Pi D\, \Pi\, V, \qquad
   D = \mathrm{blkdiag}(d_r 1,\ d_t 1) $$

(angular first). As printed, (3.4) has $D\, \Pi V$, which is not dissipative where $d_r \ne d_t$, and a spring that is
not conservative: with identified gains the swing of the model grows. That is `law="printed"`, to compare with.

A slack cable does nothing, so that the moment of the spring against turning appears at once when the cable becomes
taut, and with it an energy of $\frac12 k_r \theta^2$. $\Pi$ weighs rad/s and m/s alike. Rothammer 2021, (3.4).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import Number, require_not_negative, require_place, require_positive
from floatbase.simulation.suspensions import equations
from floatbase.simulation.suspensions.suspension import FrameSuspension
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.rotations import real

SpringLaw = Literal["consistent", "printed"]


@dataclass(frozen=True)
class CompliantPendulum(FrameSuspension):
    """A platform on a cable of length `length` [m] from `point` in the world.

    stiffness [N/m] and damping [N s/m] are along the cable, torsion [N m/rad] and torsion_damping [N m s/rad] against
    turns of the platform's z axis away from it.
    unilateral: whether the wrench is none, too, where damping makes the cable push.
    """

    length: Number
    stiffness: Number
    torsion: Number
    damping: Number = 0.0
    torsion_damping: Number = 0.0
    law: SpringLaw = "consistent"
    unilateral: bool = False
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    bodies: ClassVar[int] = 1

    def __post_init__(self) -> None:
        require_positive(length=self.length, stiffness=self.stiffness, torsion=self.torsion)
        require_not_negative(damping=self.damping, torsion_damping=self.torsion_damping)
        require_law(self.law)
        require_place(point=self.point)

    def wrenches(self, world_H_bodies: Array, twists: Array) -> Array:
        """The wrench (..., 6) of spring and damper on the platform, in its frame."""
        spring, f = self._spring_wrench(world_H_bodies)
        return f - self._damping_wrench(spring, f, world_H_bodies, twists)

    def energy(self, world_H_bodies: Array) -> Array:
        """The energy (...) of the spring."""
        return self._spring(world_H_bodies).energy

    def dissipation(self, world_H_bodies: Array, twists: Array) -> Array:
        """The power (...) that the damper takes; as printed it can be negative."""
        spring, f = self._spring_wrench(world_H_bodies)
        return np.sum(self._damping_wrench(spring, f, world_H_bodies, twists) * twists, axis=-1)

    def slack(self, world_H_bodies: Array) -> Array:
        """By how much the cable (..., 1) is longer than the distance."""
        return (self.length - self._spring(world_H_bodies).distance)[..., None]

    def misalignment(self, world_H_bodies: Array) -> Array:
        """The angle (...) between the platform's z axis and the direction to the suspension point."""
        return self._spring(world_H_bodies).angle

    def _spring(self, world_H_bodies: Array) -> equations.Spring:
        H = world_H_bodies[..., 0, :, :]
        offset = position_of(H) - np.array(self.point)
        return spring_between(offset, H, self.length, self.stiffness, self.torsion, self.law)

    def _spring_wrench(self, world_H_bodies: Array) -> tuple[equations.Spring, Array]:
        """The spring, and its wrench (..., 6) on the platform, linear first."""
        spring = self._spring(world_H_bodies)
        up = transpose(rotation_of(world_H_bodies[..., 0, :, :]))
        f = np.concatenate([apply_matrix(up, spring.force), apply_matrix(up, spring.moment)], axis=-1)
        return spring, f

    def _damping_wrench(self, spring: equations.Spring, f: Array, world_H_bodies: Array, twists: Array) -> Array:
        """What damping takes from the wrench (..., 6)."""
        A = equations.pendulum_rows(self.length, twists)
        held = np.broadcast_to(spring.is_taut[..., None], (*np.shape(spring.is_taut), 3))
        weights = damping_weights(self.torsion_damping, self.damping)
        taken = damped(A, held, weights, equations.linear_first(twists), self.law)
        taken = equations.linear_first(taken)
        if not self.unilateral:
            return taken
        up = apply_matrix(transpose(rotation_of(world_H_bodies[..., 0, :, :])), spring.up)
        pushes = real(np.sum((f - taken)[..., :3] * up, axis=-1)) < 0.0
        return np.where(pushes[..., None], f, taken)

    def _check_attitudes(self, world_H_bodies: Array) -> None:
        self._spring(world_H_bodies)


def spring_between(
    offset: Array, world_H_body: Array, length: Number, stiffness: Number, torsion: Number, law: SpringLaw
) -> equations.Spring:
    """The spring on a body at an offset (..., 3) from the cable's upper end."""
    z = rotation_of(world_H_body)[..., 2]
    return equations.compliant_spring(offset, z, stiffness, torsion, length, law == "printed")


def damping_weights(torsion_damping: Number, damping: Number) -> Array:
    """The diagonal (..., 6) of D of one body, angular first."""
    d_r, d_t = np.broadcast_arrays(torsion_damping, damping, subok=True)
    return np.stack([d_r] * 3 + [d_t] * 3, axis=-1)


def damped(A: Array, is_held: Array, weights: Array, V: Array, law: SpringLaw) -> Array:
    r"""$\Pi D \Pi V$ (..., n), or $D \Pi V$ as printed, for the rows (..., c) that are held; angular first."""
    taken = weights * equations.constrained_part(A, is_held, V)
    return taken if law == "printed" else equations.constrained_part(A, is_held, taken)


def require_law(law: str) -> None:
    """Refuse a law that there is not."""
    if law not in get_args(SpringLaw):
        raise ArgumentError(f"law is {law!r}; the valid choices are {', '.join(get_args(SpringLaw))}")
