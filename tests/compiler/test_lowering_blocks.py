"""Blocks in machine code: against the interpreter, and bit for bit between one state and many."""

import numpy as np
import pytest
from tests.compiler.machine_code import Assembler, MachineCode

from floatbase.compiler import gather, interpret, trace
from floatbase.compiler.lowering import Target, lower
from floatbase.compiler.operations import Op
from floatbase.errors import ProgramError

ROWS = 11


def _check(program, *states, dtype="float64", tolerance=1e-12):
    """One state, 4 and 8 lanes agree to the last bit, and with the interpreter."""
    states = [array.astype(dtype) for array in states]
    one = MachineCode(program, 1, dtype)
    singles = [one.one(*[array[k] for array in states])[1] for k in range(len(states[0]))]
    expected = interpret(program, *states)
    for lanes in (4, 8):
        status, outputs = MachineCode(program, lanes, dtype).batch(*states)
        assert status == 0
        for number, output in enumerate(outputs):
            np.testing.assert_array_equal(output, [single[number] for single in singles])
    for output, right in zip(outputs, expected, strict=True):
        scale = np.abs(right).max() + 1e-300
        np.testing.assert_allclose(output / scale, right / scale, rtol=0, atol=tolerance)


def _dense(kind, sizes, size, **settings):
    assembler = Assembler(*[(n,) for n in sizes])
    arguments = [value for port in assembler.inputs for value in port]
    outputs = assembler.block(kind, arguments, size, **settings)
    return assembler.program(outputs, [assembler.add(Op.ADD, outputs[0], outputs[-1])])


def _positive(rng, n):
    a = rng.normal(size=(ROWS, n, n))
    return (a @ a.transpose(0, 2, 1) + n * np.eye(n)).reshape(ROWS, n * n)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 2), (7, 19), (10, 8)])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_dense_blocks(n, m, dtype, rng):
    tolerance = 1e-11 if dtype == "float64" else 1e-3
    a, b = rng.normal(size=(ROWS, n * n)) + 0.1, rng.normal(size=(ROWS, n * m))
    positive = _positive(rng, n)
    lower = np.linalg.cholesky(positive.reshape(ROWS, n, n)).reshape(ROWS, n * n)
    dense = {"dtype": dtype, "tolerance": tolerance}
    _check(_dense("matmul", (n * n, n * m), n * m, n=n, k=n, m=m), a, b, **dense)
    _check(_dense("cholesky", (n * n,), n * n, n=n), positive, **dense)
    _check(_dense("cholesky_solve", (n * n, n * m), n * m, n=n, m=m), positive, b, **dense)
    for transposed in (0, 1):
        program = _dense("triangular_solve", (n * n, n * m), n * m, n=n, m=m, transposed=transposed)
        _check(program, lower, b, **dense)
    well = a + 3 * np.roll(np.eye(n), 1, axis=0).ravel()  # the pivots are off the diagonal
    _check(_dense("lu_solve", (n * n, n * m), n * m, n=n, m=m), well, b, **dense)


@pytest.mark.parametrize("m", [1, 3, 4, 7, 8, 21])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_systems_with_the_structure_of_a_tree(m, dtype, rng):
    parents = {"parent0": 0, "parent1": 1, "parent2": 1, "parent3": 3, "parent4": 0, "parent5": 4}
    program = _dense("tree_solve", (6, 7, 6 * m), 6 * m, n=6, m=m, **parents)
    inverses, entries = rng.uniform(0.5, 2.0, (ROWS, 6)), rng.normal(size=(ROWS, 7))
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    _check(program, inverses, entries, rng.normal(size=(ROWS, 6 * m)), dtype=dtype, tolerance=tolerance)


def test_only_the_lower_part_of_a_symmetric_matrix_is_read(rng):
    n = 6
    program = _dense("cholesky_solve", (n * n, n), n, n=n, m=1)
    matrix, b = _positive(rng, n).reshape(ROWS, n, n), rng.normal(size=(ROWS, n))
    spoilt = matrix + np.triu(np.full((n, n), 100.0), 1)
    _, (x, _) = MachineCode(program, 4).batch(spoilt.reshape(ROWS, -1), b)
    np.testing.assert_allclose(x, np.linalg.solve(matrix, b[..., None])[..., 0], rtol=1e-9)


def test_a_rectangular_product(rng):
    _check(_dense("matmul", (6, 15), 10, n=2, k=3, m=5), rng.normal(size=(ROWS, 6)), rng.normal(size=(ROWS, 15)))


def test_gather_rounds_down_and_clamps(rng):
    program = _dense("gather", (12, 1), 3, rows=4, columns=3)
    table = rng.normal(size=(ROWS, 12))
    index = np.array([-7.0, -0.1, 0.0, 0.9, 1.0, 1.5, 2.99, 3.0, 3.5, 4.0, 1e30])[:, None]
    _check(program, table, index)
    for lanes in (1, 8):
        assembler = Assembler((2,))
        zero = assembler.constant(0.0)
        nan = assembler.add(Op.DIV, zero, zero)
        program = assembler.program(assembler.block("gather", [*assembler.inputs[0], nan], 1, rows=2, columns=1))
        code = MachineCode(program, lanes)
        _, (value,) = code.one([3, 4]) if lanes == 1 else code.batch(np.array([[3.0, 4.0]]))
        assert value.ravel().tolist() == [3.0]


