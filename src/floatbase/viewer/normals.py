"""Normals of triangles, smooth across edges that are meant to be round.

Files give corners of triangles without saying which belong together, so that corners at the same place are found first.
A corner's normal is then the mean of the faces around it, weighted by area, leaving out faces that make too sharp an
edge with its own.
"""

from __future__ import annotations

import numpy as np

from floatbase.viewer.mesh import Array

GRID = 1e-6  # m; corners nearer than this are one
MAX_FACES = 24  # around a corner that are looked at


def face_vectors(corners: Array) -> Array:
    """Normal times twice the area (n, 3) of triangles (n, 3, 3)."""
    return np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])


def unit(vectors: Array) -> Array:
    """Vectors (..., 3) at unit length; zero stays zero."""
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(length > 0.0, length, 1.0)


def corner_normals(corners: Array, crease: float = 0.7) -> Array:
    """Unit normals (n, 3, 3) at the corners of triangles (n, 3, 3). crease: the angle in rad that is a sharp edge."""
    area_vectors = face_vectors(corners)
    weights = np.repeat(area_vectors, 3, axis=0)
    directions = unit(weights)
    places = np.round(corners.reshape(-1, 3) / GRID).astype(np.int64)
    order = np.lexsort(places.T)
    sorted_places = places[order]
    group = np.concatenate([[0], np.cumsum((sorted_places[1:] != sorted_places[:-1]).any(axis=1))])
    total = weights.copy()
    for step in range(1, MAX_FACES):  # each corner with the one `step` further at the same place, both ways
        same = np.flatnonzero(group[step:] == group[:-step])
        if not len(same):
            break
        one, other = order[same], order[same + step]
        smooth = np.einsum("ni,ni->n", directions[one], directions[other]) > np.cos(crease)
        one, other = one[smooth], other[smooth]
        total[one] += weights[other]  # within one step no corner appears twice
        total[other] += weights[one]
    return unit(total).reshape(-1, 3, 3)
