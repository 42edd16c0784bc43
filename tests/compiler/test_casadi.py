"""Programs as CasADi functions and back, against the interpreter."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.compiler.test_differentiate import BINARY, UNARY
from tests.compiler.test_differentiate_blocks import CASES, N

from floatbase.compiler import interpret, scan, trace
from floatbase.compiler.casadi import casadi_call, from_casadi, to_casadi
from floatbase.compiler.differentiate import jacobian_program
from floatbase.errors import ArgumentError, MissingDependencyError, ProgramError

casadi = pytest.importorskip("casadi")


def assert_same(function, program, *inputs, tolerance=1e-12):
    results = function.call([casadi.DM(value) for value in inputs])
    for result, expected in zip(results, interpret(program, *inputs), strict=True):
        value = np.array(result).reshape(expected.shape)
        np.testing.assert_allclose(value, expected, rtol=tolerance, atol=tolerance)


def test_every_operation_both_ways(rng):
    def everything(x, y):
        smooth = [function(x) for name, function in UNARY.items()]
        pairs = [function(x, y) for function in BINARY.values()]
        choices = [
            np.where((x < y) & (x <= 0.4), x, y), np.where((x == y) | ~(x > 0.2), x, y), np.where(x != y, 1.0, x),
            x < y,
        ]  # fmt: skip
        return np.stack([*smooth, *pairs, *choices[:3], np.where(choices[3], 1.0, 0.0)])

    program = trace(everything, {"x": 4, "y": 4})
    x, y = rng.uniform(0.1, 0.9, size=(2, 4))
    y[0] = x[0]
    function = to_casadi(program)
    assert_same(function, program, x, y)
    back = from_casadi(function).validate()
    assert [port.name for port in back.inputs] == ["x", "y"]
    for value, expected in zip(interpret(back, x, y), interpret(program, x, y), strict=True):
        np.testing.assert_allclose(value, expected, rtol=1e-13)


@pytest.mark.parametrize("name", CASES)
def test_blocks(name, rng):
    program = trace(CASES[name], {"x": N})
    point = rng.uniform(0.2, 0.9, size=N)
    assert_same(to_casadi(program), program, point, tolerance=1e-11)


def test_names_shapes_and_structural_zeros():
    program = trace(lambda A, b: {"A": np.triu(A) * b, "cube": np.ones((2, 3, 4)) * b}, {"A": (2, 3), "b": ()}, "<f> 1")
    function = to_casadi(program)
    assert (function.name_in(), function.name_out()) == (["A", "b"], ["A_out", "cube"])
    assert function.size_out(1) == (2, 12)
    assert function.sparsity_out(0).nnz() == 5
    A = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(np.array(function(A, 2.0)[0]), 2 * np.triu(A))
    assert to_casadi(program, "other").name() == "other"


def test_derivatives_agree_with_casadis(rng):
    program = trace(lambda x: np.stack([np.sin(x[0]) * x[1], x[2] / x[1]]), {"x": 3})
    function = to_casadi(program)
    x = rng.uniform(0.5, 1.0, size=3)
    symbol = casadi.SX.sym("x", 3)
    theirs = casadi.Function("J", [symbol], [casadi.jacobian(function(symbol), symbol)])
    ours = to_casadi(jacobian_program(program))
    assert theirs.sparsity_out(0) == ours.sparsity_out(0)
    np.testing.assert_allclose(np.array(ours(x)), np.array(theirs(x)), atol=1e-15)


@pytest.mark.parametrize("kind", ["SX", "MX"])
def test_calls_on_expressions(kind):
    program = trace(lambda x, y: (x * y, x @ x), {"x": 3, "y": ()})
    x, y = getattr(casadi, kind).sym("x", 3), getattr(casadi, kind).sym("y")
    product, norm = casadi_call(program, 2 * x, y)
    function = casadi.Function("f", [x, y], [product, norm])
    np.testing.assert_allclose(np.array(function([1, 2, 3], 5)[0]).ravel(), [10, 20, 30])
    mixed = casadi_call(program, np.array([1.0, 2.0, 3.0]), y)[0]
    np.testing.assert_allclose(np.array(casadi.Function("g", [y], [mixed])(2)).ravel(), [2, 4, 6])
    np.testing.assert_allclose(np.array(casadi_call(program, casadi.DM([1, 2, 3]), 2)[0]).ravel(), [2, 4, 6])
    with pytest.raises(ArgumentError, match=r"x must have shape \(3, 1\), got \(1, 1\)"):
        casadi_call(program, y, y)
    with pytest.raises(ArgumentError, match="takes 2 inputs"):
        casadi_call(program, x)


def test_functions_of_casadi():
    x, y = casadi.SX.sym("x", 2, 2), casadi.SX.sym("y")
    entry = x[0, 0]
    extras = [
        casadi.fmod(7 * entry, y), casadi.copysign(entry, -y), casadi.asinh(-entry), casadi.acosh(1 + entry),
        casadi.atanh(entry), casadi.hypot(entry, y), casadi.constpow(entry, 3), 1 / y, 2 * y, y**2,
        casadi.if_else(casadi.logic_or(entry > y, casadi.logic_not(y)), 1, 2),
    ]  # fmt: skip
    function = casadi.Function("f", [x, y], [casadi.vertcat(*extras), casadi.triu(casadi.mtimes(x, x)) * y])
    program = from_casadi(function)
    assert [port.shape for port in (*program.inputs, *program.outputs)] == [(2, 2), (), (11,), (2, 2)]
    A = np.array([[0.3, 0.7], [0.2, -0.4]])
    for value, expected in zip(interpret(program, A, np.array(0.8)), function(A, 0.8), strict=True):
        np.testing.assert_allclose(value, np.array(expected).reshape(value.shape), rtol=1e-14)
    assert not program.sparsity(function.name_out(1))[1, 0]


def test_functions_of_matrices_are_expanded():
    x = casadi.MX.sym("x", 3)
    program = from_casadi(casadi.Function("f", [x], [casadi.mtimes(x, x.T)]))
    np.testing.assert_allclose(interpret(program, [1.0, 2.0, 3.0])[0], np.outer([1, 2, 3], [1, 2, 3]))


def test_sparse_inputs():
    x = casadi.SX.sym("x", casadi.Sparsity.lower(2))
    program = from_casadi(casadi.Function("f", [x], [casadi.mtimes(x, casadi.SX([1, 2]))]))
    np.testing.assert_allclose(interpret(program, [[1.0, 99.0], [2.0, 3.0]])[0], [1.0, 8.0])


def test_refusals(monkeypatch):
    x = casadi.MX.sym("x", 2)
    root = casadi.rootfinder("r", "newton", {"x": x, "g": x * x - 2})
    with pytest.raises(ProgramError, match=r"cannot be expanded|OP_CALL, which has no counterpart"):
        from_casadi(casadi.Function("f", [x], [root(x, 0)]))
    s = casadi.SX.sym("s")
    with pytest.raises(ProgramError, match="OP_ERF, which has no counterpart"):
        from_casadi(casadi.Function("f", [s], [casadi.erf(s)]))
    with pytest.raises(ProgramError, match="free variables"):
        from_casadi(casadi.Function("f", [], [s], {"allow_free": True}))
    with pytest.raises(ArgumentError, match=r"needs a casadi\.Function, got int"):
        from_casadi(3)
    long = trace(lambda x: scan(lambda i, c, r, s: (np.sin(c), c), x, length=900_000)[0], {"x": ()})
    with pytest.raises(ArgumentError, match="too large to be written out"):
        to_casadi(long)
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'floatbase\[ocp\]'"):
        to_casadi(long)
