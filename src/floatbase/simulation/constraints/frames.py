r"""Constraints between two places on a robot, or between one and the world: what closes loops and holds contacts.

With the origins $p_1, p_2$, $p = p_2 - p_1$, the axes $R_1, R_2$ and the angular velocities in the world, and an axis
$n = R_1 \bar n$ of the first place, normal to $t_i = R_1 \bar t_i$,

| kind | rows | residual | number |
|---|---|---|---|
| "point" | $\dot p$ | $p$ | 3 |
| "attitude" | $\omega_2 - \omega_1$ | $R_1 \log(R_1^\top R_2)$ | 3 |
| "weld" | both of these | | 6 |
| "revolute" | $\dot p$; $t_i \cdot (\omega_2 - \omega_1)$ | $p$; $t_i \cdot (n \times R_2 \bar n)$ | 5 |
| "prismatic" | $\omega_2 - \omega_1$; $\tfrac{d}{dt} (t_i \cdot p)$ | as "attitude"; $t_i \cdot p$ | 5 |
| "cylindrical" | $t_i \cdot (\omega_2 - \omega_1)$; $\tfrac{d}{dt} (t_i \cdot p)$ | as above | 4 |
| "universal" | $\dot p$; $\tfrac{d}{dt} (n \cdot m)$ | $p$; $n \cdot m$ | 4 |
| "plane" | $\tfrac{d}{dt} (n \cdot p)$ | $n \cdot p$ | 1 |
| "line" | $\tfrac{d}{dt} (t_i \cdot p)$ | $t_i \cdot p$ | 2 |

with $m = R_2 \bar m$, the second axis. Multipliers of rows without $t_i$ or $n$ are forces and moments on the second
place, and their opposites on the first, in the axes of the world. Rothammer 2021, (3.14) and (3.18), has the revolute
and the prismatic one for stacked body twists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, tree_of
from floatbase.simulation.constraints.places import (
    PlaceMotion,
    as_place,
    place_jacobian,
    place_motion,
    place_pose,
    world_axis,
)
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.rotations import rotation_logarithm

FrameKind = Literal["point", "attitude", "weld", "revolute", "prismatic", "cylindrical", "universal", "plane", "line"]
Part = Literal["point", "attitude", "turn", "cross", "normal", "along"]
_PARTS: dict[str, tuple[Part, ...]] = {
    "point": ("point",),
    "attitude": ("attitude",),
    "weld": ("point", "attitude"),
    "revolute": ("point", "turn"),
    "prismatic": ("attitude", "along"),
    "cylindrical": ("turn", "along"),
    "universal": ("point", "cross"),
    "plane": ("normal",),
    "line": ("along",),
}
_NAMES: dict[Part, tuple[str, ...]] = {
    "point": ("distance in x", "distance in y", "distance in z"),
    "attitude": ("turn about x", "turn about y", "turn about z"),
    "turn": ("first turn of the axis", "second turn of the axis"),
    "cross": ("turn between the axes",),
    "normal": ("distance along the axis",),
    "along": ("first distance from the axis", "second distance from the axis"),
}


@dataclass(frozen=True)
class FrameConstraint(Constraint):
    """Two places that move as the kind says; see the module's table.

    first, second: frames by name, places on them, or None for the world. axis: in the first place; second_axis: in the
    second one, of a universal constraint.
    """

    kind: FrameKind
    first: Any
    second: Any
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    second_axis: tuple[float, float, float] = (1.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        if self.kind not in get_args(FrameKind):
            raise ArgumentError(f"kind is {self.kind!r}; the valid choices are {', '.join(get_args(FrameKind))}")
        object.__setattr__(self, "first", as_place(self.first))
        object.__setattr__(self, "second", as_place(self.second))
        object.__setattr__(self, "axis", unit_vector("axis", self.axis))
        object.__setattr__(self, "second_axis", unit_vector("second_axis", self.second_axis))
        if self.first.frame == self.second.frame:
            raise ArgumentError(f"a constraint is between two frames; both are {self.first.label}")

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"the {self.kind} constraint between {self.first.label} and {self.second.label}"

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        return tuple(name for part in _PARTS[self.kind] for name in _NAMES[part])

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., rows, nv)."""
        tree = tree_of(robot)
        one, two = (place_jacobian(tree, q, place) for place in (self.first, self.second))
        return np.concatenate([_JACOBIANS[part](self, one, two) for part in _PARTS[self.kind]], axis=-2)

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., rows)."""
        tree = tree_of(robot)
        one, two = (place_motion(tree, q, v, place) for place in (self.first, self.second))
        return np.concatenate([_RATES[part](self, one, two) for part in _PARTS[self.kind]], axis=-1)

    def residual(self, robot: Robot | Tree, q: Any) -> Array:
        """How far the configuration is off (..., rows)."""
        tree = tree_of(robot)
        one, two = (place_pose(tree, q, place) for place in (self.first, self.second))
        return np.concatenate([_RESIDUALS[part](self, one, two) for part in _PARTS[self.kind]], axis=-1)


@dataclass(frozen=True)
class Contact(Constraint):
    """A frame that stays where it is, wherever that is: its origin ("point"), or its whole twist ("surface").

    As rows on velocities alone: what drifts is not pulled back. A foot that must not drift is welded to the world by a
    `FrameConstraint` at the pose at which it touched the ground.
    """

    frame: Any
    kind: Literal["point", "surface"] = "surface"

    def __post_init__(self) -> None:
        if self.kind not in ("point", "surface"):
            raise ArgumentError(f"kind is {self.kind!r}; the valid choices are point, surface")
        object.__setattr__(self, "frame", as_place(self.frame))
        if self.frame.frame is None:
            raise ArgumentError("a contact is one of a robot's frame; the world is none")

    @property
    def label(self) -> str:
        """What messages call it."""
        return f"the {self.kind} contact at {self.frame.label}"

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row constrains."""
        names = ("velocity in x", "velocity in y", "velocity in z", "turn about x", "turn about y", "turn about z")
        return names[: self._size]

    @property
    def _size(self) -> int:
        return 3 if self.kind == "point" else 6

    def jacobian(self, robot: Robot | Tree, q: Any) -> Array:
        """`J` (..., rows, nv)."""
        return place_jacobian(tree_of(robot), q, self.frame).jacobian[..., : self._size, :]

    def rate(self, robot: Robot | Tree, q: Any, v: Any) -> Array:
        r"""$\dot J \nu$ (..., rows)."""
        return place_motion(tree_of(robot), q, v, self.frame).drift[..., : self._size]


