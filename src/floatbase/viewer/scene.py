"""What is drawn: triangles with colours, in the world. A robot's scene comes from its visual shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from floatbase import algorithms
from floatbase.errors import RobotFileError
from floatbase.model import Model, Tree
from floatbase.model.description import Geometry
from floatbase.viewer.image import from_srgb
from floatbase.viewer.mesh import Array, Mesh, box, cylinder, sphere
from floatbase.viewer.stl import read_stl

GREY = (0.7, 0.7, 0.7, 1.0)


@dataclass(frozen=True, eq=False)
class Scene:
    """Triangles (n, 3, 3) in the world, z up, and a colour (n, 3) each, linear from 0 to 1."""

    corners: Array
    colors: Array


def scene(parts: Sequence[tuple[Mesh, Sequence[float]]]) -> Scene:
    """A scene of meshes with a colour each, (red, green, blue) as on screens; further components do not count."""
    corners = np.concatenate([mesh.corners for mesh, _ in parts])
    colors = np.repeat([color[:3] for _, color in parts], [mesh.size for mesh, _ in parts], axis=0)
    return Scene(corners, from_srgb(colors))


def robot_scene(model: Model, tree: Tree, q: Any) -> Scene:
    """The visual shapes of a robot's links at a configuration `q` (nq,)."""
    parts: list[tuple[Mesh, Sequence[float]]] = []
    for link in model.links:
        if link.visuals:
            world_H_link = np.asarray(algorithms.pose(tree, q, link.name), dtype=np.float64)
            for geometry in link.visuals:
                mesh = shape_mesh(geometry).moved(world_H_link @ geometry.link_H_shape)
                parts.append((mesh, geometry.color or GREY))
    if not parts:
        raise RobotFileError(f"robot {model.name!r} has no visual shapes to draw")
    return scene(parts)


def shape_mesh(geometry: Geometry) -> Mesh:
    """The triangles of a shape, in its own frame."""
    if geometry.kind == "box":
        x, y, z = geometry.size
        return box(x, y, z)
    if geometry.kind == "cylinder":
        radius, length = geometry.size
        return cylinder(radius, length)
    if geometry.kind == "sphere":
        return sphere(geometry.size[0])
    if geometry.file is None:
        raise RobotFileError(f"the mesh {geometry.uri!r} was not found on this machine")
    if Path(geometry.file).suffix.lower() != ".stl":
        raise RobotFileError(f"{geometry.file}: only meshes in STL files can be drawn")
    return read_stl(geometry.file).moved(np.eye(4), np.array(geometry.size))
