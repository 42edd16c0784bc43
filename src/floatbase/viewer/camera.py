r"""A perspective camera.

A point $p$ in the camera's frame (x right, y down, z forward) is seen at the pixel
$(w/2 + f p_x / p_z,\; h/2 + f p_y / p_z)$ of an image $w$ wide and $h$ high, with $f = h / (2 \tan(\phi / 2))$ for a
vertical field of view $\phi$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.viewer.mesh import Array


@dataclass(frozen=True)
class Camera:
    """Where the camera is and what it looks at, in the world (z up), and its vertical field of view in rad."""

    position: tuple[float, float, float]
    target: tuple[float, float, float]
    field_of_view: float = 0.5

    def __post_init__(self) -> None:
        forward = np.subtract(self.target, self.position)
        if not np.linalg.norm(forward[:2]) > 1e-9:
            raise ArgumentError(
                f"the camera must not look straight up or down, got position={self.position}, target={self.target}"
            )
        if not 0.0 < self.field_of_view < np.pi:
            raise ArgumentError(f"field_of_view must be between 0 and pi, got {self.field_of_view}")

    @property
    def camera_R_world(self) -> Array:
        """Rows are the camera's axes in the world: right, down, forward."""
        forward = np.subtract(self.target, self.position)
        forward = forward / np.linalg.norm(forward)
        right = np.cross(forward, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        return np.stack([right, np.cross(forward, right), forward])

    def project(self, points: Array, size: tuple[int, int]) -> Array:
        """Pixel coordinates and depth (..., 3) of points (..., 3) in the world; depth is along the line of sight."""
        width, height = size
        p = (points - np.array(self.position)) @ self.camera_R_world.T
        depth = p[..., 2]
        scale = self._focal(height) / np.where(depth > 1e-6, depth, np.nan)
        return np.stack([width / 2.0 + p[..., 0] * scale, height / 2.0 + p[..., 1] * scale, depth], axis=-1)

    def rays(self, size: tuple[int, int]) -> Array:
        """Directions (height, width, 3) in the world through the pixels' centres, with unit depth."""
        width, height = size
        focal = self._focal(height)
        x = (np.arange(width) + 0.5 - width / 2.0) / focal
        y = (np.arange(height) + 0.5 - height / 2.0) / focal
        directions = np.stack(np.broadcast_arrays(x, y[:, None], 1.0), axis=-1)
        return directions @ self.camera_R_world

    def _focal(self, height: int) -> float:
        return height / (2.0 * float(np.tan(self.field_of_view / 2.0)))


def look_at(
    points: Array,
    azimuth: float,
    elevation: float,
    field_of_view: float = 0.5,
    aspect: float = 4 / 3,
    fill: float = 0.9,
) -> Camera:
    """A camera that sees all points (n, 3), from a direction given by azimuth (from x, about z) and elevation in rad.

    fill: how much of the image's width or height the points take up. aspect: width over height of the image.
    """
    if not 0.0 < fill <= 1.0:
        raise ArgumentError(f"fill must be above 0 and at most 1, got {fill}")
    away = (np.cos(azimuth) * np.cos(elevation), np.sin(azimuth) * np.cos(elevation), np.sin(elevation))
    lower, upper = points.min(axis=0), points.max(axis=0)
    target = (lower + upper) / 2.0
    distance = float(np.linalg.norm(upper - lower)) / field_of_view
    for _ in range(4):  # converges fast: perspective changes little with each step
        camera = Camera(_triple(target + distance * np.array(away)), _triple(target), field_of_view)
        x, y, _ = np.moveaxis(camera.project(points, (0, 1)), -1, 0)
        right, down, _ = camera.camera_R_world
        center_x, center_y = (x.min() + x.max()) / 2.0, (y.min() + y.max()) / 2.0 - 0.5
        height = 2.0 * distance * np.tan(field_of_view / 2.0)
        target = target + height * (center_x * right + center_y * down)
        distance *= max(float(np.ptp(x)) / aspect, float(np.ptp(y))) / fill
    return camera


def _triple(values: Sequence[float] | Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
