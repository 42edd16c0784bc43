"""Derivatives of blocks: calls, look-ups, loops, dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from tests.compiler.complex_step import complex_jacobian, whole_jacobian

from floatbase.compiler import (
    cholesky_solve,
    dense_matmul,
    gather,
    interpret,
    scan,
    subprogram,
    trace,
    tree_solve,
    triangular_solve,
    while_loop,
)
from floatbase.compiler.differentiate import gradient, hessian, jacobian_program

N = 7  # above the size up to which systems are unrolled


def positive(x):
    """A positive definite matrix (7, 7) of a vector (7,), and not symmetric above the diagonal."""
    A = np.zeros((N, N), like=x)
    for i in range(N):
        for j in range(i + 1):
            A[i, j] = 0.3 * np.sin(x[i] * x[j]) + (4.0 + x[i] if i == j else 0.0)
        A[i, i + 1 :] = 100.0 * x[i]  # never read by cholesky
    return A


def rectangle(x):
    return np.outer(x, np.cos(x[:2])) + np.array([[1.0, 2.0]] * N)


def lower(x):
    return np.tril(np.ones((N, N))) * np.cos(np.outer(x, x)) + 2.0 * np.eye(N)


@subprogram
def twist(x, y):
    return np.concatenate([np.sin(x) * y, x[:1] + y[:1], np.array([3.0])])


def halving(x, limit):
    """Newton's iteration for a square root, a while loop that stops by itself."""
    start = np.concatenate([x[:1] ** 2 + 1.0, np.array([1.0])])
    return while_loop(
        lambda c, s: np.abs(c[0] * c[0] - s[0]) > 1e-3,
        lambda c, s: np.array([0.5 * (c[0] + s[0] / c[0]), c[1] * s[1]], like=c),
        start,
        shared=np.array([x[1] * x[1] + 2.0, x[2]], like=x),
        limit=limit,
    )


def rolling(x):
    def body(index, carry, row, shared):
        following = np.array([carry[1] + row[0], np.sin(carry[0]) * shared[0], carry[2] + 0.1 * index], like=carry)
        return following, following[:2] * row[1]

    rows = np.stack([x * (k + 1.0) for k in range(5)])[:, :2]
    start = np.array([x[0], 1.0, 0.0], like=x)
    carry, collected = scan(body, start, rows, shared=x[2:4])
    return np.concatenate([carry, collected.reshape(-1)])


def counting(x):
    carry, collected = scan(lambda i, c, r, s: (c * x_squared(c), c), x, length=4)
    return carry, collected


def x_squared(c):
    return 0.5 + 0.1 * c[::-1] * c[::-1]


CASES = {
    "call": lambda x: twist(x, np.cos(x)),
    "call twice": lambda x: twist(twist(x, 2.0 * x)[:N], x),
    "gather": lambda x: gather(np.outer(x, x[:3]), 2.0 + x[0]),
    "gather below": lambda x: gather(np.outer(x, x[:3]), x[0] - 10.0) * gather(x, x[1] + 100.0),
    "gather one row": lambda x: gather(np.outer(x[:1], x), x[0]),
    "scan": rolling,
    "scan without rows": counting,
    "while": lambda x: halving(x, 50),
    "while cut short": lambda x: halving(x, 2),
    "while not at all": lambda x: while_loop(lambda c, s: c[0] > 1e9, lambda c, s: 2.0 * c, x * x, limit=3),
    "matmul": lambda x: dense_matmul(positive(x), rectangle(x)),
    "cholesky": lambda x: np.linalg.cholesky(positive(x)),
    "cholesky_solve": lambda x: cholesky_solve(positive(x), rectangle(x)),
    "cholesky_solve vector": lambda x: cholesky_solve(positive(x), x),
    "cholesky_solve inline": lambda x: cholesky_solve(positive(x)[:4, :4], rectangle(x)[:4]),
    "triangular_solve": lambda x: triangular_solve(lower(x), rectangle(x)),
    "triangular_solve transposed": lambda x: triangular_solve(lower(x), rectangle(x), transposed=True),
    "triangular_solve sparse": lambda x: triangular_solve(lower(x), np.diag(x)[:, 3:5]),
    "tree_solve": lambda x: tree_solve(x[:4], [[], [x[1]], [x[2]], [x[0], x[1]]], [-1, 0, 0, 1], rectangle(x)[:4]),
    "tree_solve constant": lambda x: tree_solve(np.ones(4), [[], [0.5], [2.0], []], [-1, 0, 0, -1], rectangle(x)[:4]),
    "lu_solve": lambda x: np.linalg.solve(positive(x) + 9.0 * np.eye(N)[::-1], rectangle(x)),
    "inverse": lambda x: np.linalg.inv(lower(x)),
    "constant matrix": lambda x: np.linalg.solve(np.eye(N) * 2.0 + 0.1, x * x),
}


