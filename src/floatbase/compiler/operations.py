"""The scalar operations a program is made of.

Each operation has a number (stable: it is written in program files), a count of operands, and a NumPy
function that the interpreter applies. Operations that return a truth value are listed in `BOOLEAN`.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any

import numpy as np


class Op(IntEnum):
    """What an instruction does. The numbers are part of the file format."""

    INPUT = 0  # operand: position among the concatenated inputs
    CONSTANT = 1  # operand: position in the constants
    BLOCK = 2  # operand: position in the blocks; has no value of its own
    PROJECT = 3  # operands: instruction of a block, position among its outputs

    NEG = 10
    ADD = 11
    SUB = 12
    MUL = 13
    DIV = 14

    SQRT = 20
    ABS = 21
    SIGN = 22
    FLOOR = 23
    CEIL = 24
    MIN = 25  # NaN if either operand is, as in NumPy
    MAX = 26

    SIN = 30
    COS = 31
    TAN = 32
    ASIN = 33
    ACOS = 34
    ATAN = 35
    ATAN2 = 36
    SINH = 37
    COSH = 38
    TANH = 39
    EXP = 40
    LOG = 41
    EXPM1 = 42
    LOG1P = 43
    POW = 44

    LT = 60
    LE = 61
    EQ = 62
    NE = 63
    AND = 64
    OR = 65
    NOT = 66
    SELECT = 70  # condition, value if true, value if false


BOOLEAN = frozenset({Op.LT, Op.LE, Op.EQ, Op.NE, Op.AND, Op.OR, Op.NOT})
COMMUTATIVE = frozenset({Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ, Op.NE, Op.AND, Op.OR})


def _real(value: Any) -> Any:
    return value.real if np.iscomplexobj(value) else value


def _compare(function: Callable[..., Any]) -> Callable[..., Any]:
    """Comparisons look at real parts, so that complex-step differentiation follows the real branch."""
    return lambda x, y: function(_real(x), _real(y))


def _select(condition: Any, if_true: Any, if_false: Any) -> Any:
    return np.where(condition, if_true, if_false)


def _absolute(x: Any) -> Any:
    return np.where(_real(x) < 0, -x, x) if np.iscomplexobj(x) else np.abs(x)


def _arctan2(y: Any, x: Any) -> Any:
    if np.iscomplexobj(y) or np.iscomplexobj(x):  # first order in the imaginary parts, as complex step needs
        a, b = np.real(y), np.real(x)
        return np.arctan2(a, b) + 1j * (b * np.imag(y) - a * np.imag(x)) / (a * a + b * b)
    return np.arctan2(y, x)


NUMPY: dict[Op, Callable[..., Any]] = {
    Op.NEG: np.negative,
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.SQRT: np.sqrt,
    Op.ABS: _absolute,
    Op.SIGN: lambda x: np.sign(_real(x)),
    Op.FLOOR: lambda x: np.floor(_real(x)),
    Op.CEIL: lambda x: np.ceil(_real(x)),
    Op.MIN: lambda x, y: np.where((_real(y) < _real(x)) | np.isnan(y), y, x),
    Op.MAX: lambda x, y: np.where((_real(x) < _real(y)) | np.isnan(y), y, x),
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.TAN: np.tan,
    Op.ASIN: np.arcsin,
    Op.ACOS: np.arccos,
    Op.ATAN: np.arctan,
    Op.ATAN2: _arctan2,
    Op.SINH: np.sinh,
    Op.COSH: np.cosh,
    Op.TANH: np.tanh,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.EXPM1: np.expm1,
    Op.LOG1P: np.log1p,
    Op.POW: np.power,
    Op.LT: _compare(np.less),
    Op.LE: _compare(np.less_equal),
    Op.EQ: _compare(np.equal),
    Op.NE: _compare(np.not_equal),
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.NOT: np.logical_not,
    Op.SELECT: _select,
}

_BINARY = (Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.MIN, Op.MAX, Op.ATAN2, Op.POW, Op.LT, Op.LE, Op.EQ, Op.NE, Op.AND, Op.OR)

ARITY: dict[Op, int] = {**dict.fromkeys(NUMPY, 1), **dict.fromkeys(_BINARY, 2), Op.SELECT: 3}
