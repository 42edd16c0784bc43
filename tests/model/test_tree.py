import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.model.kinematics import center_of_mass, frame_poses, load

from floatbase.errors import ArgumentError, ModelError, ShapeError, UnknownNameError
from floatbase.model import Frame, Inertia, Joint, Link, Mimic, Model, Sensor, build_tree, load_urdf
from floatbase.model.inertia import inertia_from_parameters
from floatbase.model.poses import axis_rotation, pose, shift

TOLERANCE = 1e-13
ROBOTS = ["icub", "icub2.5", "icubgenova03", "panda", "anymal_c", "g1", "talos", "romeo", "tiago_pro", "left_hand_mk3"]


def pinocchio_configuration(model, names, q):
    pinocchio = pytest.importorskip("pinocchio")
    result = pinocchio.neutral(model)
    for name, value in zip(names, q, strict=True):
        joint = model.joints[model.getJointId(name)]
        result[joint.idx_q : joint.idx_q + joint.nq] = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
    return result


@pytest.mark.parametrize("name", ROBOTS)
def test_frames_mass_and_center_agree_with_pinocchio(name, rng):
    pinocchio = pytest.importorskip("pinocchio")
    model, tree = load(name, floating=False, free_mimic=True)
    peer = pinocchio.buildModelFromUrdf(model.source)
    data = peer.createData()
    assert tree.n_joints == peer.nv
    for _ in range(3):
        q = rng.uniform(-2.0, 2.0, tree.n_joints)
        peer_q = pinocchio_configuration(peer, tree.joint_names, q)
        pinocchio.framesForwardKinematics(peer, data, peer_q)
        for frame, found in frame_poses(tree, q).items():
            expected = data.oMf[peer.getFrameId(frame, pinocchio.BODY)].homogeneous
            np.testing.assert_allclose(found, expected, atol=TOLERANCE)
        # Pinocchio leaves what is fixed to the world out of the total
        total = pinocchio.computeTotalMass(peer) + peer.inertias[0].mass
        assert tree.mass == pytest.approx(total, rel=1e-13)
        pinocchio.centerOfMass(peer, data, peer_q)
        moving = data.com[0] * data.mass[0]
        fixed = peer.inertias[0].mass * peer.inertias[0].lever
        np.testing.assert_allclose(center_of_mass(tree, q), (moving + fixed) / total, atol=TOLERANCE)


