"""Reading STL files, binary and text, from sources that need not be trusted.

A binary file is 80 bytes of anything, the number of triangles (32 bits), and 50 bytes for each triangle: normal, three
corners (12 floats of 32 bits) and 2 bytes of attributes. Some programs start binary files with the word "solid" that
marks text files, so that the size decides.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from floatbase.errors import RobotFileError
from floatbase.viewer.mesh import Array, Mesh
from floatbase.viewer.mesh_checks import MAX_BYTES, MAX_TEXT_BYTES, checked_mesh, read_bounded

_HEADER = 84
_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_stl(path: str | os.PathLike[str]) -> Mesh:
    """The triangles of an STL file; `RobotFileError` if it is damaged or larger than `MAX_BYTES`."""
    place = Path(path)
    return checked_mesh(_read_binary(read_bounded(place, MAX_BYTES), place), place)


def _read_binary(data: bytes, place: Path) -> Array:
    count = int.from_bytes(data[80:_HEADER], "little") if len(data) >= _HEADER else -1
    expected = _HEADER + _RECORD.itemsize * count
    if len(data) == expected or (count >= 0 and data.lstrip()[:5].lower() != b"solid"):
        if len(data) < expected:
            raise RobotFileError(
                f"{place}: a binary STL file of {count} triangles has {expected} bytes, this one has {len(data)}"
            )
        with np.errstate(invalid="ignore"):  # some NaN; they are refused later
            return np.frombuffer(data, _RECORD, count, _HEADER)["corners"].astype(np.float64)
    if data.lstrip()[:5].lower() == b"solid":
        if len(data) > MAX_TEXT_BYTES:
            raise RobotFileError(
                f"{place}: the text is larger than {MAX_TEXT_BYTES // 2**20} MiB, the most that is read"
            )
        return _read_text(data, place)
    raise RobotFileError(f"{place}: not an STL file: {len(data)} bytes, neither binary nor starting with 'solid'")


def _read_text(data: bytes, place: Path) -> Array:
    """The corners are all that matters: three lines `vertex x y z` for each triangle."""
    numbers: list[list[float]] = []
    for line, text in enumerate(data.split(b"\n"), 1):
        words = text.split()
        if not words or words[0].lower() != b"vertex":
            continue
        try:
            x, y, z = (float(word) for word in words[1:])
        except ValueError:
            shown = text[:60].decode("ascii", "replace").strip()
            raise RobotFileError(f"{place}, line {line}: expected 'vertex x y z', got {shown!r}") from None
        numbers.append([x, y, z])
    if len(numbers) % 3:
        raise RobotFileError(f"{place}: {len(numbers)} corners do not make whole triangles; the file is cut short")
    return np.array(numbers, dtype=np.float64).reshape(-1, 3, 3)
