"""Force/torque sensors of a humanoid that stands and moves in the simulator: they balance what is beyond them."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.standing import gains, start
from tests.simulation.blocks import block
from tests.simulation.sensors.humanoid import FEET, Motion, at_frame, beyond, net_wrench

import floatbase as fb
from floatbase.errors import ArgumentError
from floatbase.simulation.contacts import HardContact, SoleContact, SpringDamperContact, box_corners
from floatbase.simulation.joints import PositionDrive
from floatbase.simulation.sensors import Accelerometer, ForceTorque, Gyroscope, SensorSuite, sensors_of
from floatbase.simulation.simulator import Simulator

DT = 1e-3


def test_readings_balance_the_simulated_dynamics() -> None:
    """Both feet in contact, without noise, to 1e-10: net forces beyond each sensor, and the weight on the legs."""
    robot = fb.load("icub")
    law = SoleContact(0.2, 0.1, stiffness=2e6, damping=1e4)
    simulator = Simulator(robot, dict.fromkeys(FEET, law), joints=PositionDrive(*gains(robot)), method="stiff", dt=DT)
    sensors = [sensor for sensor in sensors_of(robot, perfect=True) if isinstance(sensor, ForceTorque)]
    by_acceleration = SensorSuite(robot, tuple(sensors), DT, wrenches=FEET)
    by_torques = by_acceleration.with_settings(given="torques")
    state = simulator.init(start(robot))
    command = simulator.rest(state)
    command[robot.joint_names.index("torso_pitch")] += 0.2  # it bends
    links = {joint.name: joint.child for joint in robot.model.joints}
    for tick in range(200):
        before, state = state, simulator.step(state, command)
        if tick % 40 != 39:
            continue
        a = (state.v - before.v) / DT
        values = by_acceleration.ideal(before.q, before.v, a, state.wrenches)
        wrenches = {frame: state.wrenches[6 * k : 6 * k + 6] for k, frame in enumerate(FEET)}
        assert all(np.abs(wrench[2]) > 50.0 for wrench in wrenches.values())
        now = Motion(before.q, before.v, a, wrenches)
        for sensor in sensors:
            far = at_frame(
                net_wrench(robot, now, beyond(robot, sensor.joint)),
                robot.pose(now.q, links[sensor.joint]) @ sensor.child_H_sensor,
            )
            found = by_acceleration.pick(values, sensor.name)
            np.testing.assert_allclose(found, -far, atol=1e-10 * max(np.abs(far).max(), 1.0))
        again = np.concatenate(by_torques.layout.ideal([before.q, before.v, state.torques, state.wrenches]))
        np.testing.assert_allclose(again, values, atol=1e-8 * np.abs(values).max())
    left, right = (by_acceleration.pick(values, name)[:3] for name in ("l_leg_ft", "r_leg_ft"))
    above = robot.mass - sum(
        link.inertia.mass
        for link in robot.model.links
        if link.inertia is not None and link.name in beyond(robot, "l_leg_ft_sensor") | beyond(robot, "r_leg_ft_sensor")
    )
    assert np.linalg.norm(left) + np.linalg.norm(right) == pytest.approx(above * 9.81, rel=0.2)


def test_sensors_of_a_simulated_robot_in_a_loop() -> None:
    """A pushed block that stands: its accelerometer reads what speeds it up, in a batch of pushes."""
    robot = block()
    law = SpringDamperContact(points=box_corners(0.2, 0.3), stiffness=2e5, damping=2e3, friction=0.8)
    simulator = Simulator(robot, {"block": law}, dt=DT, pushes=("left",))
    suite = SensorSuite.of_simulator(simulator, (Accelerometer("acc", "block"), Gyroscope("gyro", "block")))
    pushes = np.zeros((3, 6))
    pushes[:, 1] = [0.0, 50.0, 400.0]  # N; the last one is more than friction holds
    state, sensed = simulator.init(np.tile(robot.neutral(), (3, 1))), suite.init((3,))
    sensed, falling = suite.sense(sensed, state)
    np.testing.assert_allclose(falling.values, 0.0, atol=1e-12)
    for _ in range(300):
        state = simulator.step(state, pushes=pushes)
        sensed, readings = suite.sense(sensed, state, pushes)
    at_rest = [0.0, 0.0, 9.81, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(readings.values[0], at_rest, atol=1e-2)
    np.testing.assert_allclose(readings.values[1], at_rest, atol=1e-1)
    moving = state.v[2]
    sliding = simulator.step(state, pushes=pushes)
    assert moving[1] > 0.1
    world = robot.pose(state.q[2], "block")[:3, :3] @ readings.values[2, :3]
    np.testing.assert_allclose(world + np.array([0.0, 0.0, -9.81]), (sliding.v[2] - moving)[:3] / DT, atol=0.5)
    with pytest.raises(ArgumentError, match="of_simulator"):
        suite.with_settings(given="acceleration").sense(sensed, state, pushes)
    with pytest.raises(ArgumentError, match="constraints"):
        suite.sense(sensed, state._replace(multipliers=np.zeros((3, 1))), pushes)


def test_sensors_of_a_robot_on_hard_and_soft_contacts() -> None:
    """Simulators list soft contacts first, whatever the order they are named in."""
    robot = block()
    corners = box_corners(0.2, 0.1)
    soft = SpringDamperContact(points=corners, stiffness=2e5, damping=2e3, friction=0.8)
    simulator = Simulator(robot, {"left": HardContact(points=corners), "right": soft}, dt=DT)
    suite = SensorSuite.of_simulator(simulator, (Accelerometer("acc", "block"), Gyroscope("gyro", "block")))
    assert suite.wrenches == ("right", "left")
    state, sensed = simulator.init(robot.neutral()), suite.init()
    for _ in range(500):
        state = simulator.step(state)
    _, readings = suite.sense(sensed, state)
    np.testing.assert_allclose(readings.values, [0.0, 0.0, 9.81, 0.0, 0.0, 0.0], atol=0.05)
