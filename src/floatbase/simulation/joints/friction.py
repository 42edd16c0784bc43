r"""Friction that depends on the velocity alone: viscous and Coulomb friction, with or without the Stribeck effect.

The friction $\zeta$ of a joint is subtracted from the torque on it. With the velocity $\dot q$,

$$ \zeta = F_v\, \dot q + F_c\, \mathrm{sgn}\,\dot q, \qquad
   \zeta = F_v\, \dot q + \bigl[ F_c + (F_s - F_c)\, e^{-|\dot q / V_s|^{E_s}} \bigr]\, \mathrm{sgn}\,\dot q , $$

where $\mathrm{sgn}$ is either the sign, with $\mathrm{sgn}\, 0 = 0$, or $\tanh(\dot q / w)$ with a width $w$. Friction
dissipates: $\zeta\, \dot q \ge 0$.

For implicit steps, `damping` is the secant $\zeta / \dot q$ and not the derivative, so that

$$ (M + D\, dt)\, \dot q^+ = M\, \dot q + \tau\, dt . $$

A step of any length then slows a joint down and never reverses it, whether or not the friction is smooth or falls with
the velocity; a joint that a torque below $F_c$ pulls comes to rest. Where $\zeta$ is linear both are the same.

Q. Leboutet, PhD thesis, TU Munich, 2022, (155) and figure 37, which names the second form.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.simulation.laws import JointLaw, Numbers, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, zeros


def direction(velocity: Array, width: Any) -> Array:
    """The sign of a velocity, or tanh(velocity / width) where the width is positive."""
    smooth = np.greater(width, 0.0)
    return np.where(smooth, np.tanh(velocity / np.where(smooth, width, 1.0)), np.sign(velocity))


def per_speed(velocity: Array, width: Any) -> Array:
    """`direction / velocity`, which is not negative; at rest 1 / width, or 0 for the sign."""
    moving = np.not_equal(velocity, 0.0)
    at_rest = np.where(np.greater(width, 0.0), 1.0 / np.where(np.greater(width, 0.0), width, 1.0), 0.0)
    return np.where(moving, direction(velocity, width) / np.where(moving, velocity, 1.0), at_rest)


def stribeck_level(velocity: Array, coulomb: Any, static: Any, speed: Any, exponent: Any) -> Array:
    r"""$F_c + (F_s - F_c) \exp(-|\dot q / V_s|^{E_s})$, which is not negative."""
    return coulomb + (static - coulomb) * np.exp(-(np.abs(velocity / speed) ** exponent))


class FrictionLaw(JointLaw):
    """Base of laws of friction: they obey no command, and know where joints are by how they moved alone."""

    def command_size(self, joints: int) -> int:
        """None."""
        return 0

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: friction does not depend on the position."""
        return zeros((position.shape[-1],), position, velocity)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """There is no command to react to."""
        return zeros((0,), position, velocity)


class DryFriction(FrictionLaw):
    """Friction that is a function of the velocity."""

    @abstractmethod
    def secant(self, velocity: Array) -> Array:
        """The friction divided by the velocity (..., joints)."""

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Minus the friction."""
        return -self.friction(velocity)

    @abstractmethod
    def friction(self, velocity: Array) -> Array:
        """The friction (..., joints) that is subtracted from the torque."""

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The secant: see the beginning of this file."""
        return self.secant(velocity)


@dataclass(frozen=True, eq=False)
class ViscousCoulombFriction(DryFriction):
    """Viscous friction (N m s/rad) and Coulomb friction (N m).

    width: of the smoothed sign, rad/s; 0 is the sign itself.
    """

    viscous: Numbers
    coulomb: Numbers
    width: Numbers = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(viscous=self.viscous, coulomb=self.coulomb, width=self.width)

    def friction(self, velocity: Array) -> Array:
        """Viscous and Coulomb friction."""
        return self.viscous * velocity + self.coulomb * direction(velocity, self.width)

    def secant(self, velocity: Array) -> Array:
        """The friction divided by the velocity."""
        return self.viscous + self.coulomb * per_speed(velocity, self.width)


@dataclass(frozen=True, eq=False)
class StribeckFriction(DryFriction):
    """Friction that goes from a static to the Coulomb level as a joint gets going.

    viscous: N m s/rad. coulomb, static: levels, N m; the static one is the larger in nature, which is not asked.
    speed: at which the level has gone 1 - 1/e of the way, rad/s.
    """

    viscous: Numbers
    coulomb: Numbers
    static: Numbers
    speed: Numbers
    exponent: Numbers = 2.0
    width: Numbers = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(viscous=self.viscous, coulomb=self.coulomb, static=self.static, width=self.width)
        require_positive(speed=self.speed, exponent=self.exponent)

    def level(self, velocity: Array) -> Array:
        """Of the dry part."""
        return stribeck_level(velocity, self.coulomb, self.static, self.speed, self.exponent)

    def friction(self, velocity: Array) -> Array:
        """Viscous friction and the dry part."""
        return self.viscous * velocity + self.level(velocity) * direction(velocity, self.width)

    def secant(self, velocity: Array) -> Array:
        """The friction divided by the velocity."""
        return self.viscous + self.level(velocity) * per_speed(velocity, self.width)
