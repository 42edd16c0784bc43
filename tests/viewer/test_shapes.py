"""Shapes of robots: where bodies are, what is shown when meshes are missing, fewer triangles, files for browsers."""

from __future__ import annotations

import json
import struct

import numpy as np
import pytest

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import ShapeError, StateError
from floatbase.model import ModelWarning
from floatbase.viewer import body_poses, capsule, robot_scene, robot_shapes, sphere, stick_figure
from floatbase.viewer.glb import glb
from floatbase.viewer.poses import checked_configurations
from floatbase.viewer.sliders import sliders
from floatbase.viewer.surfaces import simplified, surface

URDF = """<robot name="two"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
iyz="0"/></inertial>{shape}</link><link name="b"><inertial><origin xyz="0 0 0.3"/><mass value="1"/><inertia ixx="1"
iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="turn" type="revolute"><parent link="a"/>
<child link="b"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
</robot>"""
MESH = '<visual><geometry><mesh filename="{file}"/></geometry></visual>'
BOX = '<collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>'


def robot_of(tmp_path, shape: str) -> fb.Robot:
    path = tmp_path / "two.urdf"
    path.write_text(URDF.format(shape=shape))
    return fb.load(path)


@pytest.mark.parametrize("name", ["nine_joint_tree", "quadruped", "suspended_manipulator"])
def test_bodies_are_where_the_frames_say(name: str, load_robot) -> None:
    robot = load_robot(name, "mixed")
    q, _ = robot.random(3, n=4)
    poses = body_poses(robot.tree, q)
    for frame, (body, body_H_frame) in list(robot.tree.frames.items())[:12]:
        expected = algorithms.pose(robot.tree, q, frame)
        assert np.allclose(poses[:, body] @ body_H_frame, expected, atol=1e-12)


def test_a_robot_without_shapes_is_a_stick_figure(tmp_path) -> None:
    robot = robot_of(tmp_path, "")
    shapes = robot_shapes(robot.model, robot.tree)
    assert shapes.problems == ()
    assert {shape.body for shape in shapes.shapes} == {0, 1}
    corners = np.concatenate([mesh.corners for mesh, _ in shapes.placed(robot.neutral())]).reshape(-1, 3)
    assert corners[:, 2].max() == pytest.approx(0.8, abs=0.05)  # of the centre of mass of the last body


