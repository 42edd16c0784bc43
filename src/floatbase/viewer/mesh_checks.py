"""What is asked of every mesh that is read from a file, which need not be trusted."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from floatbase.compiler.files import read_regular
from floatbase.errors import RobotFileError
from floatbase.viewer.mesh import Array, Mesh

MAX_BYTES = 128 * 1024 * 1024
MAX_TEXT_BYTES = 64 * 1024 * 1024  # a number in a text takes more memory than its letters
MAX_TRIANGLES = 4_000_000
MAX_EXTENT = 1e6  # m


def read_bounded(place: Path, most: int) -> bytes:
    """The content of a file; `RobotFileError` if it cannot be read or is larger than `most` bytes."""
    try:
        data = read_regular(place, min(place.stat().st_size, most) + 1)  # as much memory is taken at once
    except OSError as error:
        raise RobotFileError(f"{place}: the mesh cannot be read: {error.strerror or error}") from None
    if len(data) > most:
        raise RobotFileError(f"{place}: the mesh is larger than {most // 2**20} MiB, the most that is read")
    return data


def checked_mesh(corners: Array, place: Path) -> Mesh:
    """A mesh of triangles (n, 3, 3), refused if it is empty, too large, or not of numbers that make sense."""
    if not len(corners):
        raise RobotFileError(f"{place}: the mesh has no triangle")
    if len(corners) > MAX_TRIANGLES:
        raise RobotFileError(f"{place}: the mesh has {len(corners)} triangles; {MAX_TRIANGLES} are the most")
    if not np.isfinite(corners).all():
        raise RobotFileError(f"{place}: the mesh has corners that are not finite numbers")
    if np.abs(corners).max() > MAX_EXTENT:
        raise RobotFileError(f"{place}: the mesh has corners more than {MAX_EXTENT:g} from its origin")
    return Mesh(corners)
