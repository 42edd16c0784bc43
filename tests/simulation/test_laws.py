"""Parameters of laws: as vectors, as arrays with batch axes, as symbols."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import floatbase as fb
from floatbase.simulation.laws import Law, Number, require_not_negative, require_positive


@dataclass(frozen=True)
class Spring(Law):
    stiffness: Number = 3.0
    damping: Number = 0.5
    name: str = "spring"

    def force(self, x, v):
        return -self.stiffness * x - self.damping * v


def test_numbers_are_parameters_and_nothing_else() -> None:
    assert Spring.parameter_names() == ("stiffness", "damping")
    np.testing.assert_array_equal(Spring().parameters, [3.0, 0.5])
    assert Spring(stiffness=np.ones(4)).parameters.shape == (4, 2)


def test_parameters_may_differ_from_state_to_state() -> None:
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    changed = Spring().with_parameters(values)
    np.testing.assert_array_equal(changed.force(np.ones(2), np.ones(2)), [-3.0, -7.0])
    assert changed.name == "spring"


def test_parameters_may_be_symbols() -> None:
    program = fb.trace(lambda p, x: Spring().with_parameters(p).force(x[0], x[1]), {"p": (2,), "x": (2,)}, "force")
    (force,) = fb.interpret(program, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert force == -11.0


def test_a_number_of_parameters_that_is_not_right_is_refused() -> None:
    with pytest.raises(fb.errors.ShapeError, match="2"):
        Spring().with_parameters(np.ones(3))


@pytest.mark.parametrize(("check", "value"), [(require_positive, 0.0), (require_not_negative, [1.0, -1.0])])
def test_what_is_refused_is_named(check, value) -> None:
    with pytest.raises(fb.errors.ArgumentError, match="stiffness"):
        check(stiffness=value)