def test_collision_shapes_stand_in_for_meshes_that_cannot_be_read(tmp_path) -> None:
    (tmp_path / "bad.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 2**31) + b"few")
    robot = robot_of(tmp_path, MESH.format(file="bad.stl") + BOX)
    shapes = robot_shapes(robot.model, robot.tree)
    assert [shape.mesh.size for shape in shapes.shapes] == [12]
    assert "this one has" in shapes.problems[0]
    with pytest.warns(ModelWarning, match=r"bad\.stl"):
        robot_scene(robot.model, robot.tree, robot.neutral())


@pytest.mark.parametrize("file", ["package://nowhere/a.stl", "/proc/self/mem", "../../../../etc/passwd"])
def test_files_that_are_no_meshes_are_problems_not_shapes(tmp_path, file: str) -> None:
    robot = robot_of(tmp_path, MESH.format(file=file))
    shapes = robot_shapes(robot.model, robot.tree)
    assert len(shapes.problems) == 1
    assert shapes.shapes  # the stick figure


def test_robots_of_too_many_triangles_lose_some(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("floatbase.viewer.shapes.MAX_ALL_TRIANGLES", 30)
    robot = robot_of(tmp_path, 3 * BOX.replace("collision", "visual"))
    shapes = robot_shapes(robot.model, robot.tree)
    assert shapes.size == 24
    assert "more than 30" in shapes.problems[0]


def test_capsules_are_closed() -> None:
    start, end, radius = np.array([0.1, 0.2, 0.3]), np.array([0.5, -0.2, 0.9]), 0.1
    a, b, c = np.moveaxis(capsule(start, end, radius, 48).corners, 1, 0)
    length = np.linalg.norm(end - start)
    expected = np.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 == pytest.approx(expected, rel=1e-2)
    assert capsule(start, start, radius).size > 0


def test_fewer_triangles_keep_the_shape() -> None:
    mesh = sphere(1.0, 200)
    small = simplified(mesh, 3000)
    assert 1500 < small.size <= 3000
    radii = np.linalg.norm(small.corners, axis=-1)
    assert radii.min() > 0.95 and radii.max() <= 1.0 + 1e-12
    a, b, c = np.moveaxis(small.corners, 1, 0)
    assert np.einsum("ni,ni->", a, np.cross(b, c)) / 6.0 == pytest.approx(4.0 / 3.0 * np.pi, rel=0.03)
    assert simplified(mesh, 10**6) is mesh


def test_robots_of_many_triangles_are_made_smaller(load_robot) -> None:
    pytest.importorskip("icub_models")
    robot = load_robot("icub", "mixed")
    shapes = robot_shapes(robot.model, robot.tree)
    small = shapes.simplified(20_000)
    assert shapes.size > 200_000
    assert 15_000 < small.size <= 20_500
    assert {shape.body for shape in small.shapes} == {shape.body for shape in shapes.shapes}


def test_files_for_browsers_hold_points_normals_and_triangles() -> None:
    drawn = surface(sphere(0.5, 16))
    assert np.allclose(np.linalg.norm(drawn.normals, axis=1), 1.0)
    assert np.allclose(np.einsum("ni,ni->n", drawn.normals, drawn.points), 0.5, atol=0.03)
    data = glb(drawn, (1.0, 0.5, 0.0))
    magic, version, length, size, kind = struct.unpack("<4sIIII", data[:20])
    assert (magic, version, length, kind) == (b"glTF", 2, len(data), 0x4E4F534A)
    description = json.loads(data[20 : 20 + size])
    count = description["accessors"][0]["count"]
    start = 20 + size + 8
    points = np.frombuffer(data, "<f4", 3 * count, start).reshape(-1, 3)
    first, bytes_of = (description["bufferViews"][2][key] for key in ("byteOffset", "byteLength"))
    triangles = np.frombuffer(data, "<u4", bytes_of // 4, start + first).reshape(-1, 3)
    assert np.allclose(points[triangles], drawn.points[drawn.triangles], atol=1e-6)
    assert description["materials"][0]["pbrMetallicRoughness"]["metallicFactor"] == 0.0


def test_sliders_have_the_limits_of_joints(tmp_path, load_robot) -> None:
    robot = robot_of(tmp_path, "")
    assert sliders(robot) == (("turn", 7, -1.0, 2.0, True),)
    kinds = load_robot("nine_joint_tree", "mixed")
    items = sliders(kinds)
    assert all(item.upper > item.lower for item in items)
    assert len({item.place for item in items}) == len(items)


@pytest.mark.parametrize("name", ["pendulum", "spherical_pendulum", "parametric_humanoid", "suspended_manipulator"])
def test_stick_figures_are_finite(name: str, load_robot) -> None:
    tree = load_robot(name, "mixed").tree
    assert all(np.isfinite(shape.mesh.corners).all() and shape.mesh.size for shape in stick_figure(tree))


def test_configurations_that_no_robot_has_are_refused(tmp_path) -> None:
    tree = robot_of(tmp_path, "").tree
    good = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.1])
    assert checked_configurations(tree, good).shape == (1, 8)
    with pytest.raises(ShapeError, match=r"\(8,\) or \(n, 8\)"):
        checked_configurations(tree, good[:7])
    with pytest.raises(StateError, match="not finite"):
        checked_configurations(tree, np.stack([good, good * np.nan]))
    with pytest.raises(StateError, match="quaternion"):
        checked_configurations(tree, good * 0.0)
