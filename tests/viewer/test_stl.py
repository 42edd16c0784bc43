"""STL files: both forms, and damaged ones."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from floatbase.errors import RobotFileError
from floatbase.viewer import box, read_stl

CORNERS = b"vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"
TEXT = b"solid one\nfacet normal 0 0 1\nouter loop\n" + CORNERS + b"endloop\nendfacet\nendsolid\n"


def binary(corners: np.ndarray, header: bytes = b"binary") -> bytes:
    records = b"".join(struct.pack("<3f", 0, 0, 0) + t.astype("<f4").tobytes() + b"\0\0" for t in corners)
    return header.ljust(80, b"\0") + struct.pack("<I", len(corners)) + records


def written(folder: Path, data: bytes) -> Path:
    path = folder / "mesh.stl"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("header", [b"binary", b"solid but binary"])
def test_binary_files_give_their_corners(tmp_path: Path, header: bytes) -> None:
    corners = box(1.0, 2.0, 3.0).corners
    assert np.array_equal(read_stl(written(tmp_path, binary(corners, header))).corners, corners)


def test_text_files_give_their_corners(tmp_path: Path) -> None:
    assert read_stl(written(tmp_path, TEXT)).corners.tolist() == [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not an STL file"),
        (b"<html>no such file</html>", "not an STL file"),
        (binary(box(1, 1, 1).corners)[:-7], "684 bytes"),
        (binary(np.zeros((0, 3, 3))), "no triangle"),
        (b"x" * 80 + b"\xff\xff\xff\xff", "214748364"),
        (binary(np.full((1, 3, 3), np.nan)), "not finite"),
        (b"solid empty\nendsolid\n", "no triangle"),
        (TEXT.replace(b"vertex 0 1 0\n", b""), "2 corners"),
        (TEXT.replace(b"vertex 0 1 0", b"vertex 0 one 0"), "line 6"),
        (TEXT.replace(b"vertex 0 1 0", b"vertex 0 1"), "line 6"),
        (TEXT.replace(b"vertex 0 1 0", b"vertex 0 inf 0"), "not finite"),
    ],
)
def test_damaged_files_are_errors_that_name_the_file(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(RobotFileError, match=r"mesh\.stl") as caught:
        read_stl(written(tmp_path, data))
    assert message in str(caught.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RobotFileError, match="cannot be read"):
        read_stl(tmp_path / "none.stl")
