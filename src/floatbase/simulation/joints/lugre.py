r"""The LuGre model of friction: bristles that bend before they slip.

With the deflection $z$ of the bristles,

$$ \varphi = \frac{F_c + (F_s - F_c)\, e^{-|\dot q / V_s|^{E_s}}}{\sigma_0}, \qquad
   \dot z = \dot q - \frac{|\dot q|}{\varphi}\, z, \qquad
   \zeta = \sigma_0 z + \sigma_1 \dot z + \sigma_2 \dot q . $$

At a constant velocity $\zeta$ tends to Stribeck's curve with the viscous friction $\sigma_2$.

Bristles are stiff, so in a step of time $dt$ they move by backward Euler: with $a = |\dot q| / \varphi$,

$$ z^+ = \frac{z + \dot q\, dt}{1 + a\, dt}, \qquad
   \zeta = \frac{\sigma_0\, (z + \dot q\, dt) + \sigma_1\, (\dot q - a\, z)}{1 + a\, dt} + \sigma_2 \dot q ,
   \qquad D = \frac{\sigma_0\, dt + \sigma_1}{1 + a\, dt} + \sigma_2 , $$

which is $\sigma_0 z^+ + \sigma_1 (z^+ - z) / dt + \sigma_2 \dot q$. However long the step, $|z^+|$ is at most the
larger of $|z|$ and $\varphi$. In an implicit step, $D$ (for $a$ as it is) makes a spring of bristles that stick and
the secant of Coulomb friction of those that slip, so that the step is stable in both. With $dt = 0$ the torque is the
model's.

Q. Leboutet, PhD thesis, TU Munich, 2022, figure 37, which names the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.simulation.joints.friction import FrictionLaw, stribeck_level
from floatbase.simulation.laws import Numbers, join, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, vector, zeros


@dataclass(frozen=True, eq=False)
class LuGreFriction(FrictionLaw):
    r"""Friction by bristles; remembers their deflections, rad, and the time step.

    coulomb, static: levels, N m, greater than 0. speed, exponent: of the way from one to the other, rad/s.
    bristle_stiffness, bristle_damping: $\sigma_0$, N m/rad, and $\sigma_1$, N m s/rad. viscous: $\sigma_2$, N m s/rad.
    """

    coulomb: Numbers
    static: Numbers
    speed: Numbers
    bristle_stiffness: Numbers
    bristle_damping: Numbers = 0.0
    viscous: Numbers = 0.0
    exponent: Numbers = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(
            coulomb=self.coulomb,
            static=self.static,
            speed=self.speed,
            bristle_stiffness=self.bristle_stiffness,
            exponent=self.exponent,
        )
        require_not_negative(bristle_damping=self.bristle_damping, viscous=self.viscous)

    def slip(self, velocity: Array) -> Array:
        r"""The rate $a = |v| / \varphi$ at which bristles forget, 1/s."""
        level = stribeck_level(velocity, self.coulomb, self.static, self.speed, self.exponent)
        return np.abs(velocity) * self.bristle_stiffness / level

    def memory_size(self, joints: int) -> int:
        """Deflections, and the time step."""
        return joints + 1

    def begin(self, position: Array, velocity: Array) -> Array:
        """Bristles that are not bent."""
        return zeros((position.shape[-1] + 1,), position, velocity)

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """Remember how long the step is."""
        return join([memory[..., :-1], vector([dt], position, velocity)])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Minus the friction at the end of the step, if the velocity is that at its end."""
        z, dt, a = memory[..., :-1], memory[..., -1:], self.slip(velocity)
        bristles = self.bristle_stiffness * (z + velocity * dt) + self.bristle_damping * (velocity - a * z)
        return -(bristles / (1.0 + a * dt) + self.viscous * velocity)

    def remember(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The deflections that a step with this velocity at its end leaves."""
        step = vector([dt], position, velocity)
        z = (memory[..., :-1] + velocity * step) / (1.0 + self.slip(velocity) * step)
        return join([z, step])

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the bristles, with what their stiffness does within the step, and viscous friction."""
        dt = memory[..., -1:]
        bristles = (self.bristle_stiffness * dt + self.bristle_damping) / (1.0 + self.slip(velocity) * dt)
        return bristles + self.viscous
