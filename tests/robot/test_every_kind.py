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
    values = {"q": q, "v": v, "a": a, "tau": a, "s_ddot": a[:, 6:]}
    state = [values[port.name] for port in function.program.inputs]
    expected = getattr(algorithms, request_[0])(robot().tree, *state, *request_[1:])

    def only(result):
        return result[0] if isinstance(result, tuple) else result

    batch, one = only(function(*state)), only(function(*(x[2] for x in state)))
    assert np.linalg.norm(batch - expected) < 1e-11 * np.linalg.norm(expected)
    assert np.array_equal(one, batch[2])  # to the last bit, wherever in a batch
