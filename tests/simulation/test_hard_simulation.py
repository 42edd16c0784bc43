"""Simulators with hard contacts: sliding, standing, bouncing, batches."""

from __future__ import annotations

import numpy as np
import pytest
from tests.simulation.blocks import MASS, ball, block

from floatbase.errors import ArgumentError
from floatbase.simulation import Simulator, flow, sensitivities, simulate
from floatbase.simulation.contacts import HardContact, SpringDamperContact, box_corners

G = 9.81
SOLE = HardContact(friction=0.5, points=box_corners(0.2, 0.1))


def sliding(friction: object, **settings: object) -> Simulator:
    law = HardContact(friction=friction, points=box_corners(0.2, 0.1))
    return Simulator(block(), {"left": law, "right": law}, dt=1e-3, **settings)


def test_a_block_slides_and_stops_where_coulomb_says() -> None:
    speed, friction = 1.0, 0.5
    simulator = sliding(friction)
    start = simulator.init([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], [speed, 0.0, 0.0, 0.0, 0.0, 0.0])
    found = simulate(simulator, None, start, 0.5, record=["q", "v", "wrenches", "work", "residual", "right"])
    stop = speed / (friction * G)
    moving = found.time < stop - 2e-3
    forces = found["wrenches"][1:].reshape(-1, 2, 6)[:, :, :3].sum(axis=1)
    np.testing.assert_allclose(forces[:, 2], MASS * G, rtol=1e-6)
    np.testing.assert_allclose(forces[moving[1:], 0], -friction * MASS * G, rtol=1e-5)
    assert np.abs(found["v"][found.time > stop + 2e-3]).max() < 1e-6
    assert found["q"][-1, 0] == pytest.approx(0.5 * speed * stop, rel=0.01)
    assert np.sum(found["work"][:, 0]) == pytest.approx(-0.5 * MASS * speed**2, rel=1e-6)
    assert found["residual"].max() < 1e-7
    np.testing.assert_array_equal(found["right"], found["wrenches"][:, 6:])
    assert found["wrenches"][:, [2, 8]].min() >= 0.0


def test_what_leans_less_than_the_cone_stays() -> None:
    simulator = sliding(0.5, pushes=("left", "right"))
    push = np.array([0.24 * MASS * G, 0.0, 0.0, 0.0, 0.0, 0.0] * 2)
    found = simulate(simulator, None, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.2, pushes=push)
    assert np.abs(found["q"][-1, :3]).max() < 1e-6
    pulled = simulate(simulator, None, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.2, pushes=1.1 * push)
    assert pulled["q"][-1, 0] > 1e-3


def test_a_ball_bounces_with_its_restitution() -> None:
    law = HardContact(restitution=0.8, friction=0.0)
    simulator = Simulator(ball(), {"ball": law}, dt=1e-4)
    found = simulate(simulator, None, [0.0, 0.0, 0.2, 1.0, 0.0, 0.0, 0.0], 0.5)
    before = np.sqrt(2.0 * G * 0.2)
    assert found["v"][:, 2].max() == pytest.approx(0.8 * before, rel=2e-3)


def test_rows_have_their_own_friction_and_are_single_states() -> None:
    friction = np.array([0.2, 0.5, 0.8])
    v = np.array([1.0, 0.2, 0.0, 0.0, 0.0, 0.3])
    many = sliding(friction)
    found = simulate(many, None, many.init([0.0, 0.0, 0.001, 1.0, 0.0, 0.0, 0.0], v), 0.1)
    for row, value in enumerate(friction):
        alone = sliding(float(value))
        single = simulate(alone, None, alone.init([0.0, 0.0, 0.001, 1.0, 0.0, 0.0, 0.0], v), 0.1)
        np.testing.assert_array_equal(found["q"][:, row], single["q"])


def test_soft_and_hard_contacts_together() -> None:
    soft = SpringDamperContact(points=box_corners(0.2, 0.1), stiffness=1e5, damping=300.0)
    simulator = Simulator(block(), {"left": SOLE, "right": soft}, dt=2e-4)
    assert simulator.physics.frames == ["right", "left"]
    found = simulate(simulator, None, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 1.0, record=["left", "right"], every=10)
    assert found["left"][-1, 2] + found["right"][-1, 2] == pytest.approx(MASS * G, rel=0.01)


def test_bad_input() -> None:
    with pytest.raises(ArgumentError, match="semi-implicit"):
        sliding(0.5, method="rk4")
    simulator = sliding(0.5)
    state = simulator.init([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    with pytest.raises(ArgumentError, match="not smooth"):
        sensitivities(simulator, state)
    with pytest.raises(ArgumentError, match="impulses"):
        flow(simulator, None, state)
