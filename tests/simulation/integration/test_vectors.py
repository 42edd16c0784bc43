"""Steps of vectors: their orders, their use on symbols and batches."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.simulation.integration import euler_step, midpoint_step, runge_kutta_step


def pendulum(x: np.ndarray, u: np.ndarray) -> np.ndarray:
    return np.stack([x[..., 1], u - np.sin(x[..., 0]) - 0.1 * x[..., 1]], axis=-1)


def end(step: object, count: int) -> np.ndarray:
    x = np.array([1.0, 0.5])
    for _ in range(count):
        x = step(pendulum, x, 0.2, 2.0 / count)
    return x


@pytest.mark.parametrize(("step", "order"), [(euler_step, 1), (midpoint_step, 2), (runge_kutta_step, 4)])
def test_orders(step: object, order: int) -> None:
    exact = end(runge_kutta_step, 2000)
    errors = [np.linalg.norm(end(step, count) - exact) for count in (40, 80)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.15)


def test_rows_of_a_batch_have_their_own_times_and_inputs() -> None:
    x, u, dt = np.random.default_rng(0).standard_normal((3, 2)), np.array([0.1, 0.2, 0.3]), np.array([0.1, 0.2, 0.3])
    together = runge_kutta_step(pendulum, x, u, dt)
    for k in range(3):
        np.testing.assert_array_equal(together[k], runge_kutta_step(pendulum, x[k], u[k], dt[k]))


def test_symbols() -> None:
    from floatbase.compiler import trace

    program = trace(lambda x, u, dt: runge_kutta_step(pendulum, x, u, dt), {"x": (2,), "u": (), "dt": ()}, "step")
    x = np.array([0.3, -0.2])
    result = fb.interpret(program, x, np.array(0.5), np.array(0.1))
    np.testing.assert_allclose(result[0], runge_kutta_step(pendulum, x, 0.5, 0.1), rtol=1e-14)
