"""Joints of every kind: how they move, from either side, and where their coordinates are."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.model.kinematics import frame_poses

import floatbase as fb
from floatbase.errors import ArgumentError, ModelError, UnknownNameError
from floatbase.model import Configuration, Inertia, Joint, Limits, Link, Mimic, Model, build_tree, parse_urdf
from floatbase.model.motions import joint_H_child
from floatbase.model.poses import pose, rotation_to_axis

UNIT = Inertia(1.0, np.array([0.1, 0.2, 0.3]), np.diag([1.0, 1.1, 1.2]))
KINDS = ["revolute", "continuous", "prismatic", "helical", "universal", "spherical", "planar", "floating"]
AXES = [(0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)]


def perpendicular(axis):
    return np.cross(axis, [0.0, 1.0, 0.0]) if abs(axis[1]) < 0.9 else np.array([1.0, 0.0, 0.0])


def make(kind, axis, parent="a", child="b", name="j", place=((0.3, -0.2, 0.5), (0.3, 0.4, -0.5))):
    axis = np.array(axis)
    second = perpendicular(axis) if kind == "universal" else None
    if second is not None:
        second = second / np.linalg.norm(second)
    pitch = 0.07 if kind == "helical" else 0.0
    return Joint(name, kind, parent, child, pose(*place), axis, pitch=pitch, second_axis=second)


def two(joint):
    return Model("two", (Link("a", UNIT), Link("b", UNIT)), (joint,), root="a")


def turn(axis, angle):
    result = np.eye(4)
    result[:3, :3] = Rotation.from_rotvec(angle * np.array(axis)).as_matrix()
    return result


def quaternion(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def position_and_motion(joint, rng):
    """Coordinates and the pose they mean, written out from the definitions."""
    s, axis, H = rng.uniform(-3.0, 3.0), joint.axis, np.eye(4)
    if joint.kind in ("revolute", "continuous"):
        return [s], turn(axis, s)
    if joint.kind in ("prismatic", "helical"):
        H = turn(axis, s) if joint.kind == "helical" else H
        H[:3, 3] = axis * s * (joint.pitch if joint.kind == "helical" else 1.0)
        return [s], H
    if joint.kind == "universal":
        return [s, 0.4 * s], turn(axis, s) @ turn(joint.second_axis, 0.4 * s)
    if joint.kind == "planar":
        x, y = rng.normal(size=2)
        e_x, e_y, e_z = rotation_to_axis(axis).T
        np.testing.assert_allclose(e_z, axis, atol=1e-15)
        H = turn(axis, s)
        H[:3, 3] = x * e_x + y * e_y
        return [x, y, s], H
    q = quaternion(rng)
    H[:3, :3] = Rotation.from_quat(q, scalar_first=True).as_matrix()
    if joint.kind == "spherical":
        return list(q), H
    H[:3, 3] = rng.normal(size=3)
    return [*H[:3, 3], *q], H


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_moves_as_described_seen_from_either_side(kind, axis, rng):
    joint = make(kind, axis)
    for _ in range(3):
        q, motion = position_and_motion(joint, rng)
        a_H_b = joint.parent_H_joint @ motion
        forward, backward = build_tree(two(joint), "a"), build_tree(two(joint), "b")
        assert forward.joint_nq == backward.joint_nq == len(q)
        np.testing.assert_allclose(frame_poses(forward, q)["b"], a_H_b, atol=1e-14)
        np.testing.assert_allclose(frame_poses(backward, q)["a"], np.linalg.inv(a_H_b), atol=1e-14)
        if kind != "universal":
            np.testing.assert_allclose(joint_H_child(joint, q), motion, atol=1e-14)
            locked = build_tree(two(joint), "b", locked={"j": q})
            assert len(locked.bodies) == 1 and locked.nq == 7
            np.testing.assert_allclose(locked.frames["a"][1], np.linalg.inv(a_H_b), atol=1e-14)


@pytest.mark.parametrize("kind", ["planar", "spherical", "floating"])
def test_joints_of_several_coordinates_are_marked_when_crossed_backwards(kind):
    forward, backward = (build_tree(two(make(kind, AXES[0])), base).bodies[1].joint for base in "ab")
    assert (forward.reversed, backward.reversed) == (False, True)
    assert (forward.kind, forward.nv, forward.nq) == (
        kind,
        *{"planar": (3, 3), "spherical": (3, 4), "floating": (6, 7)}[kind],
    )


def everything():
    """A branched robot with every kind of joint; the order of coordinates is that of the joints."""
    names = [f"l{i}" for i in range(len(KINDS) + 1)]
    joints = [
        make(
            kind,
            AXES[i % 4],
            names[i // 2 if i % 3 == 2 else i],
            names[i + 1],
            f"j_{kind}",
            ((0.1 * i, 0.2, 0), (i, 0, 1)),
        )
        for i, kind in enumerate(KINDS)
    ]
    return Model("everything", tuple(Link(name, UNIT) for name in names), tuple(joints), root="l0")


def test_indices_count_coordinates_and_velocities():
    tree = build_tree(everything(), "l4")
    assert (tree.joint_nq, tree.joint_nv, tree.nq, tree.nv) == (20, 18, 27, 24)
    assert tree.n_joints == 9 and tree.joint_names[4:6] == ("j_universal_1", "j_universal_2")
    found = {b.joint.name: (b.joint.index, b.joint.q_index) for b in tree.bodies[1:]}
    assert found["j_spherical"] == (6, 6) and found["j_planar"] == (9, 10) and found["j_floating"] == (12, 13)
    assert tree.coordinate_names[7:] == (
        *(f"j_{kind}" for kind in KINDS[:4]),
        "j_universal_1",
        "j_universal_2",
        *(f"j_spherical.q{c}" for c in "wxyz"),
        *(f"j_planar.{c}" for c in ("x", "y", "theta")),
        *(f"j_floating.{c}" for c in ("x", "y", "z", "qw", "qx", "qy", "qz")),
    )
    assert tree.velocity_names[:7] == (*(f"base.{c}" for c in ("vx", "vy", "vz", "wx", "wy", "wz")), "j_revolute")
    assert tree.velocity_names[12:18] == (
        "j_spherical.wx",
        "j_spherical.wy",
        "j_spherical.wz",
        *tree.coordinate_names[17:20],
    )
    assert len(tree.coordinate_names) == tree.nq and len(tree.velocity_names) == tree.nv


@pytest.mark.parametrize("base", ["l1", "l4", "l8"])
def test_any_base_gives_the_same_robot(base, rng):
    model = everything()
    robot = fb.Robot(model)
    q = robot.random(rng)[0][7:]
    expected, found = frame_poses(robot.tree, q), frame_poses(build_tree(model, base), q)
    for name, root_H_frame in expected.items():
        np.testing.assert_allclose(expected[base] @ found[name], root_H_frame, atol=1e-13)


def test_chosen_joints_set_the_order_and_the_others_rest(rng):
    model = everything()
    tree = build_tree(model, joints=["j_floating", "j_prismatic", "j_spherical"])
    assert [b.joint.q_index for b in sorted(tree.bodies[1:], key=lambda b: b.joint.index)] == [0, 7, 8]
    full = build_tree(model)
    q = np.concatenate([rng.normal(size=3), quaternion(rng), [0.3], quaternion(rng)])
    rest = np.concatenate([[0, 0, 0.3, 0, 0, 0], q[8:], np.zeros(3), q[:7]])
    expected = frame_poses(full, rest)
    for name, found in frame_poses(tree, q).items():
        np.testing.assert_allclose(found, expected[name], atol=1e-13)


def test_neutral_and_random_configurations_are_on_the_manifold(rng):
    model = everything()
    limits = Limits(0.5, 1.0)
    model = replace(model, joints=tuple(replace(joint, limits=limits) for joint in model.joints))
    robot = fb.Robot(model)
    q = robot.neutral()
    np.testing.assert_array_equal(q[7:17], [0.5] * 6 + [1, 0, 0, 0])
    np.testing.assert_array_equal(q[-7:], [0, 0, 0, 1, 0, 0, 0])
    q, v = robot.random(rng, n=(2, 5))
    assert q.shape == (2, 5, robot.nq) and v.shape == (2, 5, robot.nv)
    for first in (3, 13, 23):
        np.testing.assert_allclose(np.linalg.norm(q[..., first : first + 4], axis=-1), 1.0, atol=1e-15)
    assert (q[..., 7:13] >= 0.5).all() and (q[..., 7:13] <= 1.0).all()
    lower, upper = robot.position_limits
    assert lower.shape == (20,) and np.isinf(upper[6:]).all() and (lower[:6] == 0.5).all()


def test_configurations_have_names():
    start = Configuration("start", {"j_spherical": (0, 1, 0, 0), "j_helical": (0.4,)}, (1, 2, 3, 0, 0, 0, 1))
    model = replace(everything(), configurations=(start, Configuration("bad", {"j_planar": (1.0,)})))
    robot = fb.Robot(model)
    q = robot.configuration("start")
    np.testing.assert_array_equal(q[:7], [1, 2, 3, 0, 0, 0, 1])
    expected = dict(zip(robot.tree.coordinate_names, robot.neutral(), strict=True))
    expected.update({"j_spherical.qw": 0.0, "j_spherical.qx": 1.0, "j_helical": 0.4})
    np.testing.assert_array_equal(q[7:], [expected[name] for name in robot.tree.coordinate_names[7:]])
    with pytest.raises(UnknownNameError, match="unknown configuration 'strat'; did you mean 'start'"):
        robot.configuration("strat")
    with pytest.raises(ModelError, match="gives joint 'j_planar' 1 coordinates; a planar joint has 3"):
        robot.configuration("bad")
    with pytest.raises(ArgumentError, match="places the root link 'l0', and the base is 'l3'"):
        fb.Robot(model, base="l3").configuration("start")


def test_rotors_and_gears_become_the_inertia_seen_at_the_joint():
    joint = replace(make("revolute", AXES[1]), rotor_inertia=2e-5, gear_ratio=-100.0)
    assert build_tree(two(joint)).bodies[1].joint.armature == pytest.approx(0.2)
    universal = replace(make("universal", AXES[0]), rotor_inertia=0.1)
    assert [body.joint.armature for body in build_tree(two(universal)).bodies[1:]] == [0.1, 0.1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pitch": 0.1}, r"pitch of joint 'j' \(revolute\) is 0.1; .*zero unless the joint is helical"),
        ({"kind": "helical", "pitch": np.inf}, "pitch of joint 'j' .* must be finite"),
        ({"rotor_inertia": -1.0}, "the inertia must not be negative"),
        ({"gear_ratio": 0.0}, "the ratio not zero"),
        ({"kind": "universal"}, "axes of the universal joint 'j' are .* and None; they must have unit length"),
        ({"kind": "universal", "second_axis": (0, 0, 1.0)}, "perpendicular"),
        ({"kind": "planar", "axis": (0, 0, 2.0)}, "axis of joint 'j'.*unit length"),
        ({"kind": "spherical", "mimic": Mimic("j")}, "only joints of one coordinate can mimic"),
    ],
)
def test_joints_that_make_no_sense_are_refused(change, message):
    with pytest.raises(ModelError, match=message):
        build_tree(two(replace(make("revolute", AXES[0]), **change)))


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        ("spherical", 0.3, "it is spherical and needs 4 finite numbers"),
        ("spherical", (1.0, 1.0, 0.0, 0.0), "quaternion must have unit length"),
        ("planar", (0.0, 0.0, np.nan), "needs 3 finite numbers"),
        ("revolute", (0.0, 0.0), "it is revolute and needs a finite number"),
        ("revolute", "here", "cannot be locked at 'here'"),
    ],
)
def test_joints_are_locked_at_as_many_numbers_as_they_have_coordinates(kind, value, message):
    with pytest.raises(ArgumentError, match=message):
        build_tree(two(make(kind, AXES[0])), locked={"j": value})


def test_the_two_halves_of_a_universal_joint_have_names_of_their_own():
    model = two(make("universal", AXES[0]))
    assert build_tree(model, locked={"j_2": 0.3}).joint_names == ("j_1",)
    with pytest.raises(UnknownNameError, match=r"did you mean 'j_[12]'"):
        build_tree(model, locked={"j": 0.3})


def test_urdf_has_planar_and_floating_joints():
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    links = "".join(f'<link name="{name}">{inertial}</link>' for name in ("world", "cart", "drone"))
    joints = (
        '<joint name="p" type="planar"><parent link="world"/><child link="cart"/><axis xyz="0 0 1"/></joint>'
        '<joint name="f" type="floating"><parent link="cart"/><child link="drone"/><origin xyz="0 0 1"/></joint>'
    )
    tree = build_tree(parse_urdf(f'<robot name="r">{links}{joints}</robot>'))
    assert not tree.floating and (tree.nq, tree.nv) == (10, 9)
    q = [1.0, 2.0, np.pi / 2, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(frame_poses(tree, q)["drone"][:3, 3], [1.0, 2.5, 1.0], atol=1e-15)


def test_kinds_that_there_are_not_list_those_that_there_are():
    with pytest.raises(ModelError, match=r"joint 'j': kind is 'wobbly'; the valid choices are revolute, continuous"):
        Joint("j", "wobbly", "a", "b", np.eye(4))
