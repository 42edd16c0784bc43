"""Links of simple shapes and uniform density."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.description import Geometry, Inertia, Link
from floatbase.model.poses import Array, rotation_to_axis
from floatbase.spatial.densities import box_moments, cylinder_moments

GREY = (0.6, 0.62, 0.65, 1.0)


def positive(**lengths: float) -> None:
    """Refuse arguments that are not positive and finite, by name."""
    for name, value in lengths.items():
        if not (math.isfinite(value) and value > 0.0):
            raise ArgumentError(f"{name} is {value!r}; it must be positive and finite")


def cylinder(mass: float, radius: float, start: Sequence[float], end: Sequence[float]) -> tuple[Inertia, Geometry]:
    """A cylinder between the centres of its two faces."""
    a, b = np.array(start, dtype=np.float64), np.array(end, dtype=np.float64)
    length = float(np.linalg.norm(b - a))
    R = rotation_to_axis((b - a) / length)
    tensor = R @ np.diag(cylinder_moments(mass, radius, length)) @ R.T
    return Inertia(mass, (a + b) / 2.0, tensor), _shape("cylinder", (radius, length), (a + b) / 2.0, R)


def box(mass: float, sides: Sequence[float], center: Sequence[float]) -> tuple[Inertia, Geometry]:
    """A box with its sides along the axes."""
    x, y, z = sides
    return Inertia(mass, np.array(center), np.diag(box_moments(mass, (x, y, z)))), _shape(
        "box", (x, y, z), np.array(center), np.eye(3)
    )


def solid(name: str, parts: tuple[Inertia, Geometry]) -> Link:
    """A link of one body and its shape, which is for viewing as well as for contact."""
    inertia, shape = parts
    return Link(name, inertia, (shape,), (shape,))


def _shape(kind: str, size: tuple[float, ...], center: Array, rotation: Array) -> Geometry:
    link_H_shape = np.eye(4)
    link_H_shape[:3, :3], link_H_shape[:3, 3] = rotation, center
    return Geometry("box" if kind == "box" else "cylinder", size, link_H_shape, color=GREY)
