r"""Ground whose height is given at the nodes of a grid.

The normal is that of the interpolated surface, $n = (-\partial_x h, -\partial_y h, 1) / |\cdot|$, whatever the
interpolation. Heights are read from a table inside the program, so that a step of a simulation stays one kernel.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.arrays import stacked
from floatbase.simulation.grounds.grid import Grid
from floatbase.simulation.grounds.textured import TexturedGround
from floatbase.spatial.arrays import Array


@dataclass(frozen=True, eq=False)
class HeightField(TexturedGround):
    """Heights (n, m) at x (n,) and y (m,), both increasing and evenly spaced.

    interpolation: "bicubic", with continuous normals, or "bilinear", which stays between the heights of a cell's
    corners. Beyond the grid, the ground goes on level from the edge.
    """

    x: np.ndarray
    y: np.ndarray
    heights: np.ndarray
    interpolation: Literal["bicubic", "bilinear"] = "bicubic"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.interpolation not in ("bicubic", "bilinear"):
            raise ArgumentError(f"interpolation is {self.interpolation!r}; the valid choices are bicubic, bilinear")
        _ = self.grid  # made now, so that what is wrong with the heights is said here

    @classmethod
    def of_function(cls, function: Callable[[Any, Any], Any], x: np.ndarray, y: np.ndarray, **settings: Any) -> Self:
        """The ground through the values of `function(x, y)` at the nodes."""
        heights = np.broadcast_to(function(x[:, None], y[None, :]), (len(x), len(y)))
        return cls(x, y, np.array(heights, dtype=float), **settings)

    @cached_property
    def grid(self) -> Grid:
        """The polynomials of the cells."""
        make = Grid.bicubic if self.interpolation == "bicubic" else Grid.bilinear
        return make(self.x, self.y, self.heights, "heights")

    def height(self, x: Any, y: Any) -> Any:
        """The height of the interpolated surface."""
        return self.grid.value(x, y)

    def normal(self, x: Any, y: Any) -> Array:
        """The normal of the interpolated surface."""
        _, along_x, along_y = self.grid.value_and_slopes(x, y)
        factor = 1.0 / np.sqrt(1.0 + along_x * along_x + along_y * along_y)
        return stacked(-along_x * factor, -along_y * factor, factor)
