"""Meshes from files of any kind that is known: STL, OBJ and Collada."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from floatbase.errors import RobotFileError
from floatbase.viewer.mesh import Mesh

ENDINGS = (".stl", ".obj", ".dae")
Color = tuple[float, float, float]


class Part(NamedTuple):
    """Triangles of one colour, as on screens from 0 to 1; None where the file does not say."""

    mesh: Mesh
    color: Color | None


def read_mesh(path: str | os.PathLike[str]) -> tuple[Part, ...]:
    """The parts of a mesh, in its own frame, as large as the file says; lengths of Collada files become metres."""
    from floatbase.viewer.collada import read_collada
    from floatbase.viewer.obj import read_obj
    from floatbase.viewer.stl import read_stl

    ending = Path(path).suffix.lower()
    if ending == ".dae":
        return read_collada(path)
    if ending == ".obj":
        return (Part(read_obj(path), None),)
    if ending == ".stl":
        return (Part(read_stl(path), None),)
    raise RobotFileError(f"{path}: meshes are read from {', '.join(ENDINGS)} files, not from {ending or 'this'!r}")
