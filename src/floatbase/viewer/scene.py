"""What is drawn: triangles with colours, in the world. A robot's scene comes from its visual shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import warn
from floatbase.model import Model, ModelWarning, Tree
from floatbase.viewer.image import from_srgb
from floatbase.viewer.mesh import Array, Mesh
from floatbase.viewer.shapes import robot_shapes


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
    """The shapes of a robot at a configuration `q` (nq,); what cannot be shown of it is told in a warning."""
    shapes = robot_shapes(model, tree)
    for problem in shapes.problems:
        warn(problem, ModelWarning)
    return scene(shapes.placed(q))
