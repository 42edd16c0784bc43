"""Shapes in MJCF: of links, and of the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal
from xml.sax.saxutils import quoteattr

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model import Geometry
from floatbase.robot import Robot
from floatbase.simulation.grounds import Flat, HeightField, Slope
from floatbase.simulation.laws import Ground
from floatbase.simulation.loop.mujoco.parts import Part, Parts
from floatbase.spatial import quaternion_from_rotation
from floatbase.spatial.arrays import Array

Choice = Literal["contacts", "primitives", "all"]
CHOICES = ("contacts", "primitives", "all")
_READABLE = (".stl", ".obj", ".msh")


def numbers(values: Any) -> str:
    """Numbers with all their digits."""
    return " ".join(repr(float(value)) for value in values)


def placed(pose: Array) -> str:
    """The attributes of a pose (4, 4)."""
    return f'pos="{numbers(pose[:3, 3])}" quat="{numbers(quaternion_from_rotation(pose[:3, :3]))}"'


def chosen_shapes(
    parts: Parts, contacts: Mapping[str, Sequence[Geometry] | None], choice: Choice
) -> list[tuple[str, Geometry]]:
    """The shapes that can touch the ground, by the link or frame that each is fixed to.

    Of parts with a frame in contact those given there, or else the collision shapes of the part's links: boxes,
    cylinders and spheres, or meshes if there are none of these. With `choice` "primitives" or "all" also those of the
    other links.
    """
    found: list[tuple[str, Geometry]] = []
    links = parts.robot.model.links
    taken: dict[Part, str] = {}
    for frame, given in contacts.items():
        part = parts.of_frame(frame)
        if part in taken:
            raise ArgumentError(
                f"the contacts at {taken[part]!r} and {frame!r} are on one rigid body; MuJoCo's forces on it cannot be "
                "told apart: name one of them"
            )
        taken[part] = frame
        if given is None:
            shapes = [
                (link.name, item) for link in links if parts.of_frame(link.name) == part for item in link.collisions
            ]
            primitive = [(name, item) for name, item in shapes if item.kind != "mesh"]
            if not shapes:
                raise ArgumentError(
                    f"the description has no collision shape on the body of {frame!r}; give shapes: "
                    f"contacts={{{frame!r}: (Geometry(...),)}}"
                )
            found += primitive or shapes
        else:
            found += [(frame, item) for item in given]
    if choice != "contacts":
        for link in links:
            if parts.of_frame(link.name) not in taken:
                found += [(link.name, item) for item in link.collisions if choice == "all" or item.kind != "mesh"]
    return found


def geom_and_asset(robot: Robot, number: int, item: Geometry, pose: Array) -> tuple[str, str]:
    """A shape of the robot at a pose in its part, and the mesh that it needs. Robots touch the ground alone."""
    head = f'<geom name="shape {number}" contype="0" conaffinity="1" {placed(pose)}'
    if item.kind == "box":
        return f'{head} type="box" size="{numbers(0.5 * np.array(item.size))}"/>', ""
    if item.kind == "cylinder":
        return f'{head} type="cylinder" size="{numbers((item.size[0], 0.5 * item.size[1]))}"/>', ""
    if item.kind == "sphere":
        return f'{head} type="sphere" size="{numbers(item.size)}"/>', ""
    if item.file is None or Path(item.file).suffix.lower() not in _READABLE:
        raise ArgumentError(
            f"robot {robot.name!r} has the mesh {item.uri or item.file!r}, which MuJoCo cannot read (it reads "
            f"{', '.join(_READABLE)}); choose shapes='primitives', or give shapes for the frames in contact"
        )
    file = quoteattr(str(Path(item.file).resolve()))
    asset = f'<mesh name="mesh {number}" file={file} scale="{numbers(item.size)}" inertia="shell"/>'
    return f'{head} type="mesh" mesh="mesh {number}"/>', asset


def ground_and_asset(ground: Ground) -> tuple[str, str]:
    """The ground as a shape, and what it needs."""
    head = '<geom name="ground" contype="1" conaffinity="0"'
    if isinstance(ground, Flat | Slope):
        normal = np.asarray(ground.normal(0.0, 0.0), dtype=float)
        place = (0.0, 0.0, float(ground.height(0.0, 0.0)))
        return f'{head} type="plane" size="0 0 1" pos="{numbers(place)}" zaxis="{numbers(normal)}"/>', ""
    if isinstance(ground, HeightField):
        low, high = _range(ground)
        half = (0.5 * np.ptp(ground.x), 0.5 * np.ptp(ground.y), high - low, 1.0)
        center = (0.5 * (ground.x[0] + ground.x[-1]), 0.5 * (ground.y[0] + ground.y[-1]), low)
        n, m = ground.heights.shape
        asset = f'<hfield name="ground" nrow="{m}" ncol="{n}" size="{numbers(half)}"/>'
        return f'{head} type="hfield" hfield="ground" pos="{numbers(center)}"/>', asset
    raise ArgumentError(f"the MuJoCo plant has Flat, Slope and HeightField for a ground; got {type(ground).__name__}")


def elevations(ground: HeightField) -> Array:
    """Heights as MuJoCo keeps them: rows along y, from 0 to 1."""
    low, high = _range(ground)
    return np.asarray((np.asarray(ground.heights).T - low) / (high - low)).ravel()


def _range(ground: HeightField) -> tuple[float, float]:
    low, high = float(np.min(ground.heights)), float(np.max(ground.heights))
    return low, high if high > low else low + 1e-3
