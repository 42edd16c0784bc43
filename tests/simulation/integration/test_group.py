"""Exponential coordinates: their rates are those that finite differences of configurations have."""

from __future__ import annotations

import numpy as np
import pytest
from tests.algorithms.every_kind import robot_of_every_kind
from tests.random_trees import random_state

from floatbase.algorithms.configuration import difference, integrate
from floatbase.simulation.integration.group import coordinate_rate


@pytest.mark.parametrize("representation", ["mixed", "body", "inertial"])
@pytest.mark.parametrize("number", [0, 3])
def test_rate_of_coordinates(number: int, representation: str) -> None:
    tree = robot_of_every_kind(number, representation)
    rng = np.random.default_rng(number)
    q, _ = random_state(rng, tree)
    u, v = rng.uniform(-0.5, 0.5, (2, tree.nv))
    here, step = integrate(tree, q, u), 1e-5
    ahead, behind = (difference(tree, q, integrate(tree, here, sign * step * v)) for sign in (1.0, -1.0))
    np.testing.assert_allclose(coordinate_rate(tree, u, v), (ahead - behind) / (2.0 * step), atol=1e-8)