def unit_vector(name: str, value: Any) -> tuple[float, float, float]:
    """A direction as a unit vector of plain numbers."""
    axis = np.asarray(value, dtype=np.float64)
    length = float(np.linalg.norm(axis)) if axis.shape == (3,) else 0.0
    if not (np.isfinite(axis).all() and length > 0.0):
        raise ArgumentError(f"{name} is {value!r}; it must be three finite numbers that are not all zero")
    x, y, z = (axis / length).tolist()
    return x, y, z


def normals_to(axis: tuple[float, float, float]) -> Array:
    """Two unit vectors (2, 3) normal to a unit vector and to each other."""
    n = np.array(axis)
    first = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    first = first / np.linalg.norm(first)
    return np.array([first, np.cross(n, first)])


def _across(item: FrameConstraint, rotation: Array) -> Array:
    """Two directions normal to the axis, in the world (..., 2, 3)."""
    return np.asarray(normals_to(item.axis)) @ transpose(rotation)


def _axis(item: FrameConstraint, rotation: Array) -> Array:
    """The axis of the first place in the world (..., 1, 3)."""
    return np.asarray([item.axis]) @ transpose(rotation)


def _directed_jacobian(T: Array, one: PlaceMotion, two: PlaceMotion) -> Array:
    """Rows of d/dt (t . p) for vectors t (..., m, 3) that turn with the first place."""
    apart = (two.position - one.position)[..., None, :]
    return T @ (two.jacobian[..., :3, :] - one.jacobian[..., :3, :]) + np.cross(T, apart) @ one.jacobian[..., 3:, :]


