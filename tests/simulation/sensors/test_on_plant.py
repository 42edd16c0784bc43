"""Force/torque sensors of a humanoid that stands and moves in the simulator: they balance what is beyond them."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.standing import gains, start
from tests.simulation.sensors.humanoid import FEET, Motion, at_frame, beyond, net_wrench

import floatbase as fb
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.joints import PositionDrive
from floatbase.simulation.sensors import ForceTorque, SensorSuite, sensors_of
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
        tau = np.r_[np.zeros(6), state.torques]
        again = np.concatenate(by_torques.layout.ideal([before.q, before.v, tau, state.wrenches]))
        np.testing.assert_allclose(again, values, atol=1e-8 * np.abs(values).max())
    left, right = (by_acceleration.pick(values, name)[:3] for name in ("l_leg_ft", "r_leg_ft"))
    above = robot.mass - sum(
        link.inertia.mass
        for link in robot.model.links
        if link.inertia is not None and link.name in beyond(robot, "l_leg_ft_sensor") | beyond(robot, "r_leg_ft_sensor")
    )
    assert np.linalg.norm(left) + np.linalg.norm(right) == pytest.approx(above * 9.81, rel=0.2)
