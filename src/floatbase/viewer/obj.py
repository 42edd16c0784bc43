"""Reading the surfaces of OBJ files.

Of the lines of such a text, `v x y z` places a corner and `f a b c ...` makes a polygon of corners by their numbers,
counted from one, or backwards from the last one if negative; what follows a slash belongs to textures and normals.
Polygons are cut into triangles that share their first corner. Materials, which are in other files, are not read.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np

from floatbase.errors import RobotFileError
from floatbase.viewer.mesh import Mesh
from floatbase.viewer.mesh_checks import MAX_TEXT_BYTES, MAX_TRIANGLES, checked_mesh, read_bounded


def read_obj(path: str | os.PathLike[str]) -> Mesh:
    """The triangles of an OBJ file; `RobotFileError` if it is damaged or too large."""
    place = Path(path)
    points: list[tuple[float, ...]] = []
    triangles: list[tuple[int, int, int]] = []
    for number, line in enumerate(read_bounded(place, MAX_TEXT_BYTES).split(b"\n"), 1):
        if line[:2] not in (b"v ", b"f "):
            continue
        words = line.split()
        try:
            if words[0] == b"v":
                points.append(tuple(float(word) for word in words[1:4]))
                complete = len(points[-1]) == 3
            else:
                corners = [_position(word, len(points)) for word in words[1:]]
                complete = len(corners) >= 3
                triangles += ((corners[0], b, c) for b, c in itertools.pairwise(corners[1:]))
        except (ValueError, IndexError):
            complete = False
        if not complete:
            shown = line[:60].decode("ascii", "replace").strip()
            raise RobotFileError(f"{place}, line {number}: expected 'v x y z' or 'f a b c', got {shown!r}")
        if len(triangles) > MAX_TRIANGLES:
            raise RobotFileError(f"{place}: the mesh has more than {MAX_TRIANGLES} triangles")
    if not triangles:
        raise RobotFileError(f"{place}: the mesh has no triangle")
    return checked_mesh(np.array(points, dtype=np.float64)[np.array(triangles)], place)


def _position(word: bytes, count: int) -> int:
    """Where a corner is in the list, from `7`, `7/1/2` or `-1`."""
    number = int(word.split(b"/")[0])
    place = number - 1 if number > 0 else count + number
    if number == 0 or not 0 <= place < count:
        raise IndexError
    return place
