"""Models written as URDF and read again."""

from dataclasses import replace

import numpy as np
import pytest
from tests.model.kinematics import frame_poses, load
from tests.model.test_joint_kinds import make, two

from floatbase.errors import ArgumentError, ModelError, RobotFileError
from floatbase.model import (
    Configuration,
    Constraint,
    Frame,
    Link,
    Model,
    SkinPatch,
    build_tree,
    library,
    load_urdf,
    parse_urdf,
    save_urdf,
    to_urdf,
)
from floatbase.model.decimals import direction, roll_pitch_yaw
from floatbase.model.poses import pose
from floatbase.model.urdf import unit_axis

AGAIN = [
    "panda",
    "anymal_c",
    "talos",
    "tiago_pro",
    "romeo",
    "go2",
    "pr2",
    "pendulum",
    "double_pendulum",
    "planar_double_pendulum",
]


@pytest.mark.filterwarnings("ignore::floatbase.model.ModelWarning")
@pytest.mark.parametrize("name", AGAIN)
def test_what_is_written_is_read_back_to_the_last_bit(name):
    model, _ = load(name, allow_massless=True)
    assert parse_urdf(to_urdf(model)).digest == model.digest


@pytest.mark.parametrize("name", ["icub", "left_hand_mk3"])
def test_where_a_rotation_has_no_decimals_it_is_right_to_rounding(name, rng):
    model, tree = load(name, allow_massless=True)
    again = build_tree(parse_urdf(to_urdf(model)), floating=tree.floating, allow_massless=True)
    q = rng.uniform(-1, 1, tree.joint_nq)
    expected = frame_poses(tree, q)
    for frame, found in frame_poses(again, q).items():
        np.testing.assert_allclose(found, expected[frame], atol=1e-14)
    for sensor, twin in zip(model.sensors, parse_urdf(to_urdf(model)).sensors, strict=True):
        assert (sensor.name, sensor.kind, sensor.link, sensor.joint) == (twin.name, twin.kind, twin.link, twin.joint)
        assert (sensor.frame, sensor.direction, sensor.rate) == (twin.frame, twin.direction, twin.rate)
        np.testing.assert_allclose(sensor.link_H_sensor, twin.link_H_sensor, atol=1e-15)


def test_another_reader_understands_it(rng):
    pinocchio = pytest.importorskip("pinocchio")
    model = library.parametric_humanoid()
    tree = build_tree(model, floating=False)
    peer = pinocchio.buildModelFromXML(to_urdf(model, leave_out=["skin"]))
    data = peer.createData()
    assert peer.nq == tree.nq
    q = rng.uniform(-1, 1, tree.nq)
    peer_q = np.empty(peer.nq)
    for name, value in zip(tree.joint_names, q, strict=True):
        peer_q[peer.joints[peer.getJointId(name)].idx_q] = value
    pinocchio.framesForwardKinematics(peer, data, peer_q)
    for frame, found in frame_poses(tree, q).items():
        np.testing.assert_allclose(found, data.oMf[peer.getFrameId(frame)].homogeneous, atol=1e-13)


def test_frames_and_universal_joints_change_their_form_and_mean_the_same():
    model = replace(
        two(make("universal", (0.6, 0, 0.8))), frames=(Frame("tool", "b", pose((1, 2, 3), (0.1, 0.2, 0.3))),)
    )
    again = parse_urdf(to_urdf(model))
    expected, found = (frame_poses(build_tree(item), [0.3, -0.4]) for item in (model, again))
    assert set(expected) == set(found)
    for name, H in expected.items():
        np.testing.assert_allclose(found[name], H, atol=1e-14)


@pytest.mark.parametrize("kind", ["planar", "floating"])
def test_joints_of_several_coordinates_that_urdf_has(kind):
    model = two(make(kind, (0.0, 0.0, 1.0), place=((1, 2, 3), (0.1, 0.2, 0.3))))
    (joint,) = parse_urdf(to_urdf(model)).joints
    assert joint.kind == kind and np.array_equal(joint.parent_H_joint, model.joints[0].parent_H_joint)


