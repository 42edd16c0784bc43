"""Steps of Runge and Kutta's and others on a pendulum and on an arm: their orders, and what becomes of the energy."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.model import library
from floatbase.simulation.joints import HardStops, Saturation, ViscousCoulombFriction
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator

ORDERS = {"explicit": 1, "semi-implicit": 1, "stiff": 1, "rk2": 2, "midpoint": 2, "rk4": 4}


@pytest.mark.parametrize("method", ORDERS)
def test_errors_of_a_pendulum_fall_with_the_order(method: str) -> None:
    """Slopes of the error at 1 s over steps from 20 to 2.5 ms."""
    robot = fb.load("pendulum")
    exact = simulate(Simulator(robot, method="rk4", dt=1e-3), None, [1.0], 1.0).state
    steps = 0.02 / 2.0 ** np.arange(4)
    errors = []
    for dt in steps:
        end = simulate(Simulator(robot, method=method, dt=dt), None, [1.0], 1.0).state
        errors.append(np.hypot(end.q[0] - exact.q[0], end.v[0] - exact.v[0]))
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(ORDERS[method], abs=0.15)


def test_an_arm_without_friction_keeps_its_energy() -> None:
    """Of fourth order, at 1 kHz, for 1 s."""
    robot = fb.Robot(library.staubli_tx40(), floating=False)
    simulator = Simulator(robot, method="rk4", dt=1e-3)
    q, v = robot.random(1)
    found = simulate(simulator, None, simulator.init(0.3 * q, v), 1.0)
    energy = robot.kinetic_energy(found["q"], found["v"]) + robot.potential_energy(found["q"])
    assert np.ptp(energy) < 1e-6
    assert np.ptp(robot.kinetic_energy(found["q"], found["v"])) > 1.0


def test_an_arm_sticks_turns_no_harder_than_its_motors_and_stops_at_its_ends() -> None:
    robot = fb.load("pendulum")
    weight = float(np.abs(robot.gravity(np.array([np.pi / 2]))[0]))
    stuck = Simulator(robot, joints=ViscousCoulombFriction(0.0, 1.5 * weight), method="stiff")
    held = simulate(stuck, None, stuck.init([np.pi / 2]), 1.0)
    assert np.abs(held["v"][-1]).max() < 1e-12 and np.abs(held["q"] - np.pi / 2).max() < 1e-4
    motor = Simulator(robot, joints=Saturation(0.5 * weight), method="stiff")
    pushed = simulate(motor, [100.0 * weight], motor.init([0.0]), 0.5, record=["torques"])
    assert np.abs(pushed["torques"]).max() == pytest.approx(0.5 * weight)
    ends = Simulator(robot, joints=HardStops(-0.5, 0.5, spring=1e6, damper=1e3), method="stiff")
    assert np.abs(simulate(ends, None, ends.init([0.4], [3.0]), 3.0)["q"]).max() < 0.51
