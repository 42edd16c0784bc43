"""Robots described in Python."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.model.kinematics import frame_poses

import floatbase as fb
from floatbase.algorithms import inverse_dynamics
from floatbase.errors import ArgumentError, ModelError
from floatbase.model import Inertia, Limits, ModelWarning, build_tree, catalog, find, library, load_named, load_settings
from floatbase.model.inertia import inertia_from_parameters
from floatbase.model.library.nine_joints import joint_transform, nine_joint_tree, printed_matrices
from floatbase.model.poses import inverse
from floatbase.spatial import adjoint, transform_parameters

BALL = Inertia(1.0, np.zeros(3), np.eye(3))


@pytest.mark.parametrize("name", catalog.LIBRARY)
def test_every_robot_is_sound_and_known_by_name(name):
    assert name in fb.robots()
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        robot = fb.load(name)
    assert robot.model.digest == getattr(library, name)().digest
    assert robot.floating == load_settings(name)["floating"]
    with pytest.raises(ArgumentError, match="described in Python"):
        find(name)


def test_the_pendulum_has_its_closed_form():
    robot = fb.Robot(library.pendulum(mass=2.0, length=0.8, radius=0.05), floating=False)
    q, v, a = np.array([0.7]), np.array([0.3]), np.array([1.1])
    inertia = 2.0 * (3 * 0.05**2 + 0.8**2) / 12 + 2.0 * 0.4**2
    expected = inertia * 1.1 + 2.0 * 9.81 * 0.4 * np.sin(0.7)
    assert robot.inverse_dynamics(q, v, a)[0] == pytest.approx(expected, rel=1e-13)


def test_the_spherical_pendulum_swings_as_it_should():
    """A worked example: angles 0.3, -0.4, 0.5 about x, y, z in turn, a torque, and a force at the centre of mass."""
    robot = fb.load("spherical_pendulum")
    x, y, z, w = Rotation.from_euler("XYZ", [0.3, -0.4, 0.5]).as_quat()
    omega = np.array([0.1137188595, -0.1760742888, 0.6221163315])
    torque = np.array([1.0, -2.0, 0.5]) + np.cross([0.0, 0.0, -3.0], [5.0, -3.0, 2.0])
    found = robot.forward_dynamics(np.array([w, x, y, z]), omega, torque)
    np.testing.assert_allclose(found, [-0.3398183769, 1.2756327274, -0.1334593728], atol=1e-9)
    velocity = robot.velocity(np.array([w, x, y, z]), omega, "center")[:3]
    R = robot.pose(np.array([w, x, y, z]), "center")[:3, :3]
    np.testing.assert_allclose(R.T @ velocity, [0.5282228664, 0.3411565785, 0.0], atol=1e-9)


def test_the_double_pendulum_hangs_down(rng):
    tree = build_tree(library.planar_double_pendulum(lengths=(0.5, 0.7)), floating=False)
    q = rng.uniform(-1, 1, 2)
    x = -0.5 * np.sin(q[0])
    z = -0.5 * np.cos(q[0])
    np.testing.assert_allclose(frame_poses(tree, q)["lower_rod"][:3, 3], [x, 0, z], atol=1e-15)


def test_arguments_that_make_no_sense_are_named():
    with pytest.raises(ArgumentError, match="length is -1"):
        library.pendulum(length=-1)
    with pytest.raises(ArgumentError, match="height is nan"):
        library.parametric_humanoid(height=float("nan"))
    with pytest.raises(ArgumentError, match="arm_joints is -1"):
        library.quadrotor_with_arm(arm_joints=-1)


def rotation(axis, angle):
    c, s = np.cos(angle), np.sin(angle)
    H = np.eye(4)
    first, second = (1, 2) if axis == "x" else (0, 1)
    H[first, first] = H[second, second] = c
    H[first, second], H[second, first] = -s, s
    return H


def shift(x, z):
    H = np.eye(4)
    H[0, 3], H[2, 3] = x, z
    return H


TX40 = [
    (0, 0, 0, 0),
    (-np.pi / 2, 0, 0, -np.pi / 2),
    (np.pi / 2, 0.035, 0.225, 0),
    (0, 0.225, 0, np.pi / 2),
    (0, 0, 0, -np.pi / 2),
    (np.pi, 0, 0, np.pi / 2),
]


def test_tx40_follows_its_table(rng):
    tree = build_tree(library.staubli_tx40(), floating=False)
    q = rng.uniform(-2, 2, 6)
    H = shift(0, 0.32)
    for (theta, d, a, alpha), angle in zip(TX40, q, strict=True):
        H = H @ rotation("x", alpha) @ shift(a, 0) @ rotation("z", angle + theta) @ shift(0, d)
    np.testing.assert_allclose(frame_poses(tree, q)["dh6"], H, atol=1e-14)


def test_tx40_has_the_published_inertias_and_drives():
    tree = build_tree(library.staubli_tx40(), floating=False)
    number = tree.frames["dh2"][0]
    model = library.staubli_tx40()
    link = next(link for link in model.links if link.name == "link2")
    tensor = link.inertia.tensor + link.inertia.mass * (
        link.inertia.center @ link.inertia.center * np.eye(3) - np.outer(link.inertia.center, link.inertia.center)
    )
    np.testing.assert_allclose(link.inertia.mass * link.inertia.center, [0.392, -7.2e-3, 0.162], atol=1e-15)
    np.testing.assert_allclose(tensor[np.triu_indices(3)], [1.63e-2, 7.85e-4, -1.57e-2, 8.81e-2, 3.24e-4, 8.28e-2])
    assert tree.bodies[number].joint.armature == 0.507 and model.joints[1].friction == 7.8301
    assert model.joints[4].limits.upper == pytest.approx(np.radians(133.5))


def test_both_conventions_describe_the_same_ur5(rng):
    """Poses, and torques: each body's inertia is given in its frame of one table, and moved to that of the other."""
    d, a = (0.089159, 0, 0, 0.10915, 0.09465, 0.0823), (0, 0, -0.425, -0.39225, 0, 0)
    alpha = (0, np.pi / 2, 0, 0, np.pi / 2, -np.pi / 2)
    rows = [library.Row(0.0, *row) for row in zip(d, a, alpha, strict=True)]
    distal = build_tree(library.ur5_dh(), floating=False)
    bare = build_tree(library.serial_robot("ur5", rows, [BALL] * 6, "proximal"), floating=False)
    q, v, acceleration = rng.uniform(-3, 3, (3, 20, 6))
    inertias = []
    for k in range(1, 7):
        body, body_H_frame = distal.frames[f"dh{k}"]
        there, here = (frame_poses(tree, q[0])[f"dh{k}"] for tree in (bare, distal))
        parameters = transform_parameters(inverse(there) @ here @ inverse(body_H_frame), distal.bodies[body].parameters)
        inertias.append(inertia_from_parameters(parameters))
    proximal = build_tree(library.serial_robot("ur5", rows, inertias, "proximal"), floating=False)
    torques = [inverse_dynamics(tree, q, v, acceleration) for tree in (distal, proximal)]
    for k in range(20):
        expected = frame_poses(proximal, q[k])["dh6"]
        np.testing.assert_allclose(frame_poses(distal, q[k])["dh6"], expected, atol=1e-12)
        assert np.linalg.norm(torques[0][k] - torques[1][k]) < 1e-10 * np.linalg.norm(torques[1][k])


