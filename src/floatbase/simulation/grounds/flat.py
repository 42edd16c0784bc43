r"""Flat ground, level or inclined.

A slope of angle $\alpha$ that rises in the direction $\beta$ from the x axis has

$$ h(x, y) = h_0 + \tan\alpha\, (x \cos\beta + y \sin\beta), \qquad
   n = (-\sin\alpha \cos\beta,\ -\sin\alpha \sin\beta,\ \cos\alpha) . $$
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.arrays import stacked
from floatbase.simulation.grounds.textured import TexturedGround
from floatbase.simulation.laws import Number, require_finite
from floatbase.spatial.arrays import Array

_STEEPEST = np.deg2rad(85.0)


@dataclass(frozen=True)
class Flat(TexturedGround):
    """Level ground."""

    level: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite(level=self.level)

    def height(self, x: Any, y: Any) -> Any:
        """The level."""
        return self.level

    def normal(self, x: Any, y: Any) -> Array:
        """Straight up."""
        return np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class Slope(TexturedGround):
    """A plane of an inclination that rises in a direction, both angles in rad; its height at the origin is `level`."""

    inclination: Number
    direction: Number = 0.0
    level: Number = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        require_finite(inclination=self.inclination, direction=self.direction, level=self.level)
        angle = np.asarray(self.inclination)
        if angle.dtype != object and np.max(np.abs(angle)) > _STEEPEST:
            raise ArgumentError(
                f"inclination is {self.inclination!r} rad; it must be at most {_STEEPEST:.4g} (85 degrees)"
            )

    def height(self, x: Any, y: Any) -> Any:
        """The plane's height."""
        return self.level + np.tan(self.inclination) * (np.cos(self.direction) * x + np.sin(self.direction) * y)

    def normal(self, x: Any, y: Any) -> Array:
        """The plane's normal."""
        sine = np.sin(self.inclination)
        return stacked(-sine * np.cos(self.direction), -sine * np.sin(self.direction), np.cos(self.inclination))
