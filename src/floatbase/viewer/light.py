r"""Light from many distant lamps, with shadows.

A surface with normal $n$ gets from lamp $k$ in direction $d_k$ the light $L_k \max(0, n \cdot d_k) V_k$, where $V_k$ is
zero if something is between. A sky of many weak lamps makes corners and the ground under the robot dark; a bundle of
strong ones a key light with soft shadows.

Whether something is between is read from a map for each lamp: the plane across its direction is a grid, and each cell
holds how far towards the lamp the surface reaches there. The surface is given by points scattered over it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from floatbase.viewer.mesh import Array
from floatbase.viewer.normals import face_vectors

Single = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int32]

CELL = 0.006  # of the map, relative to the size of the scene
POINTS = 400_000
_GOLDEN_ANGLE = np.pi * (3.0 - np.sqrt(5.0))


@dataclass(frozen=True, eq=False)
class Lamps:
    """Directions (k, 3) towards distant lamps, unit, and what each sends (k, 3): red, green, blue, linear."""

    directions: Array
    radiance: Array


@dataclass(frozen=True, eq=False)
class Gloss:
    """Blinn's mirrored light: the half-way vector between lamp and eye, times the normal, to a power."""

    to_eye: Array  # unit vectors (n, 3)
    exponent: float


def sky(count: int, color: tuple[float, float, float]) -> Lamps:
    """Lamps over the upper half of the directions; together they light a horizontal plane with `color`."""
    height = np.sqrt(np.linspace(0.04, 0.98, count))  # denser towards the zenith, as the cosine law asks
    directions = _spiral(height)
    return Lamps(directions, np.tile(np.array(color) / directions[:, 2].sum(), (count, 1)))


def key(count: int, direction: tuple[float, float, float], width: float, color: tuple[float, float, float]) -> Lamps:
    """A round lamp about a direction, `width` rad from centre to rim; a plane facing it is lit with `color`."""
    center = np.array(direction) / np.linalg.norm(direction)
    side = _side(center)
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
    points: Array = a + first * (b - a) + second * (c - a)
    return points


def illuminate(
    points: Array, normals: Array, lamps: Lamps, surface: Array, gloss: Gloss | None = None
) -> tuple[Array, Array]:
    """Light (n, 3) that arrives at points with unit normals (n, 3), and light (n, 3) mirrored towards the eye.

    surface: points (m, 3) on what throws shadows. gloss: how light is mirrored, not at all by default.
    """
    arriving, mirrored = np.zeros((2, 3, len(points)), dtype=np.float32)
    lower, upper = surface.min(axis=0), surface.max(axis=0)
    size = float(np.linalg.norm(upper - lower))
    cell, middle = CELL * size, (lower + upper) / 2.0
    lifted = _components(points + 1.5 * cell * normals - middle)  # away from the surface that they are on
    facings, casting = _components(normals), _components(surface - middle)
    to_eye = None if gloss is None else _components(gloss.to_eye)
    for direction, radiance in zip(lamps.directions, lamps.radiance, strict=True):
        cosine = _dot(facings, direction)
        facing = np.flatnonzero(cosine > 0.0)
        lit = facing[~_shadowed(lifted[:, facing], casting, direction, cell)]
        cosine = cosine[lit]
        if gloss is not None and to_eye is not None:
            half = to_eye[:, lit] + direction.astype(np.float32)[:, None]
            half /= np.sqrt((half * half).sum(axis=0))
            peak = (half * facings[:, lit]).sum(axis=0).clip(0.0, 1.0) ** gloss.exponent
            peak *= np.minimum(1.0, 4.0 * cosine)  # no edge where the surface turns away from the lamp
        for channel in range(3):
            arriving[channel, lit] += radiance[channel] * cosine
            if gloss is not None:
                mirrored[channel, lit] += radiance[channel] * peak
    return arriving.T.astype(np.float64), mirrored.T.astype(np.float64)


def _shadowed(points: Single, casting: Single, direction: Array, cell: float) -> npt.NDArray[np.bool_]:
    """Which points (3, n) have something between them and the lamp."""
    side = _side(direction)
    axes = side / cell, np.cross(direction, side) / cell
    cells = int(1.0 / CELL) + 3
    reach = np.full(cells * cells, -np.inf, dtype=np.float32)
    np.maximum.at(reach, _cell(casting, axes, cells), _dot(casting, direction))
    return reach[_cell(points, axes, cells)] > _dot(points, direction) + np.float32(0.5 * cell)


def _cell(points: Single, axes: tuple[Array, Array], cells: int) -> Integers:
    """The number of each point's cell in the map; points outside get one on its border."""
    column, row = (
        np.clip(_dot(points, axis) + np.float32(cells / 2.0), 0, cells - 1).astype(np.int32) for axis in axes
    )
    cell: Integers = row * cells + column
    return cell


def _components(vectors: Array) -> Single:
    """Vectors (n, 3) as one row for each component: single precision is plenty for light and twice as fast."""
    return np.ascontiguousarray(vectors.T, dtype=np.float32)


def _dot(vectors: Single, direction: Array) -> Single:
    """Scalar products of vectors (3, n) with one; for so few components faster than a call of BLAS."""
    x, y, z = direction.astype(np.float32)
    products: Single = vectors[0] * x + vectors[1] * y + vectors[2] * z
    return products


def _side(direction: Array) -> Array:
    """A unit vector at right angles with a direction."""
    side = np.cross(direction, (0.0, 0.0, 1.0) if abs(direction[2]) < 0.9 else (1.0, 0.0, 0.0))
    return side / np.linalg.norm(side)


def _spiral(cosine: Array) -> Array:
    """Unit vectors that wind about z, with the given z."""
    angle = _GOLDEN_ANGLE * np.arange(len(cosine))
    sine = np.sqrt(1.0 - cosine**2)
    return np.stack([sine * np.cos(angle), sine * np.sin(angle), cosine], axis=-1)
