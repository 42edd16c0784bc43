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
    ("inverse_dynamics_derivatives",),
    ("forward_dynamics_derivatives",),
    ("linearize",),
    ("step_derivatives", "rk4"),
    ("step_product", "semi-implicit"),
    ("inverse_dynamics_gradient",),
    ("inverse_dynamics_hessian",),
)


@cache
def robot():
    return fb.Robot(random_model(0, more=0), floating=True)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: request[0])
def test_compiled_functions(request_, rng):
    function = robot().function([request_])
    q, v = robot().random(rng, n=5)
    a, w = rng.standard_normal((2, *v.shape))
    state = {"q": q, "v": v, "a": a, "tau": a, "s_ddot": a[:, 6:], "q_end": robot().integrate(q, a, 0.1)}
    directions = {"z": rng.standard_normal((5, 2 * robot().nv)), "u": a[:, 6:], "w": w}
    method = {"method": request_[1]} if request_[0].startswith("step") else {}
    values = {**state, **directions, "dt": rng.uniform(0.01, 0.02, 5) if method else rng.uniform(0.1, 0.5, 5)}
    arrays = [values[port.name] for port in function.program.inputs]
    frames = () if method else request_[1:]
    expected = getattr(algorithms, request_[0])(robot().tree, *arrays, *frames, **method)
    batch, one = function(*arrays), function(*(x[2] for x in arrays))
    parts = zip(batch, one, expected, strict=True) if isinstance(expected, tuple) else [(batch, one, expected)]
    for many, single, numbers in parts:
        assert np.linalg.norm(many - numbers) < 1e-11 * np.linalg.norm(numbers)
        assert np.array_equal(single, many[2])  # to the last bit, wherever in a batch
