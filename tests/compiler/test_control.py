"""Loops, look-ups, sub-programs and dense blocks: with numbers and with symbols the same."""

from __future__ import annotations

import numpy as np
import pytest

from floatbase.compiler import (
    Graph,
    cholesky_solve,
    compile_program,
    dense_matmul,
    gather,
    guard,
    interpret,
    scan,
    subprogram,
    symbols,
    trace,
    tree_solve,
    triangular_solve,
    while_loop,
)
from floatbase.compiler.graph import current_graph
from floatbase.errors import ArgumentError, ShapeError, StateError, TraceError


def as_arrays(value):
    return value if isinstance(value, tuple) else (value,)


def assert_as_numbers(function, *inputs):
    program = trace(function, {f"x{k}": np.shape(value) for k, value in enumerate(inputs)}).validate()
    expected = as_arrays(function(*map(np.asarray, inputs)))
    for value, number in zip(interpret(program, *inputs), expected, strict=True):
        np.testing.assert_allclose(value, number, rtol=1e-12, atol=1e-14)
    return program


def cumulate(x, rows):
    def body(index, carry, row, shared):
        following = carry + row * shared[0] + index
        return following, np.stack([following, row])

    return scan(body, x, rows, shared=np.array([2.0]))


def test_scan(rng):
    program = assert_as_numbers(cumulate, rng.normal(size=3), rng.normal(size=(5, 3)))
    (block,) = program.blocks
    assert (block.kind, block.setting("length"), block.setting("collect")) == ("scan", 5, 6)
    assert program.outputs[1].shape == (5, 2, 3)


def test_scan_of_matrices_without_rows(rng):
    def function(A):
        return scan(lambda i, c, r, s: (c @ c * 0.5, np.trace(c)), A, length=4)

    program = assert_as_numbers(function, rng.normal(size=(2, 2)))
    assert program.outputs[1].shape == (4,)


def test_scan_with_symbols_in_the_rows_alone(rng):
    assert_as_numbers(lambda x: scan(lambda i, c, r, s: (c + r, c), np.zeros(2), x), rng.normal(size=(4, 2)))


def test_while_stops_for_each_state_on_its_own():
    def function(x):
        return while_loop(lambda c, s: c[0] < 100.0, lambda c, s: c * s, x, shared=np.array([2.0]), limit=50)

    program = trace(function, {"x": 1})
    carry, steps = interpret(program, np.array([[1.0], [90.0], [1000.0]]))
    np.testing.assert_array_equal(carry[:, 0], [128.0, 180.0, 1000.0])
    np.testing.assert_array_equal(steps, [7, 1, 0])
    assert_as_numbers(function, np.array([3.0]))


def test_while_stops_at_its_limit():
    def function(x):
        return while_loop(lambda c, s: c[0] > 0.0, lambda c, s: c + 1.0, x, limit=3)

    assert_as_numbers(function, np.array([1.0]))


@pytest.mark.parametrize("index", [-3.0, -0.1, 0.0, 0.9, 1.0, 2.5, 3.0, 77.0])
def test_gather(index, rng):
    assert_as_numbers(lambda t, k: gather(t, k), rng.normal(size=(4, 2, 3)), np.array(index))
    assert_as_numbers(lambda t: gather(t, index), rng.normal(size=(4, 2)))
    assert_as_numbers(lambda k: gather(np.arange(4.0), k), np.array(index))


def test_gather_of_nan_is_the_first_row():
    program = trace(lambda k: gather(np.array([5.0, 6.0]), k), {"k": ()})
    assert interpret(program, np.nan)[0] == 5.0


def test_subprograms_are_traced_once(rng):
    traced = []

    @subprogram
    def square(A):
        """A A."""
        traced.append(np.shape(A))
        return A @ A

    def function(A, B):
        return square(square(A)) + square(B) + square(np.ones((1, 1)) * A[0, 0])

    program = trace(function, {"A": (2, 2), "B": (2, 2)})
    assert traced == [(2, 2), (1, 1)] and square.__doc__ == "A A."
    assert [block.kind for block in program.blocks] == ["call"] * 4
    A, B = rng.normal(size=(2, 2, 2))
    np.testing.assert_allclose(interpret(program, A, B)[0], function(A, B), rtol=1e-13)


