r"""How soft the ground is from place to place: factors of the stiffness and the damping of laws of contact.

A law of contact has a stiffness and a damping, those of a sole on hard ground, say; a ground multiplies them by factors
that depend on the place $(x, y)$.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.grounds.grid import Grid
from floatbase.simulation.laws import Law, Number, require_finite, require_not_negative, require_positive
from floatbase.spatial.rotations import real


class Softness(Law, ABC):
    """Factors of stiffness and damping as functions of the place."""

    @abstractmethod
    def factors(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The factors of the stiffness and of the damping at (x, y): numbers with batch axes, or symbols."""


@dataclass(frozen=True)
class Uniform(Softness):
    """The same factors everywhere."""

    stiffness: Number = 1.0
    damping: Number = 1.0

    def __post_init__(self) -> None:
        require_positive(stiffness=self.stiffness)
        require_not_negative(damping=self.damping)

    def factors(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The factors, whatever the place."""
        return self.stiffness, self.damping


@dataclass(frozen=True)
class Stripes(Softness):
    r"""Stripes of a width, every other one with the factors, the others with 1.

    direction: angle from the x axis to the direction across the stripes, in rad. The stripe that begins at the origin
    has the factors.
    """

    width: Number
    stiffness: Number
    damping: Number = 1.0
    direction: Number = 0.0

    def __post_init__(self) -> None:
        require_positive(width=self.width, stiffness=self.stiffness)
        require_not_negative(damping=self.damping)
        require_finite(direction=self.direction)

    def factors(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The factors of the stripe at a place."""
        across = np.cos(self.direction) * x + np.sin(self.direction) * y
        inside = _is_even(np.floor(real(across / self.width)))
        return np.where(inside, self.stiffness, 1.0)[()], np.where(inside, self.damping, 1.0)[()]


@dataclass(frozen=True)
class Checker(Softness):
    """Squares of a size like those of a chessboard: the one at the origin has the factors, its neighbours have 1."""

    size: Number
    stiffness: Number
    damping: Number = 1.0

    def __post_init__(self) -> None:
        require_positive(size=self.size, stiffness=self.stiffness)
        require_not_negative(damping=self.damping)

    def factors(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The factors of the square at a place."""
        inside = _is_even(np.floor(real(x / self.size)) + np.floor(real(y / self.size)))
        return np.where(inside, self.stiffness, 1.0)[()], np.where(inside, self.damping, 1.0)[()]


@dataclass(frozen=True, eq=False)
class SoftnessMap(Softness):
    """Factors given at the nodes of a grid, bilinear between them; beyond the grid, those of its edge.

    x: (n,), y: (m,), evenly spaced; stiffness, damping: (n, m), positive.
    """

    x: np.ndarray
    y: np.ndarray
    stiffness: np.ndarray
    damping: np.ndarray

    def __post_init__(self) -> None:
        _ = self.grids  # made now, so that what is wrong with the values is said here
        for name in ("stiffness", "damping"):
            if np.min(getattr(self, name)) <= 0:
                raise ArgumentError(f"{name} of the map has entries that are not positive; factors must be")

    @cached_property
    def grids(self) -> tuple[Grid, Grid]:
        """The polynomials of the cells, of the stiffness and of the damping."""
        stiffness = Grid.bilinear(self.x, self.y, self.stiffness, "stiffness")
        return stiffness, Grid.bilinear(self.x, self.y, self.damping, "damping")

    def factors(self, x: Any, y: Any) -> tuple[Any, Any]:
        """The factors between the nodes around a place."""
        stiffness, damping = self.grids
        return stiffness.value(x, y), damping.value(x, y)


def _is_even(number: Any) -> Any:
    return number - 2.0 * np.floor(0.5 * number) == 0.0
