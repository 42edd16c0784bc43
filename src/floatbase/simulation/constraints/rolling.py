r"""Rolling without slipping, and blades: rows on velocities that no equation of configurations gives.

The ground is a plane through a point o with the unit normal n. The point of a round body that touches it is at $\rho$
from the body's centre p, and the material there is at rest:

$$ \dot p + \omega \times \rho = 0, \qquad \rho = -r n \text{ (sphere)}, \qquad
   \rho = -r u, \quad u = \frac{n - (n \cdot y)\, y}{|n - (n \cdot y)\, y|} \text{ (disc with the axis } y) . $$

The three rows are written along two directions in the plane and n. The last one is the rate of the height
$n \cdot (p - o) - r$, or $- r\, |n - (n \cdot y)\, y|$ for a disc, which is its residual; the other two have none.
The multipliers are the components of the force of the ground. A disc that lies flat touches the ground everywhere:
there its rows do not exist. A blade (a skate, a wheel seen from above) only keeps its place from moving sideways,
$y \cdot \dot p = 0$.

A. M. Bloch, "Nonholonomic mechanics and control", 2003, has these examples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, tree_of
from floatbase.simulation.constraints.frames import normals_to, unit_vector
from floatbase.simulation.constraints.places import PlaceMotion, as_place, place_jacobian, place_motion, world_axis
from floatbase.simulation.laws import Number, require_positive
from floatbase.spatial.arrays import Array, apply_matrix
from floatbase.spatial.rotations import real
from floatbase.spatial.skew import hat

FLATTEST = 1e-6  # rad between a disc and the ground


@dataclass(frozen=True)
class Rolling(Constraint):
    """A sphere (`axis` None) or a thin disc whose centre is the origin of a place rolls on a plane.

    place: a frame by name, or a place on it. radius [m]; axis: of the disc, in the place; origin, normal: a point of
    the ground and its upward normal, in the world.
    """

    place: Any
    radius: Number
    axis: tuple[float, float, float] | None = None
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)

    def __post_init__(self) -> None:
        require_positive(radius=self.radius)
        object.__setattr__(self, "place", as_place(self.place))
        if self.place.frame is None:
            raise ArgumentError("the place that rolls is on the robot; the world does not roll")
        object.__setattr__(self, "normal", unit_vector("normal", self.normal))
        if self.axis is not None:
            object.__setattr__(self, "axis", unit_vector("axis", self.axis))
        object.__setattr__(self, "origin", tuple(np.asarray(self.origin, dtype=np.float64).tolist()))

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"the rolling of {self.place.label}"

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        return ("first slip", "second slip", "height")

    @property
    def directions(self) -> Array:
        """The directions (3, 3) along which the rows and their multipliers are written, in the world."""
        return np.concatenate([normals_to(self.normal), [self.normal]])

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., 3, nv)."""
        motion = place_jacobian(tree_of(robot), q, self.place)
        rho, _ = self._arm(motion)
        return self.directions @ (motion.jacobian[..., :3, :] - hat(rho) @ motion.jacobian[..., 3:, :])

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., 3)."""
        motion = place_motion(tree_of(robot), q, v, self.place)
        rho, rho_rate = self._arm(motion)
        bending = np.cross(motion.drift[..., 3:], rho) + np.cross(motion.twist[..., 3:], rho_rate)
        return apply_matrix(self.directions, motion.drift[..., :3] + bending)

    def residual(self, robot: Robot | Tree, q: Any) -> Array:
        """Zero twice, and how high the lowest point is above the ground (..., 3)."""
        motion = place_jacobian(tree_of(robot), q, self.place)
        rho, _ = self._arm(motion)
        lowest = motion.position + rho - np.array(self.origin)
        height = np.sum(np.array(self.normal) * lowest, axis=-1)
        return np.stack([0.0 * height, 0.0 * height, height], axis=-1)

    def demands(self, robot: Robot | Tree, q: Any) -> tuple[tuple[Any, str], ...]:
        """A disc does not lie flat."""
        if self.axis is None:
            return ()
        motion = place_jacobian(tree_of(robot), q, self.place)
        tilt = real(np.sum(np.array(self.normal) * world_axis(motion, np.array(self.axis)), axis=-1))
        message = f"{self.label} has no lowest point: the disc lies flat on the ground"
        return ((1.0 - tilt * tilt > FLATTEST**2, message),)

    def _arm(self, motion: PlaceMotion) -> tuple[Array, Array]:
        """Rho (..., 3) and its rate."""
        radius = np.asanyarray(self.radius)[..., None]
        if self.axis is None:
            rho = -radius * np.array(self.normal) + 0.0 * motion.position
            return rho, 0.0 * rho
        n, y = np.array(self.normal), world_axis(motion, np.array(self.axis))
        y_rate = np.cross(motion.twist[..., 3:], y)
        tilt, tilt_rate = (np.sum(n * x, axis=-1)[..., None] for x in (y, y_rate))
        size = np.sqrt(1.0 - tilt * tilt)
        u = (n - tilt * y) / size
        u_rate = -(tilt_rate * y + tilt * y_rate) / size + u * (tilt * tilt_rate / (size * size))
        return -radius * u, -radius * u_rate


@dataclass(frozen=True)
class Blade(Constraint):
    """A place whose origin does not move along one of its own axes: a skate, a knife edge, a wheel seen from above."""

    place: Any
    axis: tuple[float, float, float] = (0.0, 1.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", as_place(self.place))
        if self.place.frame is None:
            raise ArgumentError("the place of a blade is on the robot; the world does not move")
        object.__setattr__(self, "axis", unit_vector("axis", self.axis))

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"the blade at {self.place.label}"

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        return ("sideways velocity",)

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., 1, nv)."""
        motion = place_jacobian(tree_of(robot), q, self.place)
        return world_axis(motion, np.array(self.axis))[..., None, :] @ motion.jacobian[..., :3, :]

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., 1)."""
        motion = place_motion(tree_of(robot), q, v, self.place)
        y = world_axis(motion, np.array(self.axis))
        turning = np.cross(motion.twist[..., 3:], y)
        return np.sum(y * motion.drift[..., :3] + turning * motion.twist[..., :3], axis=-1)[..., None]
