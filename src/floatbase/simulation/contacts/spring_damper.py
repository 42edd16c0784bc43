r"""Springs and dampers at points, with friction that depends on the velocity alone.

With the depth $\delta$ and the velocities of `points`,

$$ f_n = \max(0, k \delta - b\, u_n), \qquad f_t = -\mu f_n \frac{u_t}{\sqrt{|u_t|^2 + \epsilon^2}} . $$

Nothing is remembered, so that a point under load creeps: friction of $\mu f_n$ and less is that of a damper of
$\mu f_n / \epsilon$. Bristles (`bristles`) hold it in place.
"""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.simulation.contacts.points import PointContact, Touch, positive_part, regularized_coulomb
from floatbase.simulation.laws import Number, require_not_negative, require_positive
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array
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
        elastic = self.stiffness * touch.stiffness * touch.depth
        pressing = positive_part(elastic - self.damping * touch.damping * touch.parting)
        friction = regularized_coulomb(self.friction, pressing, touch.sliding, self.slip_speed)
        return vectors.add(vectors.scale(pressing, touch.normal), friction)
