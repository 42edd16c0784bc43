"""Robots from names, files and models."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from floatbase.errors import ArgumentError
from floatbase.model import Model, load_file, load_named, load_settings
from floatbase.robot import Robot


def load(
    source: str | os.PathLike[str] | Model,
    *,
    base: str | None = None,
    floating: bool | None = None,
    joints: Sequence[str] | None = None,
    locked: Mapping[str, float | Sequence[float]] | None = None,
    representation: str = "mixed",
    gravity: Sequence[float] = (0.0, 0.0, -9.81),
    free_mimic: bool = False,
    keep_force_sensors: bool = False,
    allow_nonphysical: bool = False,
    allow_massless: bool = False,
    max_bytes: int | None = None,
    max_links: int | None = None,
) -> Robot:
    """A robot from a name (see `robots`), the path of a URDF or MJCF file, or a `Model`.

    * `base`: the base link; by default the root of the file. Orders of joints and bodies do not depend on it.
    * `floating`: whether the base moves freely. By default it does, except for robots that are known to be arms or
      hands, and for files whose root is a link called "world".
    * `joints`: names of the joints that stay free, in their order; the others are locked at rest, or at their
      coordinates in `locked` (a number, or several for joints of several coordinates).
    * `representation`: how twists and wrenches are written, "mixed", "body" or "inertial".
    * `gravity`: the acceleration vector in the world, z up.
    * `free_mimic`: give joints that mimic another one a coordinate of their own.
    * `keep_force_sensors`: keep joints that carry a force/torque sensor as cuts of the tree.
    * `allow_nonphysical`, `allow_massless`: accept inertias no rigid body has, or joints that move nothing with mass.
    * `max_bytes`, `max_links`: read files up to this size; by default 64 MiB, and 20 000 links or joints.
    """
    settings: dict[str, Any] = {
        "base": base,
        "floating": floating,
        "joints": joints,
        "locked": locked,
        "representation": representation,
        "gravity": gravity,
        "free_mimic": free_mimic,
        "keep_force_sensors": keep_force_sensors,
        "allow_nonphysical": allow_nonphysical,
        "allow_massless": allow_massless,
    }
    limits = {name: value for name, value in (("max_bytes", max_bytes), ("max_links", max_links)) if value is not None}
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ArgumentError(f"{name} must be a whole number above zero, got {value!r}")
        if not isinstance(source, str | os.PathLike) or not _is_path(source):
            raise ArgumentError(f"{name} is a limit for files; {source!r} is not the path of one")
    if isinstance(source, Model):
        return Robot(source, **settings)
    if not isinstance(source, str | os.PathLike):
        raise ArgumentError(
            f"load takes the name of a robot, the path of a URDF or MJCF file or a Model, got {source!r}"
        )
    if not _is_path(source):
        known = load_settings(str(source))
        floats = known.pop("floating")
        settings["floating"] = floats if floating is None else floating
        settings.update((name, settings[name] or accepted) for name, accepted in known.items())
        return Robot(load_named(str(source), settings["allow_nonphysical"]), **settings)
    return Robot(load_file(source, allow_nonphysical, **limits), **settings)


def _is_path(source: str | os.PathLike[str]) -> bool:
    """A path object, or text that looks like a path rather than a name."""
    if not isinstance(source, str):
        return True
    endings = (".urdf", ".xml", ".mjcf", ".xacro")
    return os.sep in source or "/" in source or source.lower().endswith(endings)
