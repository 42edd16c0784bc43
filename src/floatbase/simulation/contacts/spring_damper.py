r"""Springs and dampers at points, with friction that depends on the velocity alone.

With the depth $\delta$ and the velocities of `points`,

$$ f_n = \max(0, k \delta - b\, u_n), \qquad f_t = -\mu f_n \frac{u_t}{\sqrt{|u_t|^2 + \epsilon^2}} . $$

Nothing is remembered, so that a point under load creeps: friction of $\mu f_n$ and less is that of a damper of
$\mu f_n / \epsilon$. Bristles (`bristles`) hold it in place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

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


@dataclass(frozen=True)
class SpringDamperContact(PointContact):
    """Stiffness in N/m, damping in N s/m, of each point; coefficient of friction; slip speed epsilon in m/s."""

    stiffness: Number = 1e5
    damping: Number = 1e3
    friction: Number = 0.7
    slip_speed: Number = 1e-2

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(stiffness=self.stiffness, slip_speed=self.slip_speed)
        require_not_negative(damping=self.damping, friction=self.friction)

    def force(self, touch: Touch, memory: Array) -> Vector:
        """The force of the ground on a point that touches it."""
        pressing = self._pressing(touch)
        friction = regularized_coulomb(self.friction, pressing, touch.sliding, self.slip_speed)
        return vectors.add(vectors.scale(pressing, touch.normal), friction)

    def springs(self, touch: Touch, memory: Array) -> Springs:
        """Nothing for a point that does not press."""
        pressing = self._pressing(touch)
        presses = real(pressing) > 0.0
        stiffness = switched(presses, self.stiffness * touch.stiffness)
        damping = switched(presses, self.damping * touch.damping)
        viscous = friction_damping(self.friction, pressing, touch.sliding, self.slip_speed)
        return Springs(stiffness, damping, 0.0 * pressing, viscous)

    def _pressing(self, touch: Touch) -> Any:
        elastic = self.stiffness * touch.stiffness * touch.depth
        return positive_part(elastic - self.damping * touch.damping * touch.parting)
