"""Robots from names, files and models; and what is said when that is not possible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, RobotFileError, UnknownNameError

PENDULUM = """
<robot name="pendulum">
  <link name="world"/>
  <link name="rod">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="pivot" type="revolute">
    <parent link="world"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/>
  </joint>
</robot>
"""


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "pendulum.urdf"
    path.write_text(PENDULUM)
    return path


@pytest.mark.parametrize("as_text", [True, False])
def test_a_file(file, as_text):
    robot = fb.load(str(file) if as_text else file)
    assert not robot.floating and robot.joint_names == ("pivot",)
    q = np.array([0.3])
    assert robot.gravity(q)[0] == pytest.approx(2 * 9.81 * 0.5 * np.sin(0.3))
    assert robot.mass_matrix(q)[0, 0] == pytest.approx(0.1 + 2 * 0.25)


def test_a_model(file):
    robot = fb.load(fb.load(file).model, gravity=(0, 0, 0))
    assert robot.gravity(np.array([0.3]))[0] == 0.0


def test_floating_can_be_asked_for(file):
    assert fb.load(file, floating=True).nv == 7
    assert not fb.load("panda").floating and fb.load("panda", floating=True).floating
    assert fb.load("g1").floating and not fb.load("g1", floating=False).floating


def test_names_are_those_listed():
    assert {"icub", "panda", "talos", "g1"} <= set(fb.robots())
    with pytest.raises(UnknownNameError, match="panda"):
        fb.load("pandas")


def test_what_cannot_be_loaded(tmp_path):
    with pytest.raises(RobotFileError, match="absent"):
        fb.load(tmp_path / "absent.urdf")
    with pytest.raises(RobotFileError, match="xacro"):
        fb.load("robot.urdf.xacro")
    with pytest.raises(ArgumentError, match="3"):
        fb.load(3)
    with pytest.raises(ArgumentError, match="body"):
        fb.load("panda", representation="spatial")
    with pytest.raises(ArgumentError, match=r"joints is the text 'panda_joint1'; it takes a list.*\['panda_joint1'\]"):
        fb.load("panda", joints="panda_joint1")
