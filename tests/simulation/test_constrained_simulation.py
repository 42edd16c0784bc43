"""Simulators of robots that constraints hold."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.blocks import MASS, block

import floatbase as fb
from floatbase.errors import ArgumentError, StateError
from floatbase.simulation.constraints import Contact, constraint_errors
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator

G = 9.81


@pytest.mark.parametrize("method", ["rk4", "semi-implicit", "midpoint"])
def test_a_block_that_swings_about_a_point(method: str) -> None:
    """Held at the place of a sole it is a physical pendulum; its energy and the point stay."""
    robot = block()
    held = (Contact("left", kind="point"),)
    simulator = Simulator(robot, constraints=held, method=method, dt=1e-3)
    q = [0.0, 0.0, 1.0, np.cos(0.3), np.sin(0.3), 0.0, 0.0]
    state = simulator.init(q)
    start = robot.pose(state.q, "left")[:3, 3]
    found = simulate(simulator, None, state, 1.0, record=["q", "v", "multipliers", ("pose", "left")])
    energy = robot.kinetic_energy(found["q"], found["v"]) + robot.potential_energy(found["q"])
    bound = {"rk4": 1e-6, "semi-implicit": 1.0, "midpoint": 1e-2}[method]
    assert np.ptp(energy) < bound
    assert np.abs(robot.velocity(found["q"], found["v"], "left")[:, :3]).max() < 1e-10
    assert np.abs(found["pose_left"][:, :3, 3] - start).max() < {"rk4": 1e-9}.get(method, 2e-3)
    assert found["multipliers"].shape == (1001, 3)


def test_multipliers_carry_the_weight() -> None:
    robot = block()
    simulator = Simulator(robot, constraints=(Contact("left"),), method="semi-implicit")
    state = simulator.init([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    state = simulator.step(state)
    np.testing.assert_allclose(state.v, 0.0, atol=1e-12)
    assert state.multipliers[2] == pytest.approx(MASS * G, rel=1e-9)


def test_bad_input() -> None:
    robot = block()
    held = (Contact("left"),)
    with pytest.raises(ArgumentError, match="stiff"):
        Simulator(robot, constraints=held, method="stiff")
    with pytest.raises(ArgumentError, match="projections"):
        Simulator(robot, constraints=held, projections=-1)
    simulator = Simulator(robot, constraints=held)
    with pytest.raises(StateError, match="velocity violates"):
        simulator.init([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], np.ones(6))
    assert constraint_errors(fb.Robot(robot.model), robot.neutral(), np.zeros(6), held).velocity.shape == (6,)
