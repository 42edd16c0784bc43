"""Simulations under policies, and what is recorded of them."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.console import Console
from tests.simulation.blocks import MASS, block

import floatbase as fb
from floatbase.errors import ArgumentError, ShapeError, SimulationError, UnknownNameError
from floatbase.progress import counting
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator, State

START = [0.0, 0.0, -0.004, 1.0, 0.0, 0.0, 0.0]


@fb.kernel
def speed(robot, q, v):
    return np.sqrt(np.sum(v[:3] * v[:3]))


def standing() -> Simulator:
    return Simulator(block(), {"left": SoleContact(), "right": SoleContact()}, method="stiff")


def test_signals_of_every_kind() -> None:
    def lean(state: State) -> float:
        return float(state.q[4])

    simulator = standing()
    record = ["q", "v", "memory", "wrenches", "left", "com", ("pose", "right"), "kinetic_energy", speed, lean, "work"]
    found = simulate(simulator, None, START, 0.02, record=record)
    assert found["q"].shape == (21, 7)
    assert len(found) == 21
    np.testing.assert_allclose(found.time, 1e-3 * np.arange(21), atol=1e-15)
    np.testing.assert_array_equal(found["left"], found["wrenches"][:, :6])
    np.testing.assert_array_equal(found["left"][0], np.zeros(6))
    robot = simulator.robot
    np.testing.assert_allclose(found["com"], robot.com(found["q"]))
    np.testing.assert_allclose(found["pose_right"], robot.pose(found["q"], "right"))
    np.testing.assert_allclose(found["speed"], np.linalg.norm(found["v"][:, :3], axis=-1))
    np.testing.assert_allclose(found["lean"], found["q"][:, 4])
    np.testing.assert_array_equal(found.state.q, found["q"][-1])
    energy = robot.kinetic_energy(found["q"], found["v"]) + robot.potential_energy(found["q"])
    assert np.sum(found["work"][:, 0]) == pytest.approx(energy[-1] - energy[0], rel=0.1)


def test_policies_see_time_and_state_and_batches_are_rows() -> None:
    robot = fb.load("panda")
    seen = []

    def policy(time: float, state: State) -> np.ndarray:
        seen.append(time)
        return -2.0 * state.v

    q, v = robot.random(0, n=3)
    simulator = Simulator(robot)
    together = simulate(simulator, policy, simulator.init(q, v), 0.01, record=["q", "command"])
    np.testing.assert_allclose(seen, 1e-3 * np.arange(10), atol=1e-15)
    assert together["command"].shape == (11, 3, robot.nv)
    for row in range(3):
        alone = simulate(simulator, policy, simulator.init(q[row], v[row]), 0.01, record=["q"])
        np.testing.assert_array_equal(together["q"][:, row], alone["q"])


def test_a_robot_alone_falls_and_a_constant_command_is_held() -> None:
    found = simulate(block(), None, START, 0.1)
    assert found["v"][-1, 2] == pytest.approx(-0.981, rel=1e-12)
    robot = fb.load("panda")
    still = simulate(robot, robot.gravity(robot.neutral()), robot.neutral(), 0.1)
    np.testing.assert_allclose(still["q"][-1], robot.neutral(), atol=1e-9)


def test_nothing_happens_in_no_time_and_numbers_of_numpy_will_do() -> None:
    robot = fb.load("panda")
    still = simulate(robot, None, None, 0.0)
    assert len(still) == 1 and still.state.time == 0.0
    np.testing.assert_array_equal(still["q"], [robot.neutral()])
    found = simulate(robot, None, None, np.float32(0.25), every=np.int64(125))
    np.testing.assert_allclose(found.time, [0.0, 0.125, 0.25], atol=1e-12)


def test_decimation_and_bounds_of_memory() -> None:
    found = simulate(standing(), None, START, 0.025, record=["q"], every=10)
    np.testing.assert_allclose(found.time, [0.0, 0.01, 0.02], atol=1e-15)
    assert found.state.time == pytest.approx(0.025)
    with pytest.raises(SimulationError, match=r"GiB.*every"):
        simulate(standing(), None, START, 10.0, largest=1000)


def test_pushes_move_the_robot() -> None:
    simulator = standing().with_settings(pushes=("right",))
    push = np.array([40.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    held = simulate(simulator, None, START, 0.5, pushes=push, record=["wrenches"])
    assert held["wrenches"][-1, [0, 6]].sum() == pytest.approx(-40.0, rel=0.02)
    kicked = simulate(simulator, None, START, 0.5, pushes=lambda time, state: push if time < 0.1 else 0.0 * push)
    assert abs(kicked["q"][-1, 0]) < 1e-3
    assert held["wrenches"][-1, [2, 8]].sum() == pytest.approx(MASS * 9.81, rel=0.01)


def test_an_interrupt_returns_what_there_is() -> None:
    def policy(time: float, state: State) -> None:
        if time > 0.0045:
            raise KeyboardInterrupt

    found = simulate(standing(), policy, START, 1.0)
    assert found.interrupted
    assert len(found) == 6
    assert found.state.time == pytest.approx(0.005)


def test_a_bar_counts_periods() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    with counting(3, "simulating", console=console) as report:
        for done in range(1, 4):
            report(done)
    assert "3/3" in console.file.getvalue()


def test_bad_input() -> None:
    simulator = standing()
    with pytest.raises(ArgumentError, match="Simulator or a Robot"):
        simulate("icub")
    with pytest.raises(ArgumentError, match="duration"):
        simulate(simulator, None, START, -1.0)
    with pytest.raises(ArgumentError, match="every"):
        simulate(simulator, None, START, every=0)
    with pytest.raises(ArgumentError, match="twice"):
        simulate(simulator, None, START, record=["q", "q"])
    with pytest.raises(ArgumentError, match="needs tau"):
        simulate(simulator, None, START, record=["forward_dynamics"])
    with pytest.raises(UnknownNameError, match="unknown signal 'heat'"):
        simulate(simulator, None, START, record=["heat"])
    with pytest.raises(UnknownNameError, match="did you mean 'wrenches'"):
        simulate(simulator, None, START, record=["wrench"])
    with pytest.raises(ArgumentError, match="record is None"):
        simulate(simulator, None, START, record=None)
    panda = fb.load("panda")
    with pytest.raises(ShapeError, match=r"\(2, 8\) at t = 0.001 s, but \(8,\).*batch of states"):
        simulate(panda, np.zeros((2, 8)), panda.neutral(), 0.01)
    with pytest.raises(ArgumentError, match="no signal"):
        simulate(simulator, None, START, record=[3.0])
    with pytest.raises(UnknownNameError, match="signal"):
        simulate(simulator, None, START, 0.0)["com"]
