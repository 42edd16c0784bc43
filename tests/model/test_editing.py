"""Changed copies of models."""

from dataclasses import replace

import numpy as np
import pytest
from tests.model.kinematics import center_of_mass, frame_poses
from tests.model.test_joint_kinds import UNIT, everything, make, two

from floatbase.errors import ArgumentError, ModelError, UnknownNameError
from floatbase.model import (
    Configuration,
    Constraint,
    Inertia,
    Joint,
    Limits,
    Link,
    Mimic,
    Sensor,
    SkinPatch,
    add_constraint,
    add_frame,
    add_link,
    add_sensor,
    add_skin,
    attach_payload,
    build_tree,
    library,
    merge,
    remove_branch,
    replace_joint,
    scale,
    set_inertia,
)
from floatbase.model.poses import pose

MODEL = two(make("revolute", (0.0, 0.0, 1.0)))


def patch(name="skin", link="a", normal=(0.0, 0.0, 1.0)):
    return SkinPatch(name, link, np.zeros((2, 3)), np.array([normal, normal]))


def loop(second="b", pose=1.0):
    return Constraint("loop", "revolute", "a", second, pose * np.eye(4), np.eye(4))


LOOPED = replace(MODEL, constraints=(loop(),))
LOOPED_TOO = replace(
    LOOPED,
    links=(Link("c", UNIT), Link("d", UNIT)),
    joints=(make("fixed", (0, 0, 1.0), "c", "d", "k"),),
    constraints=(replace(loop(), first="c", second="d"),),
    root="c",
)


def test_a_payload_adds_its_mass_where_it_is(rng):
    digest = MODEL.digest
    loaded = attach_payload(MODEL, "b", 2.0, (0.1, 0.0, 0.5), 0.01 * np.eye(3))
    assert MODEL.digest == digest and loaded.digest != digest
    tree, before = build_tree(loaded, floating=False), build_tree(MODEL, floating=False)
    assert len(tree.bodies) == 2 and tree.mass == before.mass + 2.0
    q = rng.uniform(-1, 1, 1)
    point = frame_poses(tree, q)["b"] @ [0.1, 0.0, 0.5, 1.0]
    expected = (before.mass * center_of_mass(before, q) + 2.0 * point[:3]) / tree.mass
    np.testing.assert_allclose(center_of_mass(tree, q), expected, atol=1e-15)


def test_a_link_can_be_added_on_either_side():
    link = Link("c", UNIT)
    for joint in (make("prismatic", (1.0, 0, 0), "b", "c", "k"), make("prismatic", (1.0, 0, 0), "c", "b", "k")):
        assert build_tree(add_link(MODEL, link, joint), "a").joint_names == ("j", "k")


def test_frames_sensors_and_skin_are_added():
    model = add_frame(MODEL, "tool", "b", pose((1, 0, 0), (0, 0, 0)))
    model = add_sensor(model, Sensor("imu", "accelerometer", "b"))
    model = add_sensor(model, Sensor("ft", "force_torque", "b", "j"))
    model = add_skin(model, patch())
    assert "tool" in build_tree(model).frames
    assert [sensor.name for sensor in model.sensors] == ["imu", "ft"] and model.skin[0].link == "a"


def test_a_constraint_is_added_kept_and_removed_with_its_links():
    model = add_constraint(MODEL, loop())
    assert MODEL.constraints == () and model.constraints[0].kind == "revolute"
    assert model.digest == LOOPED.digest != MODEL.digest
    large = scale(replace(LOOPED, constraints=(replace(loop(), first_H_frame=pose((1, 0, 0), (0, 0, 0))),)), length=2.0)
    assert large.constraints[0].first_H_frame[0, 3] == 2.0
    assert remove_branch(LOOPED, "j").constraints == ()
    twice = merge(LOOPED, LOOPED, "b", np.eye(4), prefix="x_")
    assert [(item.name, item.first) for item in twice.constraints] == [("loop", "a"), ("x_loop", "x_a")]


