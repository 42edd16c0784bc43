"""Sensitivities of a period, with contact and joints, against differences of the period itself."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.blocks import block

import floatbase as fb
from floatbase.simulation.contacts import SoleContact, SpringDamperContact
from floatbase.simulation.grounds import Flat
from floatbase.simulation.integration import METHODS
from floatbase.simulation.joints import LuGreFriction, PositionDrive, ViscousCoulombFriction
from floatbase.simulation.simulator import Simulator, State
from floatbase.simulation.state_sensitivities import sensitivities

STEP = 1e-6
LAW = SpringDamperContact(stiffness=1e4, damping=50.0, friction=0.5, slip_speed=0.2, radius=0.01)


def differences(simulator: Simulator, state: State, command: np.ndarray) -> list[np.ndarray]:
    """Central differences in the tangent spaces, by state, command and parameters."""
    robot, nv = simulator.robot, simulator.robot.nv
    middle = simulator.step(state, command)

    def moved(z: np.ndarray) -> State:
        q = robot.integrate(state.q, z[:nv])
        return state._replace(q=q, v=state.v + z[nv : 2 * nv], memory=state.memory + z[2 * nv :])

    def after(state: State, command: np.ndarray, other: Simulator = simulator) -> np.ndarray:
        end = other.step(state, command)
        return np.concatenate([robot.difference(middle.q, end.q), end.v, end.memory])

    def with_parameters(change: np.ndarray) -> Simulator:
        laws = simulator.physics.with_parameters(simulator.parameters + change)
        joints = simulator.joints
        if laws.drives:
            named = dict(zip(simulator.joints, laws.drives, strict=True)) if isinstance(joints, dict) else {}
            joints = {name: drive.law for name, drive in named.items()} or laws.drives[0].law
        return simulator.with_settings(contacts=dict(laws.contacts), ground=laws.ground, joints=joints)

    size = 2 * nv + state.memory.shape[-1]
    scale = STEP * np.maximum(1.0, np.abs(simulator.parameters))
    by_state = [after(moved(s * e), command) for e in STEP * np.eye(size) for s in (1, -1)]
    by_command = [after(state, command + s * e) for e in STEP * np.eye(len(command)) for s in (1, -1)]
    by_parameters = [after(state, command, with_parameters(s * e)) for e in np.diag(scale) for s in (1, -1)]
    found = []
    for values, step in ((by_state, STEP), (by_command, STEP), (by_parameters, scale)):
        pairs = np.array(values).reshape(-1, 2, size)
        found.append(((pairs[:, 0] - pairs[:, 1]).T / (2.0 * step)) if len(pairs) else np.zeros((size, 0)))
    return found


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
@pytest.mark.parametrize("method", ["semi-implicit", "stiff"])
def test_a_body_that_touches_the_ground(method: str, representation: str) -> None:
    robot = block().with_representation(representation)
    simulator = Simulator(robot, {"left": LAW}, method=method)
    q = np.array([0.1, 0.2, -0.003, *np.array([1.0, 0.02, -0.03, 0.1]) / np.linalg.norm([1.0, 0.02, -0.03, 0.1])])
    state = simulator.init(q, np.array([0.3, -0.1, -0.2, 0.1, 0.4, 0.2]))
    found = sensitivities(simulator, state)
    for ours, theirs in zip(found, differences(simulator, state, np.zeros(0)), strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * max(1.0, np.abs(theirs).max(initial=0.0)))


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_with_friction_and_contact(method: str) -> None:
    robot = fb.load("planar_double_pendulum")
    friction = ViscousCoulombFriction(0.3, 0.2, 0.1)
    frame = robot.frame_names[-1]
    simulator = Simulator(robot, {frame: LAW}, joints=friction, method=method, dt=5e-3)
    state = simulator.init(np.array([0.8, 0.9]), np.array([0.3, -0.5]))
    command = np.array([0.4, -0.2])
    for ours, theirs in zip(
        sensitivities(simulator, state, command), differences(simulator, state, command), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * max(1.0, np.abs(theirs).max()))


@pytest.mark.parametrize("method", ["semi-implicit", "stiff", "explicit"])
def test_laws_that_remember(method: str) -> None:
    """A sole that has touched down, bristles in one joint, and a drive that obeys three commands in the other."""
    robot = fb.load("planar_double_pendulum")
    upper, lower = robot.joint_names
    laws = {upper: LuGreFriction(0.3, 0.5, 0.3, 200.0, 1.0, 0.2), lower: PositionDrive(30.0, 2.0)}
    sole = SoleContact(stiffness=2e5, damping=1e4, friction=0.9, friction_radius=0.1)
    ground = Flat(level=-0.98)
    frame = robot.frame_names[-1]
    simulator = Simulator(robot, {frame: sole}, ground, laws, method=method, dt=2e-3)
    state = simulator.init(np.array([0.15, 0.1]), np.array([0.02, -0.01]))
    assert state.memory[0] == 1.0
    state = state._replace(memory=state.memory + np.array([0.0] * 10 + [1e-4] * (state.memory.size - 10)))
    command = np.array([0.4, 0.12, 0.05, 0.3])[: simulator.command_size]
    expected = differences(simulator, state, command)
    kept = np.ones(state.memory.size, bool)
    kept[0] = state.memory[0] == 0.0  # whether it touches is no number to be changed
    kept = np.r_[np.ones(2 * robot.nv, bool), kept]
    found = sensitivities(simulator, state, command)
    for ours, theirs in zip(found, expected, strict=True):
        columns = kept if ours.shape[1] == len(kept) else slice(None)
        scale = max(1.0, np.abs(theirs).max())
        np.testing.assert_allclose(ours[:, columns], theirs[:, columns], atol=1e-6 * scale)


def test_substeps_and_batches() -> None:
    simulator = Simulator(fb.load("pendulum"), substeps=4, dt=4e-3)
    q, v = simulator.robot.random(0, n=3)
    together = sensitivities(simulator, simulator.init(q, v), np.zeros(1))
    for row in range(3):
        alone = simulator.init(q[row], v[row])
        expected = differences(simulator, alone, np.zeros(1))
        np.testing.assert_allclose(together.by_state[row], expected[0], atol=1e-7)
        np.testing.assert_allclose(together.by_command[row], expected[1], atol=1e-7)
