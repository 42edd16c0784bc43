"""Reading the surfaces of Collada files (`.dae`): triangles, polygons, nodes that place them, diffuse colours.

Lengths are multiplied with the file's unit. The axis that the file calls up is left alone, as the programs do that
robot descriptions with such meshes were written for.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import numpy.typing as npt

from floatbase.errors import RobotFileError
from floatbase.spatial.rotations import rotation_exponential
from floatbase.viewer.mesh import Array, Mesh
from floatbase.viewer.mesh_checks import MAX_TEXT_BYTES, MAX_TRIANGLES, checked_mesh, read_bounded
from floatbase.viewer.mesh_files import Color, Part

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element as _Element

MAX_NODES, MAX_DEPTH = 20_000, 64
Integers = npt.NDArray[np.int64]


def read_collada(path: str | os.PathLike[str]) -> tuple[Part, ...]:
    """The parts of a Collada file; `RobotFileError` if it is damaged, hostile or too large."""
    from defusedxml.common import DefusedXmlException
    from defusedxml.ElementTree import ParseError, fromstring

    place = Path(path)
    try:
        root = fromstring(read_bounded(place, MAX_TEXT_BYTES), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError) as error:
        raise RobotFileError(f"{place}: not a Collada file: {error}") from None
    return _File(place, root).parts()


class _File:
    """A parsed file: elements by their identifiers."""

    def __init__(self, place: Path, root: _Element) -> None:
        self.place, self.nodes, self.triangles = place, 0, 0
        self.root = root
        self.by_id: dict[str, _Element] = {}
        for element in root.iter():
            element.tag = str(element.tag).rpartition("}")[2]
            if "id" in element.attrib:
                self.by_id[element.attrib["id"]] = element
        self.surfaces: dict[str, list[tuple[Array, str]]] = {}

    def refuse(self, problem: str) -> NoReturn:
        raise RobotFileError(f"{self.place}: {problem}")

    def parts(self) -> tuple[Part, ...]:
        """All surfaces of the scene, those of a colour together."""
        unit = self.root.find("asset/unit")
        meter = float(self.numbers(unit.attrib.get("meter", "1"), 1)[0]) if unit is not None else 1.0
        found: dict[Color | None, list[Array]] = {}
        scene = self.root.find("scene/instance_visual_scene")
        if scene is None:
            self.refuse("the file has no scene")
        pose = np.diag([meter, meter, meter, 1.0])
        for node in self.target(scene, "url").findall("node"):
            for color, corners in self.surfaces_of(node, pose, 0):
                found.setdefault(color, []).append(corners)
        if not found:
            self.refuse("the mesh has no triangle")
        return tuple(Part(checked_mesh(np.concatenate(group), self.place), color) for color, group in found.items())

    def surfaces_of(self, node: _Element, world_H_parent: Array, depth: int) -> Iterator[tuple[Color | None, Array]]:
        """Colours and corners of what a node and the nodes below it hold."""
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            self.refuse(f"its nodes are more than {MAX_NODES}, or nested deeper than {MAX_DEPTH}")
        world_H_node = world_H_parent @ self.placement(node)
        for child in node:
            if child.tag == "node":
                yield from self.surfaces_of(child, world_H_node, depth + 1)
            elif child.tag == "instance_node":
                yield from self.surfaces_of(self.target(child, "url"), world_H_node, depth + 1)
            elif child.tag == "instance_geometry":
                colors = {
                    item.attrib.get("symbol", ""): self.color(self.target(item, "target"))
                    for item in child.iter("instance_material")
                }
                for corners, symbol in self.geometry(self.target(child, "url")):
                    self.triangles += len(corners)
                    if self.triangles > MAX_TRIANGLES:
                        self.refuse(f"the mesh has more than {MAX_TRIANGLES} triangles")
                    placed = Mesh(corners).moved(world_H_node).corners
                    mirrored = np.linalg.det(world_H_node[:3, :3]) < 0.0  # which turns triangles over
                    yield colors.get(symbol), placed[:, ::-1] if mirrored else placed

    def placement(self, node: _Element) -> Array:
        """The product of the transformations of a node, in their order."""
        pose = np.eye(4)
        for child in node:
            step = np.eye(4)
            if child.tag == "matrix":
                step = self.numbers(child.text, 16).reshape(4, 4)
            elif child.tag == "translate":
                step[:3, 3] = self.numbers(child.text, 3)
            elif child.tag == "scale":
                step[:3, :3] = np.diag(self.numbers(child.text, 3))
            elif child.tag == "rotate":
                x, y, z, angle = self.numbers(child.text, 4)
                length = max(float(np.linalg.norm([x, y, z])), 1e-12)
                step[:3, :3] = rotation_exponential(np.deg2rad(angle) / length * np.array([x, y, z]))
            pose = pose @ step
        return pose

    def geometry(self, element: _Element) -> list[tuple[Array, str]]:
        """Triangles (n, 3, 3) and the names of their materials; read once, however often it is placed."""
        name = element.attrib.get("id", "")
        if name not in self.surfaces:
            mesh = element.find("mesh")
            shapes = [] if mesh is None else [child for child in mesh if child.tag in _TRIANGLES]
            self.surfaces[name] = [(self.corners(shape), shape.attrib.get("material", "")) for shape in shapes]
        return self.surfaces[name]

    def corners(self, shape: _Element) -> Array:
        """The triangles (n, 3, 3) of a list of polygons."""
        inputs = shape.findall("input")
        offsets = [self.whole(item.attrib.get("offset", "0")) for item in inputs]
        at = next((k for k, item in enumerate(inputs) if item.attrib.get("semantic") == "VERTEX"), None)
        if at is None or max(offsets) > 64:
            self.refuse(f"a <{shape.tag}> says nothing of its vertices")
        source = next(
            (item for item in self.target(inputs[at], "source") if item.attrib.get("semantic") == "POSITION"), None
        )
        array = None if source is None else self.target(source, "source").find("float_array")
        if array is None:
            self.refuse(f"a <{shape.tag}> says nothing of its positions")
        points = self.numbers(array.text, self.whole(array.attrib.get("count", "-1")))
        if len(points) % 3:
            self.refuse(f"{len(points)} numbers do not make points of three")
        lists = [self.numbers(item.text, None).astype(np.int64) for item in shape.findall("p")]
        stride = max(offsets) + 1
        if any(len(item) % stride for item in lists):
            self.refuse(f"a <{shape.tag}> is cut short")
        used = [item.reshape(-1, stride)[:, offsets[at]] for item in lists]
        if shape.tag == "polygons":
            sizes = np.array([len(item) for item in used], dtype=np.int64)
        elif shape.tag == "polylist":
            counts = shape.find("vcount")
            sizes = self.numbers(None if counts is None else counts.text, None).astype(np.int64)
        else:
            sizes = np.full(sum(map(len, used)) // 3, 3, dtype=np.int64)
        indices = np.concatenate(used) if used else np.zeros(0, dtype=np.int64)
        if sizes.sum() != len(indices) or (len(indices) and not 0 <= indices.min() <= indices.max() < len(points) // 3):
            self.refuse(f"a <{shape.tag}> refers to corners that it does not have")
        corners: Array = points.reshape(-1, 3)[indices[_fans(sizes)]]
        return corners

    def color(self, material: _Element) -> Color | None:
        """The diffuse colour of a material, if it has one rather than a picture."""
        effect = material.find("instance_effect")
        diffuse = None if effect is None else next(self.target(effect, "url").iter("diffuse"), None)
        color = None if diffuse is None else diffuse.find("color")
        if color is None:
            return None
        red, green, blue = np.clip(self.numbers(color.text, None)[:3], 0.0, 1.0)
        return float(red), float(green), float(blue)

    def target(self, element: _Element, attribute: str) -> _Element:
        """The element of this file that another one refers to."""
        name = element.attrib.get(attribute, "")
        found = self.by_id.get(name.removeprefix("#"))
        if found is None:
            self.refuse(f"<{element.tag}> refers to {name[:80]!r}, which the file does not have")
        return found

    def whole(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            self.refuse(f"expected a whole number, got {text[:40]!r}")

    def numbers(self, text: str | None, count: int | None) -> Array:
        """Numbers separated by blanks; as many as they should be."""
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                values = np.fromstring(text or "", dtype=np.float64, sep=" ")
            except (ValueError, DeprecationWarning):
                self.refuse(f"expected numbers, got {(text or '')[:40]!r}")
        if count is not None and len(values) != count:
            self.refuse(f"expected {count} numbers, got {len(values)}")
        if not np.isfinite(values).all():
            self.refuse("the mesh has corners that are not finite numbers")
        return values


_TRIANGLES = ("triangles", "polylist", "polygons")


def _fans(sizes: Integers) -> Integers:
    """Positions (n, 3) of the corners of triangles that polygons of some numbers of corners are cut into."""
    first = np.cumsum(sizes) - sizes
    count = np.maximum(sizes - 2, 0)
    start = np.repeat(first, count)
    step = np.arange(len(start)) - np.repeat(np.cumsum(count) - count, count)
    return np.stack([start, start + step + 1, start + step + 2], axis=-1)
