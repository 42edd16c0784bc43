"""The interpreter: any dtype, any batch."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase.compiler import guard, interpret, scan, trace
from floatbase.errors import ArgumentError, ShapeError, StateError

TOLERANCE = {np.float32: 2e-6, np.float64: 1e-14, np.longdouble: 1e-17, np.complex128: 1e-14}


def function(x, y):
    A = np.outer(x, x) + np.eye(7) * y
    carry, _ = scan(lambda i, c, r, s: (np.sin(c) + s * i, c), x, length=3, shared=y[None] if np.ndim(y) == 0 else y)
    solved = np.linalg.solve(A, carry)
    return {"solved": solved, "L": np.linalg.cholesky(A), "where": np.where(x > 0.5, np.sqrt(x), np.exp(y))}


PROGRAM = trace(function, {"x": 7, "y": ()})


@pytest.fixture
def inputs(rng):
    return rng.uniform(0.1, 0.9, size=7), np.array(1.5)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_dtypes(dtype, inputs):
    expected = interpret(PROGRAM, *inputs, dtype=np.longdouble)
    values = interpret(PROGRAM, *(value.astype(dtype) for value in inputs))
    for value, exact in zip(values, expected, strict=True):
        assert value.dtype == dtype
        scale = 60 if dtype is np.float32 else 10
        np.testing.assert_allclose(value.real, exact, rtol=scale * TOLERANCE[dtype], atol=scale * TOLERANCE[dtype])


def test_dtype_of_whole_numbers_and_mixtures(inputs):
    program = trace(lambda x, y: x * y, {"x": 2, "y": ()})
    assert interpret(program, [1, 2], 3)[0].dtype == np.float64
    assert interpret(program, np.ones(2, np.float32), np.float32(3))[0].dtype == np.float32
    assert interpret(program, np.ones(2, np.float32), np.float64(3))[0].dtype == np.float64
    assert interpret(program, np.ones(2), 3.0, dtype=np.float32)[0].dtype == np.float32


def test_batches(rng):
    x, y = rng.uniform(0.1, 0.9, size=(4, 1, 7)), rng.uniform(1.0, 2.0, size=(5,))
    values = interpret(PROGRAM, x, y)
    assert [value.shape for value in values] == [(4, 5, 7), (4, 5, 7, 7), (4, 5, 7)]
    one = interpret(PROGRAM, x[2, 0], y[3])
    for value, alone in zip(values, one, strict=True):
        np.testing.assert_array_equal(value[2, 3], alone)
    assert interpret(PROGRAM, x[:0], y)[0].shape == (0, 5, 7)


def test_complex_step_follows_the_real_branch():
    program = trace(
        lambda x: np.stack([abs(x), np.minimum(x, 0.0), np.maximum(x, -0.5), np.sign(x), np.floor(x)]), {"x": ()}
    )
    derivative = interpret(program, np.array([-0.25 + 1e-30j, 0.25 + 1e-30j]))[0].imag / 1e-30
    np.testing.assert_allclose(derivative, [[-1, 1, 1, 0, 0], [1, 0, 1, 0, 0]])


def test_arctan2_of_complex_numbers():
    program = trace(lambda y, x: np.arctan2(y, x), {"y": (), "x": ()})
    y, x = -0.3, -0.7
    slope = interpret(program, y + 1e-30j, x)[0].imag / 1e-30
    np.testing.assert_allclose(slope, x / (x * x + y * y), rtol=1e-15)
    assert interpret(program, y, x)[0] == np.arctan2(y, x)


def test_guards_are_looked_at_when_asked_for():
    def positive(x):
        guard(x[0] > 0.0, "x[0:2] must begin with a positive number")
        guard(x[1] < 9.0, "x must end small")
        return x * x

    program, x = trace(positive, {"x": 2}), np.array([[1.0, 2.0], [-3.0, 4.0]])
    np.testing.assert_array_equal(interpret(program, x)[0], x * x)
    np.testing.assert_array_equal(interpret(program, x[0], guards=True)[0], [1.0, 4.0])
    assert np.isnan(interpret(program, [np.nan, 1.0])[0][0])
    with pytest.raises(StateError, match=r"x\[0:2\] must .* number; got -3, 4, of length 5 \(row 1\)$"):
        interpret(program, x, guards=True)
    with pytest.raises(StateError, match=r"of length 9\.\d+; x must end small$"):
        interpret(program, [-0.5, 9.5], guards=True)
    with pytest.raises(StateError, match=r"argument 'x' must be finite, but x\[0\] is nan"):
        interpret(program, [np.nan, 1.0], guards=True)


def test_misuse():
    with pytest.raises(ArgumentError, match=r"takes 2 inputs \(x, y\), got 1"):
        interpret(PROGRAM, np.zeros(7))
    with pytest.raises(ShapeError, match=r"x must have shape \(\.\.\., 7\), got \(3, 6\)"):
        interpret(PROGRAM, np.zeros((3, 6)), 1.0)
    with pytest.raises(ShapeError, match=r"batch shapes \(3,\) and \(4,\)"):
        interpret(PROGRAM, np.zeros((3, 7)), np.zeros(4))
    with pytest.raises(ArgumentError, match="y must be an array of numbers, got dtype object"):
        interpret(PROGRAM, np.zeros(7), np.array(None))
    with pytest.raises(ArgumentError, match=r"interpret takes a floatbase\.Program, got int"):
        interpret(3, np.zeros(7))
