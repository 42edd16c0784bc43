"""Simulators of robots that constraints hold."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.blocks import MASS, block

import floatbase as fb
from floatbase.errors import ArgumentError, SimulationError, StateError, UnknownNameError
from floatbase.simulation.constraints import Contact, Distance, FrameConstraint, constraint_errors, project_velocity
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
    with pytest.raises(UnknownNameError, match="lefd"):
        Simulator(robot, constraints=(Contact("lefd"),))
    for wrong, message in ((3.0, "two numbers"), ((-1.0, 2.0), "alpha is -1"), ((1.0, np.nan), "beta is nan")):
        with pytest.raises(ArgumentError, match=message):
            Simulator(robot, constraints=held, baumgarte=wrong)
    with pytest.raises(ArgumentError, match=r"length of the distance .* is driven"):
        Simulator(robot, constraints=(Distance(None, "left", 1.0, length_rate=0.1),))
    assert constraint_errors(fb.Robot(robot.model), robot.neutral(), np.zeros(6), held).velocity.shape == (6,)


def test_rows_that_do_not_exist_in_a_state_are_errors_with_the_time() -> None:
    """A rod from the world's origin, and a place that is moved into it."""
    robot = block()
    simulator = Simulator(robot, constraints=(Distance(None, "left", 1.0),))
    q = [0.0, -robot.pose(robot.neutral(), "left")[1, 3], 1.0, 1.0, 0.0, 0.0, 0.0]
    q[0], q[2] = -robot.pose(robot.neutral(), "left")[0, 3], 1.0 - robot.pose(robot.neutral(), "left")[2, 3]
    state = simulator.init(q)._replace(time=2.5)
    with pytest.raises(StateError, match=r"direction of the rod is not defined.*at t = 2\.5 s"):
        simulator.step(state._replace(q=state.q - [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]))


def test_constraints_that_a_long_step_loses_are_errors_with_the_time() -> None:
    robot = block()
    point = (FrameConstraint("point", None, "left"),)
    q = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    q[:3] = -robot.pose(q, "left")[:3, 3]
    v = project_velocity(robot, q, np.array([0.0, 0.0, 0.0, 30.0, -40.0, 20.0]), point)
    simulator = Simulator(robot, constraints=point, dt=0.5)
    state = simulator.init(q, v)
    with pytest.raises(SimulationError, match=r"back to the constraints.*from t = \d.*shorter dt"):
        for _ in range(20):
            state = simulator.step(state)
    short = simulator.with_settings(dt=1e-3)
    found = simulate(short, None, short.init(q, v), 0.1, record=[("pose", "left")])
    assert np.abs(found["pose_left"][:, :3, 3]).max() < 1e-6
