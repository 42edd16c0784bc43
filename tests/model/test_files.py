"""Robot files that are no files: each is refused at once, whoever names it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import floatbase as fb
from floatbase.errors import RobotFileError
from floatbase.model import load_urdf
from floatbase.viewer import read_stl


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "robot.urdf"
    os.mkfifo(path)
    return path


def test_a_pipe_in_place_of_a_robot(pipe: Path) -> None:
    for read in (fb.load, load_urdf, read_stl):
        with pytest.raises(RobotFileError, match=r"robot\.urdf: .*it is no file, but a pipe or device"):
            read(pipe)


@pytest.mark.parametrize(("place", "message"), [("/dev/zero", "a pipe or device"), ("/tmp", "Is a directory")])
def test_devices_and_folders(place: str, message: str) -> None:
    with pytest.raises(RobotFileError, match=message):
        fb.load(Path(place))


def test_a_pipe_in_place_of_a_mesh(pipe: Path, tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    os.mkfifo(tmp_path / "hand.stl")
    for content in ('<asset><mesh file="hand.stl"/></asset>', '<include file="robot.urdf"/>'):
        (tmp_path / "robot.xml").write_text(f"<mujoco>{content}</mujoco>")
        with pytest.raises(RobotFileError, match="cannot be read: it is no file, but a pipe or device"):
            fb.load(tmp_path / "robot.xml")
