r"""A distance between two places, as a massless rod with spherical joints at its ends keeps it.

With $p = p_2 - p_1$ and $u = p / |p|$ the row is $u \cdot \dot p$, its rate
$u \cdot \ddot p_0 + (|\dot p|^2 - (u \cdot \dot p)^2) / |p|$ with $\ddot p_0$ at $\dot\nu = 0$, and the residual
$|p| - l$. The multiplier is the force in the rod, positive where it pushes. A winch changes the length at
$w = \dot l$.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, driven_rows, tree_of
from floatbase.simulation.constraints.places import as_place, place_jacobian, place_motion, place_pose
from floatbase.simulation.laws import Number, require_positive
from floatbase.spatial.arrays import Array
from floatbase.spatial.poses import position_of
from floatbase.spatial.rotations import real

SMALLEST = 1e-9  # m: nearer to one another, the direction from one place to the other is rounding


@dataclass(frozen=True)
class Distance(Constraint):
    """Two places, frames by name, or None for the world, whose origins are `length` [m] apart.

    length_rate [m/s], length_acceleration [m/s^2]: of a rod that a drive makes longer.
    """

    first: Any
    second: Any
    length: Number
    length_rate: Number = 0.0
    length_acceleration: Number = 0.0

    def __post_init__(self) -> None:
        require_positive(length=self.length)
        object.__setattr__(self, "first", as_place(self.first))
        object.__setattr__(self, "second", as_place(self.second))
        if self.first.frame == self.second.frame:
            raise ArgumentError(f"a distance is between two frames; both are {self.first.label}")

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"the distance between {self.first.label} and {self.second.label}"

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        return ("length",)

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., 1, nv)."""
        tree = tree_of(robot)
        one, two = (place_jacobian(tree, q, place) for place in (self.first, self.second))
        u = _direction(two.position - one.position)[0]
        return u[..., None, :] @ (two.jacobian[..., :3, :] - one.jacobian[..., :3, :])

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., 1)."""
        tree = tree_of(robot)
        one, two = (place_motion(tree, q, v, place) for place in (self.first, self.second))
        u, length = _direction(two.position - one.position)
        velocity, change = ((b - a)[..., :3] for a, b in ((one.twist, two.twist), (one.drift, two.drift)))
        along = np.sum(u * velocity, axis=-1)
        rate = np.sum(u * change, axis=-1) + (np.sum(velocity * velocity, axis=-1) - along * along) / length
        return np.asanyarray(rate)[..., None]

    def residual(self, robot: Robot | Tree, q: Any) -> Array:
        """By how much the distance is too long (..., 1)."""
        tree = tree_of(robot)
        one, two = (position_of(place_pose(tree, q, place)) for place in (self.first, self.second))
        return (_direction(two - one)[1] - np.asanyarray(self.length))[..., None]

    def drive(self, robot: Robot | Tree, q: Any) -> tuple[Array, Array]:
        """How fast the rod grows, and how that changes (..., 1)."""
        return driven_rows(q, self.length_rate, self.length_acceleration)

    def demands(self, robot: Robot | Tree, q: Any) -> tuple[tuple[Any, str], ...]:
        """The places are apart."""
        tree = tree_of(robot)
        one, two = (position_of(place_pose(tree, q, place)) for place in (self.first, self.second))
        message = f"{self.label} is zero: the direction of the rod is not defined where its ends coincide"
        return ((_square(two - one) > SMALLEST**2, message),)


def _square(p: Array) -> Any:
    return real(np.sum(p * p, axis=-1))


def _direction(p: Array) -> tuple[Array, Array]:
    length = np.sqrt(np.sum(p * p, axis=-1))
    return p / np.asanyarray(length)[..., None], np.asanyarray(length)
