"""Robots from MJCF files, beside MuJoCo itself."""

import sys
import warnings

import numpy as np
import pytest
from tests.model.kinematics import center_of_mass, frame_poses

import floatbase as fb
from floatbase.errors import MissingDependencyError, RobotFileError
from floatbase.model import Mimic, ModelWarning, build_tree, load_mjcf, parse_mjcf

mujoco = pytest.importorskip("mujoco")

ARM = """
<mujoco model="arm">
  <compiler angle="degree"/>
  <default><joint armature="0.01" damping="0.2" frictionloss="0.3"/></default>
  <worldbody>
    <body name="carriage" pos="0.1 0.2 0.3" euler="10 20 30">
      <joint name="rail" type="slide" axis="1 1 0" range="-0.5 0.5" pos="0.3 0 0"/>
      <joint name="yaw" type="hinge" axis="0 0 1" pos="0.1 0.2 0.3" ref="20" range="-90 90"/>
      <joint name="roll" type="hinge" axis="1 0 0" actuatorfrcrange="-5 3"/>
      <geom type="box" size="0.1 0.2 0.3" pos="0.1 0 0" euler="0 0 40" density="500"/>
      <body pos="0 0 0.4" quat="1 1 0 0">
        <geom type="sphere" size="0.05" rgba="1 0 0 1"/>
        <body name="ball" pos="0.2 0 0">
          <joint name="shoulder" type="ball" pos="0 0 -0.1" range="0 90"/>
          <inertial mass="2" pos="0 0.1 0.2" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
          <geom type="capsule" size="0.03 0.1" contype="0" conaffinity="0"/>
          <geom type="ellipsoid" size="0.1 0.2 0.3" group="3"/>
          <site name="tool" pos="0 0 0.3" euler="90 0 0"/>
          <site name="ball" pos="0 0 0.1"/>
        </body>
      </body>
    </body>
    <body name="drone" pos="1 2 3"><freejoint name="flight"/><geom size="0.1"/></body>
  </worldbody>
</mujoco>
"""

WALKER = """
<mujoco model="walker">
  <worldbody>
    <geom type="plane" size="5 5 0.1"/>
    <light pos="0 0 3"/>
    <body name="torso" pos="0 0 1">
      <freejoint name="root"/>
      <geom type="box" size="0.1 0.1 0.2"/>
      <site name="imu"/>
      <camera name="eyes" pos="0.1 0 0" fovy="60"/>
      <body name="leg" pos="0 0.1 -0.2">
        <joint name="hip" axis="0 1 0"/>
        <geom type="cylinder" size="0.03 0.2"/>
        <body name="foot" pos="0 0 -0.4">
          <joint name="ankle" axis="0 1 0"/>
          <geom type="sphere" size="0.06"/>
          <site name="sole" pos="0 0 -0.06"/>
        </body>
      </body>
    </body>
  </worldbody>
  <equality>
    <joint joint1="ankle" joint2="hip" polycoef="0.1 -2 0 0 0"/>
    <connect name="loop" body1="foot" body2="torso" anchor="0 0 0.1"/>
    <weld name="glue" body1="torso" body2="leg"/>
  </equality>
  <sensor>
    <accelerometer name="acc" site="imu" noise="0.1"/>
    <gyro name="gyr" site="imu"/>
    <force name="fz" site="sole"/>
    <torque name="mz" site="sole"/>
    <jointpos joint="hip"/>
  </sensor>
  <actuator><motor joint="hip"/></actuator>
  <keyframe><key name="crouch" qpos="0 0 0.8 1 0 0 0 0.5 -0.9"/></keyframe>
</mujoco>
"""


def quiet(text, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return parse_mjcf(text, **settings)


def random_qpos(m, rng):
    data = mujoco.MjData(m)
    velocity = rng.normal(size=m.nv)
    mujoco.mj_integratePos(m, data.qpos, velocity, 1.0)
    return data.qpos.copy()


def check_against_mujoco(m, tree, root, q_of_qpos, rng):
    for _ in range(3):
        data = mujoco.MjData(m)
        data.qpos[:] = random_qpos(m, rng)
        mujoco.mj_kinematics(m, data)
        mujoco.mj_comPos(m, data)
        world_H_root = np.eye(4)
        body = m.body(root).id
        world_H_root[:3, :3], world_H_root[:3, 3] = data.xmat[body].reshape(3, 3), data.xpos[body]
        poses = {name: world_H_root @ H for name, H in frame_poses(tree, q_of_qpos(data.qpos)).items()}
        for number in range(1, m.nbody):
            found = poses[mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_BODY, number) or f"body{number}"]
            np.testing.assert_allclose(found[:3, :3], data.xmat[number].reshape(3, 3), atol=1e-13)
            np.testing.assert_allclose(found[:3, 3], data.xpos[number], atol=1e-13)
        for number in range(m.nsite):
            name = mujoco.mj_id2name(m, mujoco.mjtObj.mjOBJ_SITE, number)
            found = poses["ball_site" if name == "ball" else name]
            np.testing.assert_allclose(found[:3, 3], data.site_xpos[number], atol=1e-13)
        center = world_H_root @ np.append(center_of_mass(tree, q_of_qpos(data.qpos)), 1.0)
        np.testing.assert_allclose(center[:3], data.subtree_com[0], atol=1e-13)
        assert tree.mass == pytest.approx(m.body_subtreemass[0], rel=1e-14)


