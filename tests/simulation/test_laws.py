"""Parameters of laws: as vectors, as arrays with batch axes, as symbols."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import floatbase as fb
from floatbase.simulation import constraints, contacts, grounds, joints, suspensions
from floatbase.simulation.laws import (
    Law,
    Number,
    Numbers,
    join,
    require_finite,
    require_not_negative,
    require_place,
    require_positive,
)


@dataclass(frozen=True)
class Spring(Law):
    stiffness: Number = 3.0
    damping: Number = 0.5
    name: str = "spring"

    def force(self, x, v):
        return -self.stiffness * x - self.damping * v


@dataclass(frozen=True, eq=False)
class Springs(Law):
    stiffness: Numbers
    damping: Number = 0.5
    offset: Numbers = 0.0

    def force(self, x, v):
        return -self.stiffness * (x - self.offset) - np.asarray(self.damping)[..., None] * v


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


def test_joints_have_parameters_of_their_own() -> None:
    springs = Springs((1.0, 2.0, 3.0))
    assert Springs.parameter_names() == ("stiffness", "damping", "offset")
    assert springs.parameter_names() == ("stiffness[0]", "stiffness[1]", "stiffness[2]", "damping", "offset[0]")
    np.testing.assert_array_equal(springs.parameters, [1.0, 2.0, 3.0, 0.5, 0.0])
    np.testing.assert_array_equal(springs.with_parameters(springs.parameters).parameters, springs.parameters)
    values = np.random.default_rng(0).standard_normal((4, 5))
    x, v = np.random.default_rng(1).standard_normal((2, 4, 3))
    np.testing.assert_array_equal(springs.with_parameters(values).parameters, values)
    expected = -values[:, :3] * (x - values[:, 4:]) - values[:, 3:4] * v
    np.testing.assert_array_equal(springs.with_parameters(values).force(x, v), expected)


def test_parameters_of_some_fields_may_differ_from_state_to_state() -> None:
    assert Springs(np.ones((4, 3)), damping=2.0).parameters.shape == (4, 5)
    assert Springs((1.0, 2.0), damping=np.arange(3.0)).parameters.shape == (3, 4)


def test_parameters_of_joints_may_be_symbols() -> None:
    springs = Springs((0.0, 0.0))
    program = fb.trace(lambda p, x: springs.with_parameters(p).force(x, x), {"p": (4,), "x": (2,)}, "force")
    (force,) = fb.interpret(program, np.array([3.0, 4.0, 0.5, 1.0]), np.array([2.0, 3.0]))
    np.testing.assert_array_equal(force, [-4.0, -9.5])


def test_laws_with_arrays_are_compared_by_identity() -> None:
    springs = Springs((1.0, 2.0))
    assert springs == springs
    assert springs != Springs((1.0, 2.0))


def test_vectors_are_joined_over_their_batch() -> None:
    assert join([np.ones((4, 2)), np.zeros(3)]).shape == (4, 5)
    np.testing.assert_array_equal(join([np.ones(2), np.zeros(1)]), [1.0, 1.0, 0.0])


def test_a_number_of_parameters_that_is_not_right_is_refused() -> None:
    with pytest.raises(fb.errors.ShapeError, match="2"):
        Spring().with_parameters(np.ones(3))


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (require_positive, 0.0),
        (require_not_negative, [1.0, -1.0]),
        (require_finite, np.inf),
        (require_positive, "stiff"),
        (require_finite, None),
        (require_not_negative, [1.0, None]),
        (require_place, (1.0, 2.0)),
        (require_place, (1.0, 2.0, np.nan)),
    ],
)
def test_what_is_refused_is_named(check, value) -> None:
    with pytest.raises(fb.errors.ArgumentError, match="stiffness is"):
        check(stiffness=value)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: contacts.SoleContact(stiffness="soft"), "stiffness"),
        (lambda: contacts.HuntCrossleyContact(dissipation=None), "dissipation"),
        (lambda: contacts.SoleContact(center=(0.0, 0.0, np.inf)), "center"),
        (lambda: joints.PositionDrive(1.0, 1.0, drive_gain=np.nan), "drive_gain"),
        (lambda: joints.TorqueDrive(offset=np.inf), "offset"),
        (lambda: joints.HardStops(None, 1.0, 1e4, 0.0), "lower"),
        (lambda: joints.Geared(joints.TorqueDrive(), "hundred"), "ratio"),
        (lambda: joints.FlexibleJoint(1e3, 1.0, relaxed=np.nan), "relaxed"),
        (lambda: grounds.Flat(texture=0.5), "texture"),
        (lambda: grounds.Stairs(0.1, 0.3, texture=None), "texture"),
        (lambda: suspensions.RigidPendulum(1.0, point=0.0), "point"),
        (lambda: suspensions.CompliantPendulum(1.0, 1e4, 1e3, point=(0.0, 0.0, np.nan)), "point"),
        (lambda: suspensions.Cable(None, 0, (0.0, 0.0), (0.0, 0.0, 0.0), 1.0, 1e4), "first_point"),
        (lambda: constraints.point("tip", 1.0), "position"),
        (lambda: constraints.Place("tip", np.eye(3)), "frame_H_place"),
    ],
)
def test_laws_name_what_is_no_parameter_of_theirs(make, name) -> None:
    with pytest.raises(fb.errors.ArgumentError, match=f"^{name} "):
        make()
