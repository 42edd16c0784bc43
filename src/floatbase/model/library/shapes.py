r"""Inertias of simple bodies of uniform density, about their centres of mass.

Cylinder along z of mass m, radius r, length h: $m\,\mathrm{diag}(\tfrac{3 r^2 + h^2}{12}, \tfrac{3 r^2 + h^2}{12},
\tfrac{r^2}{2})$; box of sides a, b, c: $\tfrac{m}{12}\,\mathrm{diag}(b^2 + c^2, a^2 + c^2, a^2 + b^2)$.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model.description import Geometry, Inertia, Link
from floatbase.model.poses import Array, rotation_to_axis

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
    across = mass * (3.0 * radius**2 + length**2) / 12.0
    tensor = R @ np.diag([across, across, mass * radius**2 / 2.0]) @ R.T
    return Inertia(mass, (a + b) / 2.0, tensor), _shape("cylinder", (radius, length), (a + b) / 2.0, R)


def box(mass: float, sides: Sequence[float], center: Sequence[float]) -> tuple[Inertia, Geometry]:
    """A box with its sides along the axes."""
    x, y, z = sides
    tensor = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * (mass / 12.0)
    return Inertia(mass, np.array(center), tensor), _shape("box", (x, y, z), np.array(center), np.eye(3))


def solid(name: str, parts: tuple[Inertia, Geometry]) -> Link:
    """A link of one body and its shape, which is for viewing as well as for contact."""
    inertia, shape = parts
    return Link(name, inertia, (shape,), (shape,))


def _shape(kind: str, size: tuple[float, ...], center: Array, rotation: Array) -> Geometry:
    link_H_shape = np.eye(4)
    link_H_shape[:3, :3], link_H_shape[:3, 3] = rotation, center
    return Geometry("box" if kind == "box" else "cylinder", size, link_H_shape, color=GREY)
