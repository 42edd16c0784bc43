"""Symmetric systems that may be singular: a program gives what LAPACK gives, within what the data determine."""

import numpy as np
import pytest

from floatbase.algorithms.least_norm import least_norm_solution
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace

CASES = 50


def matrices(n, spectrum, rng):
    bases = [np.linalg.qr(rng.standard_normal((n, n)))[0] for _ in range(CASES)]
    return np.array([(Q * spectrum(n)) @ Q.T for Q in bases]), rng.standard_normal((CASES, n))


@pytest.mark.parametrize("n", [6, 12, 24])
@pytest.mark.parametrize("zeros", [0, 1, 3])
def test_solutions_of_least_norm(n, zeros, rng):
    A, b = matrices(n, lambda n: np.r_[np.zeros(zeros), rng.uniform(0.1, 3.0, n - zeros)], rng)
    expected = least_norm_solution(A, b)
    program = trace(least_norm_solution, {"A": (n, n), "b": n})
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 1e-4)):
        (found,) = interpret(program, A.astype(dtype), b.astype(dtype))
        assert found.dtype == dtype
        assert np.all(np.linalg.norm(found - expected, axis=1) <= tolerance * np.linalg.norm(expected, axis=1))


@pytest.mark.parametrize("n", [6, 12, 24])
def test_eigenvalues_over_six_decades(n, rng):
    A, b = matrices(n, lambda n: 10.0 ** rng.uniform(-5.0, 1.0, n), rng)
    (found,) = interpret(trace(least_norm_solution, {"A": (n, n), "b": n}), A, b)
    residual = (A @ found[..., None])[..., 0] - b
    scale = np.linalg.norm(A, axis=(1, 2)) * np.linalg.norm(found, axis=1)
    assert np.all(np.linalg.norm(residual, axis=1) <= 1e-13 * scale)


def test_nothing_moves():
    A, b = np.zeros((6, 6)), np.ones(6)
    (found,) = interpret(trace(least_norm_solution, {"A": (6, 6), "b": 6}), A, b)
    assert not found.any() and not least_norm_solution(A, b).any()