@pytest.fixture
def point(rng):
    return rng.uniform(0.2, 0.9, size=N)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("name", CASES)
def test_blocks(name, mode, point):
    program = trace(CASES[name], {"x": N})
    expected = complex_jacobian(program, point)
    derivative = jacobian_program(program, mode=mode).validate()
    value = whole_jacobian(program, derivative, point)
    np.testing.assert_allclose(value, expected, atol=1e-12 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("name", CASES)
def test_second_derivatives_of_blocks(name, point):
    def total(x):
        result = CASES[name](x)
        parts = result if isinstance(result, tuple) else (result,)
        return sum(np.sum(np.sin(part)) for part in parts)

    first = trace(lambda x: gradient(total(x), x), {"x": N})
    second = trace(lambda x: hessian(total(x), x), {"x": N})
    expected = complex_jacobian(first, point)
    np.testing.assert_allclose(interpret(second, point)[0], expected, atol=1e-10 * (1 + np.abs(expected).max()))


def test_only_the_lower_part_counts(point):
    def function(A, b):
        return cholesky_solve(A, b), np.linalg.cholesky(A)

    program = trace(function, {"A": (N, N), "b": N})
    A = np.asarray(positive(point))
    for mode in ("forward", "reverse"):
        derivative = jacobian_program(program, mode=mode)
        value = whole_jacobian(program, derivative, A, point)
        np.testing.assert_allclose(value, complex_jacobian(program, A, point), atol=1e-12)
        above = np.triu(np.ones((N, N), dtype=bool), 1)
        assert not derivative.sparsity("d_result0_d_A")[:, above].any()
        assert not derivative.sparsity("d_result1_d_A")[:, :, above].any()


def test_solves_stay_blocks(point):
    program = trace(lambda x: cholesky_solve(positive(x), x), {"x": N})
    derivative = jacobian_program(program, mode="forward")
    solves = [block for block in derivative.blocks if block.kind == "cholesky_solve"]
    assert [block.setting("m") for block in solves] == [1, N]  # the solution, then all directions at once


def test_calls_share_one_jacobian():
    program = trace(lambda x: twist(x, 2.0 * x) + twist(x * x, np.cos(x)), {"x": N})
    derivative = jacobian_program(program)
    calls = [block for block in derivative.blocks if block.kind == "call"]
    assert len(calls) == 2 and calls[0].programs[0] is calls[1].programs[0]


def test_large_products_become_blocks(rng):
    n = 12

    def function(A):
        return dense_matmul(dense_matmul(A, A), dense_matmul(A, np.cos(A)))

    program = trace(function, {"A": (n, n)})
    A = rng.normal(size=(n, n))
    for mode in ("forward", "reverse"):
        derivative = jacobian_program(program, mode=mode)
        assert derivative.operation_count < 100_000
        value = whole_jacobian(program, derivative, A)
        np.testing.assert_allclose(value, complex_jacobian(program, A), atol=1e-11 * n)


def test_tangents_of_a_scan_are_only_those_that_can_be_non_zero():
    def body(index, carry, row, shared):
        return np.array([carry[0] * shared[0], carry[1] + carry[0], carry[2]], like=carry), np.zeros(0)

    program = trace(lambda x: scan(body, np.array([x[0], 0.0, 5.0], like=x), length=3, shared=x[1:])[0], {"x": 2})
    derivative = jacobian_program(program)
    (block,) = (block for block in derivative.blocks if block.settings[0] and block.setting("carry") > 3)
    assert block.setting("carry") == 3 + 4  # the third entry never moves
    np.testing.assert_allclose(interpret(derivative, [2.0, 3.0])[0], [[27.0, 54.0], [13.0, 14.0], [0.0, 0.0]])
