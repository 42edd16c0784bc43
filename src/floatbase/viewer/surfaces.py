"""Meshes as they are sent to a browser: shared corners with normals, and no more triangles than can be shown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from floatbase.viewer.mesh import Array, Mesh
from floatbase.viewer.normals import corner_normals, face_vectors

GRID = 1e-5  # relative to the size of the mesh; corners nearer than this are one
_TRIES = 12


@dataclass(frozen=True, eq=False)
class Surface:
    """Points (n, 3) with unit normals (n, 3), and triangles (m, 3) of their numbers."""

    points: Array
    normals: Array
    triangles: npt.NDArray[np.int64]


def surface(mesh: Mesh) -> Surface:
    """The corners of a mesh, each once for every normal that it has; normals are smooth across round edges."""
    corners = mesh.corners.reshape(-1, 3)
    normals = corner_normals(mesh.corners).reshape(-1, 3)
    size = max(float(np.ptp(corners, axis=0).max()), 1e-9)
    keys = np.concatenate([np.round(corners / (GRID * size)), np.round(normals * 100.0)], axis=1).astype(np.int64)
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    return Surface(corners[first], normals[first], place.reshape(-1, 3))


def simplified(mesh: Mesh, most: int) -> Mesh:
    """A mesh of at most `most` triangles: corners in the same cell of a grid become one, their mean.

    The grid is made finer until as many triangles are left as may be.
    """
    if mesh.size <= most:
        return mesh
    points = mesh.corners.reshape(-1, 3)
    low, size = points.min(axis=0), float(np.ptp(points, axis=0).max())
    coarse, fine = 2.0, 4.0 * np.sqrt(mesh.size)  # cells a side
    best = mesh.corners[:0]
    for _ in range(_TRIES):
        cells = np.sqrt(coarse * fine)
        corners = _clustered(points, low, size / cells)
        if len(corners) <= most:
            coarse, best = cells, corners
            if len(corners) > 0.9 * most:
                break
        else:
            fine = cells
    return Mesh(best if len(best) else mesh.corners[:most])


def _clustered(points: Array, low: Array, cell: float) -> Array:
    """Triangles between the means of the corners in each cell, without those that have shrunk or lie on another."""
    places = np.floor((points - low) / max(cell, 1e-12)).astype(np.int64)
    number = (places[:, 0] * (1 << 20) + places[:, 1]) * (1 << 20) + places[:, 2]
    _, inverse, count = np.unique(number, return_inverse=True, return_counts=True)
    means = np.stack([np.bincount(inverse, points[:, k]) for k in range(3)], axis=-1) / count[:, None]
    triangles = inverse.reshape(-1, 3)
    a, b, c = triangles.T
    triangles = triangles[(a != b) & (b != c) & (c != a)]
    turned = np.take_along_axis(triangles, (triangles.argmin(axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    corners: Array = means[np.unique(turned, axis=0)] if len(turned) else np.zeros((0, 3, 3))
    kept: Array = corners[np.linalg.norm(face_vectors(corners), axis=-1) > 0.0]
    return kept
