"""Straight-line programs in machine code: against the interpreter, width against width, and the calling rules."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.compiler.machine_code import Assembler, MachineCode

import floatbase.compiler.lowering.kernel as kernel_module
from floatbase.compiler import interpret
from floatbase.compiler.lowering import Target, lower
from floatbase.compiler.operations import Op
from floatbase.errors import ArgumentError

TOLERANCE = {"float64": 1e-13, "float32": 2e-5}
UNARY = [Op.NEG, Op.SQRT, Op.ABS, Op.SIGN, Op.FLOOR, Op.CEIL]
BINARY = [Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MIN, Op.MAX]
COMPARISONS = [Op.LT, Op.LE, Op.EQ, Op.NE]


def _every_operation():
    """A program with every operation but the elementary functions, and constants and inputs among its outputs."""
    assembler = Assembler((3,), (), (11,))
    (x, y, z), (w,), more = assembler.inputs
    half = assembler.constant(0.5)
    values = [assembler.add(op, a) for op in UNARY for a in (x, assembler.add(Op.ABS, y))]
    values += [assembler.add(op, a, b) for op in BINARY for a, b in ((x, y), (z, half), (w, x))]
    tests = [assembler.add(op, a, b) for op in COMPARISONS for a, b in ((x, y), (w, w))]
    both, either = assembler.add(Op.AND, *tests[:2]), assembler.add(Op.OR, tests[0], tests[4])
    tests += [both, either, assembler.add(Op.NOT, both)]
    values += [assembler.add(Op.SELECT, test, y, z) for test in tests]
    product = assembler.add(Op.MUL, x, y)
    values += [assembler.add(op, product, w) for op in (Op.ADD, Op.SUB)]
    for op, first in ((Op.ADD, True), (Op.SUB, True), (Op.SUB, False)):  # products used once: fused
        single = assembler.add(Op.MUL, z, w)
        values.append(assembler.add(op, single, x) if first else assembler.add(op, x, single))
    values[0:0] = [assembler.add(Op.SQRT, assembler.add(Op.ABS, x))]
    zeros = [assembler.constant(0.0)] * 20
    return assembler.program([half, x, *zeros, *values, x], [w], [*zeros, *more, values[-1]])


PROGRAM = _every_operation()


def _states(n, program=PROGRAM, seed=0):
    rng = np.random.default_rng(seed)
    return [np.round(rng.normal(size=(n, *port.shape)) * 2, 2) for port in program.inputs]


@pytest.fixture(scope="module")
def one():
    return MachineCode(PROGRAM)


@pytest.fixture(scope="module")
def eight():
    return MachineCode(PROGRAM, 8)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
def test_operations_agree_with_the_interpreter(dtype, lanes):
    states = [array.astype(dtype) for array in _states(19)]
    code = MachineCode(PROGRAM, lanes, dtype)
    with np.errstate(invalid="ignore"):
        expected = interpret(PROGRAM, *states)
    if lanes == 1:
        rows = [code.one(*[array[k] for array in states])[1] for k in range(19)]
        outputs = [np.array([row[k] for row in rows]) for k in range(3)]
    else:
        _, outputs = code.batch(*states)
    for output, right in zip(outputs, expected, strict=True):
        np.testing.assert_allclose(output, right, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("rows", range(1, 20))
def test_a_row_does_not_depend_on_its_batch(rows, one, eight):
    states = _states(rows)
    frame = [np.full((rows + 2, *port.shape), 7.5) for port in PROGRAM.outputs]
    status, outputs = eight.batch(*states, out=[array[1:-1] for array in frame])
    assert status == 0
    for array in frame:  # nothing outside the rows is written
        assert (array[0] == 7.5).all() and (array[-1] == 7.5).all()
    for k in range(rows):
        _, expected = one.one(*[array[k] for array in states])
        for output, right in zip(outputs, expected, strict=True):
            np.testing.assert_array_equal(output[k], right)


def test_rows_may_be_padded_reversed_and_shared(eight):
    states = _states(13)
    padded = [np.full((13, *(n + 5 for n in array.shape[1:])), np.nan) for array in states[:1]]
    padded[0][:, :3] = states[0]
    backwards = states[2][::-1].copy()[::-1]
    shared = states[1][:1]
    results = [np.full((13, port.size + 3), 7.5)[::-1] for port in PROGRAM.outputs]
    status, _ = eight.batch(padded[0][:, :3], shared, backwards, out=results)
    assert status == 0
    _, expected = eight.batch(states[0], np.repeat(shared, 13), states[2])
    for result, right in zip(results, expected, strict=True):
        np.testing.assert_array_equal(result[:, : right.shape[1]], right)
        assert (result[:, right.shape[1] :] == 7.5).all()


def test_outputs_may_overwrite_inputs():
    assembler = Assembler((9,))
    values = assembler.inputs[0]
    program = assembler.program([assembler.add(Op.ADD, values[k], values[8 - k]) for k in range(9)])
    x = np.random.default_rng(1).normal(size=(11, 9))
    for code, rows in ((MachineCode(program), x[0].copy()), (MachineCode(program, 4), x.copy())):
        expected = rows + rows[..., ::-1]
        (code.one if rows.ndim == 1 else code.batch)(rows, out=[rows])
        np.testing.assert_array_equal(rows, expected)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_set_the_sign_bit(bad, one, eight):
    for port, position in ((0, 2), (1, ()), (2, 0), (2, 10)):
        states = _states(10)
        states[port][(9, position) if position != () else 9] = bad
        assert eight.batch(*states)[0] < 0
        assert eight.batch(*[array[:9] for array in states])[0] == 0
        assert one.one(*[array[9] for array in states])[0] < 0
        assert one.one(*[array[8] for array in states])[0] == 0


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("lanes", [1, 4, 8, 16])
def test_nan_passes_extremes(dtype, lanes):
    assembler = Assembler((2,))
    x, y = assembler.inputs[0]
    nan = assembler.add(Op.LOG, x)  # inputs must be finite: of a negative number
    pairs = [(nan, y), (y, nan), (nan, nan), (x, y), (y, x), (nan, assembler.constant(0.5))]
    program = assembler.program([assembler.add(op, *pair) for op in (Op.MIN, Op.MAX) for pair in pairs])
    states = np.array([[-1.0, 2.0], [1.5, -2.0], [3.0, 0.25], [-0.5, -0.5], [2.0, 1.0]], dtype)
    code = MachineCode(program, lanes, dtype)
    found = code.batch(states)[1][0] if lanes > 1 else np.array([code.one(state)[1][0] for state in states])
    with np.errstate(invalid="ignore"):
        logarithm = np.log(states[:, 0])
    values = {nan: logarithm, x: states[:, 0], y: states[:, 1]}
    expected = [f(*(values.get(k, 0.5) for k in pair)) for f in (np.minimum, np.maximum) for pair in pairs]
    np.testing.assert_allclose(found, np.stack(expected, axis=-1), rtol=TOLERANCE[dtype])


def test_guards_set_their_bits():
    assembler = Assembler((2,))
    a, b = assembler.inputs[0]
    zero = assembler.constant(0.0)
    guards = [(assembler.add(Op.LT, zero, a), "a"), (assembler.add(Op.LT, zero, b), "b")]
    program = assembler.program([assembler.add(Op.ADD, a, b)], guards=guards)
    one, four = MachineCode(program), MachineCode(program, 4)
    assert [one.one(x)[0] for x in ([1, 1], [-1, 1], [1, -1], [-1, -1])] == [0, 1, 2, 3]
    states = np.ones((7, 2))
    assert four.batch(states)[0] == 0
    states[6, 1] = -1
    assert four.batch(states)[0] == 2


def test_a_program_without_operations():
    assembler = Assembler((2,), (0,))
    program = assembler.program([assembler.constant(3.0)], [assembler.inputs[0][1]], [])
    assert [array.tolist() for array in MachineCode(program).one([1, 2], [])[1]] == [[3.0], [2.0], []]
    _, outputs = MachineCode(program, 8).batch(np.array([[1.0, 2], [3, 4]]), np.zeros((2, 0)))
    assert outputs[0].tolist() == [[3], [3]] and outputs[1].tolist() == [[2], [4]]


@st.composite
def programs(draw):
    """Random expression graphs over five inputs."""
    assembler = Assembler((5,))
    numbers = [*assembler.inputs[0], assembler.constant(0.75)]
    truths = [assembler.add(Op.LT, numbers[0], numbers[1])]
    kinds = [*UNARY, *BINARY, Op.MUL, Op.ADD, Op.SUB, Op.MUL, Op.SIN, Op.COS, Op.TANH, Op.ATAN2, Op.LT, Op.SELECT]
    for op in draw(st.lists(st.sampled_from(kinds), min_size=5, max_size=40)):
        a, b = (draw(st.sampled_from(numbers)) for _ in range(2))
        if op == Op.LT:
            truths.append(assembler.add(op, a, b))
        elif op == Op.SELECT:
            numbers.append(assembler.add(op, draw(st.sampled_from(truths)), a, b))
        else:
            single = op in UNARY or op in (Op.SIN, Op.COS, Op.TANH)
            numbers.append(assembler.add(op, a) if single else assembler.add(op, a, b))
    return assembler.program(numbers[-draw(st.integers(1, 12)) :])


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs(), st.integers(0, 100))
def test_one_state_and_many_agree_to_the_last_bit(program, seed):
    (x,) = _states(9, program, seed)
    one, eight = MachineCode(program), MachineCode(program, 8)
    _, (many,) = eight.batch(x)
    for row, numbers in zip(many, x, strict=True):
        np.testing.assert_array_equal(one.one(numbers)[1][0], row)
    with np.errstate(all="ignore"):
        (expected,) = interpret(program, x)
    usual = np.isfinite(expected) & (abs(expected) < 1e6)
    close = np.isclose(many, expected, rtol=1e-9, atol=1e-9) | ~usual
    assert close.mean() > 0.9  # a select or a floor may fall the other way in the last bit


def test_long_programs_in_several_functions_give_the_same(monkeypatch):
    assembler = Assembler((6,))
    values = list(assembler.inputs[0])
    rng = np.random.default_rng(4)
    truth = assembler.add(Op.LT, values[0], values[1])
    for k in range(400):
        a, b, c = rng.choice(values[-40:], 3)
        product = assembler.add(Op.MUL, a, b)
        value = assembler.add(Op.SIN, product) if k % 50 == 0 else assembler.add(Op.SUB, c, product)
        bounded = assembler.add(Op.DIV, value, assembler.add(Op.ADD, assembler.constant(1.0), assembler.add(Op.ABS, c)))
        values.append(assembler.add(Op.SELECT, truth, bounded, value) if k % 30 == 0 else bounded)
    program = assembler.program(values[-10:], values[20:30], guards=[(truth, "ordered")])
    x = rng.normal(size=(5, 6))
    whole = MachineCode(program, 4).batch(x)
    monkeypatch.setattr(kernel_module.Kernel, "part", 100)
    parts = MachineCode(program, 4)
    assert parts.ir.count("define internal void @kernel_") > 5
    status, outputs = parts.batch(x)
    single = MachineCode(program)
    assert status == whole[0]
    for number, output in enumerate(outputs):
        np.testing.assert_array_equal(output, whole[1][number])
        np.testing.assert_array_equal(output[3], single.one(x[3])[1][number])


def test_the_text_does_not_change_between_calls():
    target = Target.host()
    assert lower(PROGRAM, target, "float64", 8) == lower(PROGRAM, target, "float64", 8)


def test_a_processor_without_fused_multiply_add():
    host = Target.host()
    plain = ",".join(item for item in host.features.split(",") if item.strip("+-") not in ("fma", "fma4"))
    target = Target(host.triple, host.cpu, plain + ",-fma,-avx512f", 128)
    assembler = Assembler((2,))
    a, b = assembler.inputs[0]
    values = [assembler.add(Op.ADD, assembler.add(Op.MUL, a, b), a), assembler.add(Op.POW, a, b)]
    values.append(assembler.add(Op.SIN, b))
    program = assembler.program(values)
    one = MachineCode(program, target=target)
    assert "llvm.fma" not in one.ir.split("define")[1]
    x = np.array([1.7, 3.2])
    np.testing.assert_allclose(one.one(x)[1][0], interpret(program, x)[0], rtol=1e-15)


@pytest.mark.parametrize("wrong", [{"lanes": 3}, {"lanes": 0}, {"dtype": "float16"}])
def test_bad_requests_are_refused(wrong):
    with pytest.raises(ArgumentError, match="compiled for"):
        lower(PROGRAM, Target.host(), **{"dtype": "float64", "lanes": 1, **wrong})