def test_every_kind_of_joint_moves_as_in_mujoco(rng):
    model, m = quiet(ARM), mujoco.MjModel.from_xml_string(ARM)
    tree = build_tree(model)
    assert not tree.floating and (tree.nq, tree.nv) == (m.nq, m.nv)
    assert tree.joint_names == ("rail", "yaw", "roll", "shoulder", "flight")
    check_against_mujoco(m, tree, "world", lambda qpos: qpos, rng)


def test_the_equations_of_motion_are_those_of_mujoco(rng):
    """Mass matrix (armature included) and bias, for every kind of joint; only free joints have other velocities."""
    robot, m = fb.Robot(quiet(ARM)), mujoco.MjModel.from_xml_string(ARM)
    for _ in range(3):
        data = mujoco.MjData(m)
        data.qpos[:] = random_qpos(m, rng)
        data.qvel[:-6] = rng.normal(size=m.nv - 6)
        mujoco.mj_forward(m, data)
        theirs = np.zeros((m.nv, m.nv))
        for number in range(m.nv):
            mujoco.mj_mulM(m, data, theirs[number], np.eye(m.nv)[number])
        drone = data.xmat[m.body("drone").id].reshape(3, 3)
        ours_to_theirs = np.eye(m.nv)
        ours_to_theirs[-6:-3, -6:-3] = drone  # the linear velocity is in world axes there, in axes of the body here
        q, v = data.qpos.copy(), data.qvel.copy()
        expected = ours_to_theirs.T @ theirs @ ours_to_theirs
        np.testing.assert_allclose(robot.mass_matrix(q), expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
        bias = ours_to_theirs.T @ data.qfrc_bias
        np.testing.assert_allclose(robot.bias(q, v), bias, rtol=1e-11, atol=1e-12 * np.abs(bias).max())


def test_a_free_body_is_a_floating_base(rng):
    model, m = quiet(WALKER), mujoco.MjModel.from_xml_string(WALKER)
    assert model.root == "torso" and model.name == "walker"
    with pytest.warns(ModelWarning, match=r"2 constraints \(loop, glue\) kept in model.constraints"):
        tree = build_tree(model, free_mimic=True)
    assert tree.floating and (tree.nq, tree.nv) == (m.nq, m.nv)
    check_against_mujoco(m, tree, "torso", lambda qpos: qpos[7:], rng)


def test_numbers_of_joints_are_kept():
    joints = {joint.name: joint for joint in quiet(ARM).joints}
    yaw, rail, roll = joints["yaw"], joints["rail"], joints["roll"]
    assert (yaw.damping, yaw.friction, yaw.rotor_inertia, yaw.gear_ratio) == (0.2, 0.3, 0.01, 1.0)
    assert (yaw.kind, yaw.limits.upper) == ("revolute", pytest.approx(np.pi / 2))
    assert (rail.kind, rail.limits.lower) == ("prismatic", -0.5)
    assert (roll.kind, roll.limits.effort) == ("continuous", 5.0)
    assert joints["shoulder"].kind == "spherical"


def test_shapes_are_kept_and_capsules_are_made_of_three():
    links = {link.name: link for link in quiet(ARM).links}
    (box,) = links["carriage"].visuals
    assert box.kind == "box" and box.size == (0.2, 0.4, 0.6)
    assert links["body2"].collisions[0].color == (1.0, 0.0, 0.0, 1.0)
    assert [shape.kind for shape in links["ball"].visuals] == ["cylinder", "sphere", "sphere"]
    assert links["ball"].visuals[1].link_H_shape[2, 3] == pytest.approx(-0.1) and not links["ball"].collisions


def test_sensors_constraints_and_keyframes_are_kept():
    model = quiet(WALKER)
    sensors = {sensor.name: sensor for sensor in model.sensors}
    assert {name: sensor.kind for name, sensor in sensors.items()} == {
        "acc": "accelerometer",
        "gyr": "gyroscope",
        "fz": "force_torque",
        "eyes": "camera",
    }
    foot = sensors["fz"]
    assert (foot.link, foot.joint, foot.direction, foot.frame) == ("foot", "ankle", "parent_to_child", "sensor")
    assert sensors["acc"].settings == {"noise": 0.1, "cutoff": 0.0}
    ankle = next(joint for joint in model.joints if joint.name == "ankle")
    assert ankle.mimic == Mimic("hip", -2.0, 0.1)
    loop, glue = model.constraints
    assert (loop.name, loop.kind, loop.first, loop.second) == ("loop", "point", "foot", "torso")
    np.testing.assert_allclose(loop.first_H_frame[:3, 3], [0, 0, 0.1])
    np.testing.assert_allclose(loop.second_H_frame[:3, 3], [0, 0.1, -0.5], atol=1e-15)
    assert glue.kind == "weld"
    np.testing.assert_allclose(glue.first_H_frame[:3, 3], [0, 0.1, -0.2], atol=1e-15)
    (crouch,) = model.configurations
    assert crouch.joints == {"hip": (0.5,), "ankle": (-0.9,)} and crouch.root == (0, 0, 0.8, 1, 0, 0, 0)


def test_force_sensors_sit_in_the_joint_that_ends_at_their_body():
    """A slide after a hinge beside the origin leaves off beside it, so that a fixed joint ends at the body."""
    joints = '<joint name="turn" pos="0.1 0 0"/><joint name="slide" type="slide"/>'
    body = f'<body name="a">{joints}<geom size="1"/><site name="s"/></body>'
    model = quiet(f'<mujoco><worldbody>{body}</worldbody><sensor><force site="s"/></sensor></mujoco>')
    assert (model.sensors[0].joint, model.sensors[0].link) == ("a_fixed", "a")
    assert build_tree(model).nv == 2


CUBE = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESHED = """<mujoco><compiler meshdir="meshes"/><include file="parts/defaults.xml"/>
<asset><mesh name="wedge" file="wedge.obj" scale="0.1 0.1 0.1"/></asset>
<worldbody><body name="a"><freejoint/><geom type="mesh" mesh="wedge" pos="0 0 1"/></body></worldbody></mujoco>"""


@pytest.fixture
def meshed(tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "parts").mkdir()
    (tmp_path / "meshes" / "wedge.obj").write_bytes(CUBE)
    (tmp_path / "parts" / "defaults.xml").write_text('<mujoco><default><geom density="600"/></default></mujoco>')
    file = tmp_path / "robot.xml"
    file.write_text(MESHED)
    return file


def test_meshes_and_included_files_are_found_beside_the_file(meshed):
    model = load_mjcf(meshed)
    assert model.mass == pytest.approx(600 * 1e-3 / 6)
    (mesh,) = model.links[0].visuals
    assert mesh.file == str(meshed.parent / "meshes" / "wedge.obj") and mesh.size == (0.1, 0.1, 0.1)
    # the file's origin, not the centre of mass that MuJoCo moves it to
    np.testing.assert_allclose(mesh.link_H_shape, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 0, 1]], atol=1e-7)


