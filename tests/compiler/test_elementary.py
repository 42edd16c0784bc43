"""Elementary functions in machine code: accuracy against mpmath, special values against NumPy."""

import mpmath
import numpy as np
import pytest
from tests.compiler.machine_code import Assembler, MachineCode

from floatbase.compiler import interpret, trace
from floatbase.compiler.operations import NUMPY, Op

REFERENCE = {
    Op.SIN: mpmath.sin,
    Op.COS: mpmath.cos,
    Op.TAN: mpmath.tan,
    Op.ASIN: mpmath.asin,
    Op.ACOS: mpmath.acos,
    Op.ATAN: mpmath.atan,
    Op.ATAN2: mpmath.atan2,
    Op.SINH: mpmath.sinh,
    Op.COSH: mpmath.cosh,
    Op.TANH: mpmath.tanh,
    Op.EXP: mpmath.exp,
    Op.LOG: mpmath.log,
    Op.EXPM1: mpmath.expm1,
    Op.LOG1P: mpmath.log1p,
    Op.POW: mpmath.power,
}
TWO_ARGUMENTS = (Op.ATAN2, Op.POW)
MAX_ULP = 2.0
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 2.5, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1e-310, 1e308, -745.2]
SPECIAL += [710.0, -1e-300, 2.0**53, 1e18]


def _machine_code(op, lanes=8, dtype="float64"):
    assembler = Assembler(*[()] * (2 if op in TWO_ARGUMENTS else 1))
    result = assembler.add(op, *[values[0] for values in assembler.inputs])
    return MachineCode(assembler.program([result]), lanes, dtype)


@pytest.fixture(scope="module")
def machine_code():
    return {op: _machine_code(op) for op in REFERENCE}


def _powers_of_ten(rng, low, high, n):
    return rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(low, high, n)


def _arguments(op, rng):
    near = rng.uniform(-10, 10, 300)
    if op in (Op.SIN, Op.COS, Op.TAN):
        multiples = np.arange(1, 100) * np.pi / 4
        worst = [6381956970095103.0 * 2.0**797, 1.7e308, 1e22]  # the first is closest to a multiple of pi/2
        return [np.concatenate([near, _powers_of_ten(rng, -300, 300, 200), multiples, worst])]
    if op in (Op.ASIN, Op.ACOS):
        ends = rng.choice([-1, 1], 100) * (1 - 10 ** rng.uniform(-16, -1, 100))
        return [np.concatenate([rng.uniform(-1, 1, 300), _powers_of_ten(rng, -300, 0, 50), ends])]
    if op == Op.LOG:
        return [np.concatenate([abs(near), 1 + _powers_of_ten(rng, -15, -1, 100), 10 ** rng.uniform(-307, 308, 200)])]
    if op == Op.LOG1P:
        return [np.concatenate([abs(near), _powers_of_ten(rng, -300, -0.01, 100), 10 ** rng.uniform(0, 308, 100)])]
    if op == Op.POW:
        base = np.concatenate([abs(near), 10 ** rng.uniform(-300, 300, 200), 1 + _powers_of_ten(rng, -6, -1, 200)])
        exponent = np.concatenate([rng.uniform(-50, 50, 300), rng.uniform(-1, 1, 200), _powers_of_ten(rng, 0, 5, 200)])
        return [base, exponent]
    if op == Op.ATAN2:
        return [
            np.concatenate([near, _powers_of_ten(rng, -300, 300, 100)]),
            np.concatenate([rng.permutation(near), _powers_of_ten(rng, -300, 300, 100)]),
        ]
    if op == Op.ATAN:
        return [np.concatenate([near, _powers_of_ten(rng, -300, 300, 200)])]
    return [np.concatenate([near, _powers_of_ten(rng, -300, 0, 100), rng.uniform(-700, 709, 100)])]


@pytest.mark.parametrize("op", REFERENCE, ids=lambda op: op.name.lower())
def test_error_is_at_most_two_units_in_the_last_place(op, machine_code):
    arguments = _arguments(op, np.random.default_rng(int(op)))
    _, (values,) = machine_code[op].batch(*arguments)
    with mpmath.workprec(1300 if op in (Op.SIN, Op.COS, Op.TAN) else 150):
        for value, *numbers in zip(values[:, 0], *arguments, strict=True):
            exact = REFERENCE[op](*[mpmath.mpf(float(number)) for number in numbers])
            if 1e-300 < abs(exact) < mpmath.mpf(np.finfo(float).max):
                error = abs(mpmath.mpf(float(value)) - exact) / mpmath.mpf(np.spacing(abs(float(exact))))
                assert error <= MAX_ULP, (numbers, value)


