"""Sensors of a moving arm on a free base under wrenches, beside those of MuJoCo."""

from __future__ import annotations

import warnings

import mujoco
import numpy as np
import pytest

import floatbase as fb
from floatbase.model import parse_mjcf
from floatbase.simulation.sensors import Attitude, ForceTorque, Magnetometer, SensorSuite, sensors_of
from floatbase.spatial import rotation_from_quaternion

MODEL = """
<mujoco>
  <compiler angle="radian"/>
  <option gravity="0 0 -9.81" magnetic="2e-5 1e-6 -4e-5"><flag contact="disable"/></option>
  <worldbody>
    <body name="base" pos="0 0 1">
      <freejoint/>
      <inertial pos="0.01 0.02 0" mass="3" diaginertia="0.05 0.04 0.03"/>
      <site name="back" pos="-0.1 0 0.05" euler="0.2 0.1 1"/>
      <body name="upper" pos="0.1 0 0.1">
        <joint name="shoulder" axis="0 1 0"/>
        <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.002"/>
        <body name="cell" pos="0 0.02 -0.2" euler="0 0 0.4">
          <inertial pos="0 0 -0.02" mass="0.3" diaginertia="1e-4 1e-4 1e-4"/>
          <site name="gauge" pos="0.01 0 -0.01" euler="0.3 -0.5 0.2"/>
          <body name="fore" pos="0 0 -0.05">
            <joint name="elbow" axis="1 0.5 0"/>
            <inertial pos="0.02 0 -0.1" mass="0.8" diaginertia="0.006 0.007 0.001"/>
            <site name="tip" pos="0 0 -0.2" euler="1 0.4 0"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <sensor>
    <force name="ft" site="gauge"/>
    <torque name="ft_torque" site="gauge"/>
    <accelerometer name="acc_tip" site="tip"/>
    <gyro name="gyro_tip" site="tip"/>
    <accelerometer name="acc_back" site="back"/>
    <gyro name="gyro_back" site="back"/>
    <magnetometer name="compass" site="tip"/>
    <framequat name="attitude" objtype="site" objname="tip"/>
  </sensor>
</mujoco>
"""


@pytest.fixture(scope="module")
def suite() -> SensorSuite:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the magnetometer's field and of contacts, which the robot leaves out
        robot = fb.Robot(parse_mjcf(MODEL))
    sensors = [sensor for sensor in sensors_of(robot, perfect=True, encoders=False) if sensor.name != "compass"]
    tip = next(sensor for sensor in sensors if sensor.name == "acc_tip")
    sensors.append(Magnetometer("compass", tip.link, tip.link_H_sensor, (2e-5, 1e-6, -4e-5)))
    sensors.append(Attitude("attitude", tip.link, tip.link_H_sensor))
    return SensorSuite(robot, tuple(sensors), wrenches=("fore", "base"))


@pytest.mark.parametrize("seed", range(5))
def test_readings_are_those_of_mujoco(suite: SensorSuite, seed: int) -> None:
    rng = np.random.default_rng(seed)
    theirs = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(theirs)
    q = rng.standard_normal(theirs.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    data.qpos[:], data.qvel[:] = q, rng.standard_normal(theirs.nv)
    data.qfrc_applied[6:] = rng.standard_normal(theirs.nv - 6)
    pushes = {"fore": 10.0 * rng.standard_normal(6), "base": 10.0 * rng.standard_normal(6)}
    for name, push in pushes.items():
        data.xfrc_applied[data.body(name).id] = push  # at the centre of mass
    mujoco.mj_forward(theirs, data)
    R = rotation_from_quaternion(q[3:7])
    v, a = data.qvel.copy(), data.qacc.copy()
    v[3:6], a[3:6] = R @ v[3:6], R @ a[3:6]
    wrenches = {}
    for name, push in pushes.items():
        body = data.body(name)
        wrenches[name] = np.r_[push[:3], push[3:] + np.cross(body.xipos - body.xpos, push[:3])]
    values = np.concatenate(suite.layout.ideal([q, v, a, np.r_[wrenches["fore"], wrenches["base"]]]))
    for sensor in suite.sensors:
        found = suite.pick(values, sensor.name)
        expected = data.sensor(sensor.name).data
        if isinstance(sensor, ForceTorque):
            expected = np.r_[expected, data.sensor("ft_torque").data]
        if isinstance(sensor, Attitude):
            expected = expected * np.sign(expected[0])
        np.testing.assert_allclose(found, expected, atol=1e-10 * max(np.abs(expected).max(), 1e-3), err_msg=sensor.name)