def test_files_can_be_given_as_contents():
    files = {"meshes/wedge.obj": CUBE, "parts/defaults.xml": b"<mujoco><default/></mujoco>"}
    assert parse_mjcf(MESHED, files).mass == pytest.approx(1000 * 1e-3 / 6)
    with pytest.raises(RobotFileError, match=r"'parts/defaults.xml' is not among those given: none"):
        parse_mjcf(MESHED)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '<mujoco><include file="../secret.xml"/></mujoco>',
            "line 1: the file '../secret.xml' is outside .*folder=",
        ),
        ('<mujoco><include file="/etc/passwd"/></mujoco>', "'/etc/passwd' is outside"),
        ('<mujoco><include file="absent.xml"/></mujoco>', "'absent.xml' cannot be read: No such file"),
        ('<mujoco><compiler meshdir=".."/><asset><mesh file="a.stl"/></asset></mujoco>', "'../a.stl' is outside"),
        ('<mujoco><asset><texture type="cube" fileright="../a.png"/></asset></mujoco>', "is outside"),
        ('<mujoco><extension><plugin plugin="a"/></extension></mujoco>', "plugins are code"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><mujoco>&b;</mujoco>', "not allowed"),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo cannot read it: .*mass and inertia"),
        ('<mujoco><asset><model name="a" file="a.xml"/></asset></mujoco>', "attaching another model is not supported"),
        ("<mujoco><nonsense/></mujoco>", "MuJoCo cannot read it: .*nonsense"),
        ("<mujoco><worldbody>", "not well-formed"),
        ('<mujoco><include file="loop.xml"/></mujoco>', "more than 100 files are included"),
    ],
)
def test_files_are_not_trusted(tmp_path, text, message):
    folder = tmp_path / "robot"
    folder.mkdir()
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    (folder / "loop.xml").write_text('<mujoco><include file="loop.xml"/></mujoco>')
    file = folder / "r.xml"
    file.write_text(text)
    with pytest.raises(RobotFileError, match=message):
        fb.load(file)


def test_a_wider_folder_can_be_allowed(meshed):
    below = meshed.parent / "below"
    below.mkdir()
    file = below / "robot.xml"
    file.write_text(MESHED.replace('"meshes"', '"../meshes"').replace("parts/", "../parts/"))
    with pytest.raises(RobotFileError, match="is outside"):
        load_mjcf(file)
    assert load_mjcf(file, folder=meshed.parent).mass == pytest.approx(0.1)


def test_without_mujoco_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingDependencyError, match=r"floatbase\[mujoco\]"):
        parse_mjcf(WALKER)
