"""One call serves numbers, symbols and CasADi's matrices, in the same form; numbers of CasADi's are checked as ours."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.compiler import Graph, extract
from floatbase.errors import ArgumentError, ShapeError, StateError

casadi = pytest.importorskip("casadi")

REQUESTS = {
    "one": "com",
    "a scalar": "kinetic_energy",
    "several": ["com", "bias"],
    "a named tuple": "com_velocity_derivatives",
    "named tuples": ["mass_matrix", "com_velocity_derivatives"],
    "of a frame": ("velocity", "FL_FOOT"),
}


@pytest.fixture
def robot(load_robot):
    return load_robot("solo12", "mixed")


def leaves(value):
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, tuple) else [value]


def form(value):
    return (type(value), *map(form, value)) if isinstance(value, tuple) else ()


@pytest.mark.parametrize("name", REQUESTS)
def test_functions_of_symbols(robot, rng, name):
    function, (q, v) = robot.function(REQUESTS[name]), robot.random(rng)
    state = (q, v)[: len(function.signature.inputs)]
    expected = function(*state)
    with Graph() as graph:
        inputs = {"q": fb.symbols("q", robot.nq), "v": fb.symbols("v", robot.nv)}
        arguments = list(inputs.values())[: len(state)]
        for call in (function, function.fast):
            value = call(*arguments)
            assert form(value) == form(expected)
            outputs = {f"y{k}": leaf for k, leaf in enumerate(leaves(value))}
            program = extract(graph, "f", dict(list(inputs.items())[: len(state)]), outputs)
            for found, right in zip(fb.interpret(program, *state), leaves(expected), strict=True):
                np.testing.assert_allclose(found, right, atol=1e-10)
            assert [np.shape(leaf) for leaf in leaves(value)] == [np.shape(leaf) for leaf in leaves(expected)]


@pytest.mark.parametrize("kind", [casadi.SX, casadi.MX])
@pytest.mark.parametrize("name", REQUESTS)
def test_functions_of_casadi(robot, rng, name, kind):
    function, (q, v) = robot.function(REQUESTS[name]), robot.random(rng)
    state = (q, v)[: len(function.signature.inputs)]
    symbols = [kind.sym("q", robot.nq), kind.sym("v", robot.nv)][: len(state)]
    value, expected = function(*symbols), function(*state)
    assert form(value) == form(expected)
    theirs = casadi.Function("f", symbols, leaves(value))
    for found, right in zip(theirs.call(state), leaves(expected), strict=True):
        np.testing.assert_allclose(np.array(found).reshape(np.shape(right)), right, atol=1e-10)


def test_functions_of_casadis_numbers(robot, rng):
    function, (q, v) = robot.function(["com", "bias"]), robot.random(rng)
    for found, right in zip(function(casadi.DM(q), v=v), function(q, v), strict=True):
        assert isinstance(found, casadi.DM)
        np.testing.assert_allclose(np.array(found).ravel(), right, atol=1e-10)


def test_what_functions_of_expressions_refuse(robot):
    function = robot.function(["com", "bias"])
    q, v = fb.symbols("q", robot.nq), fb.symbols("v", robot.nv)
    sx, mx = casadi.SX.sym("q", robot.nq), casadi.MX.sym("v", robot.nv)
    for call, error, message in (
        (lambda: function(q), ArgumentError, "missing v"),
        (lambda: function(v, q), ShapeError, r"q must have shape \(19,\), got \(18,\)"),
        (lambda: function(q, v, out=(None, None)), ArgumentError, "out is for calls with numbers"),
        (lambda: function(q, mx), ArgumentError, "symbols and CasADi's matrices do not mix"),
        (lambda: function(sx, mx), ArgumentError, "SX and MX do not mix"),
        (lambda: robot.bias(sx, mx), ArgumentError, "bias: SX and MX do not mix; give expressions of one kind"),
    ):
        with pytest.raises(error, match=message):
            call()


UNIT = r"the base quaternion q\[3:7\] .*, to 1e-06 in its square; got 0, 0, 0, 0, of length 0"


def test_numbers_of_casadi_are_checked(robot, rng):
    q, v = robot.random(rng)
    lost, bad = np.where(np.arange(robot.nq) < 3, q, 0.0), np.where(np.arange(robot.nq) == 8, np.nan, q)
    for call in (robot.com, robot.function("com"), lambda q: robot.bias(q, v), lambda q: robot.pose(q, "FL_FOOT")):
        with pytest.raises(StateError, match=UNIT):
            call(casadi.DM(lost))
        with pytest.raises(StateError, match=r"argument 'q' must be finite, but q\[8\] is nan"):
            call(casadi.DM(bad))
        assert isinstance(call(casadi.DM(q)), casadi.DM)


def test_values_that_are_refused_are_said(robot, rng):
    q, v = robot.random(rng, n=(2, 3))
    q[1, 2, 3:7] = 0.0
    for call in (
        lambda: robot.com(q),
        lambda: robot.change_of_base(q, v, robot.body_names[1]),
        lambda: fb.interpret(robot.program("com"), q, guards=True),
    ):
        with pytest.raises(StateError, match=UNIT + r" \(row \(1, 2\)\)$"):
            call()
    with pytest.raises(StateError, match=UNIT + "$"):
        robot.com(q[1, 2])