@pytest.mark.parametrize("name", ["icub", "talos", "tiago_pro", "left_hand_mk3"])
def test_any_base_gives_the_same_robot(name, rng):
    model, tree = load(name, allow_massless=True)
    q = rng.uniform(-1.0, 1.0, tree.n_joints)
    root_poses = frame_poses(tree, q)
    for base in (model.links[0].name, model.links[len(model.links) // 2].name, model.links[-1].name):
        other = build_tree(model, base, allow_massless=True)
        assert other.joint_names == tree.joint_names
        assert other.mass == pytest.approx(tree.mass, rel=1e-13)
        assert other.base == base and np.array_equal(other.frames[base][1], np.eye(4))
        base_poses = frame_poses(other, q)
        for frame, root_H_frame in root_poses.items():
            np.testing.assert_allclose(root_poses[base] @ base_poses[frame], root_H_frame, atol=TOLERANCE)
        center = root_poses[base] @ np.append(center_of_mass(other, q), 1.0)
        np.testing.assert_allclose(center[:3], center_of_mass(tree, q), atol=TOLERANCE)


@pytest.mark.parametrize("settings", [{}, {"locked": {"torso_yaw": 0.2, "l_knee": -0.5}}, {"joints": ["neck_yaw"]}])
def test_bodies_keep_their_names_order_and_links_under_every_base(settings):
    def links(tree):
        groups = {name: set() for name in tree.body_names}
        for frame, (number, _) in tree.frames.items():
            groups[tree.bodies[number].name].add(frame)
        return groups

    model, _ = load("icub")
    tree = build_tree(model, **settings)
    assert tree.order == tuple(range(len(tree.bodies))) and tree.body_names[0] == tree.base == model.root
    for base in ("base_link", "l_sole", "chest", "l_lower_leg", "head"):
        other = build_tree(model, base, **settings)
        assert other.base == base and other.frames[base][0] == 0
        assert other.body_names == tree.body_names and links(other) == links(tree)
        assert tuple(other.frames[name][0] for name in other.body_names) == other.order
        assert sorted(other.order) == list(range(len(other.bodies)))
        assert all(body.parent < number for number, body in enumerate(other.bodies))


def test_bodies_keep_their_central_moments_under_every_base():
    model, tree = load("icub")
    other = build_tree(model, "l_sole")
    q = np.zeros(tree.n_joints)
    for number, body in enumerate(tree.bodies):
        link = next(name for name, (at, _) in tree.frames.items() if at == number)
        twin = other.bodies[other.frames[link][0]]
        own, its = inertia_from_parameters(body.parameters), inertia_from_parameters(twin.parameters)
        assert own.mass == pytest.approx(its.mass, rel=1e-13)
        scale = np.abs(own.tensor).max() + 1e-3
        np.testing.assert_allclose(np.linalg.eigvalsh(own.tensor), np.linalg.eigvalsh(its.tensor), atol=1e-12 * scale)
    assert len(frame_poses(other, q)) == len(tree.frames)


def test_locked_joints_are_fixed_where_they_were_locked(rng):
    model, tree = load("icub")
    q = rng.uniform(-1.0, 1.0, tree.n_joints)
    locked = dict(zip(tree.joint_names[::2], q[::2].tolist(), strict=False))
    smaller = build_tree(model, locked=locked)
    assert smaller.joint_names == tree.joint_names[1::2]
    assert smaller.mass == pytest.approx(tree.mass, rel=1e-13)
    expected = frame_poses(tree, q)
    for frame, found in frame_poses(smaller, q[1::2]).items():
        np.testing.assert_allclose(found, expected[frame], atol=TOLERANCE)
    np.testing.assert_allclose(center_of_mass(smaller, q[1::2]), center_of_mass(tree, q), atol=TOLERANCE)


def test_chosen_joints_come_in_the_order_asked_for_and_the_others_are_locked(rng):
    model, tree = load("icub")
    chosen = ["l_knee", "r_knee", "torso_yaw"]
    smaller = build_tree(model, joints=chosen, locked={"l_elbow": 0.7})
    assert smaller.joint_names == tuple(chosen)
    values = {"l_knee": -0.3, "r_knee": -0.8, "torso_yaw": 0.4, "l_elbow": 0.7}
    q = np.array([values.get(name, 0.0) for name in tree.joint_names])
    expected = frame_poses(tree, q)
    for frame, found in frame_poses(smaller, np.array([values[name] for name in chosen])).items():
        np.testing.assert_allclose(found, expected[frame], atol=TOLERANCE)


def test_a_robot_without_free_joints_is_one_body():
    model, tree = load("panda")
    rigid = build_tree(model, joints=[])
    assert len(rigid.bodies) == 1 and rigid.nq == 7 and rigid.nv == 6
    assert rigid.mass == pytest.approx(tree.mass, rel=1e-13)


def chain(*mimics, kinds=None):
    """Links l0 .. ln in a row; joint number i is `j{i}` and mimics as `mimics[i]` says."""
    unit = Inertia(1.0, np.array([0.1, 0.2, 0.3]), np.diag([1.0, 1.1, 1.2]))
    links = tuple(Link(f"l{i}", unit) for i in range(len(mimics) + 1))
    joints = tuple(
        Joint(
            f"j{i}",
            (kinds or {}).get(i, "revolute"),
            f"l{i}",
            f"l{i + 1}",
            pose((0.3, -0.2, 0.5), (0.3 * i, 0.4, -0.5)),
            np.array([0.6, 0.0, 0.8]),
            mimic=mimic,
        )
        for i, mimic in enumerate(mimics)
    )
    return Model("chain", links, joints, root="l0")


def test_chains_of_mimic_joints_are_composed(rng):
    model = chain(Mimic("j1", 2.0, 0.5), Mimic("j2", -3.0, 0.25), None, kinds={1: "prismatic"})
    tree, free = build_tree(model), build_tree(model, free_mimic=True)
    assert tree.joint_names == ("j2",) and free.joint_names == ("j0", "j1", "j2")
    x = rng.uniform(-1.0, 1.0)
    j1 = -3.0 * x + 0.25
    expected = frame_poses(free, [2.0 * j1 + 0.5, j1, x])
    for frame, found in frame_poses(tree, [x]).items():
        np.testing.assert_allclose(found, expected[frame], atol=TOLERANCE)
    locked = build_tree(model, locked={"j2": 0.1})
    expected = frame_poses(tree, [0.1])
    assert len(locked.bodies) == 1
    for frame, found in frame_poses(locked, []).items():
        np.testing.assert_allclose(found, expected[frame], atol=TOLERANCE)


def test_a_locked_mimic_joint_no_longer_follows():
    tree = build_tree(chain(None, Mimic("j0")), locked={"j1": 0.3})
    assert len(tree.bodies) == 2


@pytest.mark.parametrize(
    ("mimics", "kinds", "message"),
    [
        ([Mimic("j1"), Mimic("j0")], None, "mimic one another in a circle: j0 -> j1 -> j0"),
        ([Mimic("j0")], None, "in a circle: j0 -> j0"),
        ([Mimic("nobody")], None, "joint 'j0' mimics joint 'nobody', which does not exist"),
        ([Mimic("j1"), None], {1: "fixed"}, "mimics joint 'j1', which is fixed"),
    ],
)
def test_impossible_mimics_are_refused(mimics, kinds, message):
    with pytest.raises(ModelError, match=message):
        build_tree(chain(*mimics, kinds=kinds))


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"base": "l_foo"}, UnknownNameError, "unknown link 'l_foo'"),
        ({"joints": ["l_kne"]}, UnknownNameError, "unknown joint 'l_kne'; did you mean 'l_knee'"),
        ({"joints": ["l_knee", "l_knee"]}, ArgumentError, "'l_knee' is listed twice"),
        ({"joints": ["l_foot_ft_sensor"]}, ArgumentError, "is fixed and cannot be free"),
        ({"joints": "l_knee"}, ArgumentError, "needs a list of joint names"),
        ({"joints": ["l_knee"], "locked": {"l_knee": 0.1}}, ArgumentError, "free in joints and locked at 0.1"),
        ({"locked": {"l_knee": float("nan")}}, ArgumentError, "cannot be locked at nan"),
        ({"locked": {"knee_l": 0.0}}, UnknownNameError, "unknown joint 'knee_l'"),
        ({"representation": "left"}, ArgumentError, "representation is 'left'; it must be one of"),
        ({"gravity": (0, -9.81)}, ShapeError, "gravity has 2 components"),
        ({"gravity": (0, 0, float("inf"))}, ArgumentError, "gravity is .*must be finite"),
    ],
)
def test_bad_settings_are_named(settings, error, message):
    model, _ = load("icub")
    with pytest.raises(error, match=message):
        build_tree(model, **settings)