@pytest.mark.parametrize("kind", ["helical", "spherical"])
def test_joints_that_urdf_has_not_are_refused(kind):
    with pytest.raises(ModelError, match=f"joint 'j' is {kind}; URDF has revolute"):
        to_urdf(two(make(kind, (0.0, 0.0, 1.0))))


PATCH = SkinPatch("skin", "a", np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]))


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"skin": (PATCH,)}, "skin"),
        ({"configurations": (Configuration("home", {"j": (0.0,)}),)}, "configurations"),
        ({"constraints": (Constraint("loop", "weld", "a", "b", np.eye(4), np.eye(4)),)}, "constraints"),
        ({"joints": (replace(make("revolute", (0, 0, 1.0)), rotor_inertia=1e-4),)}, "rotors"),
    ],
)
def test_what_urdf_has_no_words_for_is_refused_or_left_out_on_request(changes, what):
    model = replace(two(make("revolute", (0, 0, 1.0))), **changes)
    with pytest.raises(ModelError, match=rf"URDF has no words for {what}; .*leave_out=\['{what}'\]"):
        to_urdf(model)
    assert len(parse_urdf(to_urdf(model, leave_out=[what])).links) == 2


def test_only_known_things_are_left_out():
    model = two(make("revolute", (0, 0, 1.0)))
    for leave_out in (["meshes"], "skin"):
        with pytest.raises(ArgumentError, match=r"leave_out is .*'rotors', 'skin'"):
            to_urdf(model, leave_out=leave_out)


def test_names_that_xml_cannot_hold_are_refused():
    assert parse_urdf(to_urdf(Model('<&"', (Link("<a>"),), ()))).links[0].name == "<a>"
    with pytest.raises(RobotFileError, match="as URDF: not well-formed"):
        to_urdf(Model("bell", (Link("a\x07"),), ()))


def test_files_are_not_overwritten_unless_asked(tmp_path):
    model, file = two(make("prismatic", (0, 0, 1.0))), tmp_path / "two.urdf"
    save_urdf(model, file)
    assert load_urdf(file).joints[0].kind == "prismatic"
    with pytest.raises(ArgumentError, match=r"two.urdf exists; pass overwrite=True"):
        save_urdf(model, file)
    save_urdf(replace(model, name="again"), file, overwrite=True)
    assert load_urdf(file).name == "again"
    with pytest.raises(ArgumentError, match="cannot be written: No such file"):
        save_urdf(model, tmp_path / "nowhere" / "two.urdf")


ANGLES = [0.0, 0.1, 1.5708, -1.57079632679, 3.14159, -3.1416, 0.785398163397, 1.9]


@pytest.mark.parametrize("pitch", ANGLES)
def test_angles_come_back_with_the_digits_they_had(pitch, rng):
    for roll in ANGLES[:4]:
        for yaw in ANGLES[3:]:
            R = pose((0, 0, 0), (roll, pitch, yaw))[:3, :3]
            np.testing.assert_allclose(pose((0, 0, 0), roll_pitch_yaw(R))[:3, :3], R, atol=2e-16)
    R = pose((0, 0, 0), rng.uniform(-3, 3, 3))[:3, :3]
    np.testing.assert_allclose(pose((0, 0, 0), roll_pitch_yaw(R))[:3, :3], R, atol=3e-16)


def test_rounded_rotations_are_close_near_a_quarter_turn(rng):
    for tilt in (0.0, 1e-17, 1e-12, 1e-8, 1e-5):
        R = pose((0, 0, 0), (0.3, np.pi / 2 - tilt, -0.7))[:3, :3] + 1e-17 * rng.normal(size=(3, 3))
        np.testing.assert_allclose(pose((0, 0, 0), roll_pitch_yaw(R))[:3, :3], R, atol=2e-8 if tilt else 1e-15)


def test_directions_are_read_as_the_axis_they_were(rng):
    same = 0
    for _ in range(100):
        axis = unit_axis(rng.normal(size=3))
        written = direction(axis, unit_axis)
        np.testing.assert_allclose(written, axis, rtol=1e-14)
        same += np.array_equal(unit_axis(written), axis)
    assert same >= 95
