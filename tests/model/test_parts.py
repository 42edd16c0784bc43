"""Parts of models made by hand: what makes no sense is refused when a tree is built, whatever made the model."""

import re
import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.model.kinematics import frame_poses

from floatbase.errors import ModelError
from floatbase.model import (
    Configuration,
    Constraint,
    Frame,
    Geometry,
    Inertia,
    Joint,
    Limits,
    Link,
    Mimic,
    Model,
    ModelWarning,
    Sensor,
    SkinPatch,
    build_tree,
    library,
)
from floatbase.model.poses import pose

MODEL = library.planar_double_pendulum()
ROD = "upper_rod"
GOOD = np.eye(4)
TWICE = 2.0 * np.eye(4)
NAN = np.where(np.eye(4, k=3), np.nan, np.eye(4))
UP = np.array([[0.0, 0.0, 1.0]])


def constraint(**changes):
    return replace(Constraint("c", "point", ROD, "lower_rod", GOOD, GOOD), **changes)


def joint(**changes):
    return {"joints": (MODEL.joints[0], replace(MODEL.joints[1], **changes))}


def link(**changes):
    return {"links": (*MODEL.links[:2], replace(MODEL.links[2], **changes))}


CASES = {
    "constraint between unknown links": (
        {"constraints": (constraint(first="uper_rod"),)},
        "constraint 'c' names the link 'uper_rod', which does not exist; did you mean 'upper_rod'",
    ),
    "constraint of one link": (
        {"constraints": (constraint(second=ROD),)},
        "constraint 'c' is between the link 'upper_rod' and itself",
    ),
    "two constraints of a name": (
        {"constraints": (constraint(), constraint())},
        "there are two constraints named 'c'",
    ),
    "first pose of a constraint": (
        {"constraints": (constraint(first_H_frame=TWICE),)},
        "pose of constraint 'c' on 'upper_rod' is no rigid motion",
    ),
    "second pose of a constraint": (
        {"constraints": (constraint(second_H_frame=NAN),)},
        "pose of constraint 'c' on 'lower_rod' is not finite",
    ),
    "axis of a constraint": (
        {"constraints": (constraint(kind="revolute", axis=[0, 0, 2]),)},
        "the axis of constraint 'c' is .*unit length",
    ),
    "second axis missing": (
        {"constraints": (constraint(kind="universal"),)},
        r"constraint 'c' \(universal\) needs a second_axis",
    ),
    "second axis too many": (
        {"constraints": (constraint(second_axis=[1, 0, 0]),)},
        r"constraint 'c' \(point\) has a second_axis, as universal joints alone have",
    ),
    "second axis too long": (
        {"constraints": (constraint(kind="universal", second_axis=[1, 1, 0]),)},
        "the second_axis of constraint 'c' is .*unit length",
    ),
    "sensor on an unknown link": (
        {"sensors": (Sensor("s", "imu", "upper"),)},
        "sensor 's' names the link 'upper', .*did you mean 'upper_rod'",
    ),
    "sensor in an unknown joint": (
        {"sensors": (Sensor("s", "force_torque", ROD, "shulder"),)},
        "sensor 's' names the joint 'shulder', .*did you mean 'shoulder'",
    ),
    "sensor on the wrong side of a joint": (
        {"sensors": (Sensor("s", "force_torque", "world", "shoulder"),)},
        "its link must be 'upper_rod', the child, but is 'world'",
    ),
    "sensor nowhere": ({"sensors": (Sensor("s", "imu"),)}, "sensor 's' is on no link and in no joint"),
    "two sensors of a name": (
        {"sensors": (Sensor("s", "imu", ROD),) * 2},
        "there are two sensors named 's'",
    ),
    "pose of a sensor": (
        {"sensors": (Sensor("s", "imu", ROD, link_H_sensor=TWICE),)},
        "pose of sensor 's' is no rigid motion",
    ),
    "skin on an unknown link": (
        {"skin": (SkinPatch("p", "skin", 0.0 * UP, UP),)},
        "skin patch 'p' names the link 'skin', .*valid choices are: lower_rod, upper_rod, world",
    ),
    "position of a cell": ({"skin": (SkinPatch("p", ROD, np.nan * UP, UP),)}, "skin patch 'p' needs finite positions"),
    "normal of a cell": ({"skin": (SkinPatch("p", ROD, UP, 2.0 * UP),)}, "skin patch 'p' needs .*unit length"),
    "two patches of a name": ({"skin": (SkinPatch("p", ROD, UP, UP),) * 2}, "two skin patches named 'p'"),
    "pose of a frame": ({"frames": (Frame("f", ROD, TWICE),)}, "pose of frame 'f' is no rigid motion"),
    "pose of a frame with NaN": ({"frames": (Frame("f", ROD, NAN),)}, "pose of frame 'f' is not finite"),
    "pose of a joint": (joint(parent_H_joint=NAN), "pose of joint 'elbow' is not finite"),
    "limits": (joint(limits=Limits(np.nan, 1.0)), "the limits of joint 'elbow' are .*lower=nan"),
    "limits the wrong way round": (joint(limits=Limits(2.0, 1.0)), "the lower one not above the upper one"),
    "limit of effort": (joint(limits=Limits(effort=np.nan)), "the limits of joint 'elbow'"),
    "damping": (joint(damping=np.nan), "joint 'elbow' has a damping of nan"),
    "rule of a mimic joint": (joint(mimic=Mimic("shoulder", np.nan)), "'elbow' mimics .*multiplier nan"),
    "pose of a shape": (link(visuals=(Geometry("sphere", (1.0,), NAN),)), "a sphere on link 'lower_rod' is not finite"),
    "pose of a collision": (link(collisions=(Geometry("sphere", (1.0,), TWICE),)), "is no rigid motion"),
    "centre of mass": (link(inertia=Inertia(1.0, [np.nan, 0, 0], np.eye(3))), r"centre of mass at \[nan, 0.0, 0.0\]"),
    "root": ({"root": "word"}, "the root of the model names the link 'word', .*did you mean 'world'"),
    "joint of a configuration": (
        {"configurations": (Configuration("home", {"elbo": (0.1,)}),)},
        "configuration 'home' names the joint 'elbo', .*did you mean 'elbow'",
    ),
    "coordinates of a configuration": (
        {"configurations": (Configuration("home", {"elbow": (np.nan,)}),)},
        "configuration 'home' has joint 'elbow' at .*finite",
    ),
    "root of a configuration": (
        {"configurations": (Configuration("home", {}, (0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0)),)},
        "configuration 'home' has the root at .*unit quaternion",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_makes_no_sense_is_refused(case):
    changes, message = CASES[case]
    with pytest.raises(ModelError, match="(?s)model 'planar_double_pendulum': .*" + message):
        build_tree(replace(MODEL, **changes))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: constraint(kind="hinge"),
            "constraint 'c': kind is 'hinge'; the valid choices are point, weld, revolute",
        ),
        (lambda: constraint(axis=[0, 1]), r"axis of Constraint 'c' is of shape \(2,\)"),
        (lambda: Geometry("cone", (1.0,), GOOD), "kind is 'cone'; the valid choices are box, cylinder, sphere, mesh"),
        (lambda: Geometry("box", (1.0,), GOOD), r"the size of a box is \(1.0,\); it needs 3 finite numbers"),
        (lambda: Geometry("sphere", (np.nan,), GOOD), "the size of a sphere is .*1 finite number"),
    ],
)
def test_parts_check_themselves(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_good_parts_are_no_obstacle():
    model = replace(
        MODEL,
        frames=(Frame("f", ROD, GOOD),),
        sensors=(Sensor("s", "imu", ROD), Sensor("t", "force_torque", ROD, "shoulder")),
        skin=(SkinPatch("p", ROD, UP, UP),),
        configurations=(Configuration("home", {"elbow": (0.1,)}, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)),),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "f" in build_tree(model).frames


def test_open_loops_are_said():
    many = tuple(constraint(name=f"c{number}") for number in range(8))
    message = "8 constraints (c0, c1, c2, c3, c4, c5 and 2 more) kept in model.constraints, and ignored by the dynamics"
    with pytest.warns(ModelWarning, match=re.escape(message)) as caught:
        tree = build_tree(replace(MODEL, constraints=many))
    assert caught[0].filename == __file__
    assert tree.digest == build_tree(MODEL).digest


@pytest.mark.parametrize(
    ("kind", "joint_kind", "coordinates"),
    [
        ("point", "spherical", 4),
        ("weld", "fixed", 0),
        ("revolute", "revolute", 1),
        ("prismatic", "prismatic", 1),
        ("universal", "universal", 2),
    ],
)
def test_constraints_hold_what_the_joint_of_their_kind_holds(kind, joint_kind, coordinates, rng):
    """The constraint that a joint becomes is satisfied wherever the joint moves."""
    axis, second_axis = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])
    a_H_joint = pose(rng.normal(size=3), rng.normal(size=3))
    second = second_axis if kind == "universal" else None
    closing = Joint("j", joint_kind, "a", "b", a_H_joint, axis, second_axis=second)
    loop = Constraint("c", kind, closing.parent, closing.child, closing.parent_H_joint, GOOD, axis, second)
    unit = Inertia(1.0, np.zeros(3), np.eye(3))
    tree = build_tree(Model("two", (Link("a", unit), Link("b", unit)), (closing,), root="a"), floating=False)
    for _ in range(3):
        q = rng.normal(size=coordinates)
        a_H_b = frame_poses(tree, q / np.linalg.norm(q) if kind == "point" else q)["b"]
        first_H_second = np.linalg.inv(loop.first_H_frame) @ a_H_b @ loop.second_H_frame
        np.testing.assert_allclose(residual(loop, first_H_second), 0.0, atol=1e-14)


def residual(loop, first_H_second):
    """What the table of `Constraint` says must vanish, more entries than equations."""
    R, p = first_H_second[:3, :3], first_H_second[:3, 3]
    return {
        "point": lambda: p,
        "weld": lambda: (first_H_second - np.eye(4)).ravel(),
        "revolute": lambda: np.concatenate([p, R @ loop.axis - loop.axis]),
        "prismatic": lambda: np.concatenate([np.cross(loop.axis, p), (R - np.eye(3)).ravel()]),
        "universal": lambda: np.append(p, loop.axis @ R @ loop.second_axis),
    }[loop.kind]()
