"""Regressors of the parts between force/torque sensors, compiled, on a humanoid that has such sensors."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import floatbase as fb
from floatbase import algorithms
from floatbase.errors import ArgumentError, UnknownNameError

pytest.importorskip("icub_models")


@cache
def robot():
    return fb.load("icub", keep_force_sensors=True)


@pytest.fixture
def state(rng):
    q, v = robot().random(rng, n=3)
    return q, v, rng.standard_normal(v.shape)


def close(found, expected):
    return np.linalg.norm(found - expected) <= 1e-11 * np.linalg.norm(expected)


def test_compiled_regressors(state):
    for part in (1, np.int64(2)):
        found = robot().submodel_regressor(*state, part, "l_foot")
        assert close(found, algorithms.submodel_regressor(robot().tree, *state, part, "l_foot"))
    assert np.array_equal(robot().function(("submodel_regressor", 2, "l_foot"))(*state), found)
    row, column = robot().local_torque_regressor(*state, "l_hip_pitch", "l_leg_ft_sensor")
    expected = algorithms.local_torque_regressor(robot().tree, *state, "l_hip_pitch", "l_leg_ft_sensor")
    assert close(row, expected.by_parameters) and close(column, expected.by_wrench)


def test_compiled_stack(state):
    frames = [part.links[0] for part in robot().tree.submodels]
    one = [x[0] for x in state]
    found = robot().stacked_submodel_regressor(*one, frames)
    assert close(found, algorithms.stacked_submodel_regressor(robot().tree, *one, frames))


def test_what_is_refused(state):
    whole = fb.load("icub")
    with pytest.raises(ArgumentError, match="submodel must be one of"):
        robot().submodel_regressor(*state, 99, "l_foot")
    with pytest.raises(ArgumentError, match="keep_force_sensors"):
        whole.submodel_regressor(*state, 0, "l_foot")
    with pytest.raises(ArgumentError, match="keep_force_sensors"):
        whole.local_torque_regressor(*state, "l_knee", "l_leg_ft_sensor")
    with pytest.raises(UnknownNameError, match="l_knees"):
        robot().local_torque_regressor(*state, "l_knees", "l_leg_ft_sensor")
    with pytest.raises(UnknownNameError, match="l_leg_ft"):
        robot().local_torque_regressor(*state, "l_knee", "l_leg_ft")
    with pytest.raises(ArgumentError, match="not determined"):
        robot().local_torque_regressor(*state, "l_knee", "l_leg_ft_sensor")
    with pytest.raises(ArgumentError, match="submodels"):
        robot().stacked_submodel_regressor(*state, ["l_foot"])