def test_a_mimic_joint_cannot_be_chosen():
    with pytest.raises(ArgumentError, match=r"joint 'j0' follows joint 'j1'.*free_mimic=True"):
        build_tree(chain(Mimic("j1"), None), joints=["j0"])


def broken(**changes):
    model = chain(None, None)
    return Model("broken", changes.get("links", model.links), changes.get("joints", model.joints), root="l0")


def test_models_made_by_hand_are_checked():
    links, (first, second) = chain(None, None).links, chain(None, None).joints
    with pytest.raises(ModelError, match="no links"):
        build_tree(Model("nothing", (), ()))
    with pytest.raises(ModelError, match="the root of the model names the link 'l9', which does not exist"):
        build_tree(replace(chain(None), root="l9"), "l0")
    with pytest.raises(ModelError, match="link 'l2' is not connected to the base 'l0'"):
        build_tree(broken(joints=(first,)))
    with pytest.raises(ModelError, match="two joints have the same name"):
        build_tree(broken(joints=(first, first)))
    with pytest.raises(ModelError, match=r"loop through link .*close the loop by a Constraint"):
        build_tree(broken(joints=(first, second, Joint("j2", "fixed", "l2", "l0", np.eye(4)))))
    with pytest.raises(ModelError, match="names the link 'l2', which does not exist"):
        build_tree(broken(links=links[:2]))
    with pytest.raises(ModelError, match=r"axis of joint 'j1'.*unit length"):
        build_tree(broken(joints=(first, Joint("j1", "revolute", "l1", "l2", np.eye(4), np.array([0.0, 0.0, 2.0])))))
    with pytest.raises(ModelError, match="pose of joint 'j1' is not finite"):
        build_tree(broken(joints=(first, Joint("j1", "fixed", "l1", "l2", np.full((4, 4), np.nan)))))


