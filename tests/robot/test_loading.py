"""Robots from names, files and models; and what is said when that is not possible."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, ModelError, RobotFileError, UnknownNameError

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
    with pytest.raises(ArgumentError, match=r"a list of joint names, such as \['panda_joint1'\], got 'panda_joint1'"):
        fb.load("panda", joints="panda_joint1")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"joints": 3}, "joints must be a list of joint names, got 3"),
        ({"joints": [3]}, "unknown joint 3; the valid choices are: panda_finger_joint1"),
        ({"locked": ["panda_joint1"]}, r"locked must be a mapping of joint names to positions, got \['panda_joint1'\]"),
        ({"locked": {"panda_joint1": "x"}}, "'panda_joint1' cannot be locked at 'x'"),
        ({"base": 3}, "unknown link 3"),
        ({"gravity": -9.81}, "gravity is -9.81; it is a vector of 3 numbers"),
        ({"gravity": "down"}, "it is a vector of 3 numbers"),
        ({"gravity": np.zeros((3, 2))}, "it is a vector of 3 numbers"),
        ({"gravity": (0, 0, 1j)}, "it is a vector of 3 numbers"),
        ({"gravity": (0, 0, np.nan)}, "must be finite"),
        ({"floating": "yes"}, "floating must be True or False, got 'yes'"),
        ({"free_mimic": 1}, "free_mimic must be True or False, got 1"),
        ({"representation": ["body"]}, "representation is"),
    ],
)
def test_settings_of_a_wrong_kind(settings, message):
    with pytest.raises(ArgumentError, match=message):
        fb.load("panda", **settings)


def test_robots_made_of_others_check_their_settings():
    robot = fb.load("panda")
    for change, message in (
        (lambda: robot.with_gravity(-9.81), "gravity is -9.81"),
        (lambda: robot.with_joints("panda_joint1"), "joints must be a list"),
        (lambda: robot.with_joints(["panda_joint1"], ["panda_joint2"]), "locked must be a mapping"),
        (lambda: fb.Robot("panda"), "a robot is made of a floatbase.Model, got 'panda'; see floatbase.load"),
        (lambda: fb.Robot(robot.model, bse="panda_link0"), "unknown setting of a robot 'bse'; did you mean 'base'"),
    ):
        with pytest.raises(ArgumentError, match=message):
            change()


def test_what_needs_mass_says_so(file):
    file.write_text(PENDULUM.replace('value="2"', 'value="0"').replace('="0.1"', '="0"').replace('="0.01"', '="0"'))
    robot = fb.load(file, allow_massless=True)
    assert robot.jacobian([0.3], "rod").shape == (6, 1)
    for method in (lambda: robot.com([0.3]), lambda: robot.forward_dynamics([0.3], [0.0], [1.0])):
        with pytest.raises(
            ModelError, match="'pendulum' does not exist: it divides by a mass that is zero, or by a moment"
        ):
            method()


def test_limits_can_be_raised_and_lowered(file):
    assert fb.load(file, max_links=2, max_bytes=2000).nv == 1
    with pytest.raises(RobotFileError, match=r"2 <link> elements; at most 1 are read \(raise it with max_links=\)"):
        fb.load(file, max_links=1)
    with pytest.raises(RobotFileError, match=r"at most 100 are read \(raise it with max_bytes=\)"):
        fb.load(file, max_bytes=100)
    for source in ("panda", fb.load(file).model):
        with pytest.raises(ArgumentError, match="max_links is a limit for files"):
            fb.load(source, max_links=10)
    for wrong in (0, 2.5, True, "x"):
        with pytest.raises(ArgumentError, match="max_bytes must be a whole number above zero, got"):
            fb.load(file, max_bytes=wrong)


def test_gravity_does_not_follow_the_array_it_came_from():
    gravity = np.array([0.0, 0.0, -1.0])
    robot = fb.load("panda", gravity=gravity)
    gravity[2] = 5.0
    assert robot.with_representation("body").tree.gravity == (0.0, 0.0, -1.0)
