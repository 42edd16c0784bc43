"""Force/torque sensors: balance of what is beyond them, independence of the base, directions, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.sensors.humanoid import FEET, at_frame, beyond, motion, net_wrench

import floatbase as fb
from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.model import Frame, Inertia, Joint, Link, Model
from floatbase.simulation.sensors import ForceTorque, SensorSuite, sensors_of


@pytest.fixture(scope="module")
def icub() -> fb.Robot:
    return fb.load("icub")


@pytest.fixture(scope="module")
def suite(icub: fb.Robot) -> SensorSuite:
    return SensorSuite(icub, sensors_of(icub, perfect=True), wrenches=FEET)


@pytest.fixture(scope="module")
def sensors(suite: SensorSuite) -> list[ForceTorque]:
    return [sensor for sensor in suite.sensors if isinstance(sensor, ForceTorque)]


def readings(suite: SensorSuite, now) -> np.ndarray:
    arrays = [now.q, now.v, now.a, np.concatenate([now.wrenches[frame] for frame in suite.wrenches])]
    return np.concatenate(suite.layout.ideal(arrays))


@pytest.mark.parametrize("seed", range(3))
def test_readings_balance_the_links_beyond_while_both_feet_are_in_contact(icub, suite, sensors, seed) -> None:
    """The sum of Newton and Euler's equations over links, which come from the file and not from the tree."""
    now = motion(icub, seed)
    values = suite.ideal(now.q, now.v, now.a, now.wrenches)
    joints = {joint.name: joint for joint in icub.model.joints}
    assert len(sensors) == 6
    for sensor in sensors:
        expected = net_wrench(icub, now, beyond(icub, sensor.joint))  # parent on child
        world_H_sensor = icub.pose(now.q, joints[sensor.joint].child) @ sensor.child_H_sensor
        assert sensor.direction == "child_to_parent"
        found = suite.pick(values, sensor.name)
        expected = -at_frame(expected, world_H_sensor)
        np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


