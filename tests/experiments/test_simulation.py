"""Experiments of the simulation in quick settings: everything with a criterion holds, and can be drawn."""

import pytest

from floatbase import experiments
from floatbase.experiments.simulation import conservation, motions, soft_contact, soles
from floatbase.report import draw_png

QUICK = {"conservation": {"duration": 10.0, "levels": 3}, "soft-contact": {"angles": 5}}


@pytest.mark.parametrize("name", list(QUICK))
def test_an_experiment_holds(name, tmp_path):
    result = experiments.run(name, out=tmp_path / name, **QUICK[name])
    assert [row for row in result.rows if row.holds is False] == []
    assert sum(row.holds is True for row in result.rows) > 10


def test_explicit_steps_are_seen_to_gain_energy():
    found = motions.drift("pendulum", "explicit", 5e-3, 100.0, 50)
    rows = conservation.drift_rows("pendulum", {"explicit": found})
    assert [row.holds for row in rows if row.quantity.startswith("drift")] == [True]


def test_wrenches_can_be_drawn():
    curves, linear = soles.wrenches(5), soles.linearization_errors(list(soft_contact.YAW_ERRORS), 0)
    stood = [soles.block(stiffness, 2e-4) for stiffness in soft_contact.STIFFNESSES[:1]] * 3
    for plot in soft_contact.plots(curves, linear, stood):
        light, dark = draw_png(plot.draw, plot.size)
        assert light[:4] == dark[:4] == b"\x89PNG"
