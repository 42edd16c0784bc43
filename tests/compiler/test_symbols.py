"""Symbols behave as NumPy arrays: every function gives what it gives on numbers."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from floatbase.compiler import Graph, interpret, is_symbolic, symbols, trace
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols
from floatbase.errors import ArgumentError, FloatbaseError, ShapeError, TraceError

E3 = np.eye(3)

ELEMENTWISE = {name: getattr(np, name) for name in [
    "positive", "negative", "sqrt", "absolute", "fabs", "abs", "sign", "floor", "ceil", "sin", "cos", "tan",
    "arctan", "sinh", "cosh", "tanh", "exp", "log", "expm1", "log1p", "square", "reciprocal", "deg2rad",
    "rad2deg", "degrees", "radians", "conjugate", "cbrt", "exp2", "log2", "log10", "rint", "trunc", "arcsinh",
    "arctanh", "nan_to_num", "round",
]}  # fmt: skip
PAIRS = {name: getattr(np, name) for name in [
    "add", "subtract", "multiply", "divide", "true_divide", "power", "float_power", "minimum", "maximum",
    "fmin", "fmax", "arctan2", "hypot", "copysign", "fmod", "remainder", "floor_divide", "heaviside",
]}  # fmt: skip

FUNCTIONS = {
    # arithmetic and broadcasting
    "operators": lambda x, A: (x + 2.0) * 3 - x / 2 + 1 / x - (-x) ** 2 + x**3 + x**-1 + x**0.5 + 2.0**x,
    "reflected numbers": lambda x, A: np.float64(2.0) * x + np.float32(0.5) - np.int64(3) / x,
    "reflected arrays": lambda x, A: np.arange(3) * x + E3 @ x - np.ones(3) / x,
    "broadcasting": lambda x, A: A * x + x[:, None] * A - x[None, :],
    "in place": lambda x, A: _in_place(x, A),
    "floor division and remainder": lambda x, A: (5.5 * x) // 2.0 + (7.0 * x) % 3.0,
    "scalar of array": lambda x, A: x[0] * A[1, 2] + x[()][1],
    "comparisons": lambda x, A: np.where((x < 0.5) | (x >= 0.7) & ~(A[0] == A[1]), x, -x),
    "what is finite": lambda x, A: np.where(np.isnan(x) | np.isinf(x) | ~np.isfinite(x), 0.0, x),
    "exclusive or": lambda x, A: np.where(np.logical_xor(x < 0.5, A < 0.5) ^ (x < A), 1.0, 2.0),
    "select": lambda x, A: np.select([x < 0.3, x < 0.6], [x, A[0]], 2.0) + np.select([x < 0.5], [7.0]),
    "rounding": lambda x, A: np.round(7 * A, 1) + round(x[0], 2) + math.floor(3 * x[1]) + math.trunc(-5 * x[2]),
    "arccosh": lambda x, A: np.arccosh(1.0 + x) + np.arccosh(1.0 + 1e-9 * A) + np.arccosh(1e30 * A),
    "chained where": lambda x, A: np.where(x[0] > 0.1, A, x),
    "where of numbers": lambda x, A: np.where([True, False, True], x, 7.0),
    # views and assignment
    "slices": lambda x, A: A[1:, ::-1][0] + A[:, 1] + A[-1] + A.T[0],
    "fancy indices": lambda x, A: A[[0, 2]][:, [1, 1, 0]],
    "masks": lambda x, A: A[np.eye(3, dtype=bool)] + x[np.array([True, True, True])],
    "assignment": lambda x, A: _assigned(x, A),
    "flat and ravel": lambda x, A: A.ravel() + np.array([*A.flat], like=x) + A.flatten(),
    "reshape": lambda x, A: A.reshape(9, 1)[2:8].reshape(2, 3) + np.reshape(A, (9,))[:3],
    "iteration": lambda x, A: sum(row @ x for row in A),
    "copies": lambda x, A: copy.deepcopy(A) + A.copy() + np.copy(A),
    # products
    "matmul": lambda x, A: A @ A @ x,
    "matmul vector matrix": lambda x, A: x @ A + (x @ x),
    "matmul stacked": lambda x, A: np.stack([A, 2 * A]) @ A + np.stack([A, A]) @ np.stack([A.T, A]),
    "matmul numbers": lambda x, A: np.diag([1.0, 2.0, 0.0]) @ A + A @ E3,
    "dot": lambda x, A: np.dot(A, x) + A.dot(x) + x.dot(x) + np.dot(x, 2.0),
    "vdot and inner": lambda x, A: np.inner(x, x) + np.vdot(x, x),
    "outer": lambda x, A: np.outer(x, x) + np.multiply.outer(x, x),
    "cross": lambda x, A: np.cross(x, A[0]) + np.cross([0.0, 0.0, 1.0], x),
    "kron": lambda x, A: np.kron(E3, A),
    "einsum": lambda x, A: np.einsum("ij,jk,k->i", A, E3, x) + np.einsum("ii->", A) + np.einsum("i,i", x, x),
    "tensordot": lambda x, A: np.tensordot(A, x, axes=1),
    "trace": lambda x, A: np.trace(A) + A.trace(),
    # reductions
    "sum": lambda x, A: np.sum(A, axis=0) + A.sum(axis=1) + x.sum() + np.sum(A),
    "sum keepdims": lambda x, A: A / np.sum(A, axis=1, keepdims=True),
    "prod": lambda x, A: np.prod(A, axis=0) + x.prod(),
    "mean": lambda x, A: np.mean(A, axis=0) + x.mean(),
    "cumsum": lambda x, A: np.cumsum(x) + np.cumsum(A, axis=1),
    "cumprod": lambda x, A: np.cumprod(x),
    "max and min": lambda x, A: np.max(A, axis=0) + x.min() + np.amax(x) + A.max(),
    "norm": lambda x, A: np.linalg.norm(x) + np.linalg.norm(A, axis=1) + np.linalg.norm(A),
    "all and any": lambda x, A: np.where(np.all(x > 0.0), x, 0.0) + np.where(np.any(A > 0.6, axis=0), 1.0, 2.0),
    "var and std": lambda x, A: np.var(x) + np.std(A, axis=0),
    "diff": lambda x, A: np.diff(x),
    # making and joining
    "zeros, ones, full": lambda x, A: np.zeros(3, like=x) + np.ones((3,), like=x) + np.full(3, 2.0, like=x),
    "likes": lambda x, A: np.zeros_like(x) + np.ones_like(A) + np.full_like(x, 3.0) + np.empty_like(x) * 0,
    "eye and identity": lambda x, A: np.eye(3, like=x) + np.identity(3, like=x) + np.eye(3, 3, 1, like=x) + A,
    "array of rows": lambda x, A: np.array([x, A[0], [1.0, x[0], 2]], like=x),
    "asarray": lambda x, A: np.asarray([x[0], 2.0], like=x) + np.asarray(x)[:2],
    "arange": lambda x, A: np.arange(3, like=x) + x,
    "stack": lambda x, A: np.stack([x, A[0]]) + np.stack([x, x], axis=1).T,
    "joining": lambda x, A: np.concatenate([x, [1.0], A[0]]) + np.hstack([x, 1.0, x]),
    "vstack": lambda x, A: np.vstack([x, A]) + np.concatenate([A, A[:1]], axis=0),
    "column_stack": lambda x, A: np.column_stack([x, A]),
    "append": lambda x, A: np.append(x, 3.0),
    "block": lambda x, A: np.block([[A, x[:, None]], [np.zeros((1, 3)), 1.0]]),
    "diag": lambda x, A: np.diag(x) + np.diag(np.diag(A)) + np.diag(x[:2], 1),
    "tri": lambda x, A: np.tril(A) + np.triu(A, 1),
    "roll, flip": lambda x, A: np.roll(x, 1) + np.flip(x) + x[::-1],
    "repeat and tile": lambda x, A: np.repeat(x, 2) + np.tile(x, 2),
    "axes": lambda x, A: np.transpose(A) + np.swapaxes(A, 0, 1) + np.moveaxis(A, 0, 1) + A.T,
    "new axes": lambda x, A: np.expand_dims(x, 0) + np.squeeze(A[:1]) + np.atleast_2d(x) + x[np.newaxis],
    "broadcast_to": lambda x, A: np.broadcast_to(x, (3, 3)) + A,
    "split": lambda x, A: np.split(np.concatenate([x, x]), 2)[1] + np.split(A, [1])[0][0],
    "take": lambda x, A: np.take(A, [0, 2], axis=0) + A.take([1, 1], axis=0),
    "delete": lambda x, A: np.delete(A, 1, axis=0),
    "clip": lambda x, A: np.clip(x, 0.2, 0.6) + x.clip(0.3, 0.5) + np.clip(x, None, A[0]),
    # linear algebra
    "solve": lambda x, A: np.linalg.solve(A + 3 * E3, x),
    "solve matrix": lambda x, A: np.linalg.solve(A + 3 * E3, A.T),
    "inv": lambda x, A: np.linalg.inv(A + 3 * E3),
    "cholesky": lambda x, A: np.linalg.cholesky(A @ A.T + E3),
    "ufunc out": lambda x, A: _with_out(x),
    "ndim, shape, size": lambda x, A: x * np.ndim(A) + np.shape(A)[0] + np.size(x) + len(x) + x.ndim,
}


def _in_place(x, A):
    y = x.copy()
    y += 1.0
    y *= A[0]
    y[1:] -= x[1:]
    y /= 2.0
    return y


def _assigned(x, A):
    B = np.zeros((4, 4), like=x)
    B[:3, :3] = A
    B[3, 3] = 1.0
    B[:3, 3] = x
    B[3, 0] = x[0]
    B[0, 0] += x[1]
    view = B[1]
    view[2] = 5.0
    return B


def _with_out(x):
    y = np.zeros(3, like=x)
    np.sin(x, out=y)
    np.add(y, x, out=y)
    return y


@pytest.fixture
def numbers(rng):
    return rng.uniform(0.1, 0.9, size=3), rng.uniform(0.1, 0.9, size=(3, 3))


def assert_as_numbers(function, *numbers):
    expected = np.asarray(function(*numbers))
    program = trace(function, {f"x{k}": value.shape for k, value in enumerate(numbers)}).validate()
    (value,) = interpret(program, *numbers)
    assert value.shape == expected.shape
    np.testing.assert_allclose(value, expected, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name, numbers):
    assert_as_numbers(FUNCTIONS[name], *numbers)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name, numbers):
    assert_as_numbers(lambda x: ELEMENTWISE[name](x), numbers[0])
    assert_as_numbers(lambda x: ELEMENTWISE[name](x[1]), numbers[0])  # of a scalar


@pytest.mark.parametrize("name", ["arcsin", "arccos", "arctan"])
def test_inverse_functions(name, numbers):
    assert_as_numbers(lambda x: getattr(np, name)(x), numbers[0])


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(name, numbers):
    assert_as_numbers(lambda x, A: PAIRS[name](3.0 * x, A), *numbers)
    assert_as_numbers(lambda x, A: PAIRS[name](x[0], A[1, 1]) + PAIRS[name](2.5, x) + PAIRS[name](x, 2.5), *numbers)


@pytest.mark.parametrize("name", ["sign", "floor", "ceil", "absolute", "trunc", "rint", "cbrt"])
def test_negative_arguments(name):
    assert_as_numbers(lambda x: getattr(np, name)(x), np.array([-1.7, -0.5, 0.0, 2.5, 1.5]))


SPECIAL = [np.nan, -np.inf, -2.0, -0.5, 0.0, 0.5, 2.0, np.inf]


@pytest.mark.parametrize("name", ["minimum", "maximum", "fmin", "fmax"])
def test_nan_is_what_numpy_makes_of_it(name):
    """Whichever operand it is, and whichever was traced first."""
    x, y = (array.ravel() for array in np.meshgrid(SPECIAL, SPECIAL))
    for function in (getattr(np, name), lambda x, y: getattr(np, name)(y, x)):
        np.testing.assert_array_equal(interpret(trace(function, {"x": len(x), "y": len(y)}), x, y)[0], function(x, y))


def test_bounds_and_extremes_keep_nan():
    x = np.array(SPECIAL)

    def bounded(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            logarithms = np.log(x)
            return np.stack([
                np.maximum(x, logarithms), np.clip(x, logarithms, 9.0), np.clip(logarithms, x, x),
                np.max(np.stack([x, logarithms]), axis=0), np.min(np.stack([logarithms, x]), axis=0),
            ])  # fmt: skip

    np.testing.assert_allclose(interpret(trace(bounded, {"x": len(x)}), x)[0], bounded(x), rtol=1e-15)


def test_nan_to_num():
    x = np.array(SPECIAL)
    for settings in ({}, {"nan": 3.0, "posinf": 7.0, "neginf": -1.0}):

        def known(x, settings=settings):
            return np.nan_to_num(x, **settings)

        np.testing.assert_array_equal(interpret(trace(known, {"x": len(x)}), x)[0], known(x))


def test_inverse_hyperbolic_functions_over_the_whole_range():
    x = np.array([0.0, 1e-300, 1e-9, 0.1, 0.9, 1 - 1e-15, 1.0, 1 + 1e-15, 1.5, 1e9, 2e18, 1e200, np.inf])
    x = np.concatenate([x, -x])
    for function in (np.arcsinh, np.arccosh, np.arctanh):
        with np.errstate(invalid="ignore", divide="ignore"):
            np.testing.assert_allclose(interpret(trace(function, {"x": len(x)}), x)[0], function(x), rtol=4e-16)


def test_remainder_of_negative_numbers():
    x = np.array([-3.5, 3.5, -0.5])
    assert_as_numbers(lambda x: x % 2.0 + np.fmod(x, 2.0) + x // -2.0, x)


# -- what symbols are -------------------------------------------------------------------------------------------


def test_results_are_symbol_arrays():
    with Graph():
        x = symbols("x", 3)
        for value in (x + 1, np.sin(x), x @ np.eye(3), np.stack([x, x]), x[1:], np.where(x > 0, x, 0.0), -x):
            assert isinstance(value, SymbolArray)
        assert is_symbolic(x) and is_symbolic(x[0]) and not is_symbolic(np.ones(3), 1.0)
        assert repr(x[1]) == "x[1]"
        assert repr(symbols("y").item()) == "y"


def test_folding():
    with Graph() as graph:
        x, y = symbols("x", 2)
        assert x + 0 is x and 0 + x is x and x * 1 is x and x - x == 0.0 and x * 0 == 0.0 and 0 / x == 0.0
        assert -(0.0 - x) is x and x + y is y + x and x * y is y * x
        assert (-x) * y is -(x * y) and x + (-y) is x - y and (-x) - y is -(x + y)
        assert 2.0 * (3.0 * x) is 6.0 * x and x / 2 is 0.5 * x and (-2.0) * x is -(2.0 * x)
        assert np.sin(-x) is -np.sin(x) and np.cos(-x) is np.cos(x)
        assert x**2 is x * x and x**0 == 1.0 and x**1 is x and x**0.5 is np.sqrt(x)
        before = len(graph.code)
        assert np.sin(x) is np.sin(x) and len(graph.code) == before


def test_products_skip_structural_zeros():
    program = trace(lambda x: np.diag([1.0, 0.0, 2.0]) @ x, {"x": 3})
    assert program.operation_count == 1
    np.testing.assert_array_equal(program.sparsity("result"), [True, False, True])


# -- what they cannot do ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("misuse", "message"),
    [
        (lambda x: 1.0 if x[0] > 0 else 2.0, "cannot branch on it"),
        (lambda x: x[0] if x[0] else 2.0, "cannot branch on it"),
        (lambda x: (x[0] > 0) and (x[1] > 0), "cannot branch on it"),
        (lambda x: max(x[0], x[1]), "cannot branch on it"),
        (lambda x: [1, 2][x[0]], "has no value while tracing"),
        (lambda x: float(x[0]), "has no value while tracing"),
        (lambda x: _into_floats(x), "cannot be stored in a float array|has no value while tracing"),
        (lambda x: np.ones(2).__iadd__(x), "symbols|float"),
        (lambda x: x / 0.0, "zero"),
        (lambda x: x[0] / 0, "zero"),
        (lambda x: np.fft.fft(x), "cannot be traced"),
        (lambda x: np.linalg.eigh(np.outer(x, x)), "cannot be traced"),
        (lambda x: np.linalg.svd(np.outer(x, x)), "cannot be traced"),
        (lambda x: np.sort(x), "cannot branch on it"),
        (lambda x: np.argmax(x), "cannot branch on it"),
        (lambda x: np.nextafter(x, 1.0), "np.nextafter cannot be traced; these can: matmul, absolute, add"),
        (lambda x: np.nonzero(x), "cannot branch on it"),
        (lambda x: np.interp(x, [0.0, 1.0], [0.0, 1.0]), "cannot be traced"),
        (lambda x: np.allclose(x, 0.0), "cannot branch on it"),
        (lambda x: np.linalg.norm(x, 1), "cannot be traced"),
        (lambda x: np.where(x > 0), "give both values"),
        (lambda x: x + np.array([1j, 2.0]), "complex"),
        (lambda x: x + "a", "<U1"),
        (lambda x: x[0] + "a", "str"),
        (lambda x: (x > 0) + 1.0, "truth value"),
        (lambda x: np.sin(x > 0), "truth value"),
        (lambda x: x & (x > 0), "needs truth values"),
        (lambda x: x @ np.ones(3), "matmul of shapes"),
        (lambda x: np.einsum("ij,j->i", np.ones((2, 3)), x), "sizes 3 and 2"),
        (lambda x: x[x > 0], r"known while tracing; with symbols, np\.where\(x > 0, a, b\) chooses"),
        (lambda x: _masked(x), r"np\.where\(x > 0, a, b\) chooses"),
        (lambda x: x[x[0]], "floatbase.gather"),
        (lambda x: np.add.at(x.copy(), [0, 0], 1.0), r"np\.add\.at cannot be traced; assign the elements"),
        (lambda x: x[0] << 1, "no bits to shift or combine: multiply by a power of two"),
        (lambda x: x[0] & 1, "no bits"),
        (lambda x: divmod(x[0], 2.0), "has no meaning while tracing: .*divmod"),
        (lambda x: f"{x[0]:.3f}", "has no meaning while tracing: .*format"),
        (lambda x: np.select([x > 0], [x, x]), "as many choices as conditions, got 2 and 1"),
        (lambda x: np.nan_to_num(x, copy=False), "does not change an array in place"),
    ],
)
def test_misuse(misuse, message):
    with pytest.raises((FloatbaseError, TypeError), match=message):
        trace(misuse, {"x": 2})


def test_mistakes_that_have_nothing_to_do_with_symbols_stay_as_they_are():
    for mistake, error in ((lambda x: x[7], IndexError), (lambda x: "a" + 3, TypeError)):
        with pytest.raises(error) as caught:
            trace(mistake, {"x": 2})
        assert not isinstance(caught.value, FloatbaseError)


def test_symbols_have_a_name_and_a_shape():
    with pytest.raises(ArgumentError, match=r"the shape must be a whole number or a tuple of them, got \(-1,\)"):
        symbols("x", (-1,))
    with pytest.raises(ArgumentError, match="the name must be a string, got 3"):
        symbols(3, (2,))


def _masked(x):
    y = x.copy()
    y[x > 0] = 0.0
    return y


def _into_floats(x):
    y = np.zeros(2)
    y[0] = x[0]
    return y


def test_mixing_graphs():
    with Graph():
        x = symbols("x", 2)
    with Graph():
        y = symbols("y", 2)
    for mix in (np.add, np.multiply, np.subtract, np.divide, np.minimum, np.arctan2, np.less):
        with pytest.raises(TraceError, match="two different traces"):
            mix(x, y)
    with pytest.raises(TraceError, match="two different traces"):
        np.where(x > 0, y, x)


def test_shapes_of_systems():
    with Graph():
        A, b = symbols("A", (2, 3)), symbols("b", 3)
        with pytest.raises(ShapeError, match=r"square, got shape \(2, 3\)"):
            np.linalg.solve(A, b)
        with pytest.raises(ShapeError, match=r"A is 2 x 2, B has shape \(3,\)"):
            np.linalg.solve(A[:, :2], b)


def test_conversions():
    with Graph():
        x = symbols("x")
        assert as_symbols(x) is x and as_symbols(x.item()).shape == ()
        assert all(type(item) is float for item in as_symbols(np.arange(3, dtype=np.int32)))
        with pytest.raises(TraceError, match="complex128"):
            as_symbols(np.ones(2, dtype=complex))