def test_equal_blocks_are_one():
    with Graph() as graph:
        A, b = symbols("A", (8, 8)), symbols("b", 8)
        assert (np.linalg.solve(A, b) == np.linalg.solve(A, b)).all
        assert len(graph.blocks) == 1


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_dense_blocks(n, rng):
    A, B, b = rng.normal(size=(n, n)), rng.normal(size=(n, 3)), rng.normal(size=n)
    P = A @ A.T + np.eye(n)
    L = np.linalg.cholesky(P)
    assert_as_numbers(lambda A, B, b: (np.linalg.solve(A, B), np.linalg.solve(A, b), np.linalg.inv(A)), A, B, b)
    assert_as_numbers(lambda P, B, b: (cholesky_solve(P, B), cholesky_solve(P, b), np.linalg.cholesky(P)), P, B, b)
    assert_as_numbers(lambda L, B, b: (triangular_solve(L, B), triangular_solve(L, b, transposed=True)), L, B, b)
    assert_as_numbers(lambda A, B: dense_matmul(A, B), A, B)


def test_systems_with_the_structure_of_a_tree(rng):
    parents = [-1, 0, 0, 2, -1, 3]
    ways = [[], [0], [0], [0, 2], [], [0, 2, 3]]
    L = np.eye(6)
    for k, way in enumerate(ways):
        L[k, way] = rng.standard_normal(len(way))
    D = rng.uniform(0.5, 2.0, 6)
    B = rng.standard_normal((6, 11))
    expected = np.linalg.solve(L.T @ np.diag(D) @ L, B)
    rows = [L[k, way] for k, way in enumerate(ways)]
    np.testing.assert_allclose(tree_solve(1.0 / D, rows, parents, B), expected, rtol=1e-12)
    many = tree_solve(np.stack([1.0 / D, 2.0 / D]), [[np.full(2, x) for x in row] for row in rows], parents, [B, B])
    np.testing.assert_allclose(many[0], expected, rtol=1e-12)

    def solve(W, L, B):
        return tree_solve(W, [[L[k, j] for j in way] for k, way in enumerate(ways)], parents, B)

    assert_as_numbers(solve, 1.0 / D, L, B)
    with pytest.raises(ShapeError, match="rows have"):
        tree_solve(1.0 / D, rows[::-1], parents, B)
    with pytest.raises(ShapeError, match="6 parents, but inverses of shape"):
        tree_solve(1.0 / D[:5], rows, parents, B)


def test_cholesky_reads_the_lower_part_alone(rng):
    n = 8
    A = rng.normal(size=(n, n))
    A = A @ A.T + np.eye(n)
    spoiled = np.tril(A) + np.triu(np.full((n, n), 99.0), 1)
    program = trace(lambda A, b: (cholesky_solve(A, b), np.linalg.cholesky(A)), {"A": (n, n), "b": n})
    for value, expected in zip(interpret(program, spoiled, A[0]), interpret(program, A, A[0]), strict=True):
        np.testing.assert_array_equal(value, expected)


def test_pivoting():
    assert_as_numbers(lambda A, b: np.linalg.solve(A, b), np.eye(3)[[1, 2, 0]], np.arange(3.0))
    A = np.eye(8)[::-1] + 1e-3
    program = trace(lambda A, b: np.linalg.solve(A, b), {"A": (8, 8), "b": 8})
    batch = np.stack([A, np.eye(8)])  # each state chooses its own pivots
    b = np.arange(8.0)
    np.testing.assert_allclose(interpret(program, batch, b)[0], np.linalg.solve(batch, b[:, None])[..., 0], atol=1e-13)


