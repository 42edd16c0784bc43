"""Which scalar operation of ours is which of CasADi's, in both directions.

CasADi has no truth values: its comparisons give 0 or 1, and any number that is not 0 counts as true. Its `fmin` and
`fmax` are C's: of a number and NaN they give the number, where ours and NumPy's give NaN. They stand for one another
all the same, since its solvers know their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from floatbase.compiler.elementwise import arccosh, arcsinh, arctanh, copysign, whole_part
from floatbase.compiler.operations import Op
from floatbase.compiler.scalar import Truth, apply, power, select
from floatbase.errors import missing_dependency

Casadi = Any  # the module


def casadi_module(purpose: str) -> Casadi:
    """The module `casadi`, or an error that says how to install it."""
    try:
        import casadi
    except ImportError:
        raise missing_dependency("casadi", "ocp", purpose) from None
    return casadi


def _named(name: str, operands: int) -> Callable[..., Any]:
    """A function of CasADi on the first few of three operands."""
    return lambda casadi, *values: getattr(casadi, name)(*values[:operands])


EXPORT: dict[int, Callable[..., Any]] = {
    Op.NEG: lambda casadi, x, y, z: -x,
    Op.ADD: lambda casadi, x, y, z: x + y,
    Op.SUB: lambda casadi, x, y, z: x - y,
    Op.MUL: lambda casadi, x, y, z: x * y,
    Op.DIV: lambda casadi, x, y, z: x / y,
    Op.SQRT: _named("sqrt", 1),
    Op.ABS: _named("fabs", 1),
    Op.SIGN: _named("sign", 1),
    Op.FLOOR: _named("floor", 1),
    Op.CEIL: _named("ceil", 1),
    Op.MIN: _named("fmin", 2),
    Op.MAX: _named("fmax", 2),
    Op.SIN: _named("sin", 1),
    Op.COS: _named("cos", 1),
    Op.TAN: _named("tan", 1),
    Op.ASIN: _named("asin", 1),
    Op.ACOS: _named("acos", 1),
    Op.ATAN: _named("atan", 1),
    Op.ATAN2: _named("atan2", 2),
    Op.SINH: _named("sinh", 1),
    Op.COSH: _named("cosh", 1),
    Op.TANH: _named("tanh", 1),
    Op.EXP: _named("exp", 1),
    Op.LOG: _named("log", 1),
    Op.EXPM1: _named("expm1", 1),
    Op.LOG1P: _named("log1p", 1),
    Op.POW: _named("power", 2),
    Op.LT: lambda casadi, x, y, z: x < y,
    Op.LE: lambda casadi, x, y, z: x <= y,
    Op.EQ: lambda casadi, x, y, z: x == y,
    Op.NE: lambda casadi, x, y, z: x != y,
    Op.AND: _named("logic_and", 2),
    Op.OR: _named("logic_or", 2),
    Op.NOT: _named("logic_not", 1),
    Op.SELECT: lambda casadi, x, y, z: casadi.if_else(x, y, z),
}


def _number(value: Any) -> Any:
    return select(value, 1.0, 0.0) if isinstance(value, Truth | bool) else value


def _truth(value: Any) -> Any:
    return value if isinstance(value, Truth | bool) else apply(Op.NE, value, 0.0)


def _operation(op: Op) -> Callable[..., Any]:
    return lambda *values: apply(op, *map(_number, values))


def _logic(op: Op) -> Callable[..., Any]:
    return lambda *values: _number(apply(op, *map(_truth, values)))


def _comparison(op: Op) -> Callable[..., Any]:
    return lambda *values: _number(apply(op, *values))


def _quotient(x: Any, y: Any) -> Any:
    if not isinstance(x, float) or not isinstance(y, float):
        return x / y
    with np.errstate(all="ignore"):
        return float(np.divide(x, y))


IMPORT: dict[str, Callable[..., Any]] = {
    "OP_ASSIGN": lambda x: x,
    "OP_ADD": lambda x, y: x + y,
    "OP_SUB": lambda x, y: x - y,
    "OP_MUL": lambda x, y: x * y,
    "OP_DIV": _quotient,
    "OP_NEG": lambda x: -x,
    "OP_EXP": _operation(Op.EXP),
    "OP_LOG": _operation(Op.LOG),
    "OP_POW": power,
    "OP_CONSTPOW": power,
    "OP_SQRT": _operation(Op.SQRT),
    "OP_SQ": lambda x: x * x,
    "OP_TWICE": lambda x: 2.0 * x,
    "OP_SIN": _operation(Op.SIN),
    "OP_COS": _operation(Op.COS),
    "OP_TAN": _operation(Op.TAN),
    "OP_ASIN": _operation(Op.ASIN),
    "OP_ACOS": _operation(Op.ACOS),
    "OP_ATAN": _operation(Op.ATAN),
    "OP_LT": _comparison(Op.LT),
    "OP_LE": _comparison(Op.LE),
    "OP_EQ": _comparison(Op.EQ),
    "OP_NE": _comparison(Op.NE),
    "OP_NOT": _logic(Op.NOT),
    "OP_AND": _logic(Op.AND),
    "OP_OR": _logic(Op.OR),
    "OP_FLOOR": _operation(Op.FLOOR),
    "OP_CEIL": _operation(Op.CEIL),
    "OP_FMOD": lambda x, y: x - y * whole_part(_quotient(x, y)),
    "OP_FABS": _operation(Op.ABS),
    "OP_SIGN": _operation(Op.SIGN),
    "OP_COPYSIGN": copysign,
    "OP_IF_ELSE_ZERO": lambda condition, x: select(_truth(condition), x, 0.0),
    "OP_FMIN": _operation(Op.MIN),
    "OP_FMAX": _operation(Op.MAX),
    "OP_INV": lambda x: _quotient(1.0, x),
    "OP_SINH": _operation(Op.SINH),
    "OP_COSH": _operation(Op.COSH),
    "OP_TANH": _operation(Op.TANH),
    "OP_ASINH": arcsinh,
    "OP_ACOSH": arccosh,
    "OP_ATANH": arctanh,
    "OP_ATAN2": _operation(Op.ATAN2),
    "OP_EXPM1": _operation(Op.EXPM1),
    "OP_LOG1P": _operation(Op.LOG1P),
    "OP_HYPOT": lambda x, y: apply(Op.SQRT, x * x + y * y),
}
