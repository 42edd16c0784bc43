"""Whole motions: humanoids that fall freely and swing under torques, beside MuJoCo's own Runge-Kutta steps."""

from __future__ import annotations

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from tests.agreement.mujoco_reference import MujocoPeer

import floatbase as fb
from floatbase.simulation.simulator import Simulator

DT, STEPS = 1e-3, 1000


def robot_without_mimics(name: str) -> fb.Robot:
    """Grippers, whose fingers follow one another, are closed: MuJoCo has no such coordinates."""
    model = fb.load(name).model
    driven = {joint.mimic.joint for joint in model.joints if joint.mimic is not None}
    joints = tuple(
        replace(joint, kind="fixed", mimic=None) if joint.mimic is not None or joint.name in driven else joint
        for joint in model.joints
    )
    return fb.Robot(replace(model, joints=joints), representation="body")


@pytest.mark.parametrize("name", ["icub", "talos"])
def test_a_second_of_falling_and_swinging(name: str) -> None:
    robot = robot_without_mimics(name)
    peer = MujocoPeer(robot.model)
    model, data = peer.model, peer.data
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.timestep = DT
    rng = np.random.default_rng(0)
    q, v = robot.random(rng)
    v *= 0.3
    amplitude = rng.uniform(-0.3, 0.3, robot.nv - 6)
    simulator = Simulator(robot, method="rk4", dt=DT)
    theirs, P, _ = peer._state(q, v)
    data.qpos[:], data.qvel[:] = theirs, P @ v
    state = simulator.init(q, v)
    for _ in range(STEPS):
        tau = amplitude * np.sin(3.0 * state.time)
        data.qfrc_applied[:] = P @ np.concatenate([np.zeros(6), tau])  # P differs from state to state for the base only
        mujoco.mj_step(model, data)
        state = simulator.step(state, tau)
    expected, P, _ = peer._state(state.q, state.v)
    assert np.abs(expected - data.qpos).max() < 1e-6
    assert np.abs(P @ state.v - data.qvel).max() < 1e-6
    assert np.abs(robot.difference(q, state.q)).max() > 1.0
