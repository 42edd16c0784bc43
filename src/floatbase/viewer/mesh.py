"""Triangle meshes, and those of simple shapes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles as corners (n, 3, 3): triangle, corner, coordinate. Corners run counter-clockwise seen from outside."""

    corners: Array

    @property
    def size(self) -> int:
        """The number of triangles."""
        return len(self.corners)

    def moved(self, world_H_mesh: Array, scale: Array | None = None) -> Mesh:
        """The mesh scaled along its own axes, then put at a pose (4, 4)."""
        corners = self.corners if scale is None else self.corners * scale
        if scale is not None and np.prod(scale) < 0.0:  # a reflection turns triangles over
            corners = corners[:, ::-1]
        return Mesh(corners @ world_H_mesh[:3, :3].T + world_H_mesh[:3, 3])


def box(x: float, y: float, z: float) -> Mesh:
    """A box of the given edge lengths about the origin."""
    signs = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) / 2.0
    quads = []
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        for side in (0.5, -0.5):
            quad = np.zeros((4, 3))
            quad[:, axis] = side
            quad[:, [first, second]] = signs if side > 0.0 else signs[::-1]
            quads.append(quad)
    return Mesh(_split(np.array(quads)) * np.array([x, y, z]))


def cylinder(radius: float, length: float, segments: int = 48) -> Mesh:
    """A cylinder along z about the origin."""
    x, y = _circle(segments)
    ring = np.stack([radius * x, radius * y, np.full_like(x, length / 2.0)], axis=-1)
    return _revolve([_center(ring), ring, ring * (1.0, 1.0, -1.0), _center(ring) * (1.0, 1.0, -1.0)])


def sphere(radius: float, segments: int = 48) -> Mesh:
    """A sphere about the origin."""
    x, y = _circle(segments)
    angles = np.linspace(0.0, np.pi, segments // 2 + 1)
    return _revolve([radius * np.stack([np.sin(a) * x, np.sin(a) * y, np.full_like(x, np.cos(a))], -1) for a in angles])


def capsule(start: Array, end: Array, radius: float, segments: int = 24) -> Mesh:
    """A cylinder with round ends between two points (3,)."""
    start, end = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    length = float(np.linalg.norm(end - start))
    ball = sphere(radius, segments).corners
    ball[..., 2] += np.where(ball.mean(axis=1)[:, 2:] > 0.0, 0.5, -0.5) * length
    tube = cylinder(radius, max(length, 1e-9), segments).corners
    tube = tube[np.ptp(tube[..., 2], axis=1) > 0.0]  # the sides alone
    z = (end - start) / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    x = np.cross(z, (0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0))
    x /= np.linalg.norm(x)
    pose = np.eye(4)
    pose[:3] = np.column_stack([x, np.cross(z, x), z, (start + end) / 2.0])
    return Mesh(np.concatenate([ball, tube])).moved(pose)


def _circle(segments: int) -> tuple[Array, Array]:
    angles = np.linspace(0.0, 2.0 * np.pi, segments + 1)
    return np.cos(angles), np.sin(angles)


def _center(ring: Array) -> Array:
    return ring * (0.0, 0.0, 1.0)


def _revolve(rings: list[Array]) -> Mesh:
    """The surface between rings of points, from the top down, without the triangles that have no area."""
    quads = [
        np.stack([upper[:-1], lower[:-1], lower[1:], upper[1:]], axis=1) for upper, lower in itertools.pairwise(rings)
    ]
    corners = _split(np.concatenate(quads))
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=-1)
    return Mesh(corners[area > 1e-12 * area.max()])


def _split(quads: Array) -> Array:
    """Two triangles for each quadrilateral (n, 4, 3)."""
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