def test_readings_do_not_depend_on_the_base(icub, suite, sensors) -> None:
    """As long as the acceleration is the one that the wrenches make, either side of a sensor will do."""
    now = motion(icub, 5)
    expected = readings(suite, now)
    for base in ("l_foot", "l_upper_arm", "head"):
        other = icub.with_base(base)
        q, pose = now.q.copy(), icub.pose(now.q, base)
        q[:3], q[3:7] = pose[:3, 3], fb.spatial.quaternion_from_rotation(pose[:3, :3])
        v, a = now.v.copy(), now.a.copy()
        v[:6], a[:6] = icub.velocity(now.q, now.v, base), icub.acceleration(now.q, now.v, now.a, base)
        seen = readings(SensorSuite(other, suite.sensors, wrenches=FEET), now._replace(q=q, v=v, a=a))
        np.testing.assert_allclose(seen, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("representation", ["body", "inertial"])
def test_readings_do_not_depend_on_the_representation(icub, suite, representation) -> None:
    now = motion(icub, 7)
    expected = readings(suite, now)
    other = icub.with_representation(representation)
    world_H_base = icub.pose(now.q, icub.base)
    twist = fb.spatial.change_twist(now.v[:6], "mixed", representation, world_H_base)
    body = fb.spatial.change_twist(now.v[:6], "mixed", "body", world_H_base)
    rate = fb.spatial.change_acceleration(now.a[:6], "mixed", representation, world_H_base, body)
    wrenches = {
        frame: fb.spatial.change_wrench(wrench, "mixed", representation, icub.pose(now.q, frame))
        for frame, wrench in now.wrenches.items()
    }
    v, a = np.r_[twist, now.v[6:]], np.r_[rate, now.a[6:]]
    seen = readings(SensorSuite(other, suite.sensors, wrenches=FEET), now._replace(v=v, a=a, wrenches=wrenches))
    np.testing.assert_allclose(seen, expected, atol=1e-10 * np.abs(expected).max())


def test_torques_may_be_given_instead_of_the_acceleration(icub, suite) -> None:
    now = motion(icub, 8)
    tau = icub.inverse_dynamics(now.q, now.v, now.a, wrenches=now.wrenches)
    driven = suite.with_settings(given="torques")
    seen = np.concatenate(driven.layout.ideal([now.q, now.v, tau[6:], np.concatenate(list(now.wrenches.values()))]))
    expected = readings(suite, now)
    np.testing.assert_allclose(seen, expected, atol=1e-9 * np.abs(expected).max())


def test_inertial_parameters_may_be_given(icub, suite, sensors) -> None:
    """Those of the robot give the same; more mass in a body is felt by the sensors before it."""
    now = motion(icub, 9)
    with_parameters = suite.with_settings(inertial=True)
    arrays = [now.q, now.v, now.a, np.concatenate(list(now.wrenches.values()))]
    parameters = icub.inertial_parameters
    same = np.concatenate(with_parameters.layout.ideal([*arrays, parameters]))
    expected = readings(suite, now)
    np.testing.assert_allclose(same, expected, atol=1e-10 * np.abs(expected).max())
    heavier = parameters.copy()
    heavier[10 * icub.body_names.index("l_lower_leg")] += 1.0  # kg
    changed = np.concatenate(with_parameters.layout.ideal([*arrays, heavier])) - expected
    felt = {sensor.name for sensor in sensors if np.abs(suite.pick(changed, sensor.name)).max() > 1e-9}
    assert felt == {"l_leg_ft"}
    rate = icub.acceleration(now.q, now.v, now.a, "l_lower_leg")[:3] + np.array([0.0, 0.0, 9.81])
    assert np.linalg.norm(suite.pick(changed, "l_leg_ft")[:3]) == pytest.approx(np.linalg.norm(rate))


def hanging(direction: str) -> tuple[fb.Robot, ForceTorque]:
    """A mass that hangs below a fixed base on a sensor whose frame is turned by a quarter about x."""
    turned = np.eye(4)
    turned[:3, :3] = fb.spatial.rotation_from_rpy(np.array([np.pi / 2, 0.0, 0.0]))
    below = np.eye(4)
    below[2, 3] = -0.3
    links = (
        Link("base", Inertia(1.0, np.zeros(3), np.eye(3))),
        Link("arm", Inertia(1.0, np.zeros(3), np.eye(3))),
        Link("load", Inertia(2.0, np.array([0.1, 0.0, 0.0]), 0.01 * np.eye(3))),
    )
    axis = np.array([0.0, 0.0, 1.0])
    joints = (
        Joint("turn", "revolute", "base", "arm", np.eye(4), axis),
        Joint("cell", "fixed", "arm", "load", below),
    )
    model = Model("hanging", links, joints, (Frame("tip", "load", np.eye(4)),), root="base")
    return fb.Robot(model, floating=False), ForceTorque("ft", "cell", turned, direction)


@pytest.mark.parametrize(("direction", "sign"), [("parent_to_child", 1.0), ("child_to_parent", -1.0)])
def test_a_hanging_load(direction: str, sign: float) -> None:
    """The parent carries the load: it pulls up on the child, which is y of the sensor."""
    robot, sensor = hanging(direction)
    suite = SensorSuite(robot, (sensor,), wrenches=("tip",))
    rest = [np.zeros(1)] * 3
    weight = 2.0 * 9.81
    found = np.concatenate(suite.layout.ideal([*rest, np.zeros(6)]))
    # at the sensor's origin the load's weight turns about y of the world: z of the sensor is -y of the world
    np.testing.assert_allclose(found, sign * np.array([0.0, weight, 0.0, 0.0, 0.0, 0.1 * weight]), atol=1e-12)
    lifted = np.concatenate(suite.layout.ideal([*rest, np.array([0.0, 0.0, 5.0, 0.0, 0.0, 0.0])]))
    np.testing.assert_allclose(lifted[1], sign * (weight - 5.0), atol=1e-12)


def test_what_is_no_fixed_joint_is_refused() -> None:
    robot, _ = hanging("parent_to_child")
    with pytest.raises(ArgumentError, match="joint 'turn' is revolute"):
        SensorSuite(robot, (ForceTorque("ft", "turn"),))
    with pytest.raises(UnknownNameError, match="cell"):
        SensorSuite(robot, (ForceTorque("ft", "cel"),))
    with pytest.raises(ArgumentError, match="direction is 'up'"):
        ForceTorque("ft", "cell", direction="up")
