r"""Where cells of skin are: their frames, their neighbours, and hexagonal patches.

The frame of a cell has its origin in the cell and z along the outward normal. Cells of a hexagonal grid have up to six
neighbours, one pitch away.

Leboutet 2022, section 2.2.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError
from floatbase.model import SkinPatch
from floatbase.model.poses import rotation_to_axis
from floatbase.simulation.laws import require_positive

FloatArray = npt.NDArray[np.float64]
CellState = Literal["idle", "selected", "excluded", "faulty"]
_REACH = 1.3  # pitches, between the neighbours of a hexagonal grid (1) and the next ones (1.73)


@dataclass(frozen=True)
class Cell:
    """A cell of a patch: number, frame (4, 4) in the link, neighbours, state, and the time of its last sample [s]."""

    number: int
    patch: str
    link: str
    link_H_cell: FloatArray
    neighbours: tuple[int, ...]
    state: CellState = "idle"
    time: float = -math.inf


def cell_frames(patch: SkinPatch) -> FloatArray:
    """`link_H_cell` (n, 4, 4) of each cell."""
    result = np.tile(np.eye(4), (len(patch.positions), 1, 1))
    for frame, position, normal in zip(result, patch.positions, patch.normals, strict=True):
        frame[:3, :3] = rotation_to_axis(normal / np.linalg.norm(normal))
        frame[:3, 3] = position
    return result


def cells(patch: SkinPatch, pitch: float | None = None) -> tuple[Cell, ...]:
    """The cells of a patch. pitch: m between neighbours, by default the smallest distance between two cells."""
    frames, around = cell_frames(patch), neighbours(patch, pitch)
    return tuple(Cell(k, patch.name, patch.link, frames[k], around[k]) for k in range(len(frames)))


def neighbours(patch: SkinPatch, pitch: float | None = None) -> tuple[tuple[int, ...], ...]:
    """The neighbours of each cell: the nearest ones within 1.3 pitches, six at most."""
    positions = patch.positions
    distances = np.linalg.norm(positions[:, None] - positions, axis=-1)
    np.fill_diagonal(distances, np.inf)
    if pitch is None:
        pitch = float(distances.min()) if len(positions) > 1 else 1.0
    require_positive(pitch=pitch)
    close = [np.argsort(row, kind="stable")[:6] for row in distances]
    return tuple(
        tuple(sorted(int(other) for other in nearest if distances[k, other] <= _REACH * pitch))
        for k, nearest in enumerate(close)
    )


def is_connected(patch: SkinPatch, pitch: float | None = None) -> bool:
    """Whether every cell can be reached from every other one over neighbours."""
    around = neighbours(patch, pitch)
    seen, front = {0}, [0]
    while front:
        front = [other for cell in front for other in around[cell] if other not in seen]
        seen.update(front)
    return len(seen) == len(around)


def hexagonal_cylinder(
    name: str, link: str, radius: float, around: int, rows: int, link_H_cylinder: Any = None
) -> SkinPatch:
    """A hexagonal grid of `around` times `rows` cells on a cylinder about z, from z = 0 upwards."""
    require_positive(radius=radius)
    for what, number in (("around", around), ("rows", rows)):
        if isinstance(number, bool) or not isinstance(number, int) or number < (3 if what == "around" else 1):
            raise ArgumentError(
                f"{what} is {number!r}; it must be a whole number of at least {3 if what == 'around' else 1}"
            )
    pitch = 2.0 * math.pi * radius / around
    row, place = np.divmod(np.arange(rows * around), around)
    angle = 2.0 * math.pi * (place + 0.5 * (row % 2)) / around
    normals = np.stack([np.cos(angle), np.sin(angle), np.zeros_like(angle)], axis=-1)
    positions = radius * normals
    positions[:, 2] = math.sqrt(0.75) * pitch * row
    pose = np.eye(4) if link_H_cylinder is None else np.asarray(link_H_cylinder, dtype=float)
    return SkinPatch(name, link, positions @ pose[:3, :3].T + pose[:3, 3], normals @ pose[:3, :3].T)


def hexagonal_plane(name: str, link: str, pitch: float, columns: int, rows: int, link_H_plane: Any = None) -> SkinPatch:
    """A hexagonal grid of `columns` times `rows` cells on the plane z = 0, centred, with normals along z."""
    require_positive(pitch=pitch)
    row, place = np.divmod(np.arange(rows * columns), columns)
    positions = np.stack([pitch * (place + 0.5 * (row % 2)), pitch * math.sqrt(0.75) * row, 0.0 * row], axis=-1)
    positions -= positions.mean(axis=0)
    normals = np.tile([0.0, 0.0, 1.0], (len(positions), 1))
    pose = np.eye(4) if link_H_plane is None else np.asarray(link_H_plane, dtype=float)
    return SkinPatch(name, link, positions @ pose[:3, :3].T + pose[:3, 3], normals @ pose[:3, :3].T)
