"""What MJCF files say and a robot description has not: every such thing is reported, and nothing else."""

import warnings

import pytest
from tests.model.test_mjcf import WALKER

import floatbase as fb
from floatbase.model import ModelWarning, build_tree, parse_mjcf

pytest.importorskip("mujoco")


def robot(inside):
    """A floating robot with a camera and two hinges, and what else the file is to say."""
    fingers = "".join(f'<body name="{c}"><joint name="{j}"/><geom size="1"/></body>' for c, j in ("bj", "ck"))
    body = f'<body name="a"><freejoint/><geom size="1"/><camera/>{fingers}</body>'
    return f"<mujoco>{inside}<worldbody>{body}</worldbody></mujoco>"


def test_what_is_left_out_is_listed_once(tmp_path):
    file = tmp_path / "walker.xml"
    file.write_text(WALKER)
    with pytest.warns(ModelWarning) as caught:
        robot = fb.load(file)
    assert [str(item.message) for item in caught] == [
        f"{file}: not part of the model: 1 shapes of the world; 1 actuators; 1 sensors",
        "model 'walker': 2 constraints (loop, glue) kept in model.constraints, and ignored by the dynamics of the "
        "tree, which are those of open chains",
    ]
    assert caught[0].filename == __file__
    assert robot.floating and robot.nv == 7 and robot.model.source == str(file)


def test_what_mujoco_warns_of_is_passed_on_and_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    body = '<body><freejoint/><geom size="1" rgba="nan 0 0 1"/></body>'
    with pytest.warns(ModelWarning, match="MuJoCo warns: XML contains a 'NaN'"):
        parse_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("inside", "listed"),
    [
        ('<option gravity="0 0 -1"/>', r"gravity \[0.0, 0.0, -1.0\]"),
        ('<tendon><fixed><joint joint="j" coef="1"/></fixed></tendon>', "1 tendons"),
        ('<contact><exclude body1="a" body2="b"/></contact>', "1 contact exclusions"),
        ('<equality><joint joint1="j" polycoef="0.1 0 0 0 0"/></equality>', "1 equality constraints"),
        ('<equality><connect body1="a" body2="world" anchor="0 0 0"/></equality>', "1 equality constraints"),
        ('<default><joint stiffness="3"/></default>', "2 springs in joints"),
        ('<option density="1.2"/>', "the medium around the robot"),
        ('<option><flag gravity="disable" limit="disable"/></option>', "the switches that disable limit, gravity"),
        ('<default><geom friction="0.5 0.005 0.0001"/></default>', "3 shapes with contact properties of their own"),
        ('<default><joint solreflimit="0.01 1" range="0 1" limited="true"/></default>', "2 joints with soft limits"),
        (
            '<default><joint solreffriction="0.01 1" frictionloss="1"/></default>',
            "2 joints with soft limits or friction",
        ),
        ('<custom><numeric name="n" data="1"/><text name="t" data="x"/></custom>', "2 custom numbers, texts or tuples"),
        (
            '<keyframe><key qvel="1 0 0 0 0 0 0 0"/><key qpos="0 0 0 1 0 0 0 1 0"/></keyframe>',
            "1 keyframes with times, velocities, activations or controls",
        ),
        (
            '<option><flag contact="disable" energy="enable"/></option>',
            "that disable contact; the switches that enable energy",
        ),
        ('<option timestep="0.001" cone="elliptic" impratio="3"/>', "the options cone, impratio, timestep$"),
        ('<option integrator="RK4"/>', "the options integrator$"),
        ('<default><joint actuatorgravcomp="true"/></default>', "2 joints whose actuators compensate gravity"),
        ('<default><geom fluidshape="ellipsoid"/></default>', "3 shapes with fluid forces of their own"),
        ('<default><geom contype="2"/></default>', "3 shapes that touch only some others"),
        ('<default><geom conaffinity="0"/></default>', "3 shapes that touch only some others"),
        (
            '<equality><weld body1="a" body2="b" torquescale="3"/></equality>',
            "1 constraints or mimic joints with a softness",
        ),
        (
            '<equality><weld body1="a" body2="b" solref="0.1 1"/></equality>',
            "1 constraints or mimic joints with a softness",
        ),
        (
            '<equality><connect body1="a" body2="b" anchor="0 0 0" solimp="0.8 0.9 0.01"/></equality>',
            "1 constraints or mimic joints with a softness of their own",
        ),
        (
            '<equality><joint joint1="j" joint2="k" solref="0.1 1"/></equality>',
            "1 constraints or mimic joints with a softness of their own",
        ),
        ('<size nuserdata="3"/>', "user data of the simulation"),
        ('<default><geom user="1 2"/></default>', "3 parts with user data"),
        ('<default><camera resolution="640 480"/></default>', "1 cameras with optics or motions of their own"),
        ('<keyframe><key time="1"/></keyframe>', "1 keyframes with times"),
    ],
)
def test_features_that_a_tree_has_not_are_reported(inside, listed):
    with pytest.warns(ModelWarning, match=listed):
        parse_mjcf(robot(inside))


@pytest.mark.parametrize(
    "inside",
    [
        '<option timestep="0.002" integrator="Euler" cone="pyramidal"/>',
        '<default><geom contype="0" conaffinity="0"/></default>',
        '<equality><weld body1="a" body2="b"/><joint joint1="j" joint2="k"/></equality>',
        '<default><camera fovy="60"/></default>',
        '<asset><texture type="2d" name="t" builtin="flat" width="8" height="8"/><material name="m"/></asset>',
        '<visual><global fovy="30"/></visual><statistic extent="3"/>',
        '<size nuser_body="2"/>',
    ],
)
def test_what_is_usual_kept_or_for_pictures_alone_is_not_reported(inside):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_mjcf(robot(inside))


def test_a_ball_that_is_the_whole_robot_needs_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = parse_mjcf('<mujoco><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>')
    assert build_tree(model).nv == 6 and model.name == "robot"
