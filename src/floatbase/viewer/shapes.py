"""The shapes of a robot's bodies: what its description shows, or a stick figure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import RobotFileError
from floatbase.model import Model, Tree
from floatbase.model.description import Geometry
from floatbase.viewer.mesh import Array, Mesh, box, capsule, cylinder, sphere
from floatbase.viewer.mesh_files import Color, Part, read_mesh
from floatbase.viewer.poses import body_poses, checked_configurations
from floatbase.viewer.surfaces import simplified

MAX_ALL_TRIANGLES = 8_000_000  # of a robot

GREY: Color = (0.7, 0.7, 0.7)
BONE: Color = (0.42, 0.50, 0.58)
JOINT: Color = (0.80, 0.30, 0.24)


@dataclass(frozen=True, eq=False)
class BodyShape:
    """A mesh in the frame of a body of the tree, with its colour as on screens."""

    body: int
    mesh: Mesh
    color: Color


@dataclass(frozen=True, eq=False)
class RobotShapes:
    """The shapes of a robot; `problems` says what of the description could not be shown, and why."""

    tree: Tree
    shapes: tuple[BodyShape, ...]
    problems: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of triangles."""
        return sum(shape.mesh.size for shape in self.shapes)

    def placed(self, q: Any) -> list[tuple[Mesh, Color]]:
        """Meshes in the world at one configuration (nq,)."""
        poses = body_poses(self.tree, checked_configurations(self.tree, q)[0])
        return [(shape.mesh.moved(poses[shape.body]), shape.color) for shape in self.shapes]

    def simplified(self, most: int) -> RobotShapes:
        """With at most about `most` triangles, of which larger shapes keep more."""
        if self.size <= most:
            return self
        extents = np.array([_extent(shape.mesh.corners) for shape in self.shapes])
        sizes = np.array([shape.mesh.size for shape in self.shapes])
        share = np.minimum(sizes, most * extents / extents.sum())
        share = np.minimum(sizes, share + (most - share.sum()) * (sizes - share) / max((sizes - share).sum(), 1.0))
        shapes = [
            BodyShape(shape.body, simplified(shape.mesh, max(int(count), 12)), shape.color)
            for shape, count in zip(self.shapes, share, strict=True)
        ]
        return RobotShapes(self.tree, tuple(shapes), self.problems)


def robot_shapes(model: Model, tree: Tree) -> RobotShapes:
    """The visual shapes of a robot, collision shapes of links that show none, or else a stick figure."""
    found: list[BodyShape] = []
    problems: list[str] = []
    for link in model.links:
        shown = _link_shapes(tree, link.name, link.visuals, problems, found)
        if link.visuals and not shown:
            shown = _link_shapes(tree, link.name, link.collisions, problems, found)
        found += shown
    if not found:
        for link in model.links:
            found += _link_shapes(tree, link.name, link.collisions, problems, found)
    return RobotShapes(tree, tuple(found) if found else stick_figure(tree), tuple(dict.fromkeys(problems)))


def shape_parts(geometry: Geometry) -> tuple[Part, ...]:
    """The triangles of a shape, in its own frame."""
    if geometry.kind == "box":
        x, y, z = geometry.size
        return (Part(box(x, y, z), None),)
    if geometry.kind == "cylinder":
        radius, length = geometry.size
        return (Part(cylinder(radius, length), None),)
    if geometry.kind == "sphere":
        return (Part(sphere(geometry.size[0]), None),)
    if geometry.file is None:
        raise RobotFileError(f"the mesh {geometry.uri!r} was not found on this machine")
    scale = np.array(geometry.size)
    return tuple(Part(mesh.moved(np.eye(4), scale), color) for mesh, color in read_mesh(geometry.file))


def stick_figure(tree: Tree) -> tuple[BodyShape, ...]:
    """Balls at joints, and bars between them and to the centres of mass of the last bodies."""
    children: list[list[int]] = [[] for _ in tree.bodies]
    for number, body in enumerate(tree.bodies[1:], 1):
        children[body.parent].append(number)
    ends = [[_origin(tree, child) for child in below] for below in children]
    for number, body in enumerate(tree.bodies):
        mass = float(body.parameters[0])
        if mass > 0.0 and (not ends[number] or number == 0):
            ends[number].append(np.asarray(body.parameters[1:4], dtype=np.float64) / mass)
    lengths = [float(np.linalg.norm(end)) for group in ends for end in group]
    thickness = 0.09 * float(np.median([length for length in lengths if length > 1e-6] or [0.2]))
    thickness = min(max(thickness, 1e-4), 0.03)
    shapes = []
    for number, group in enumerate(ends):
        shapes.append(BodyShape(number, sphere(1.5 * thickness, 24), JOINT))
        far = [end for end in group if np.linalg.norm(end) > thickness]
        shapes += [BodyShape(number, capsule(np.zeros(3), end, thickness), BONE) for end in far]
    return tuple(shapes)


def _origin(tree: Tree, body: int) -> Array:
    """Where the joint of a body is in the frame of its parent."""
    joint = tree.bodies[body].joint
    assert joint is not None
    return np.asarray(joint.parent_H_joint[:3, 3], dtype=np.float64)


def _link_shapes(
    tree: Tree, link: str, shapes: Sequence[Geometry], problems: list[str], before: Sequence[BodyShape]
) -> list[BodyShape]:
    """Those of a link; `before` are those of other links, which leave room for so many triangles more."""
    body, body_H_link = tree.frames[link]
    found: list[BodyShape] = []
    for geometry in shapes:
        try:
            parts = shape_parts(geometry)
            size = sum(mesh.size for mesh, _ in parts)
            if size + sum(shape.mesh.size for shape in (*before, *found)) > MAX_ALL_TRIANGLES:
                raise RobotFileError(
                    f"{geometry.file or geometry.kind} of {link!r} is left out: with its {size} triangles the robot "
                    f"has more than {MAX_ALL_TRIANGLES}"
                )
        except RobotFileError as error:
            problems.append(str(error))
            continue
        for mesh, color in parts:
            own = None if geometry.color is None else geometry.color[:3]
            found.append(BodyShape(body, mesh.moved(body_H_link @ geometry.link_H_shape), own or color or GREY))
    return found


def _extent(corners: Array) -> float:
    return float(np.linalg.norm(np.ptp(corners.reshape(-1, 3), axis=0)))