def test_arrays_are_checked_copied_and_read_only():
    axis = np.array([0.0, 0.0, 1.0])
    joint = Joint("j", "revolute", "a", "b", np.eye(4).tolist(), axis)
    axis[0] = 1.0
    assert joint.axis[0] == 0.0 and joint.parent_H_joint.shape == (4, 4)
    with pytest.raises(ValueError, match="read-only"):
        joint.axis[0] = 1.0
    with pytest.raises(ModelError, match=r"axis of Joint 'j' is of shape \(2,\); it needs numbers of shape \(3,\)"):
        Joint("j", "revolute", "a", "b", np.eye(4), [0, 1])
    with pytest.raises(ModelError, match=r"center of Inertia is 'here'; it needs numbers"):
        Inertia(1.0, "here", np.eye(3))


def test_a_pose_that_is_no_rigid_motion_is_refused():
    for matrix in (2.0 * np.eye(4), np.diag([1.0, 1.0, 1.0, 2.0])):
        with pytest.raises(ModelError, match="pose of joint 'j0' is no rigid motion"):
            build_tree(
                broken(joints=(replace(chain(None).joints[0], parent_H_joint=matrix), chain(None, None).joints[1]))
            )


def test_models_and_trees_pickle():
    model, tree = load("panda")
    assert pickle.loads(pickle.dumps(model)).digest == model.digest
    assert pickle.loads(pickle.dumps(tree)).digest == tree.digest


def test_joints_that_move_nothing_are_refused_unless_allowed():
    links = (*chain(None).links[:1], Link("l1"))
    model = Model("flag", links, chain(None).joints, root="l0")
    with pytest.raises(ModelError, match=r"joint 'j0' moves nothing with mass.*allow_massless=True"):
        build_tree(model)
    assert len(build_tree(model, allow_massless=True).bodies) == 2
    frame = Model("frame", (Link("l0"),), (), root="l0")
    with pytest.raises(ModelError, match="the floating base has nothing with mass"):
        build_tree(frame)
    assert build_tree(frame, floating=False).nq == 0


def test_a_massless_base_floats_if_something_is_attached():
    model, tree = load("panda", floating=True)
    bare = Model(
        "bare", (Link("tool"), *model.links), (*model.joints, Joint("to", "fixed", "panda_hand", "tool", np.eye(4)))
    )
    assert build_tree(bare, "tool").mass == pytest.approx(tree.mass)


def test_a_link_named_world_does_not_float():
    model, _ = load("ur10")
    assert model.root == "world"
    assert build_tree(model).floating is False
    assert build_tree(model, "tool0").floating is True


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, -1, 0], [0, 0, -1], [0.6, 0, -0.8], [-0.48, 0.64, 0.6]])
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "continuous"])
def test_one_joint_moves_as_its_description_says(axis, kind, rng):
    axis = np.array(axis, dtype=float)
    parent_H_joint = pose(rng.normal(size=3), rng.normal(size=3))
    joint = Joint("j", kind, "a", "b", parent_H_joint, axis)
    links = (Link("a", Inertia(1.0, np.zeros(3), np.eye(3))), Link("b", Inertia(1.0, np.zeros(3), np.eye(3))))
    model = Model("two", links, (joint,), root="a")
    for s in rng.uniform(-3.0, 3.0, 3):
        motion = shift(s * axis) if kind == "prismatic" else axis_rotation(axis, s)
        a_H_b = parent_H_joint @ motion
        np.testing.assert_allclose(frame_poses(build_tree(model, "a"), [s])["b"], a_H_b, atol=1e-14)
        np.testing.assert_allclose(frame_poses(build_tree(model, "b"), [s])["a"], np.linalg.inv(a_H_b), atol=1e-14)


def entries(tree):
    """How many entries of the constant poses between joints are neither 0 nor +-1."""
    blocks = np.array([body.joint.parent_H_joint[:3] for body in tree.bodies[1:]])
    return int(((blocks != 0.0) & (np.abs(blocks) != 1.0)).sum())


def test_frames_of_icub_are_sparse():
    _, tree = load("icub")
    assert entries(tree) <= 48  # 120 in frames with z on the axis but otherwise as in the file
    assert sum(body.joint.offset != 0.0 for body in tree.bodies[1:]) <= 2


