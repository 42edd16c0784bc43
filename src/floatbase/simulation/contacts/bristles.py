r"""Points that are held by a spring to the place where they touched the ground, until they slip.

Along the normal, $f_n = \max(0, k \delta - b u_n)$. Tangentially a spring and a damper pull the point at $x$ towards an
anchor $a$ in the ground, which is where it touched down,

$$ \hat f_t = k_t\, e - b_t\, u_t, \quad e = (1 - n n^\top)(a - x), \qquad
   f_t = \hat f_t \min\Bigl(1, \frac{\mu f_n}{|\hat f_t|}\Bigr) . $$

Where the friction cone limits the force, the anchor slips: the spring and the damper, in series with a sliding block,
are under the force $f_t$, and their stretch follows $k_t e + b_t \dot e = f_t$, in a step of backward Euler
(P. Cundall and O. Strack, 1979, have the block without the damper). What slips dissipates, and a point under a load
within the cone stays for ever, which regularised friction does not do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.simulation.arrays import stacked
from floatbase.simulation.contacts.implicit import Springs
from floatbase.simulation.contacts.points import (
    PointContact,
    Touch,
    as_vector,
    chosen,
    limited,
    positive_part,
    relaxed,
    switched,
)
from floatbase.simulation.laws import Ground, Number, require_not_negative, require_positive
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array
from floatbase.spatial.rotations import real
from floatbase.spatial.vectors import Vector

_ENTRIES = 4  # of the memory of a point: 1 if it touches, and the anchor


@dataclass(frozen=True)
class BristleContact(PointContact):
    """Stiffnesses in N/m and dampings in N s/m of each point, along the normal and tangentially; friction."""

    stiffness: Number = 1e5
    damping: Number = 1e3
    tangential_stiffness: Number = 1e5
    tangential_damping: Number = 1e3
    friction: Number = 0.7

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(stiffness=self.stiffness, tangential_stiffness=self.tangential_stiffness)
        require_not_negative(damping=self.damping, tangential_damping=self.tangential_damping, friction=self.friction)

    @property
    def memory_size(self) -> int:
        """Four numbers for each point."""
        return _ENTRIES * len(self.points)

    def begin(self, world_H_frame: Array, ground: Ground) -> Array:
        """Points that touch are anchored where they are."""
        at_rest = 0.0 * world_H_frame[..., 0, :1] * np.ones(6)
        nowhere = 0.0 * world_H_frame[..., 0, :1] * np.ones(self.memory_size)
        return self.remember(world_H_frame, at_rest, nowhere, ground, 1.0)

    def force(self, touch: Touch, memory: Array) -> Vector:
        """The force of the ground on a point that touches it."""
        pressing, pulling, _ = self._forces(touch, self._stretch(touch, memory))
        return vectors.add(vectors.scale(pressing, touch.normal), pulling)

    def springs(self, touch: Touch, memory: Array) -> Springs:
        """Nothing for a point that does not press; a bristle that slips is weaker in proportion."""
        stretch = self._stretch(touch, memory)
        pressing, pulling, slips = self._forces(touch, stretch)
        presses = real(pressing) > 0.0
        free = self._pulling(touch, stretch)
        square = vectors.dot(free, free)
        share = np.where(slips, np.sqrt(vectors.dot(pulling, pulling) / np.where(slips, square, 1.0)), 1.0)[()]
        values = (
            self.stiffness * touch.stiffness,
            self.damping * touch.damping,
            share * self.tangential_stiffness * touch.stiffness,
            share * self.tangential_damping * touch.damping,
        )
        return Springs(*(switched(presses, value) for value in values))

    def remember(self, world_H_frame: Array, twist: Array, memory: Array, ground: Ground, dt: Any) -> Array:
        """Anchors slip where the cone is reached; points that part forget theirs."""
        entries: list[Any] = []
        for touch, own in self.touches(world_H_frame, twist, memory, ground):
            stretch = self._stretch(touch, own)
            _, pulling, slips = self._forces(touch, stretch)
            before = vectors.add(stretch, vectors.scale(dt, touch.sliding))
            stiffness = self.tangential_stiffness * touch.stiffness
            slipped = relaxed(before, pulling, stiffness, self.tangential_damping * touch.damping, dt)
            known = real(own[..., 0][()]) > 0.5
            kept = chosen(known, chosen(slips, slipped, stretch), vectors.ZERO)
            inside = real(touch.depth) > 0.0
            anchor = vectors.add(touch.place, kept)
            entries += [switched(inside, 1.0), *(switched(inside, entry) for entry in anchor)]
        return stacked(*entries)

    def _stretch(self, touch: Touch, memory: Array) -> Vector:
        """From the point to its anchor, in the tangent plane; nothing for a point that touches for the first time."""
        anchor = as_vector(memory[..., 1:])
        away = vectors.subtract(anchor, touch.place)
        away = vectors.subtract(away, vectors.scale(vectors.dot(away, touch.normal), touch.normal))
        return chosen(real(memory[..., 0][()]) > 0.5, away, vectors.ZERO)

    def _forces(self, touch: Touch, stretch: Vector) -> tuple[Any, Vector, Any]:
        """The normal force, the tangential one, and whether it is at its limit."""
        elastic = self.stiffness * touch.stiffness * touch.depth
        pressing = positive_part(elastic - self.damping * touch.damping * touch.parting)
        pulling, slips = limited(self._pulling(touch, stretch), self.friction * pressing)
        return pressing, pulling, slips

    def _pulling(self, touch: Touch, stretch: Vector) -> Vector:
        """The tangential force without a limit."""
        return vectors.subtract(
            vectors.scale(self.tangential_stiffness * touch.stiffness, stretch),
            vectors.scale(self.tangential_damping * touch.damping, touch.sliding),
        )
