"""Rotations as products of turns about coordinate axes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from floatbase.spatial.turns import Turn, turn, turn_back, turn_matrix, turn_symmetric
from floatbase.spatial.vectors import full

ANGLES = (0.0, 1e-12, 1e-9, 0.3, math.pi / 2, math.pi / 2 + 1e-9, math.pi, math.pi - 1e-9, -math.pi / 2)


def constant(angle: float) -> tuple[float, float]:
    """Cosine and sine, exact for quarter turns; the cosine of a tiny angle is 1."""
    quarters = angle / (math.pi / 2)
    if quarters == round(quarters):
        return ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    return math.cos(angle), math.sin(angle)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("axis", range(3))
def test_turns_are_rotation_matrices(axis, angle, rng):
    c, s = constant(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[i, i], R[i, j], R[j, i], R[j, j] = c, -s, s, c
    rotation, a, N = (Turn(axis, c, s),), rng.standard_normal(3), rng.standard_normal((3, 3))
    np.testing.assert_allclose(turn(rotation, tuple(a)), R @ a, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(turn_back(rotation, tuple(a)), R.T @ a, rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(turn_matrix(rotation, tuple(map(tuple, N))), R @ N @ R.T, rtol=0.0, atol=4e-15)
    S = N + N.T
    found = full(turn_symmetric(rotation, (*S[0], *S[1, 1:], S[2, 2])))
    np.testing.assert_allclose(found, R @ S @ R.T, rtol=0.0, atol=4e-15)