def test_inertias_are_given_in_the_frames_of_the_table(rng):
    row = library.Row(0.3, 0.2, 0.5, 0.7)
    inertia = Inertia(2.0, rng.normal(size=3), np.diag([1.0, 1.1, 1.2]))
    trees = [
        build_tree(library.serial_robot("r", [row], [inertia], kind), "link1", allow_massless=True)
        for kind in ("proximal", "distal")
    ]
    for tree in trees:
        link_H_frame = tree.frames["dh1"][1]
        center = inertia_from_parameters(tree.bodies[0].parameters).center
        np.testing.assert_allclose(inverse(link_H_frame)[:3] @ [*center, 1.0], inertia.center, atol=1e-14)


@pytest.mark.parametrize(
    ("rows", "count", "convention", "message"),
    [
        ([library.Row(0, 0, 0, 0)], 2, "distal", "1 rows and 2 inertias"),
        ([library.Row(0, 0, 0, 0)], 1, "modified", "convention is 'modified'; it must be one of"),
        ([library.Row(0, np.nan, 0, 0)], 1, "distal", "robot 'r', joint1: d is nan"),
        ([library.Row(0, 0, 0, 0, "screw")], 1, "distal", "joint1: kind is 'screw'"),
        ([library.Row(0, 0, 0, 0, friction=-1.0)], 1, "distal", "joint1: friction is -1.0"),
        ([library.Row(0, 0, 0, 0, limits=Limits(1.0, 0.0))], 1, "distal", "joint1: the limits 1 .. 0 are in the wrong"),
    ],
)
def test_tables_are_checked(rows, count, convention, message):
    with pytest.raises(ModelError, match=message):
        library.serial_robot("r", rows, [BALL] * count, convention)


