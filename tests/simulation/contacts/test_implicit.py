"""What stands for contacts in implicit steps: definite, and the derivatives where those are symmetric."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase.simulation.contacts import (
    BristleContact,
    HuntCrossleyContact,
    SoleContact,
    SpringDamperContact,
    box_corners,
)
from floatbase.simulation.grounds import Flat, Slope
from floatbase.spatial import pose_from, rotation_exponential

CORNERS = box_corners(0.2, 0.1)
LAWS = {
    "spring": SpringDamperContact(points=CORNERS, stiffness=1e5, damping=300.0, friction=0.9, slip_speed=1e-3),
    "hunt": HuntCrossleyContact(points=CORNERS, stiffness=1e6, dissipation=0.5, friction=0.9, slip_speed=1e-3),
    "bristles": BristleContact(points=CORNERS, friction=0.5),
    "sole": SoleContact(friction=0.4, friction_radius=0.02),
}


def states(count: int = 200) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    turns, places = rng.uniform(-0.1, 0.1, (2, count, 3))
    places[:, 2] = rng.uniform(-0.02, 0.005, count)
    return pose_from(rotation_exponential(turns), places), rng.standard_normal((count, 6)) * 0.5


@pytest.mark.parametrize("ground", [Flat(), Slope(0.2)])
@pytest.mark.parametrize("name", list(LAWS))
def test_matrices_are_symmetric_and_positive_semidefinite(name: str, ground: object) -> None:
    law = LAWS[name]
    H, twist = states()
    memory = law.begin(H, ground)
    moved = H.copy()
    moved[:, :2, 3] += 0.004  # springs are stretched
    for matrix in law.implicit(moved, twist, memory, ground):
        size = np.abs(matrix).max(axis=(-2, -1), keepdims=True) + 1e-300
        np.testing.assert_allclose(matrix / size, np.swapaxes(matrix, -1, -2) / size, atol=1e-14)
        assert np.linalg.eigvalsh(matrix / size).min() > -1e-12
        assert np.abs(matrix).max() > 0.0


@pytest.mark.parametrize("name", ["spring", "sole"])
def test_they_are_the_derivatives_for_a_sole_at_rest(name: str) -> None:
    """Pressed straight down, at rest and without stretch, nothing couples what the ground gives in different axes."""
    law, ground = LAWS[name], Flat()
    H = np.eye(4)
    H[2, 3] = -0.005
    memory, still = law.begin(H, ground), np.zeros(6)
    D, K = law.implicit(H, still, memory, ground)
    exact_D, exact_K = law.damping_matrix(H, still, memory, ground), law.stiffness_matrix(H, still, memory, ground)
    np.testing.assert_allclose(D, exact_D, atol=1e-9 * np.abs(exact_D).max())
    np.testing.assert_allclose(np.diag(K)[:3], np.diag(exact_K)[:3], rtol=1e-9, atol=1e-6)


@pytest.mark.parametrize("name", list(LAWS))
def test_nothing_above_the_ground(name: str) -> None:
    law, ground = LAWS[name], Flat()
    H = np.eye(4)
    H[2, 3] = 0.01
    for matrix in law.implicit(H, np.ones(6), law.begin(H, ground), ground):
        np.testing.assert_array_equal(matrix, np.zeros((6, 6)))