def test_links_and_joints_are_replaced_by_name():
    model = set_inertia(MODEL, "b", Inertia(7.0, np.zeros(3), np.eye(3)))
    model = replace_joint(model, "j", rotor_inertia=0.1, gear_ratio=10.0, limits=Limits(-1.0, 1.0))
    tree = build_tree(model)
    assert tree.mass == 8.0 and tree.bodies[1].joint.armature == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("edit", "error", "message"),
    [
        (lambda: attach_payload(MODEL, "c", 1.0), UnknownNameError, "unknown link 'c'"),
        (lambda: attach_payload(MODEL, "b", 1.0, name="a"), ArgumentError, "a link or frame named 'a' already"),
        (lambda: add_link(MODEL, Link("c"), make("fixed", (0, 0, 1.0), "a", "b", "k")), ArgumentError, "new link 'c'"),
        (lambda: add_link(MODEL, Link("c"), make("fixed", (0, 0, 1.0), "a", "c")), ArgumentError, "joint named 'j'"),
        (lambda: add_frame(MODEL, "b", "a", np.eye(4)), ArgumentError, "link or frame named 'b'"),
        (lambda: add_sensor(MODEL, Sensor("s", "imu")), ArgumentError, "on no link and in no joint"),
        (lambda: add_sensor(MODEL, Sensor("s", "force_torque", "a", "j")), ArgumentError, "must be 'b', the child"),
        (lambda: add_skin(MODEL, patch(normal=(0, 0, 2.0))), ArgumentError, "normals of unit length"),
        (lambda: add_skin(add_skin(MODEL, patch()), patch()), ArgumentError, "skin patch named 'skin'"),
        (lambda: add_constraint(MODEL, loop(second="c")), UnknownNameError, "unknown link 'c'"),
        (lambda: add_constraint(MODEL, loop(second="a")), ModelError, "between the link 'a' and itself"),
        (lambda: add_constraint(MODEL, loop(pose=2.0)), ModelError, "constraint 'loop' on 'a' is no rigid motion"),
        (lambda: add_constraint(add_constraint(MODEL, loop()), loop()), ArgumentError, "a constraint named 'loop'"),
        (
            lambda: merge(LOOPED, LOOPED_TOO, "a", np.eye(4)),
            ArgumentError,
            "both robots have a constraint named 'loop'",
        ),
        (lambda: replace_joint(MODEL, "k", damping=1.0), UnknownNameError, "unknown joint 'k'"),
        (lambda: replace_joint(MODEL, "j", name="k"), ArgumentError, "name is 'k'"),
        (lambda: remove_branch(replace(MODEL, root="b"), "j"), ArgumentError, "the root 'b' is there"),
        (lambda: scale(MODEL, length=0.0), ArgumentError, "factor of length is 0.0"),
        (lambda: merge(MODEL, MODEL, "a", np.eye(4)), ArgumentError, "both robots have a link or frame named 'a'"),
    ],
)
def test_edits_that_make_no_sense_are_refused(edit, error, message):
    with pytest.raises(error, match=message):
        edit()


def test_a_branch_is_removed_with_all_that_is_on_it():
    humanoid = library.parametric_humanoid()
    model = remove_branch(humanoid, "l_shoulder_pitch")
    names = {link.name for link in model.links}
    assert not any(name.startswith(("l_upper", "l_shoulder", "l_hand", "l_fore")) for name in names)
    assert {patch.name for patch in model.skin} == {"chest_skin", "r_upper_arm_skin", "r_forearm_skin"}
    assert sum(sensor.kind == "force_torque" for sensor in model.sensors) == 5
    assert build_tree(model).n_joints == 25
    again = merge(model, build_arm(humanoid), "chest", np.eye(4), prefix="spare_")
    assert build_tree(again).n_joints == 32 and "spare_l_hand" in build_tree(again).frames