def test_a_prismatic_row_slides(rng):
    rows = [library.Row(0.1, 0.2, 0.3, 0.4), library.Row(0.5, 0.6, 0.7, 0.8, "prismatic")]
    q = rng.uniform(-1, 1, 2)
    for convention in ("proximal", "distal"):
        H = np.eye(4)
        for row, s in zip(rows, q, strict=True):
            turn, length = (row.theta, row.d + s) if row.kind == "prismatic" else (row.theta + s, row.d)
            screw = rotation("z", turn) @ shift(0, length)
            twist = rotation("x", row.alpha) @ shift(row.a, 0)
            H = H @ (twist @ screw if convention == "proximal" else screw @ twist)
        tree = build_tree(library.serial_robot("r", rows, [BALL] * 2, convention), floating=False)
        np.testing.assert_allclose(frame_poses(tree, q)["dh2"], H, atol=1e-14)


def test_the_nine_joint_tree_has_the_printed_numbers():
    matrices = printed_matrices()
    np.testing.assert_allclose(matrices[0, :3, :3][np.triu_indices(3)], [120, -23, -68, 153, -39, 76])
    np.testing.assert_allclose(matrices[8, :3, 3:][np.triu_indices(3, 1)], [-28, 56, -63])
    np.testing.assert_allclose(matrices, matrices.transpose(0, 2, 1))
    with pytest.raises(ModelError, match="no rigid body has the inertia of link 'body0'"):
        build_tree(nine_joint_tree(printed_inertias=True))
    printed = build_tree(nine_joint_tree(printed_inertias=True), allow_nonphysical=True)
    assert printed.mass == build_tree(nine_joint_tree()).mass == 46.0
    assert [body.parent for body in printed.bodies[1:]] == [0, 1, 2, 0, 4, 4, 0, 7, 8]


def test_the_corrected_transforms_are_those_of_the_tree(rng):
    model = nine_joint_tree()
    q = rng.uniform(-3, 3, 9)
    poses = frame_poses(build_tree(model), q)
    for number, joint in enumerate(model.joints, 1):
        child_H_parent = inverse(poses[joint.child]) @ poses[joint.parent]
        expected = joint_transform(number, q[number - 1]) @ adjoint(inverse(joint.parent_H_joint))
        np.testing.assert_allclose(adjoint(child_H_parent), expected, atol=1e-12)
    sliding = [
        number
        for number in range(1, 10)
        if not np.allclose(joint_transform(number, 1), joint_transform(number, 1, True))
    ]
    assert sliding == [1, 3, 4, 6, 8, 9]