def test_cuts_split_icub_at_its_sensors():
    model, tree = load("icub", keep_force_sensors=True)
    assert [cut.joint for cut in tree.cuts] == sorted(
        {cut.joint for cut in tree.cuts}, key=[c.joint for c in tree.cuts].index
    )
    assert {cut.joint for cut in tree.cuts} == {f"{s}_{p}_ft_sensor" for s in "lr" for p in ("arm", "leg", "foot")}
    assert len(tree.submodels) == 7
    assert sorted(link for part in tree.submodels for link in part.links) == sorted(link.name for link in model.links)
    for number, body in enumerate(tree.bodies):
        shares = [part.parameters[number] for part in tree.submodels if number in part.parameters]
        np.testing.assert_allclose(sum(shares), body.parameters, atol=1e-14)
    by_joint = {joint.name: joint for joint in model.joints}
    for cut in tree.cuts:
        assert (cut.parent_link, cut.child_link) == (by_joint[cut.joint].parent, by_joint[cut.joint].child)
        assert cut.parent_link in tree.submodels[cut.parent_submodel].links
        assert cut.child_link in tree.submodels[cut.child_submodel].links
        assert tree.frames[cut.parent_link][0] == tree.frames[cut.child_link][0] == cut.body


def test_cuts_do_not_change_the_dynamics_and_keep_their_sides_under_another_base():
    model, plain = load("icub")
    assert plain.cuts == () and plain.submodels == ()
    cut = build_tree(model, "l_sole", keep_force_sensors=True)
    foot = next(item for item in cut.cuts if item.joint == "l_foot_ft_sensor")
    assert foot.parent_link == "l_ankle_2" and foot.near_submodel == foot.child_submodel
    assert "l_sole" in cut.submodels[foot.near_submodel].links
    same = build_tree(model, keep_force_sensors=True)
    assert all(item.near_submodel == item.parent_submodel for item in same.cuts)
    for one, other in zip(cut.cuts, same.cuts, strict=True):
        assert replace(one, body=other.body, near_submodel=other.near_submodel) == other
    assert [part.links for part in cut.submodels] == [part.links for part in same.submodels]
    assert all(np.array_equal(a.parameters, b.parameters) for a, b in zip(plain.bodies, same.bodies, strict=True))


def test_a_force_sensor_in_a_moving_joint_cannot_be_a_cut():
    model = replace(chain(None, None), sensors=(Sensor("s", "force_torque", "l1", "j0"),))
    assert build_tree(model).cuts == ()
    with pytest.raises(ModelError, match=r"sensor in joint 'j0' cannot be kept as a cut, because the joint moves"):
        build_tree(model, keep_force_sensors=True)
    (cut,) = build_tree(model, locked={"j0": 0.2}, keep_force_sensors=True).cuts
    assert (cut.parent_link, cut.child_link, cut.body) == ("l0", "l1", 0)


def test_digests_of_equal_numbers_are_equal():
    plain, array = (replace(chain(None), frames=(Frame("f", "l0", x * np.eye(4)),)) for x in (1.0, np.float64(1.0)))
    assert plain.digest == array.digest
    assert plain.digest != replace(plain, frames=(Frame("g", "l0", np.eye(4)),)).digest
    negative = replace(chain(None), frames=(Frame("f", "l0", -0.0 * np.eye(4)),))
    assert negative.digest == replace(chain(None), frames=(Frame("f", "l0", np.zeros((4, 4))),)).digest


def test_additional_frames_are_kept(rng):
    l1_H_tool = pose(rng.normal(size=3), rng.normal(size=3))
    model = replace(chain(None), frames=(Frame("tool", "l1", l1_H_tool),))
    poses = frame_poses(build_tree(model), [0.3])
    np.testing.assert_allclose(poses["tool"], poses["l1"] @ l1_H_tool, atol=1e-14)
    with pytest.raises(ModelError, match="two links or frames are named 'l1'"):
        build_tree(replace(model, frames=(Frame("l1", "l0", np.eye(4)),)))
    with pytest.raises(ModelError, match="frame 'tool' is on 'nowhere', which is no link"):
        build_tree(replace(model, frames=(Frame("tool", "nowhere", np.eye(4)),)))


def test_digests_depend_on_content_alone(tmp_path):
    model, tree = load("icub")
    again, same = load("icub")
    assert model.digest == again.digest and tree.digest == same.digest and len(tree.digest) == 64
    assert tree.digest != build_tree(model, "l_sole").digest
    assert tree.digest != build_tree(model, gravity=(0, 0, -1.62)).digest
    assert tree.digest != build_tree(model, representation="body").digest
    copy = tmp_path / "elsewhere.urdf"
    copy.write_bytes(Path(model.source).read_bytes())
    assert load_urdf(copy).digest == model.digest
    copy.write_bytes(copy.read_bytes().replace(b'mass value="', b'mass value="1', 1))
    assert load_urdf(copy).digest != model.digest
