"""Shapes and colours of links in URDF files.

Shapes are not part of the mechanism, so a shape that floatbase has no use for (a capsule, an empty <geometry/>) is
skipped, while a malformed number in one that it has is an error.
"""

from __future__ import annotations

import numpy as np

from floatbase.model.description import Geometry
from floatbase.model.packages import Resolver
from floatbase.model.poses import Array, pose
from floatbase.model.xml import Element

Color = tuple[float, float, float, float]


def origin(element: Element) -> Array:
    """The pose of an element's <origin>, the identity if there is none."""
    found = element.optional("origin")
    if found is None:
        return np.eye(4)
    zero = (0.0, 0.0, 0.0)
    return pose(found.vector("xyz", zero), found.vector("rpy", zero))


def materials(root: Element) -> dict[str, Color]:
    """The colours of named materials, those defined inside visuals included."""
    inside = (visual.first("material") for link in root.all("link") for visual in link.all("visual"))
    colors: dict[str, Color] = {}
    for material in (*root.all("material"), *inside):
        if material is not None:
            color = _own_color(material)
            if color is not None:
                colors.setdefault(material.attributes.get("name", ""), color)
    return colors


def geometries(link: Element, tag: str, resolve: Resolver, colors: dict[str, Color]) -> tuple[Geometry, ...]:
    """The visuals or collisions of a link."""
    shapes = (_geometry(element, resolve, colors) for element in link.all(tag))
    return tuple(shape for shape in shapes if shape is not None)


def _geometry(element: Element, resolve: Resolver, colors: dict[str, Color]) -> Geometry | None:
    geometry = element.optional("geometry")
    if geometry is None:
        return None
    color = _color(element, colors)
    link_H_shape = origin(element)
    for shape in geometry.children:
        if shape.tag == "box":
            return Geometry("box", shape.vector("size"), link_H_shape, color=color)
        if shape.tag == "cylinder":
            size = (shape.number("radius"), shape.number("length"))
            return Geometry("cylinder", size, link_H_shape, color=color)
        if shape.tag == "sphere":
            return Geometry("sphere", (shape.number("radius"),), link_H_shape, color=color)
        if shape.tag == "mesh":
            uri = shape.attribute("filename")
            scale = _scale(shape)
            return Geometry("mesh", scale, link_H_shape, file=resolve(uri), uri=uri, color=color)
    return None


def _scale(mesh: Element) -> tuple[float, ...]:
    """Three factors; files in the wild also give one for all."""
    text = mesh.attributes.get("scale", "1 1 1").split()
    if len(text) == 1:
        return mesh.vector("scale", size=1) * 3
    return mesh.vector("scale", (1.0, 1.0, 1.0))


def _color(element: Element, colors: dict[str, Color]) -> Color | None:
    material = element.first("material")
    if material is None:
        return None
    return _own_color(material) or colors.get(material.attributes.get("name", ""))


def _own_color(material: Element) -> Color | None:
    color = material.first("color")
    if color is None or "rgba" not in color.attributes:
        return None
    red, green, blue, alpha = color.vector("rgba", size=4)
    return red, green, blue, alpha
