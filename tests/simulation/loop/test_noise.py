"""A closed loop of an arm with noisy encoders, as data for identification are made."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.simulation.loop import JointControl, Loop, Sensing, SimulatedPlant, block, run
from floatbase.simulation.sensors import Errors, JointEncoders, Sampling
from floatbase.simulation.simulator import Simulator

CONTROL, LOGGED = 5000.0, 140.0  # Hz: the second does not divide the first
POSITION, TORQUE = 1e-4, 0.02  # standard deviations, rad and N m


def loop(position_noise: float) -> Loop:
    """Control from noisy positions and their differences; torques are logged with noise, which moves nothing."""
    arm = fb.load("double_pendulum_simple", floating=False)
    names, n = arm.joint_names, len(arm.joint_names)

    def differences(state, inputs):
        position = inputs["joint_positions"]
        return position, (position - state) * CONTROL

    def noisy(state, inputs):
        rng = np.random.default_rng([state[0], state[1]])
        return (state[0], state[1] + 1), inputs["torques"] + TORQUE * rng.standard_normal(n)

    blocks = {
        "sensors": Sensing([JointEncoders("joint_positions", names, errors=Errors(noise=position_noise))]),
        "velocity": block(
            differences, {"joint_positions": n}, {"joint_velocities": n}, lambda batch, seed: np.zeros((*batch, n))
        ),
        "controller": JointControl(lambda t: (0.3 * np.sin(2.0 * t) * np.ones(n), 0.6 * np.cos(2.0 * t)), 60.0, 2.0, n),
        "torque": block(noisy, {"torques": n}, {"torques": n}, lambda batch, seed: (seed, 0)),
        "logged": Sensing([JointEncoders("slow", names, sampling=Sampling(LOGGED))]),
    }
    plant = SimulatedPlant(Simulator(arm, method="rk4", dt=1.0 / CONTROL))
    return Loop(plant, blocks, wiring={"logged.q": "plant.q", "logged.v": "plant.v"})


def test_noise_of_positions_moves_the_arm_and_that_of_torques_does_not():
    record = ["plant.*", "sensors.*", "velocity.*", "torque.*"]
    quiet, loud = (run(loop(noise), duration=0.5, seed=2, record=record) for noise in (0.0, POSITION))
    moved = loud["plant.v"] - quiet["plant.v"]
    assert 1e-4 < np.std(moved[500:]) < 1.0
    read = loud["sensors.joint_positions"] - loud["plant.q"]
    assert np.std(read) == pytest.approx(POSITION, rel=0.05)
    logged = loud["torque.torques"] - loud["plant.torques"]
    assert np.std(logged) == pytest.approx(TORQUE, rel=0.05)
    np.testing.assert_array_equal(
        loud["velocity.joint_velocities"][1:], np.diff(loud["sensors.joint_positions"], axis=0) * CONTROL
    )


def test_slow_samples_are_taken_at_the_first_tick_at_or_after_their_time():
    found = run(loop(POSITION), duration=0.5, seed=2, record=["logged.*", "plant.q"])
    ticks = np.flatnonzero(found["logged.fresh"][:, 0])
    expected = np.ceil(np.arange(len(ticks)) * CONTROL / LOGGED - 1e-9).astype(int)
    np.testing.assert_array_equal(ticks, expected)
    np.testing.assert_array_equal(found["logged.slow"][ticks], found["plant.q"][ticks])


def test_a_run_repeats_with_its_seed():
    one, again, other = (run(loop(POSITION), duration=0.1, seed=seed)["plant.q"] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert np.abs(one - other).max() > 0.0
