r"""Which triangle is seen at each pixel.

A pixel's centre $p$ is inside the triangle $(a, b, c)$ if its barycentric coordinates, ratios of signed areas such as
$\lambda_a = |b - p, c - p| / |b - a, c - a|$, are not negative. In perspective, 1/depth is linear in them. All pixels
of the triangles' bounding boxes are tried at once, in portions that fit in memory; the nearest wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from floatbase.viewer.mesh import Array

PORTION = 1 << 21  # candidate pixels in one go
_EDGE = -1e-9  # pixels on an edge belong to both triangles rather than to none


@dataclass(frozen=True, eq=False)
class Visible:
    """For each pixel (height, width): the triangle seen, -1 for none, and its depth, infinite for none."""

    triangle: npt.NDArray[np.int64]
    depth: Array


def rasterize(projected: Array, size: tuple[int, int]) -> Visible:
    """What is seen of triangles (n, 3, 3), corners given as pixel coordinates and depth (see `Camera.project`).

    Triangles with a corner behind the camera (not a number) are left out.
    """
    width, height = size
    first, count = _boxes(projected, size)
    total = np.prod(count, axis=-1)
    kept = np.flatnonzero(total)
    triangle = np.full(width * height, -1, dtype=np.int64)
    nearest = np.full(width * height, -np.inf)  # 1 / depth
    ends = np.cumsum(total[kept])
    cuts = np.searchsorted(ends, np.arange(PORTION, ends[-1] + 1 if len(ends) else 0, PORTION))
    for chosen in np.split(kept, np.unique(cuts) + 1):
        pixel, source, inverse_depth = _fragments(projected, first, count, chosen, width)
        np.maximum.at(nearest, pixel, inverse_depth)
        seen = inverse_depth == nearest[pixel]
        triangle[pixel[seen]] = source[seen]
    with np.errstate(divide="ignore"):
        depth = np.where(triangle >= 0, 1.0 / nearest, np.inf)
    return Visible(triangle.reshape(height, width), depth.reshape(height, width))


def _boxes(projected: Array, size: tuple[int, int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """First pixel (n, 2) and number of pixels (n, 2) of each triangle's bounding box, inside the image."""
    flat = projected[..., :2]
    valid = np.all(np.isfinite(projected), axis=(1, 2), keepdims=True)[:, 0]
    lower, upper = (np.where(valid, bound, 0.0) for bound in (flat.min(axis=1), flat.max(axis=1)))
    limit = np.array(size)
    first = np.clip(np.ceil(lower - 0.5), 0, limit).astype(np.int64)
    last = np.clip(np.floor(upper - 0.5), -1, limit - 1).astype(np.int64)
    return first, np.maximum(last - first + 1, 0) * valid


def _fragments(
    projected: Array,
    first: npt.NDArray[np.int64],
    count: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    width: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Array]:
    """Pixels inside the chosen triangles: their number in the image, the triangle, and 1 / depth."""
    total = np.prod(count[chosen], axis=-1)
    source = np.repeat(chosen, total)
    place = np.arange(len(source)) - np.repeat(np.cumsum(total) - total, total)
    row, column = np.divmod(place, count[source, 0])
    column += first[source, 0]
    row += first[source, 1]
    a, b, c = projected[source, 0], projected[source, 1], projected[source, 2]
    x, y = column + 0.5, row + 0.5
    with np.errstate(divide="ignore", invalid="ignore"):  # triangles seen edge on have no area and no inside
        area = _cross(b[:, 0] - a[:, 0], b[:, 1] - a[:, 1], c[:, 0] - a[:, 0], c[:, 1] - a[:, 1])
        weight_a = _cross(b[:, 0] - x, b[:, 1] - y, c[:, 0] - x, c[:, 1] - y) / area
        weight_b = _cross(c[:, 0] - x, c[:, 1] - y, a[:, 0] - x, a[:, 1] - y) / area
        weight_c = 1.0 - weight_a - weight_b
        inside = (weight_a >= _EDGE) & (weight_b >= _EDGE) & (weight_c >= _EDGE)
    inverse_depth = weight_a / a[:, 2] + weight_b / b[:, 2] + weight_c / c[:, 2]
    return (row * width + column)[inside], source[inside], inverse_depth[inside]


def _cross(ux: Array, uy: Array, vx: Array, vy: Array) -> Array:
    return ux * vy - uy * vx