@pytest.mark.parametrize("op", REFERENCE, ids=lambda op: op.name.lower())
def test_special_values_are_those_of_numpy(op, machine_code):
    arguments = [grid.ravel() for grid in np.meshgrid(SPECIAL, SPECIAL)] if op in TWO_ARGUMENTS else [np.array(SPECIAL)]
    _, (values,) = machine_code[op].batch(*arguments)
    with np.errstate(all="ignore"):
        expected = NUMPY[op](*arguments)
    values = values[:, 0]
    for value, right, *numbers in zip(values, expected, *arguments, strict=True):
        if np.isnan(right):
            assert np.isnan(value), (numbers, value)
        else:
            assert np.signbit(value) == np.signbit(right), (numbers, value, right)
            smallest = 5e-324
            assert value == right or abs(value - right) <= max(3e-16 * abs(right), smallest), (numbers, value, right)


def test_single_precision_is_rounded_from_double():
    rng = np.random.default_rng(0)
    x = rng.uniform(-3, 3, 100).astype(np.float32)
    for op in (Op.SIN, Op.EXP, Op.ATAN):
        _, (values,) = _machine_code(op, 16, "float32").batch(x)
        expected = NUMPY[op](x.astype(float)).astype(np.float32)
        np.testing.assert_array_max_ulp(values[:, 0], expected, 1)


def test_one_state_and_many_agree_to_the_last_bit(machine_code):
    rng = np.random.default_rng(5)
    x = np.concatenate([rng.uniform(-5, 5, 20), [1e6, 1e12, -1e200, 0.0]])
    _, (many,) = machine_code[Op.SIN].batch(x)
    one = _machine_code(Op.SIN, 1)
    narrow = _machine_code(Op.SIN, 4)
    assert (np.concatenate([one.one(number)[1][0] for number in x]) == many[:, 0]).all()
    assert (narrow.batch(x)[1][0] == many).all()


def test_a_group_of_several_vectors_is_evaluated_in_order():
    assembler = Assembler((19,))
    sines = [assembler.add(Op.SIN, x) for x in assembler.inputs[0]]
    cosines = [assembler.add(Op.COS, x) for x in sines]
    x = np.random.default_rng(2).uniform(-3, 3, 19)
    _, (first, second) = MachineCode(assembler.program(sines, cosines)).one(x)
    np.testing.assert_array_max_ulp(first, np.sin(x), 2)
    np.testing.assert_array_max_ulp(second, np.cos(first), 2)


COMPOSED = {
    "cbrt": (np.cbrt, lambda x: mpmath.sign(x) * mpmath.cbrt(abs(x)), [(-300, 300)]),
    "exp2": (np.exp2, lambda x: mpmath.power(2, x), [(-300, 3)]),
    "log2": (np.log2, lambda x: mpmath.log(abs(x), 2), [(-300, 300)]),
    "log10": (np.log10, lambda x: mpmath.log10(abs(x)), [(-300, 300)]),
    "hypot": (np.hypot, mpmath.hypot, [(-300, 300), (-300, 300)]),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_functions_made_of_others_are_as_accurate(name):
    function, reference, ranges = COMPOSED[name]
    rng = np.random.default_rng(3)
    arguments = [_powers_of_ten(rng, *limits, 500) for limits in ranges]
    if name.startswith("log"):
        arguments = [abs(x) for x in arguments]
    program = trace(function, {f"x{k}": () for k in range(len(arguments))})
    (values,) = interpret(program, *arguments)
    with mpmath.workprec(150):
        for value, *numbers in zip(values, *arguments, strict=True):
            exact = reference(*[mpmath.mpf(float(number)) for number in numbers])
            error = abs(mpmath.mpf(float(value)) - exact) / mpmath.mpf(np.spacing(abs(float(exact))))
            assert error <= MAX_ULP, (numbers, value)
    zeros = [np.zeros(())] * len(arguments)
    if not name.startswith("log"):
        assert interpret(program, *zeros)[0] == function(*zeros)
