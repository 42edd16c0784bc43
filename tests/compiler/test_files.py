"""What is no file is refused, and does not keep anybody waiting."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from floatbase.compiler import load
from floatbase.compiler.files import read_regular
from floatbase.errors import ProgramError


def test_no_more_is_read_than_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"0123456789")
    assert read_regular(tmp_path / "file", 4) == b"0123"
    assert read_regular(str(tmp_path / "file"), 100) == b"0123456789"


@pytest.mark.parametrize("place", ["pipe", "folder", "/dev/zero", "link"])
def test_what_is_no_file_is_refused(tmp_path: Path, place: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    with pytest.raises(OSError, match=r"it is no file|Is a directory"):
        read_regular(tmp_path / place, 10)


def test_a_program_is_not_read_from_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ProgramError, match=r"^cannot read program file .*pipe: it is no file, but a pipe") as caught:
        load(tmp_path / "pipe")
    assert str(caught.value).count("cannot read") == str(caught.value).count(str(tmp_path)) == 1