def test_a_table_of_constants_is_kept_once(rng):
    table = rng.normal(size=(50, 3))
    table[7] = [0.0, -0.0, 1e-310]

    def read(x):
        return gather(table, x[0]) + gather(table, x[1])[::-1], gather(table, x[0])

    program = trace(read, {"x": (2,)})
    x = rng.uniform(-5.0, 55.0, (ROWS, 2))
    x[0] = [7.9, 1e30]
    for dtype in ("float64", "float32"):
        _check(program, x, dtype=dtype, tolerance=1e-7 if dtype == "float32" else 1e-15)
    assert lower(program, Target.host(), "float64", 8).ir.count("constant [150 x double]") == 1


def _rotation():
    """A sub-program: a vector turned by an angle, twice the sum, and a call within."""
    inner = Assembler((2,))
    a, b = inner.inputs[0]
    total = inner.program([inner.add(Op.ADD, a, b), inner.constant(2.0)], name="total")
    body = Assembler((3,))
    x, y, angle = body.inputs[0]
    s, c = body.add(Op.SIN, angle), body.add(Op.COS, angle)
    first = body.add(Op.SUB, body.add(Op.MUL, c, x), body.add(Op.MUL, s, y))
    second = body.add(Op.ADD, body.add(Op.MUL, s, x), body.add(Op.MUL, c, y))
    added, two = body.block("call", [first, second], 2, [total])
    return body.program([first, second, body.add(Op.MUL, added, two)], name="rotation")


def test_calls_share_their_function(rng):
    rotation = _rotation()
    assembler = Assembler((3,))
    x, y, angle = assembler.inputs[0]
    once = assembler.block("call", [x, y, angle], 3, [rotation])
    twice = assembler.block("call", [once[0], once[1], assembler.add(Op.MUL, angle, once[2])], 3, [rotation])
    program = assembler.program(twice, [once[2], twice[0]])
    assert MachineCode(program).ir.count("define internal void @program_") == 2
    _check(program, rng.normal(size=(ROWS, 3)))


@pytest.mark.parametrize("length", [0, 1, 5])
def test_scan(length, rng):
    body = Assembler((1,), (2,), (1,), (2,))
    (index,), (a, b), (shared,), (p, q) = body.inputs
    carry = [body.add(Op.ADD, a, body.add(Op.MUL, shared, p)), body.add(Op.SUB, b, body.add(Op.MUL, q, index))]
    collected = [body.add(Op.MUL, carry[0], carry[1]), index, body.add(Op.SIN, p)]
    step = body.program([*carry, *collected], name="step")
    assembler = Assembler((3 + 2 * length,))
    arguments = assembler.inputs[0]
    outputs = assembler.block(
        "scan", arguments, 2 + 3 * length, [step], length=length, carry=2, shared=1, row=2, collect=3
    )
    _check(assembler.program(outputs), rng.normal(size=(ROWS, 3 + 2 * length)))


@pytest.mark.parametrize("limit", [0, 3, 100])
def test_lanes_of_a_while_loop_stop_by_themselves(limit):
    condition = Assembler((2,), (1,))
    (x, _), (bound,) = condition.inputs
    test = condition.add(Op.LT, x, bound)
    one, zero = condition.constant(1.0), condition.constant(0.0)
    keep_on = condition.program([condition.add(Op.SELECT, test, one, zero)], name="condition")
    body = Assembler((2,), (1,))
    (x, count), _ = body.inputs
    grown = body.add(Op.MUL, x, body.constant(1.5))
    step = body.program([grown, body.add(Op.ADD, count, body.constant(2.0))], name="body")
    assembler = Assembler((1,))
    zero, bound = assembler.constant(0.0), assembler.constant(50.0)
    arguments = [assembler.inputs[0][0], zero, bound]
    outputs = assembler.block("while", arguments, 3, [keep_on, step], carry=2, shared=1, limit=limit)
    _check(assembler.program(outputs), np.linspace(0.5, 60, ROWS)[:, None])


def test_blocks_feed_one_another(rng):
    n = 9
    assembler = Assembler((n * n,), (n * n,))
    a, b = assembler.inputs
    product = assembler.block("matmul", [*a, *a], n * n, n=n, k=n, m=n)
    solved = assembler.block("cholesky_solve", [*b, *product], n * n, n=n, m=n)
    scaled = [assembler.add(Op.MUL, value, solved[0]) for value in solved[:n]]
    program = assembler.program(assembler.block("matmul", [*scaled, *solved], n, n=1, k=n, m=n), solved[::-1], solved)
    _check(program, rng.normal(size=(ROWS, n * n)), _positive(rng, n), tolerance=1e-10)


def test_guards_inside_a_block_are_refused():
    body = Assembler((1,))
    x = body.inputs[0][0]
    guarded = body.program([x], guards=[(body.add(Op.LT, x, x), "never")])
    assembler = Assembler((1,))
    program = assembler.program(assembler.block("call", assembler.inputs[0], 1, [guarded]))
    with pytest.raises(ProgramError, match="belong to the caller"):
        MachineCode(program)
