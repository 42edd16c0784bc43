"""Units: one table, one change between two of a quantity, and clear refusals."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase.errors import ArgumentError, UnknownNameError
from floatbase.logs import UNITS
from floatbase.logs.units import canonical, coherent, convert, per_second, unit


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (180.0, "deg", "rad", np.pi),
        (60.0, "rpm", "rad/s", 2 * np.pi),
        (1.0, "g0", "m/s^2", 9.80665),
        (36.0, "km/h", "m/s", 10.0),
        (20.0, "degC", "K", 293.15),
        (293.15, "K", "degC", 20.0),
        (1500.0, "N mm", "N m", 1.5),
        (1.0, "turn", "deg", 360.0),
        (50.0, "%", "1", 0.5),
    ],
)
def test_values_change_with_the_unit(value, source, target, expected):
    assert convert(value, source, target) == pytest.approx(expected, rel=1e-14)
    assert convert(convert(value, source, target), target, source) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize("name", ["N m", "N*m", "Nm", "N·m", " N  m "])
def test_spellings_of_torque_are_one(name):
    assert canonical(name) == "N m"


@pytest.mark.parametrize("name", ["m/s^2", "m/s2", "m/s²"])
def test_spellings_of_acceleration_are_one(name):
    assert canonical(name) == "m/s^2"


def test_every_unit_is_found_by_its_name_and_leads_to_its_quantity():
    for name, item in UNITS.items():
        assert unit(name) == item
        assert UNITS[coherent(name)].factor == 1.0
        assert UNITS[coherent(name)].quantity == item.quantity


def test_a_misspelt_unit_gets_a_hint():
    with pytest.raises(UnknownNameError, match=r"did you mean.*'deg/s'"):
        unit("degs/s")


def test_quantities_do_not_mix():
    with pytest.raises(ArgumentError, match=r"'N' \(force\) cannot become 'N m' \(torque\).*kN"):
        convert(1.0, "N", "N m")
    with pytest.raises(ArgumentError, match="not known"):
        convert(1.0, "", "rad")
    with pytest.raises(ArgumentError, match="given by its name"):
        unit(3)  # type: ignore[arg-type]


def test_units_of_derivatives():
    assert per_second("rad") == "rad/s"
    assert per_second("deg/s") == "deg/s^2"
    assert per_second("m/s") == "m/s^2"
    assert per_second("V") == ""
