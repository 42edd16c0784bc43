r"""Light from many distant lamps, with shadows.

A surface with normal $n$ gets from lamp $k$ in direction $d_k$ the light $L_k \max(0, n \cdot d_k) V_k$, where $V_k$ is
zero if something is between. A sky of many weak lamps makes corners and the ground under the robot dark; a bundle of
strong ones a key light with soft shadows.

Whether something is between is read from a map for each lamp: the plane across its direction is a grid, and each cell
holds how far towards the lamp the surface reaches there. The surface is given by points scattered over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from floatbase.viewer.mesh import Array
from floatbase.viewer.normals import face_vectors

CELL = 0.006  # of the map, relative to the size of the scene
POINTS = 400_000
_GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


@dataclass(frozen=True, eq=False)
class Lamps:
    """Directions (k, 3) towards distant lamps, unit, and what each sends (k, 3): red, green, blue, linear."""

    directions: Array
    radiance: Array


def sky(count: int, color: tuple[float, float, float]) -> Lamps:
    """Lamps over the upper half of the directions; together they light a horizontal plane with `color`."""
    height = np.sqrt(np.linspace(0.04, 0.98, count))  # denser towards the zenith, as the cosine law asks
    directions = _spiral(height)
    return Lamps(directions, np.tile(np.array(color) / directions[:, 2].sum(), (count, 1)))


def key(count: int, direction: tuple[float, float, float], width: float, color: tuple[float, float, float]) -> Lamps:
    """A round lamp about a direction, `width` rad from its centre to its rim; facing it, a plane is lit with `color`."""
    center = np.array(direction) / np.linalg.norm(direction)
    side = np.cross(center, (0.0, 0.0, 1.0) if abs(center[2]) < 0.9 else (1.0, 0.0, 0.0))
    side /= np.linalg.norm(side)
    local = _spiral(np.cos(width * np.sqrt((np.arange(count) + 0.5) / count)))
    directions = local @ np.stack([side, np.cross(center, side), center])
    return Lamps(directions, np.tile(np.array(color) / count, (count, 1)))


def scatter(corners: Array, rng: np.random.Generator, count: int = POINTS) -> Array:
    """Points (count, 3) spread evenly over triangles (n, 3, 3)."""
    area = np.linalg.norm(face_vectors(corners), axis=-1)
    ends = np.cumsum(area)
    steps = (np.arange(count) + rng.random(count)) / count * ends[-1]
    chosen = np.minimum(np.searchsorted(ends, steps), len(corners) - 1)
    a, b, c = np.moveaxis(corners[chosen], 1, 0)
    first, second = rng.random((2, count, 1))
    over = first + second > 1.0
    first, second = np.where(over, 1.0 - first, first), np.where(over, 1.0 - second, second)
    return a + first * (b - a) + second * (c - a)


def illuminate(points: Array, normals: Array, lamps: Lamps, surface: Array) -> Array:
    """Light (n, 3) that arrives at points with unit normals (n, 3), in the shadow of a surface given by points (m, 3)."""
    result = np.zeros_like(points)
    for direction, radiance, cosine, lit in _visible_parts(points, normals, lamps, surface):
        del direction
        result[lit] += cosine[:, None] * radiance
    return result


def shine(points: Array, normals: Array, lamps: Lamps, surface: Array, to_eye: Array, exponent: float) -> Array:
    """Mirrored light (n, 3) towards the eye, directions `to_eye` (n, 3): Blinn's half-way vector to a power."""
    result = np.zeros_like(points)
    for direction, radiance, cosine, lit in _visible_parts(points, normals, lamps, surface):
        half = direction + to_eye[lit]
        half /= np.linalg.norm(half, axis=-1, keepdims=True)
        facing = np.clip(np.einsum("ni,ni->n", half, normals[lit]), 0.0, 1.0)
        result[lit] += (facing**exponent * np.minimum(1.0, 4.0 * cosine))[:, None] * radiance
    return result


def _visible_parts(
    points: Array, normals: Array, lamps: Lamps, surface: Array
) -> Iterator[tuple[Array, Array, Array, Array]]:
    """For each lamp its direction, radiance, and the cosines and positions of the points that it reaches."""
    lower, upper = surface.min(axis=0), surface.max(axis=0)
    size = float(np.linalg.norm(upper - lower))
    cell, middle = CELL * size, (lower + upper) / 2.0
    cells = int(1.0 / CELL) + 3
    lifted = points + 1.5 * cell * normals - middle  # away from the surface that they are on
    centered = surface - middle
    for direction, radiance in zip(lamps.directions, lamps.radiance, strict=True):
        cosine = normals @ direction
        facing = np.flatnonzero(cosine > 0.0)
        side = np.cross(direction, (0.0, 0.0, 1.0) if abs(direction[2]) < 0.9 else (1.0, 0.0, 0.0))
        side /= np.linalg.norm(side)
        axes = np.stack([side / cell, np.cross(direction, side) / cell, direction], axis=-1)
        reach = np.full(cells * cells, -np.inf)
        place, height = _cells(centered @ axes, cells)
        np.maximum.at(reach, place, height)
        place, height = _cells(lifted[facing] @ axes, cells)
        lit = facing[reach[place] < height + 0.5 * cell]
        yield direction, radiance, cosine[lit], lit


def _cells(coordinates: Array, cells: int) -> tuple[Array, Array]:
    """Number of the cell of each point, the border for those outside, and the height above the grid."""
    column, row = (np.clip(np.floor(coordinates[:, i] + cells / 2.0), 0, cells - 1) for i in range(2))
    return (row * cells + column).astype(np.int64), coordinates[:, 2]


def _spiral(cosine: Array) -> Array:
    """Unit vectors that wind about z, with the given z."""
    angle = _GOLDEN_ANGLE * np.arange(len(cosine))
    sine = np.sqrt(1.0 - cosine**2)
    return np.stack([sine * np.cos(angle), sine * np.sin(angle), cosine], axis=-1)
