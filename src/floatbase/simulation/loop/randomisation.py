"""Robots that differ at random: masses, friction and gains, the same on every plant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.robot import Robot
from floatbase.spatial.arrays import Array

Range = tuple[float, float]


class Factors(NamedTuple):
    """What was drawn, None where nothing differs.

    inertial: (rows, 10 n_bodies), the parameters of all bodies; friction, gains: (rows,), factors.
    """

    inertial: Array | None
    friction: Array | None
    gains: Array | None


@dataclass(frozen=True)
class Randomisation:
    """Factors that are drawn evenly between two bounds, for each of `rows` robots.

    mass: of the inertial parameters of each body for itself; friction: of all contacts; gains: of the servos in the
    joints. Each is drawn from the seed alone, whichever of the others are given.
    """

    rows: int
    seed: int = 0
    mass: Range | None = None
    friction: Range | None = None
    gains: Range | None = None

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 1:
            raise ArgumentError(f"rows is {self.rows!r}; it must be a whole number, at least 1")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise ArgumentError(f"seed is {self.seed!r}; it must be a whole number, at least 0")
        for name in ("mass", "friction", "gains"):
            bounds = getattr(self, name)
            if bounds is not None and not (len(bounds) == 2 and 0.0 < bounds[0] <= bounds[1] < np.inf):
                raise ArgumentError(f"{name} is {bounds!r}; it must be two factors, 0 < lowest <= highest")

    def draw(self, robot: Robot) -> Factors:
        """The factors of all rows."""
        inertial = None
        bodies = len(robot.tree.bodies)
        if self.mass is not None:
            factors = self._drawn(0, self.mass, (self.rows, bodies, 1))
            inertial = (factors * robot.inertial_parameters.reshape(bodies, 10)).reshape(self.rows, -1)
        friction = None if self.friction is None else self._drawn(1, self.friction, (self.rows,))
        gains = None if self.gains is None else self._drawn(2, self.gains, (self.rows,))
        return Factors(inertial, friction, gains)

    def _drawn(self, number: int, bounds: Range, shape: tuple[int, ...]) -> Array:
        return np.random.default_rng([self.seed, number]).uniform(*bounds, shape)
