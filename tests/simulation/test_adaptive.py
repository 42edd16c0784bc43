"""Motions followed by adaptive solvers: closed forms, dense output, events, balances of energy with contact."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.blocks import ball, block

import floatbase as fb
from floatbase.errors import ArgumentError, SimulationError
from floatbase.simulation.adaptive import flow
from floatbase.simulation.contacts import HuntCrossleyContact, SoleContact, SpringDamperContact
from floatbase.simulation.joints import Sampled, TorqueDrive, ViscousCoulombFriction
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator

G = 9.81


def energy(robot: fb.Robot, state: object) -> float:
    return float(robot.kinetic_energy(state.q, state.v) + robot.potential_energy(state.q))


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
def test_many_turns_of_a_free_body_keep_energy_and_angular_momentum(representation: str) -> None:
    robot = fb.Robot(block().model, representation=representation, gravity=(0.0, 0.0, 0.0))
    q, _ = robot.random(0)
    motion = flow(Simulator(robot), None, Simulator(robot).init(q, np.array([0.3, 0.1, 0.0, 4.0, -3.0, 5.0])), 5.0)
    first, last = motion.states[0], motion.state
    assert energy(robot, last) == pytest.approx(energy(robot, first), rel=1e-8)
    before, after = (robot.centroidal_momentum(s.q, s.v) for s in (first, last))
    np.testing.assert_allclose(after, before, atol=1e-8)
    assert last.time == pytest.approx(5.0)


def test_dense_output_agrees_with_small_steps() -> None:
    robot = fb.load("panda")
    simulator = Simulator(robot, method="rk4", dt=1e-3)
    state = simulator.init(robot.neutral(), np.linspace(-1.0, 1.0, robot.nv))
    motion = flow(simulator, lambda time, s: np.full(robot.nv, np.sin(5.0 * time)), state, 0.5)
    found = simulate(
        simulator.with_settings(dt=1e-4), lambda time, s: np.full(robot.nv, np.sin(5.0 * time + 2.5e-4)), state, 0.5
    )
    for k in (0, 1234, 5000):
        np.testing.assert_allclose(motion.at(found.time[k]).q, found["q"][k], atol=1e-6)


def test_a_bouncing_ball_matches_its_own_equation() -> None:
    """A point mass with the same law, integrated by itself as a scalar equation; and the times of touch-down."""
    from scipy.integrate import solve_ivp

    k, damping, mass = 1e5, 0.3, 0.5
    law = HuntCrossleyContact(stiffness=k, dissipation=damping, exponent=1.5, friction=0.0)
    simulator = Simulator(ball(mass), {"ball": law})

    def height(state: object) -> float:
        return float(state.q[2])

    motion = flow(simulator, None, [0.0, 0.0, 0.3, 1.0, 0.0, 0.0, 0.0], 1.5, events=[height], longest=1e-2)

    def alone(time: float, x: np.ndarray) -> list[float]:
        depth = max(-x[0], 0.0)
        force = max(k * depth**1.5 * (1.0 - 1.5 * damping * x[1]), 0.0) if depth > 0.0 else 0.0
        return [x[1], force / mass - G]

    expected = solve_ivp(
        alone, (0.0, 1.5), [0.3, 0.0], rtol=1e-11, atol=1e-13, max_step=1e-3, events=lambda time, x: x[0]
    )
    times = [item.state.time for item in motion.occurrences]
    assert times[0] == pytest.approx(np.sqrt(2.0 * 0.3 / G), abs=1e-9)
    np.testing.assert_allclose(times, expected.t_events[0], atol=1e-6)
    assert motion.state.q[2] == pytest.approx(expected.y[0, -1], abs=1e-6)


def test_a_terminal_event_ends_the_motion() -> None:
    def falls_through(state: object) -> float:
        return float(state.q[2])

    falls_through.terminal = True
    motion = flow(Simulator(ball()), None, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], 2.0, events=[falls_through])
    assert motion.state.time == pytest.approx(np.sqrt(2.0 / G), abs=1e-9)
    assert motion.state.q[2] == pytest.approx(0.0, abs=1e-9)


def test_work_and_energy_balance_with_contact_and_friction() -> None:
    """A box that lands, slides and comes to rest: what it loses is the work of its contacts."""
    points = ((0.1, 0.1, 0.0), (0.1, -0.1, 0.0), (-0.1, -0.1, 0.0), (-0.1, 0.1, 0.0))
    law = SpringDamperContact(points=points, stiffness=2e4, damping=300.0, friction=0.5, slip_speed=0.05)
    robot = block()
    simulator = Simulator(robot, {"left": law})
    state = simulator.init([0.0, -0.1, 0.05, 1.0, 0.0, 0.0, 0.0], [1.0, 0.3, 0.0, 0.2, 0.1, 0.5])
    motion = flow(simulator, None, state, 0.6, rtol=1e-9, atol=1e-11)
    lost = energy(robot, motion.states[0]) - energy(robot, motion.state)
    assert lost > 10.0
    assert -motion.state.work[0] == pytest.approx(lost, rel=1e-6)


def test_work_and_energy_balance_of_joints() -> None:
    robot = fb.load("panda")
    friction = ViscousCoulombFriction(1.0, 2.0, 0.05)
    simulator = Simulator(robot, joints=friction)
    state = simulator.init(robot.neutral(), np.linspace(-1.0, 1.0, robot.nv))
    motion = flow(simulator, np.linspace(5.0, -5.0, robot.nv), state, 0.3, rtol=1e-9, atol=1e-11)
    gained = energy(robot, motion.state) - energy(robot, motion.states[0])
    assert motion.state.work[1] == pytest.approx(gained, rel=1e-6)


def test_memory_of_soles_moves_on() -> None:
    law = SoleContact()
    simulator = Simulator(block(), {"left": law, "right": law})
    motion = flow(simulator, None, [0.0, 0.0, 0.002, 1.0, 0.0, 0.0, 0.0], 0.2, rtol=1e-6, atol=1e-8, longest=1e-3)
    assert motion.states[0].memory[0] == 0.0
    assert motion.state.memory[0] == 1.0
    fine = simulate(simulator.with_settings(method="rk4", dt=5e-5), None, motion.states[0], 0.2)
    np.testing.assert_allclose(motion.state.q, fine["q"][-1], atol=2e-5)


def test_bad_input() -> None:
    robot = ball()
    simulator = Simulator(robot)
    state = simulator.init(robot.neutral())
    with pytest.raises(ArgumentError, match="DOP853"):
        flow(simulator, None, state, solver="Euler")
    with pytest.raises(ArgumentError, match="one robot"):
        flow(simulator, None, simulator.init(np.tile(robot.neutral(), (2, 1))))
    with pytest.raises(ArgumentError, match="Simulator"):
        flow(robot)
    with pytest.raises(ArgumentError, match=r"known from 0 to 0.1 s"):
        flow(simulator, None, state, 0.1).at(0.2)
    panda = fb.load("panda")
    with pytest.raises(ArgumentError, match="periods"):
        flow(Simulator(panda, joints=Sampled(TorqueDrive(), 2)))
    stiff = Simulator(panda, joints=ViscousCoulombFriction(1e300, 0.0))
    with np.errstate(all="ignore"), pytest.raises((SimulationError, ArgumentError)):
        flow(stiff, None, stiff.init(panda.neutral(), np.ones(panda.nv)), 1.0)
