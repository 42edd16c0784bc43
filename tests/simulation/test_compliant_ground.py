"""Soles on visco-elastic ground, with the numbers of Romualdi 2022, chapter 8: how far they sink, how they swing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.signal import find_peaks
from tests.simulation.blocks import LENGTH, MASS, WIDTH, block

from floatbase.simulation.contacts import (
    BristleContact,
    HuntCrossleyContact,
    SoleContact,
    SpringDamperContact,
    box_corners,
)
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator

G = 9.81
AREA = 2.0 * LENGTH * WIDTH


def standing(stiffness: object, damping: object, **settings: object) -> Simulator:
    law = SoleContact(LENGTH, WIDTH, stiffness=stiffness, damping=damping)
    return Simulator(block(), {"left": law, "right": law}, **settings)


@pytest.mark.parametrize(("stiffness", "sink"), [(2e6, 4.05e-3), (1e6, 8.09e-3), (8e5, 10.12e-3)])
@pytest.mark.parametrize("method", ["stiff", "semi-implicit"])
def test_a_dropped_block_settles_at_the_static_sink(stiffness: float, sink: float, method: str) -> None:
    simulator = standing(stiffness, 1e4, method=method, substeps=1 if method == "stiff" else 10)
    found = simulate(simulator, None, [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0], 3.0, record=["q", "wrenches"])
    assert -found["q"][-1, 2] == pytest.approx(sink, rel=2e-3)
    assert -found["q"][-1, 2] == pytest.approx(MASS * G / (AREA * stiffness), rel=1e-3)
    assert found["wrenches"][-1, 2] + found["wrenches"][-1, 8] == pytest.approx(MASS * G, rel=1e-3)
    assert found["wrenches"][:, [2, 8]].min() >= -1e-9
    assert found["wrenches"][:, [2, 8]].max() > MASS * G  # it came down hard


@pytest.mark.parametrize(
    ("stiffness", "frequency", "ratio"), [(2e6, 49.2, 0.123), (1e6, 34.8, 0.174), (8e5, 31.1, 0.195)]
)
def test_frequency_and_damping_of_the_vertical_mode(stiffness: float, frequency: float, ratio: float) -> None:
    simulator = standing(stiffness, 1e3, method="rk4", dt=2e-4)
    sink = MASS * G / (AREA * stiffness)
    found = simulate(simulator, None, [0.0, 0.0, -1.05 * sink, 1.0, 0.0, 0.0, 0.0], 1.5)
    deep = -(found["q"][:, 2] + sink)
    peaks, _ = find_peaks(deep)
    period = np.mean(np.diff(found.time[peaks]))
    decay = np.mean(np.log(deep[peaks][:-1] / deep[peaks][1:])) / (2.0 * np.pi)
    assert 2.0 * np.pi / period == pytest.approx(frequency, rel=0.02)
    assert decay == pytest.approx(ratio / 10.0, rel=0.05)  # a tenth of the damping that the ratio is for


def test_rocking_about_both_axes() -> None:
    """Springs under the soles resist a roll by their moment about the axis between them, and their own."""
    stiffness = 2e6
    simulator = standing(stiffness, 1e2, method="rk4", dt=2e-4)
    sink = MASS * G / (AREA * stiffness)
    second = 2.0 * (WIDTH**3 * LENGTH / 12.0 + WIDTH * LENGTH * 0.1**2)
    inertia = 0.8 + MASS * 0.1**2  # about the ground; the centre of mass is over the soles
    omega = np.sqrt((stiffness * second - MASS * G * 0.1) / inertia)
    angle = 2e-3
    q = [0.0, 0.0, -sink, np.cos(angle / 2), np.sin(angle / 2), 0.0, 0.0]
    found = simulate(simulator, None, q, 1.0)
    peaks, _ = find_peaks(found["q"][:, 4])
    assert 2.0 * np.pi / np.mean(np.diff(found.time[peaks])) == pytest.approx(omega, rel=0.1)


def test_stiffness_differs_from_row_to_row() -> None:
    stiffness = np.array([2e6, 1e6, 8e5])
    state = standing(stiffness, 1e4, method="stiff").init([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    found = simulate(standing(stiffness, 1e4, method="stiff"), None, state, 0.5, record=["q"])
    for row, value in enumerate(stiffness):
        alone = simulate(standing(value, 1e4, method="stiff"), None, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], 0.5)
        np.testing.assert_array_equal(found["q"][:, row], alone["q"])


def test_a_stiff_step_is_stable_where_others_are_not() -> None:
    """With dt = 10 ms, forty times what the damper of a foot of 0.4 kg allows."""
    law = SoleContact(LENGTH, WIDTH, stiffness=2e8, damping=1e7)
    state = [0.0, 0.0, 0.01, 1.0, 0.0, 0.0, 0.0]
    found = simulate(Simulator(block(), {"left": law}, method="stiff", dt=1e-2), None, state, 0.3, record=["v"])
    assert np.abs(found["v"]).max() < 10.0


@pytest.mark.parametrize("law", [
    SpringDamperContact(points=box_corners(0.2, 0.1), stiffness=1e6, damping=1e3, friction=1.0, slip_speed=1e-3),
    HuntCrossleyContact(points=box_corners(0.2, 0.1), stiffness=1e7, dissipation=0.5, slip_speed=1e-3),
    BristleContact(points=box_corners(0.2, 0.1), stiffness=1e6, tangential_stiffness=1e6),
    SoleContact(stiffness=2e8, damping=1e6),
], ids=["spring", "hunt", "bristles", "sole"])  # fmt: skip
def test_stiff_contacts_with_friction_lose_energy_in_long_steps(law: object) -> None:
    """Blocks that are thrown at the ground, in steps of 1 ms, come to rest or slide on; none gains energy."""
    simulator = Simulator(block(), {"left": law, "right": law}, method="stiff", dt=1e-3)
    rng, robot = np.random.default_rng(0), simulator.robot
    q = np.tile([0.0, 0.0, 0.02, 1.0, 0.0, 0.0, 0.0], (32, 1))
    found = simulate(simulator, None, simulator.init(q, rng.standard_normal((32, 6)) * 0.5), 1.0, every=10)
    energy = robot.kinetic_energy(found["q"], found["v"]) + robot.potential_energy(found["q"])
    assert np.max(energy - energy[0]) < 1.0
    assert np.median(np.abs(found["v"][-1]).max(axis=-1)) < 0.1
