"""Compiled functions of a robot with every kind of joint, one state and a batch, against the algorithms on numbers."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.agreement.random_models import random_model

import floatbase as fb
from floatbase import algorithms

REQUESTS = (
    ("inverse_dynamics",),
    ("forward_dynamics",),
    ("mass_matrix",),
    ("inverse_mass_matrix",),
    ("hybrid_dynamics",),
    ("centroidal_momentum_rate",),
    ("jacobian_rate", "link7"),
    ("relative_jacobian_rate", "link2", "link7"),
    ("integrate",),
    ("integrate_derivatives",),
    ("difference_derivatives",),
    ("centroidal_momentum_matrix_rate",),
    ("change_of_base", "link7"),
    ("change_of_representation", "body"),
    ("change_to_compound_frame", "link7", "link2"),
    ("change_to_center_of_mass",),
    ("change_to_average_velocity",),
    ("operational_space_mobility", "link0"),
)


@cache
def robot():
    return fb.Robot(random_model(0, more=0), floating=True)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request[0])
def test_compiled_functions(request_, rng):
    function = robot().function([request_])
    q, v = robot().random(rng, n=5)
    a = rng.standard_normal(v.shape)
    end = robot().integrate(q, a, 0.1)
    values = {"q": q, "q_end": end, "v": v, "a": a, "tau": a, "s_ddot": a[:, 6:], "dt": rng.uniform(0.1, 0.5, 5)}
    state = [values[port.name] for port in function.program.inputs]
    expected = getattr(algorithms, request_[0])(robot().tree, *state, *request_[1:])
    batch, one = function(*state), function(*(x[2] for x in state))
    parts = zip(batch, one, expected, strict=True) if isinstance(expected, tuple) else [(batch, one, expected)]
    for many, single, numbers in parts:
        assert np.linalg.norm(many - numbers) < 1e-11 * np.linalg.norm(numbers)
        assert np.array_equal(single, many[2])  # to the last bit, wherever in a batch
