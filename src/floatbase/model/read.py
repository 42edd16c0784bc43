"""Robots from files of any kind that floatbase reads."""

from __future__ import annotations

import os

from floatbase.errors import RobotFileError
from floatbase.model.description import Model
from floatbase.model.files import as_path, read_bounded, root_tag
from floatbase.model.mjcf import load_mjcf
from floatbase.model.urdf import MAX_LINKS, parse_urdf
from floatbase.model.xml import MAX_BYTES


def load_file(
    path: str | os.PathLike[str],
    allow_nonphysical: bool = False,
    max_bytes: int = MAX_BYTES,
    max_links: int = MAX_LINKS,
) -> Model:
    """Read a URDF or an MJCF file: the first element says which it is. The limits are those of `load_urdf`."""
    file = as_path(path)
    if file.suffix.lower() == ".xacro":
        raise RobotFileError(f"{file}: xacro files must be expanded first: run `xacro {file.name} > robot.urdf`")
    content = read_bounded(file, max_bytes)
    kind = root_tag(content)
    if kind == "sdf":
        raise RobotFileError(f"{file}: SDF files are not read; robots come as URDF (<robot>) or MJCF (<mujoco>)")
    if kind == "mujoco":
        return load_mjcf(file, allow_nonphysical, max_bytes=max_bytes)
    return parse_urdf(content, file, allow_nonphysical, max_bytes, max_links)