def _directed_rate(T: Array, one: PlaceMotion, two: PlaceMotion) -> Array:
    omega, alpha = one.twist[..., None, 3:], one.drift[..., None, 3:]
    turning = np.cross(omega, T)
    bending = np.cross(alpha, T) + np.cross(omega, turning)
    moving = two.twist[..., :3] - one.twist[..., :3]
    return (
        apply_matrix(T, two.drift[..., :3] - one.drift[..., :3])
        + 2.0 * apply_matrix(turning, moving)
        + apply_matrix(bending, two.position - one.position)
    )


def _turn_rate(item: FrameConstraint, one: PlaceMotion, two: PlaceMotion) -> Array:
    T = _across(item, one.rotation)
    turning = np.cross(one.twist[..., None, 3:], T)
    return apply_matrix(T, two.drift[..., 3:] - one.drift[..., 3:]) + apply_matrix(
        turning, two.twist[..., 3:] - one.twist[..., 3:]
    )


def _cross_jacobian(item: FrameConstraint, one: PlaceMotion, two: PlaceMotion) -> Array:
    row = np.cross(world_axis(two, item.second_axis), world_axis(one, item.axis))[..., None, :]
    return row @ (two.jacobian[..., 3:, :] - one.jacobian[..., 3:, :])


def _cross_rate(item: FrameConstraint, one: PlaceMotion, two: PlaceMotion) -> Array:
    n, m = world_axis(one, item.axis), world_axis(two, item.second_axis)
    row_rate = np.cross(np.cross(two.twist[..., 3:], m), n) + np.cross(m, np.cross(one.twist[..., 3:], n))
    relative, change = (two.twist - one.twist)[..., 3:], (two.drift - one.drift)[..., 3:]
    return np.sum(np.cross(m, n) * change + row_rate * relative, axis=-1)[..., None]


def _cross_residual(item: FrameConstraint, one: Array, two: Array) -> Array:
    n = apply_matrix(rotation_of(one), np.array(item.axis))
    m = apply_matrix(rotation_of(two), np.array(item.second_axis))
    return np.sum(n * m, axis=-1)[..., None]


def _attitude_residual(item: FrameConstraint, one: Array, two: Array) -> Array:
    R = rotation_of(one)
    return apply_matrix(R, rotation_logarithm(transpose(R) @ rotation_of(two)))


def _turn_residual(item: FrameConstraint, one: Array, two: Array) -> Array:
    n, m = (apply_matrix(rotation_of(H), np.array(item.axis)) for H in (one, two))
    return apply_matrix(_across(item, rotation_of(one)), np.cross(n, m))


def _between(one: Array, two: Array) -> Array:
    return position_of(two) - position_of(one)


_JACOBIANS: dict[Part, Callable[[FrameConstraint, PlaceMotion, PlaceMotion], Array]] = {
    "point": lambda item, one, two: two.jacobian[..., :3, :] - one.jacobian[..., :3, :],
    "attitude": lambda item, one, two: two.jacobian[..., 3:, :] - one.jacobian[..., 3:, :],
    "turn": lambda item, one, two: _across(item, one.rotation) @ (two.jacobian[..., 3:, :] - one.jacobian[..., 3:, :]),
    "cross": _cross_jacobian,
    "normal": lambda item, one, two: _directed_jacobian(_axis(item, one.rotation), one, two),
    "along": lambda item, one, two: _directed_jacobian(_across(item, one.rotation), one, two),
}
_RATES: dict[Part, Callable[[FrameConstraint, PlaceMotion, PlaceMotion], Array]] = {
    "point": lambda item, one, two: two.drift[..., :3] - one.drift[..., :3],
    "attitude": lambda item, one, two: two.drift[..., 3:] - one.drift[..., 3:],
    "turn": _turn_rate,
    "cross": _cross_rate,
    "normal": lambda item, one, two: _directed_rate(_axis(item, one.rotation), one, two),
    "along": lambda item, one, two: _directed_rate(_across(item, one.rotation), one, two),
}
_RESIDUALS: dict[Part, Callable[[FrameConstraint, Array, Array], Array]] = {
    "point": lambda item, one, two: _between(one, two),
    "attitude": _attitude_residual,
    "turn": _turn_residual,
    "cross": _cross_residual,
    "normal": lambda item, one, two: apply_matrix(_axis(item, rotation_of(one)), _between(one, two)),
    "along": lambda item, one, two: apply_matrix(_across(item, rotation_of(one)), _between(one, two)),
}