@pytest.mark.parametrize(
    ("function", "error", "message"),
    [
        (lambda x: scan(lambda i, c, r, s: (c, c), x), ArgumentError, "needs rows or a positive length"),
        (lambda x: scan(lambda i, c, r, s: (c, c), x, x, length=3), ArgumentError, "length=3, rows of"),
        (
            lambda x: scan(lambda i, c, r, s: (c[:1], c), x, length=2)[0],
            TraceError,
            "carry of shape (1,), it was given",
        ),
        (
            lambda x: while_loop(lambda c, s: c[0] > 0, lambda c, s: c, x, limit=0),
            ArgumentError,
            "from 1 to 1000000, got 0",
        ),
        (lambda x: while_loop(lambda c, s: c[0] > 0, lambda c, s: c, x, limit=2.5), ArgumentError, "got 2.5"),
        (lambda x: while_loop(lambda c, s: c[0] > 0, lambda c, s: c, x, limit=10**12), ArgumentError, "got 10000000"),
        (lambda x: scan(lambda i, c, r, s: (c, c), x, length=True), ArgumentError, "whole number from 1"),
        (lambda x: scan(lambda i, c, r, s: (c, c), x, length=-1), ArgumentError, "got -1"),
        (lambda x: scan(lambda i, c, r, s: c[0], x, length=2), TraceError, "must return a carry and what is collected"),
        (lambda x: scan(lambda i, c, r, s: (c + x, c), x, length=2), TraceError, "sees its own arguments alone"),
        (lambda x: subprogram(lambda y: y + x)(x), TraceError, "sees its own arguments alone"),
        (lambda x: while_loop(lambda c, s: c > 0, lambda c, s: c, x, limit=3), TraceError, "must be one truth value"),
        (
            lambda x: while_loop(lambda c, s: c[0], lambda c, s: c, x, limit=3),
            TraceError,
            "such as carry[0] < 1.0, got",
        ),
        (lambda x: while_loop(lambda c, s: c[0] > 0, lambda c, s: c[0], x, limit=3), TraceError, "carry of shape ()"),
        (lambda x: while_loop(lambda c: c[0] > 0, lambda c, s: c, x, limit=3), ArgumentError, "condition(carry, share"),
        (lambda x: while_loop(lambda c, s: c[0] > 0, lambda c: c, x, limit=3), ArgumentError, "body(carry, shared), b"),
        (lambda x: scan(lambda i, c: (c, c), x, length=2), ArgumentError, "body(index, carry, row, shared), but takes"),
        (lambda x: scan(3, x, length=2), ArgumentError, "body must be a function called as body(index, carry, row"),
        (lambda x: subprogram(3), ArgumentError, "subprogram takes a function over arrays, got 3"),
        (lambda x: gather(x, x), ShapeError, "symbolic index must be a scalar, got shape (2,)"),
        (lambda x: gather(2.0, x[0]), ShapeError, "at least one row"),
        (lambda x: subprogram(lambda y: (y, y))(x), TraceError, "must return one array, got tuple"),
        (lambda x: dense_matmul(x, x), ShapeError, "dense_matmul of shapes (2,) and (2,)"),
        (lambda x: current_graph().block("call", [x[0] > 0]), TraceError, "truth value cannot be passed"),
    ],
)
def test_misuse(function, error, message):
    with pytest.raises(error) as caught:
        trace(function, {"x": 2})
    assert message in str(caught.value)


def test_a_condition_is_a_truth_value_for_numbers_too():
    with pytest.raises(TraceError, match="must be one truth value"):
        while_loop(lambda c, s: c[0], lambda c, s: c - 1.0, np.ones(2), limit=3)
    assert while_loop(lambda c, s: c[0] > 0.0, lambda c, s: c - 1.0, np.ones(2), limit=3)[1] == 1


def test_guards_of_a_subprogram_are_those_of_the_caller():
    @subprogram
    def root(x):
        guard(x[0] >= 0.0, "the first must not be negative")
        return np.sqrt(x)

    program = trace(lambda x: root(root(x)) + root(x - 1.0), {"x": 2})
    assert [text for _, text in program.guards] == ["the first must not be negative"]
    function = compile_program(program)
    np.testing.assert_allclose(function(np.array([4.0, 9.0])), np.sqrt(np.sqrt([4.0, 9.0])) + np.sqrt([3.0, 8.0]))
    with pytest.raises(StateError, match="must not be negative"):
        function(np.array([0.5, 9.0]))
