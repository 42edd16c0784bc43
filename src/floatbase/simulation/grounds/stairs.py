r"""Stairs: steps of one rise and one run, with edges that are ramps of a short length.

Along the direction of the stairs, the first step is reached where they begin, and one more after each run. Over the
last few millimetres before a step, its edge, the height is a cubic with level ends: a vertical face would have no
normal, and give a wrench that jumps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.arrays import stacked
from floatbase.simulation.grounds.textured import TexturedGround
from floatbase.simulation.laws import Number, require_finite, require_positive
from floatbase.spatial.arrays import Array
from floatbase.spatial.rotations import real


@dataclass(frozen=True)
class Stairs(TexturedGround):
    """So many steps of a rise (down if it is negative) and a run, in m, from `start` on along a direction in rad.

    edge: the length in m over which the ground goes up to the next step, shorter than the run.
    """

    rise: Number
    run: Number
    count: Number = 1e6
    start: Number = 0.0
    direction: Number = 0.0
    level: Number = 0.0
    edge: Number = 5e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite(rise=self.rise, start=self.start, direction=self.direction, level=self.level)
        require_positive(run=self.run, count=self.count, edge=self.edge)
        run, edge = np.asarray(self.run), np.asarray(self.edge)
        if run.dtype != object and edge.dtype != object and np.any(edge >= run):
            raise ArgumentError(f"edge is {self.edge!r}; it must be shorter than the run, {self.run!r}")

    def height(self, x: Any, y: Any) -> Any:
        """The height of the step, or of the edge between two."""
        return self.level + self.rise * self._steps(x, y)[0]

    def normal(self, x: Any, y: Any) -> Array:
        """Straight up on the steps, inclined on the edges."""
        slope = self.rise * self._steps(x, y)[1]
        factor = 1.0 / np.sqrt(1.0 + slope * slope)
        along = -slope * factor
        return stacked(along * np.cos(self.direction), along * np.sin(self.direction), factor)

    def _steps(self, x: Any, y: Any) -> tuple[Any, Any]:
        """How many steps up, with a fraction on an edge, and the derivative of that by the distance."""
        distance = np.cos(self.direction) * x + np.sin(self.direction) * y - self.start
        runs = distance / self.run + 1.0  # the first edge ends where the stairs begin
        below, above = real(runs) < 0.0, real(runs) >= real(self.count)
        step = np.clip(np.floor(real(runs)), 0.0, self.count)
        part = self.edge / self.run
        ramp = (runs - step - 1.0) / part + 1.0
        flat = below | above | (real(ramp) <= 0.0)
        ramp = np.where(flat, 0.0, ramp)[()]
        fraction = ramp * ramp * (3.0 - 2.0 * ramp)
        return step + fraction, 6.0 * ramp * (1.0 - ramp) / self.edge
