r"""Contact whose damping grows with the depth, so that the force has no jump at touch-down.

$$ f_n = \max\bigl(0,\ k\, \delta^{p}\, (1 - \tfrac32 \alpha\, u_n)\bigr), \qquad
   f_t = -\mu f_n \frac{u_t}{\sqrt{|u_t|^2 + \epsilon^2}} $$

(K. Hunt and F. Crossley, 1975), where $p = 3/2$ is Hertz's exponent for spheres. Integrating $m u\,du = -f_n\,d\delta$
from touch-down at the speed $u_i$ to the deepest place and back gives the speed $u_o$ after a bounce, whatever the
mass, the stiffness and the exponent: with $c = \tfrac32 \alpha$,

$$ c u_i - \ln(1 + c u_i) = - c u_o - \ln(1 - c u_o) , $$

of which $u_o / u_i = 1 - \alpha u_i$ is the first approximation for slow impacts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.simulation.contacts.implicit import Springs
from floatbase.simulation.contacts.points import (
    PointContact,
    Touch,
    friction_damping,
    positive_part,
    regularized_coulomb,
    switched,
)
from floatbase.simulation.laws import Number, require_not_negative, require_positive
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array
from floatbase.spatial.rotations import real
from floatbase.spatial.vectors import Vector

_BISECTIONS = 60


@dataclass(frozen=True)
class HuntCrossleyContact(PointContact):
    """Stiffness in N/m^exponent, of each point; dissipation alpha in s/m; friction; slip speed epsilon in m/s."""

    stiffness: Number = 1e6
    dissipation: Number = 0.3
    exponent: Number = 1.5
    friction: Number = 0.7
    slip_speed: Number = 1e-2

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(stiffness=self.stiffness, exponent=self.exponent, slip_speed=self.slip_speed)
        require_not_negative(dissipation=self.dissipation, friction=self.friction)

    def force(self, touch: Touch, memory: Array) -> Vector:
        """The force of the ground on a point that touches it."""
        pressing, _ = self._pressing(touch)
        friction = regularized_coulomb(self.friction, pressing, touch.sliding, self.slip_speed)
        return vectors.add(vectors.scale(pressing, touch.normal), friction)

    def springs(self, touch: Touch, memory: Array) -> Springs:
        """Nothing for a point that does not press."""
        pressing, elastic = self._pressing(touch)
        inside = real(touch.depth) > 0.0
        stiffness = self.exponent * pressing / np.where(inside, touch.depth, 1.0)[()]
        damping = switched(real(pressing) > 0.0, 1.5 * self.dissipation * touch.damping * elastic)
        viscous = friction_damping(self.friction, pressing, touch.sliding, self.slip_speed)
        return Springs(stiffness, damping, 0.0 * pressing, viscous)

    def _pressing(self, touch: Touch) -> tuple[Any, Any]:
        """The normal force, and what it is at rest."""
        inside = real(touch.depth) > 0.0
        power = np.where(inside, touch.depth, 1.0)[()] ** self.exponent
        elastic = switched(inside, self.stiffness * touch.stiffness * power)
        damping = 1.0 - 1.5 * self.dissipation * touch.damping * touch.parting
        return positive_part(elastic * damping), elastic


def restitution(dissipation: Array, speed: Array) -> Array:
    """Speed after a bounce over the speed before it, for a dissipation alpha in s/m and a speed in m/s, both (...)."""
    require_not_negative(dissipation=dissipation, speed=speed)
    before = 1.5 * np.asarray(dissipation, dtype=float) * np.asarray(speed, dtype=float)
    wanted = before - np.log1p(before)
    low, high = np.zeros_like(before), np.minimum(before, 1.0)
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        with np.errstate(divide="ignore"):
            below = -middle - np.log1p(-middle) < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.where(before > 0.0, 0.5 * (low + high) / np.where(before > 0.0, before, 1.0), 1.0)
