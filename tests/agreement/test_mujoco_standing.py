"""A humanoid that stands: the forces under its feet, beside MuJoCo's and its weight."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from benchmarks import standing

from floatbase.simulation.running import simulate

SECONDS = 2.0


def test_contact_forces_carry_the_weight_as_in_mujoco() -> None:
    robot = standing.humanoid()
    q, weight = standing.start(robot), robot.mass * 9.81
    simulator = standing.simulator(robot, held=True)
    command = simulator.rest(simulator.init(q))
    found = simulate(simulator, command, q, SECONDS, record=["l_sole", "r_sole", "v"])
    left, right = (float(np.mean(found[sole][-200:, 2])) for sole in standing.SOLES)
    model, data = standing.in_mujoco(robot, q)
    mujoco.mj_step(model, data, round(SECONDS / standing.DT))
    assert left + right == pytest.approx(weight, rel=0.01)
    assert standing.weight_in_mujoco(model, data) == pytest.approx(weight, rel=0.01)
    assert left == pytest.approx(right, rel=0.02)
    theirs = standing.weight_in_mujoco(model, data, standing.body_of(model, robot, standing.SOLES[0]))
    assert left == pytest.approx(theirs, rel=0.01)
    assert np.abs(found["v"][-1]).max() < 0.1
