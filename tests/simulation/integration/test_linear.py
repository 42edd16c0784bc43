"""Linear systems in discrete time: exact ones against SciPy and quadrature, the others against their formulas."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.signal

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.integration import discretize, matrix_exponential

RNG = np.random.default_rng(0)
A, B = RNG.standard_normal((4, 4)), RNG.standard_normal((4, 2))


@pytest.mark.parametrize("norm", [1e-6, 0.1, 1.0, 10.0, 200.0])
def test_matrix_exponential(norm: float) -> None:
    M = A * norm / np.linalg.norm(A, 1) - np.eye(4) * norm
    np.testing.assert_allclose(matrix_exponential(M), scipy.linalg.expm(M), rtol=1e-11, atol=1e-14)


def test_matrix_exponential_of_a_batch() -> None:
    M = RNG.standard_normal((5, 3, 3))
    np.testing.assert_allclose(matrix_exponential(M), [scipy.linalg.expm(each) for each in M], rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize(("method", "theirs"), [("exact", "zoh"), ("forward", "euler"), ("backward", "backward_diff")])
def test_discretisation_agrees_with_scipy(method: str, theirs: str) -> None:
    A_d, B_d, *_ = scipy.signal.cont2discrete((A, B, np.eye(4), np.zeros((4, 2))), 0.05, theirs)
    found = discretize(A, B, 0.05, method)
    np.testing.assert_allclose(found.A, A_d, atol=1e-13)
    np.testing.assert_allclose(found.B, B_d, atol=1e-13)


def test_tustin_is_the_trapezoidal_rule() -> None:
    x, u, h = RNG.standard_normal(4), RNG.standard_normal(2), 0.05
    A_d, B_d = discretize(A, B, h, "tustin")
    after = A_d @ x + B_d @ u
    np.testing.assert_allclose(after, x + 0.5 * h * (A @ x + A @ after) + h * B @ u, atol=1e-13)


def test_a_double_integrator_whose_matrix_is_singular() -> None:
    found = discretize([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], 0.1)
    np.testing.assert_allclose(found.A, [[1.0, 0.1], [0.0, 1.0]], atol=1e-16)
    np.testing.assert_allclose(found.B, [[0.005], [0.1]], atol=1e-16)


@pytest.mark.parametrize("method", ["backward", "tustin"])
def test_stable_systems_stay_stable_and_unstable_ones_unstable(method: str) -> None:
    omega = 3.3  # of a linear inverted pendulum; its divergent component of motion grows
    stable = discretize([[-1e4]], [[1.0]], 0.01, method)
    unstable = discretize([[omega]], [[-omega]], 0.01, method)
    assert abs(stable.A[0, 0]) < 1.0
    assert unstable.A[0, 0] > 1.0


def test_bad_input() -> None:
    with pytest.raises(ShapeError, match="n, n"):
        discretize(np.eye(3), np.ones((2, 1)), 0.1)
    with pytest.raises(ArgumentError, match="positive"):
        discretize(np.eye(2), np.ones((2, 1)), 0.0)
    with pytest.raises(ArgumentError, match="tustin"):
        discretize(np.eye(2), np.ones((2, 1)), 0.1, "bilinear")
    with pytest.raises(ArgumentError, match="finite"):
        discretize(np.full((2, 2), np.nan), np.ones((2, 1)), 0.1)
    with pytest.raises(ArgumentError, match="eigenvalue"):
        discretize([[10.0]], [[1.0]], 0.1, "backward")