def build_arm(humanoid):
    """The left arm alone, with a root link of its own."""
    model = humanoid
    for joint in ("r_shoulder_pitch", "l_hip_pitch", "r_hip_pitch", "neck_pitch"):
        model = remove_branch(model, joint)
    cut = next(joint for joint in model.joints if joint.name == "torso_yaw")
    chest = remove_branch(model, cut.name)
    gone = {link.name for link in chest.links}
    return replace(
        model,
        links=tuple(link for link in model.links if link.name not in gone),
        joints=tuple(joint for joint in model.joints if joint.parent not in gone and joint is not cut),
        sensors=(),
        root="chest",
    )


def test_a_joint_that_others_mimic_stays():
    model = add_link(MODEL, Link("c", UNIT), replace(make("revolute", (0, 0, 1.0), "a", "c", "k"), mimic=Mimic("j")))
    with pytest.raises(ArgumentError, match="joint 'k' mimics joint 'j', which would be removed"):
        remove_branch(model, "j")


def test_scaling_follows_dimensions(rng):
    model = replace(everything(), configurations=(Configuration("here", {"j_planar": (1.0, 2.0, 3.0)}),))
    model = replace_joint(model, "j_prismatic", limits=Limits(-1.0, 2.0), rotor_inertia=1.0, gear_ratio=3.0)
    large = scale(model, length=2.0, density=0.5)
    tree, twin = build_tree(model), build_tree(large)
    assert twin.mass == pytest.approx(4.0 * tree.mass)
    q = np.zeros(tree.joint_nq)
    q[[6, 16]] = 1.0
    q[:6] = rng.uniform(-1, 1, 6)
    q2 = q.copy()
    q2[2] *= 2.0  # the prismatic joint
    expected, found = frame_poses(tree, q), frame_poses(twin, q2)
    for name, H in expected.items():
        np.testing.assert_allclose(found[name][:3, :3], H[:3, :3], atol=1e-14)
        np.testing.assert_allclose(found[name][:3, 3], 2.0 * H[:3, 3], atol=1e-13)
    np.testing.assert_allclose(center_of_mass(twin, q2), 2.0 * center_of_mass(tree, q), atol=1e-13)
    joint = next(joint for joint in large.joints if joint.name == "j_prismatic")
    assert (joint.limits.lower, joint.limits.upper) == (-2.0, 4.0)
    assert joint.rotor_inertia * joint.gear_ratio**2 == pytest.approx(9.0 * 0.5 * 2**3)  # a mass
    assert large.configurations[0].joints == {"j_planar": (2.0, 4.0, 3.0)}
    np.testing.assert_allclose(large.links[0].inertia.tensor, 16.0 * model.links[0].inertia.tensor)


def test_scaling_keeps_mimicking_joints_in_step():
    joints = (
        make("revolute", (0, 0, 1.0)),
        replace(make("prismatic", (0, 0, 1.0), "b", "c", "k"), mimic=Mimic("j", 0.3, 0.1)),
    )
    model = replace(MODEL, links=(*MODEL.links, Link("c", UNIT)), joints=joints)
    assert scale(model, length=2.0).joints[1].mimic == Mimic("j", 0.6, 0.2)


def test_cells_of_skin_have_a_normal_each():
    with pytest.raises(ModelError, match=r"normals of SkinPatch 's' is of shape \(1, 3\); it needs .*\(2, 3\)"):
        SkinPatch("s", "a", np.zeros((2, 3)), np.zeros((1, 3)))
    with pytest.raises(ModelError, match=r"positions of SkinPatch 's' is of shape \(3,\)"):
        SkinPatch("s", "a", np.zeros(3), np.zeros(3))


def test_a_payload_can_be_a_point():
    assert build_tree(attach_payload(MODEL, "b", 1.0)).mass == 3.0


def test_joints_are_described_by_hand_as_well():
    model = add_link(MODEL, Link("c", UNIT), Joint("k", "helical", "b", "c", np.eye(4), pitch=0.01))
    assert build_tree(model).bodies[2].joint.pitch == 0.01