@pytest.mark.parametrize(("make", "joints"), [(library.parametric_humanoid, 32), (library.humanoid_31_links, 30)])
def test_humanoids_scale_and_have_seven_submodels(make, joints):
    model = make(mass=50.0, height=1.5)
    tree = build_tree(model, keep_force_sensors=True)
    assert tree.mass == pytest.approx(50.0) and tree.n_joints == joints and len(tree.bodies) == joints + 1
    assert len(tree.submodels) == 7 and len(tree.cuts) == 6
    assert all(link.inertia.mass > 0 for link in model.links)
    poses = frame_poses(tree, np.zeros(joints))
    np.testing.assert_allclose(poses["l_sole"][:3, 3] * [1, -1, 1], poses["r_sole"][:3, 3], atol=1e-15)
    stature = poses["head"][2, 3] + 0.15 * 1.5 - poses["l_sole"][2, 3]
    assert stature == pytest.approx(1.5, rel=0.1)
    for patch in model.skin:
        np.testing.assert_allclose(np.linalg.norm(patch.normals, axis=1), 1.0)
    larger = make(mass=100.0, height=1.5)
    assert larger.links[0].inertia.mass == pytest.approx(2 * model.links[0].inertia.mass)


def test_names_do_not_hide_robots_of_the_installed_files():
    assert not set(catalog.LIBRARY) & set(catalog._FILES)
    assert load_named("ur5").name != load_named("ur5_dh").name


def test_the_tool_of_a_hanging_manipulator_is_below_its_suspension():
    tree = build_tree(library.suspended_manipulator())
    assert not tree.floating and (tree.nq, tree.nv) == (11, 10)
    tool = frame_poses(tree, np.array([1.0, 0, 0, 0, *np.zeros(7)]))["tool"]
    np.testing.assert_allclose(tool[:3, 3], [0, 0, -3.4832 - 0.3 - 1.4])
    hooked = build_tree(library.suspended_manipulator(3.0, hook_mass=20.0, hook_length=1.5))
    assert (len(hooked.bodies), hooked.nq, hooked.nv) == (10, 15, 13) and hooked.mass == 89.0
    tool = frame_poses(hooked, np.array([1.0, 0, 0, 0, 1.0, 0, 0, 0, *np.zeros(7)]))["tool"]
    np.testing.assert_allclose(tool[:3, 3], [0, 0, -1.5 - 3.0 - 0.3 - 1.4])


def test_a_manipulator_that_nothing_holds_is_the_same_robot():
    free = fb.Robot(library.suspended_manipulator(3.0, hook_mass=20.0, hook_length=1.5, hung=False))
    assert free.floating and (free.nq, free.nv) == (21, 19) and free.mass == pytest.approx(89.0)
    q = free.neutral()
    for name, height in (("tool", -0.3 - 1.4), ("hook", 3.0), ("hook_center", 3.0), ("suspension", 3.0)):
        np.testing.assert_allclose(free.pose(q, name)[:3, 3], [0, 0, height], atol=1e-12)
    falling = free.forward_dynamics(q, np.zeros(19), np.zeros(19))
    np.testing.assert_allclose(falling, [0, 0, -9.81, *np.zeros(16)], atol=1e-9)


def test_propellers_of_the_manipulator_are_on_a_circle():
    for model in (library.suspended_manipulator(), library.suspended_manipulator(hung=False)):
        frames = {frame.name: frame.link_H_frame for frame in model.frames}
        centers = [(inverse(frames["center"]) @ frames[f"propeller_{k}"]) for k in range(1, 9)]
        for number, center_H_propeller in enumerate(centers):
            place, thrust = center_H_propeller[:3, 3], center_H_propeller[:3, 2]
            turn = 2 * np.pi * number / 8
            np.testing.assert_allclose(place, [0.7 * np.cos(turn), 0.7 * np.sin(turn), 0.0], atol=1e-15)
            assert thrust[2] == pytest.approx(np.cos(0.5)) and thrust @ place == pytest.approx(0.0, abs=1e-15)
