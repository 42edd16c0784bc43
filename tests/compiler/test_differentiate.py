"""Derivatives of expressions: against complex step, forward against reverse, second order, and misuse."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.compiler.complex_step import complex_jacobian, whole_jacobian

from floatbase.compiler import Graph, Port, interpret, symbols, trace
from floatbase.compiler.differentiate import gradient, hessian, jacobian, jacobian_program, jvp, vjp
from floatbase.compiler.operations import BOOLEAN, NUMPY
from floatbase.compiler.replaying import replay
from floatbase.compiler.tracing import extract
from floatbase.errors import ArgumentError, ShapeError, TraceError

UNARY = {
    "negative": np.negative, "sqrt": np.sqrt, "absolute": np.absolute, "sign": np.sign, "floor": np.floor,
    "ceil": np.ceil, "sin": np.sin, "cos": np.cos, "tan": np.tan, "arcsin": np.arcsin, "arccos": np.arccos,
    "arctan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "exp": np.exp, "log": np.log,
    "expm1": np.expm1, "log1p": np.log1p, "square": np.square, "reciprocal": np.reciprocal, "arcsinh": np.arcsinh,
    "arctanh": np.arctanh,
}  # fmt: skip
BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide, "minimum": np.minimum,
    "maximum": np.maximum, "arctan2": np.arctan2, "power": np.power, "hypot": np.hypot,
}  # fmt: skip


def assert_derivative(program, *inputs, tolerance=1e-12):
    expected = complex_jacobian(program, *inputs)
    scale = 1.0 + np.abs(expected).max(initial=0.0)
    for mode in ("forward", "reverse"):
        derivative = jacobian_program(program, mode=mode).validate()
        np.testing.assert_allclose(
            whole_jacobian(program, derivative, *inputs) / scale, expected / scale, atol=tolerance, err_msg=mode
        )


@pytest.mark.parametrize("name", UNARY)
def test_unary_operations(name):
    program = trace(lambda x: UNARY[name](x) * x[::-1], {"x": 3})
    assert_derivative(program, np.array([0.3, 0.71, 0.05]))
    if name in ("absolute", "sign", "floor", "ceil", "negative", "arctan", "sin"):
        assert_derivative(program, np.array([-1.3, 2.71, -0.05]))


@pytest.mark.parametrize("name", BINARY)
def test_binary_operations(name):
    def both(x, y):
        return BINARY[name](x, y), BINARY[name](x, 1.7), BINARY[name](1.7, y)

    assert_derivative(trace(both, {"x": 2, "y": 2}), np.array([0.3, 2.1]), np.array([1.4, 0.6]))


def test_every_operation_is_differentiated():
    from floatbase.compiler import differentiate_scalars as rules

    known = {*rules._UNARY, *rules._BINARY, *rules.CHOICES, *rules.CONSTANT_BETWEEN_STEPS}
    assert known == {int(op) for op in NUMPY} and known >= BOOLEAN


def test_inverse_hyperbolic_functions_have_derivatives_everywhere():
    for function, points, slope in (
        (np.arcsinh, [0.0, -1e-9, 1e30, -2.0], lambda x: 1.0 / np.sqrt(x * x + 1.0)),
        (np.arctanh, [0.0, -0.5], lambda x: 1.0 / (1.0 - x * x)),
        (np.arccosh, [1.5, 1e30], lambda x: 1.0 / np.sqrt(x * x - 1.0)),
    ):
        for mode in ("forward", "reverse"):
            program = jacobian_program(trace(function, {"x": ()}), mode=mode)
            for x in points:
                np.testing.assert_allclose(interpret(program, x)[0], slope(x), rtol=1e-12, err_msg=f"{function} {x}")


def test_power_of_zero_has_no_nan():
    program = jacobian_program(trace(lambda x, y: x**y, {"x": (), "y": ()}))
    np.testing.assert_array_equal(interpret(program, 0.0, 2.0), (0.0, 0.0))


def test_the_branch_not_taken_does_not_matter_in_forward_mode():
    program = jacobian_program(trace(lambda x: np.where(x > 0, np.sqrt(x), 0.0), {"x": ()}), mode="forward")
    assert interpret(program, 0.0)[0] == 0.0


@st.composite
def expressions(draw):
    """A list of steps, each an operation on earlier values; smooth and bounded operations only."""
    unary = ["sin", "cos", "tanh", "arctan", "absolute", "negative"]
    binary = ["add", "subtract", "multiply", "minimum", "maximum", "arctan2"]
    steps = []
    for count in range(3, 3 + draw(st.integers(1, 25))):
        place = st.integers(0, count - 1)
        kind = draw(st.sampled_from([*unary, *binary, "where", "scale"]))
        steps.append((kind, draw(place), draw(place), draw(place), draw(st.sampled_from([-2.0, 0.0, 0.5, 1.0]))))
    return steps


def evaluate(steps, x):
    values = [x[0], x[1], x[2]]
    for kind, a, b, c, number in steps:
        if kind in UNARY:
            values.append(UNARY[kind](values[a]))
        elif kind == "scale":
            values.append(values[a] * number + number)
        elif kind == "where":
            values.append(np.where(values[a] < number, values[b], values[c]))
        elif kind == "arctan2":
            values.append(np.arctan2(values[a], values[b] * values[b] + 1.5))
        else:
            values.append(BINARY[kind](values[a], values[b]))
    return np.array(values[-3:], like=x)


@settings(max_examples=60, deadline=None)
@given(expressions(), st.lists(st.floats(-2, 2), min_size=3, max_size=3))
def test_random_expressions(steps, point):
    point = np.array(point) + np.array([0.0123, 0.0345, -0.0567])
    assert_derivative(trace(lambda x: evaluate(steps, x), {"x": 3}), point, tolerance=1e-10)


@settings(max_examples=20, deadline=None)
@given(expressions(), st.lists(st.floats(-1, 1), min_size=3, max_size=3))
def test_random_second_derivatives(steps, point):
    point = np.array(point) + np.array([0.0123, 0.0345, -0.0567])
    first = trace(lambda x: gradient(np.sum(evaluate(steps, x)), x), {"x": 3})
    second = trace(lambda x: hessian(np.sum(evaluate(steps, x)), x), {"x": 3})
    value = interpret(second, point)[0]
    expected = complex_jacobian(first, point)
    np.testing.assert_allclose(value, expected, atol=1e-10 * (1 + np.abs(expected).max()))
    np.testing.assert_array_equal(value, value.T)


def test_products_with_directions_equal_the_jacobian(rng):
    def function(x):
        return np.array([np.sin(x[0]) * x[1], x[2] / x[1], x[0] * x[3], 2.0], like=x)

    def products(x, dx, dy):
        y = function(x)
        return {"J": jacobian(y, x), "jvp": jvp(y, x, dx), "vjp": vjp(y, x, dy)}

    program = trace(products, {"x": 4, "dx": 4, "dy": 4})
    x, dx, dy = rng.normal(size=(3, 4))
    J, forward, reverse = interpret(program, x, dx, dy)
    np.testing.assert_allclose(forward, J @ dx, atol=1e-14)
    np.testing.assert_allclose(reverse, dy @ J, atol=1e-14)


def test_structural_zeros_are_kept():
    program = trace(lambda x: x[1:] * x[:-1], {"x": 6})
    for mode in ("forward", "reverse"):
        pattern = jacobian_program(program, mode=mode).sparsity("d_result_d_x")
        np.testing.assert_array_equal(pattern, np.eye(5, 6) + np.eye(5, 6, 1) > 0)


def test_linear_expressions_have_constant_derivatives():
    program = jacobian_program(trace(lambda x: np.arange(6.0).reshape(2, 3) @ x, {"x": 3}))
    assert program.operation_count == 0
    np.testing.assert_array_equal(interpret(program, np.zeros(3))[0], np.arange(6.0).reshape(2, 3))


def test_shapes_and_names():
    program = trace(lambda x, y: {"a": x * y, "b": y}, {"x": (2, 3), "y": ()})
    all_of_them = jacobian_program(program)
    assert all_of_them.outputs == (
        Port("d_a_d_x", (2, 3, 2, 3)), Port("d_a_d_y", (2, 3)), Port("d_b_d_x", (2, 3)), Port("d_b_d_y", ()),
    )  # fmt: skip
    assert jacobian_program(program, "a", "y").outputs == (Port("d_a_d_y", (2, 3)),)


def test_intermediate_symbols_and_their_multiples():
    def function(x):
        y = x[0] * x[1]
        flipped = -y
        scaled = 3.0 * y
        z = np.cos(flipped) + 2.0 * scaled + x[0]
        return jacobian(z, y), jacobian(z, flipped), jacobian(z, scaled, "reverse")

    x = np.array([0.7, 0.4])
    slope = -np.sin(0.28) + 6.0
    np.testing.assert_allclose(interpret(trace(function, {"x": 2}), x), [slope, -slope, slope / 3], atol=1e-15)


def test_replay_composes_programs(rng):
    inner = trace(lambda x, y: (x @ y, x - y), {"x": 3, "y": 3}, "inner")
    outer = trace(lambda z: replay(inner, 2.0 * z, np.sin(z))[0] + replay(inner, z, np.ones(3))[1], {"z": 3})
    z = rng.normal(size=3)
    np.testing.assert_allclose(interpret(outer, z)[0], 2 * z @ np.sin(z) + z - 1.0, atol=1e-14)
    with pytest.raises(ShapeError, match=r"y must have shape \(3,\), got \(2,\)"):
        trace(lambda z: replay(inner, z, z[:2])[0], {"z": 3})
    with pytest.raises(ArgumentError, match="takes 2 inputs"):
        trace(lambda z: replay(inner, z)[0], {"z": 3})


def test_replay_keeps_guards():
    from floatbase.compiler import guard

    def careful(x):
        guard(x > 0.0, "x must be positive")
        return 2.0 * x

    program = trace(careful, {"x": ()})
    assert [text for _, text in trace(lambda y: replay(program, y - 1.0)[0], {"y": ()}).guards] == [
        "x must be positive"
    ]


def test_long_chains_need_no_recursion():
    def function(x):
        y = x
        for _ in range(20_000):
            y = np.sin(y) * 1.0001
        return y

    program = jacobian_program(trace(function, {"x": ()}), mode="reverse")
    assert program.operation_count > 50_000


def test_misuse():
    with Graph() as graph:
        x = symbols("x", 2)
        with pytest.raises(ArgumentError, match="mode must be"):
            jacobian(x, x, "sideways")
        with pytest.raises(TraceError, match="twice"):
            jacobian(x, [x[0], x[0]])
        with pytest.raises(TraceError, match="must be a symbol"):
            jacobian(x, np.array([x[0], 1.0], like=x))
        for derivative in (lambda x: jacobian(x, x), lambda x: jvp(x, x, x), lambda x: gradient(x[0], x)):
            with pytest.raises(TraceError, match="with respect to numbers"):
                derivative(np.ones(2))
        with pytest.raises(TraceError, match="truth value has no derivative"):
            jacobian(x < 1.0, x)
        with pytest.raises(ShapeError, match=r"inputs' shape \(2,\)"):
            jvp(x, x, np.zeros(3))
        with pytest.raises(ShapeError, match=r"outputs' shape \(2,\)"):
            vjp(x, x, np.zeros(3))
        with pytest.raises(ShapeError, match="one scalar"):
            gradient(x, x)
        assert extract(graph, "J", {"x": x}, {"J": jacobian(np.zeros(3), x)}).outputs[0].shape == (3, 2)
    program = trace(lambda x: x, {"x": 2})
    with pytest.raises(ArgumentError, match="unknown output 'reslt'; did you mean 'result'"):
        jacobian_program(program, output="reslt")


def test_speed(capsys):
    """Differentiation must stay cheap: about a microsecond per operation it writes."""

    def chain(q):
        R, total = np.eye(3), np.zeros(3)
        for k in range(60):
            c, s = np.cos(q[k]), np.sin(q[k])
            R = R @ np.array([[c, -s, 0.0], [s, 0.8 * c, 0.6], [0.1, 0.6 * s, c]], like=q)
            total = total + R @ np.array([0.1, 0.2, 0.3 * q[k]], like=q)
        return total

    program = trace(chain, {"q": 60})
    start = time.process_time()  # whatever else the machine is doing
    derivative = jacobian_program(program, mode="forward")
    seconds = time.process_time() - start
    with capsys.disabled():
        print(f"\n{program.operation_count} operations, {derivative.operation_count} with derivatives: {seconds:.3f} s")
    assert seconds < 20e-6 * derivative.operation_count
