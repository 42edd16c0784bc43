"""Simulators whose states are arrays on a GPU that is not there."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from tests.compiler.gpu import fake

import floatbase as fb
from floatbase.compiler.gpu import function, libraries
from floatbase.errors import ShapeError
from floatbase.simulation.contacts import BristleContact
from floatbase.simulation.joints import ViscousCoulombFriction
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator, State


class There(fake.Array):
    """An array that can be asked for and cut, as those of Numba are."""

    def __getitem__(self, key: object) -> There:
        return There(self.memory[key], self.device)

    def copy_to_host(self) -> np.ndarray:
        return self.memory.copy()


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> fake.Device:
    device, library = fake.Device(0), fake.Library("Numba")
    monkeypatch.setattr(library, "empty", lambda shape, dtype, device: There(np.full(shape, np.nan, dtype), device))
    monkeypatch.setitem(libraries._libraries, There, library)
    monkeypatch.setattr(function, "device", {0: device}.__getitem__)
    monkeypatch.setitem(sys.modules, "numba.cuda", SimpleNamespace(to_device=There))
    return device


def test_rows_with_their_own_physics_are_simulated_there_as_here(gpu: fake.Device) -> None:
    robot, n = fb.load("quadrotor_with_arm"), 5
    law = BristleContact(stiffness=np.linspace(1e3, 2e3, n), damping=10.0, friction=np.linspace(0.2, 1.0, n))
    friction = ViscousCoulombFriction(np.linspace(0.1, 0.5, n)[:, None], 0.0)
    inertial = robot.inertial_parameters * np.linspace(0.9, 1.1, n)[:, None]
    simulator = Simulator(robot, {"tool": law}, joints=friction, inertial=inertial, method="stiff")
    q, v = robot.random(1, n=n)
    q[:, 2] -= robot.pose(q, "tool")[:, 2, 3] + 0.005
    signals = ["q", "v", "tool", "work"]
    here = simulate(simulator, lambda time, state: -0.1 * state.v[..., 6:], simulator.init(q, v), 0.01, record=signals)

    gpu.program = simulator._beginning.program
    start = simulator.init(There(q), There(v))
    assert type(start.memory) is There
    gpu.program = simulator.function.program

    def policy(time: float, state: State) -> There:
        assert type(state.v) is There
        return There(-0.1 * state.v.memory[..., 6:])

    there = simulate(simulator, policy, start, 0.01, record=signals)
    assert type(there.state.q) is There
    for name in signals:
        np.testing.assert_allclose(there[name], here[name], rtol=1e-9, atol=1e-9)


def test_what_is_wrong_with_a_state_there_is_said_before_it_is_used(gpu: fake.Device) -> None:
    simulator = Simulator(fb.load("quadrotor_with_arm"))
    with pytest.raises(ShapeError, match=r"q has shape \(3,\)"):
        simulator.init(There(np.zeros(3)))
