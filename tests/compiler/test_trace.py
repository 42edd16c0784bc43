"""From functions to programs: outputs of every form, unused inputs, constants, truth values, misuse."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from floatbase.compiler import Graph, Port, Program, extract, flatten, guard, interpret, symbols, trace
from floatbase.compiler.graph import current_graph
from floatbase.compiler.interpreter import failed_guards
from floatbase.compiler.operations import Op
from floatbase.errors import ArgumentError, ProgramError, StateError, TraceError

Pair = namedtuple("Pair", ["first", "second"])


@dataclass(frozen=True)
class State:
    position: Any
    speed: Any


FORMS = {
    "array": (lambda x: 2 * x, ["result"]),
    "scalar": (lambda x: x[0], ["result"]),
    "tuple": (lambda x: (x, x[0]), ["result0", "result1"]),
    "dictionary": (lambda x: {"a": x, "b": x[0] * 2}, ["a", "b"]),
    "dataclass": (lambda x: State(x[:2], x[2]), ["position", "speed"]),
    "named tuple": (lambda x: Pair(x, -x), ["first", "second"]),
    "list": (lambda x: [x[0], 2.0], ["result"]),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_outputs(form):
    function, names = FORMS[form]
    program = trace(function, {"x": 3}, "f").validate()
    assert [port.name for port in program.outputs] == names
    x = np.array([1.0, 2.0, 3.0])
    parts, rebuild = flatten(function(x))
    values = interpret(program, x)
    for value, expected in zip(values, parts.values(), strict=True):
        np.testing.assert_array_equal(value, expected)
    assert type(rebuild(values)) is (type(function(x)) if form not in ("array", "scalar", "list") else np.ndarray)


def test_inputs_by_shape():
    program = trace(lambda a, b, c: a @ b * c, {"a": (2, 3), "b": 3, "c": ()})
    assert program.inputs == (Port("a", (2, 3)), Port("b", (3,)), Port("c"))
    assert program.inputs == trace(lambda a, b, c: a, program.inputs).inputs
    assert (program.input_size, program.output_size) == (10, 2)


def test_unused_inputs_stay_inputs():
    program = trace(lambda x, y: x[1], {"x": 2, "y": 3})
    assert program.input_size == 5
    assert len(program) == 1 and program.operation_count == 0
    assert interpret(program, [1.0, 2.0], [3.0, 4.0, 5.0])[0] == 2.0


def test_constants_as_outputs():
    program = trace(lambda x: (np.eye(2), 3, np.array([x[0], 0.0], like=x)), {"x": 1})
    values = interpret(program, np.ones((4, 1)))
    assert [value.shape for value in values] == [(4, 2, 2), (4,), (4, 2)]
    np.testing.assert_array_equal(values[0][2], np.eye(2))
    np.testing.assert_array_equal(program.sparsity("result0"), np.eye(2) > 0)
    np.testing.assert_array_equal(program.sparsity("result2"), [True, False])
    with pytest.raises(ProgramError, match="no output 'other'"):
        program.sparsity("other")


def test_truth_values_become_numbers():
    program = trace(lambda x: (x > 0.0, np.array([True, False]), np.all(x > 0)), {"x": 2}).validate()
    positive, constant, both = interpret(program, [1.0, -1.0])
    np.testing.assert_array_equal(positive, [1.0, 0.0])
    np.testing.assert_array_equal(constant, [1.0, 0.0])
    assert both == 0.0


def test_work_is_shared_and_what_is_not_needed_is_dropped():
    def function(x):
        np.exp(x)
        return np.sin(x[0]) + 1.0, np.sin(x[0]) * 2.0

    assert trace(function, {"x": 2}).operation_count == 3


def test_nested_traces_do_not_meet():
    def outer(x):
        graph = current_graph()
        inner = trace(lambda y: y * 2, {"y": 2})
        assert current_graph() is graph and isinstance(inner, Program)
        return x

    trace(outer, {"x": 1})


def test_digests_tell_programs_apart():
    def digest(function, **settings):
        return trace(function, {"x": 2}, **settings).digest

    assert digest(lambda x: x + 1.0, name="f") == digest(lambda x: 1.0 + x, name="f")
    others = [lambda x: x + 2.0, lambda x: x - 1.0, lambda x: (x + 1.0,), lambda x: x[::-1] + 1.0]
    assert len({digest(function, name="f") for function in [lambda x: x + 1.0, *others]}) == 5
    assert digest(lambda x: x, name="f") != digest(lambda x: x, name="g")


def test_programs_do_not_change():
    program = trace(lambda x: x + 1.0, {"x": 1})
    with pytest.raises(ValueError, match="read-only"):
        program.constants[0] = 2.0
    with pytest.raises(AttributeError):
        program.name = "other"
    assert repr(program) == "<Program <lambda>(x[1]) -> (result[1]): 1 operations>"


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: None, "output 'result' is None"),
        (lambda x: {"a": x, "b": "text"}, "output 'b' is 'text'"),
        (lambda x: (x, None), "output 'result1' is None"),
        (lambda x: np.array([1j]), "complex128"),
        (lambda x: [x, object()], "do not form an array"),
    ],
)
def test_outputs_that_are_not_arrays(function, message):
    with pytest.raises(TraceError, match=message):
        trace(function, {"x": 2})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.__setitem__(0, 1.0) or x, "'f' changes its argument 'x' in place; let it change a copy"),
        (lambda x: x.__iadd__(1.0), "'f' changes its argument 'x' in place"),
        (lambda x: 1.0 / (x[0] * 0.0), "'f' divides a number by zero while it is traced"),
        (lambda x: _endless(x), "'f' calls itself without end"),
        (lambda x: {1: x, "1": x}, "two outputs have one name: 1, 1"),
        (lambda x: [x, x[:1]], "arrays of different shapes do not form an array"),
    ],
)
def test_what_has_no_meaning_in_a_program(function, message):
    with pytest.raises(TraceError, match=message):
        trace(function, {"x": 2}, "f")


def _endless(x):
    return _endless(x) + 1.0


@pytest.mark.parametrize(
    ("function", "inputs", "message"),
    [
        (3, {"x": 2}, "trace takes a function, got 3"),
        (np.sin, 3, "inputs must be a mapping of names to shapes, got 3"),
        (np.sin, ["x"], r"inputs must be a mapping of names to shapes, got \['x'\]"),
        (np.sin, {3: 2}, r"inputs must be a mapping of names to shapes, got \{3: 2\}"),
        (np.add, [Port("x"), Port("x")], "two inputs have one name: x, x"),
        (np.sin, {"x": -2}, "the shape of input 'x' must be a whole number or a tuple of them, got -2"),
        (np.sin, {"x": (2.5,)}, "the shape of input 'x'"),
        (np.sin, {"x": "ab"}, "the shape of input 'x'"),
        (np.sin, {"x": True}, "the shape of input 'x'"),
    ],
)
def test_bad_requests(function, inputs, message):
    with pytest.raises(ArgumentError, match=message):
        trace(function, inputs)


def test_symbols_from_elsewhere():
    with Graph():
        other = symbols("other")
    with pytest.raises(TraceError, match="two different traces"):
        trace(lambda x: other, {"x": 1})
    with Graph() as graph:
        x, y = symbols("x", 2), symbols("y")
        with pytest.raises(TraceError, match="program 'f' depends on y, which is not an input"):
            extract(graph, "f", {"x": x}, {"z": x * y})
        with pytest.raises(TraceError, match="must be made by"):
            extract(graph, "f", {"x": 2 * x}, {"z": x})
        with pytest.raises(TraceError, match="appears twice"):
            extract(graph, "f", {"x": x, "again": x[:1]}, {"z": x})


def test_guards():
    def function(x):
        guard(x[0] > 0.0, "x[0] must be positive")
        guard(x < 10.0, "x must be small")
        guard(x[0] > 0.0, "x[0] must be positive")
        return x * 2.0

    program = trace(function, {"x": 2}).validate()
    assert [message for _, message in program.guards] == ["x[0] must be positive", "x must be small"]
    failed = failed_guards(program, np.array([[1.0, 2.0], [-1.0, 2.0], [1.0, 20.0]]))
    np.testing.assert_array_equal(failed["x[0] must be positive"], [False, True, False])
    with pytest.raises(StateError, match="must be positive"):
        function(np.array([-1.0, 0.0]))
    with pytest.raises(TraceError, match="at most 31 guards"):
        trace(lambda x: [guard(x[k] > 0, f"positive {k}") for k in range(40)] and x, {"x": 40})


def test_the_numbers_of_operations_do_not_change():
    """They are written in program files."""
    assert {op.name: int(op) for op in Op} == {
        "INPUT": 0, "CONSTANT": 1, "BLOCK": 2, "PROJECT": 3, "NEG": 10, "ADD": 11, "SUB": 12, "MUL": 13, "DIV": 14,
        "SQRT": 20, "ABS": 21, "SIGN": 22, "FLOOR": 23, "CEIL": 24, "MIN": 25, "MAX": 26, "SIN": 30, "COS": 31,
        "TAN": 32, "ASIN": 33, "ACOS": 34, "ATAN": 35, "ATAN2": 36, "SINH": 37, "COSH": 38, "TANH": 39, "EXP": 40,
        "LOG": 41, "EXPM1": 42, "LOG1P": 43, "POW": 44, "LT": 60, "LE": 61, "EQ": 62, "NE": 63, "AND": 64, "OR": 65,
        "NOT": 66, "SELECT": 70,
    }  # fmt: skip
