r"""Derivatives of the elementary operations.

Each rule gives \(\partial r / \partial x_k\) of a result \(r\), for every operand \(x_k\), in terms of the operands
and of \(r\) itself. Operations that choose between two values (`select`, `min`, `max`) are not here: they carry the
derivative of the value that is chosen, see `branch`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import BOOLEAN, Op
from floatbase.compiler.scalar import Scalar, apply, power, select

Value = Any  # a Scalar or a float
Tangent = dict[int, Value]  # direction -> derivative; directions that are not there have derivative zero

CHOICES = frozenset({int(Op.SELECT), int(Op.MIN), int(Op.MAX)})
CONSTANT_BETWEEN_STEPS = frozenset({int(op) for op in BOOLEAN} | {int(Op.SIGN), int(Op.FLOOR), int(Op.CEIL)})


def value_of(graph: Graph, index: int) -> Value:
    """The scalar of an instruction, or the number if it is a constant."""
    key = graph.code[index]
    return graph.constants[key[1]] if key[0] == Op.CONSTANT else graph.scalars[index]


def operands_of(graph: Graph, index: int) -> tuple[int, ...] | list[int]:
    """The instructions an instruction refers to."""
    key = graph.code[index]
    op = key[0]
    if op >= Op.NEG:
        return key[1:]
    if op == Op.PROJECT:
        return key[1:2]
    if op == Op.BLOCK:
        operands: list[int] = graph.blocks[key[1]].arguments.tolist()
        return operands
    return ()


def branch(graph: Graph, index: int) -> tuple[Value, int, int]:
    """For `select`, `min` and `max`: the condition, and the operands taken where it holds and where it does not."""
    key = graph.code[index]
    if key[0] == Op.SELECT:
        return graph.scalars[key[1]], key[2], key[3]
    x, y = value_of(graph, key[1]), value_of(graph, key[2])
    condition = apply(Op.LT, y, x) if key[0] == Op.MIN else apply(Op.LT, x, y)
    return condition, key[2], key[1]


def partials(graph: Graph, index: int) -> list[tuple[int, Value]]:
    """Operands of an elementary operation with the derivative with respect to each."""
    key = graph.code[index]
    rule = _UNARY.get(key[0])
    result = graph.scalars[index]
    if rule is not None:
        return [(key[1], rule(value_of(graph, key[1]), result))]
    x, y = value_of(graph, key[1]), value_of(graph, key[2])
    return list(zip(key[1:], _BINARY[key[0]](x, y, result), strict=True))


def _quotient(x: Value, y: Value, r: Value) -> tuple[Value, Value]:
    inverse = r if not isinstance(x, Scalar) and x == 1.0 else 1.0 / y
    return inverse, -(r * inverse)


def _arctan2(y: Value, x: Value, r: Value) -> tuple[Value, Value]:
    inverse = 1.0 / (x * x + y * y)
    return x * inverse, -(y * inverse)


def _power(x: Value, y: Value, r: Value) -> tuple[Value, Value]:
    by_base = y * power(x, y - 1.0)
    if isinstance(x, Scalar):
        return by_base, select(apply(Op.EQ, x, 0.0), 0.0, r * apply(Op.LOG, x))
    return by_base, 0.0 if x == 0.0 else r * (math.log(x) if x > 0.0 else math.nan)


_UNARY: dict[int, Callable[[Value, Value], Value]] = {
    Op.NEG: lambda x, r: -1.0,
    Op.SQRT: lambda x, r: 0.5 / r,
    Op.ABS: lambda x, r: select(apply(Op.LT, x, 0.0), -1.0, 1.0),
    Op.SIN: lambda x, r: apply(Op.COS, x),
    Op.COS: lambda x, r: -apply(Op.SIN, x),
    Op.TAN: lambda x, r: 1.0 + r * r,
    Op.ASIN: lambda x, r: 1.0 / apply(Op.SQRT, 1.0 - x * x),
    Op.ACOS: lambda x, r: -1.0 / apply(Op.SQRT, 1.0 - x * x),
    Op.ATAN: lambda x, r: 1.0 / (1.0 + x * x),
    Op.SINH: lambda x, r: apply(Op.COSH, x),
    Op.COSH: lambda x, r: apply(Op.SINH, x),
    Op.TANH: lambda x, r: 1.0 - r * r,
    Op.EXP: lambda x, r: r,
    Op.LOG: lambda x, r: 1.0 / x,
    Op.EXPM1: lambda x, r: r + 1.0,
    Op.LOG1P: lambda x, r: 1.0 / (1.0 + x),
}

_BINARY: dict[int, Callable[[Value, Value, Value], tuple[Value, Value]]] = {
    Op.ADD: lambda x, y, r: (1.0, 1.0),
    Op.SUB: lambda x, y, r: (1.0, -1.0),
    Op.MUL: lambda x, y, r: (y, x),
    Op.DIV: _quotient,
    Op.ATAN2: _arctan2,
    Op.POW: _power,
}


def add_scaled(total: Tangent, factor: Value, tangent: Tangent) -> None:
    """`total += factor * tangent`, keeping only what is not structurally zero."""
    if not isinstance(factor, Scalar):
        if factor == 0.0:
            return
        if factor == 1.0:
            for direction, value in tangent.items():
                _add(total, direction, value)
            return
        if factor == -1.0:
            for direction, value in tangent.items():
                before = total.get(direction)
                _put(total, direction, -value if before is None else before - value)
            return
    for direction, value in tangent.items():
        _add(total, direction, factor * value)


def _add(total: Tangent, direction: int, value: Value) -> None:
    before = total.get(direction)
    _put(total, direction, value if before is None else before + value)


def _put(total: Tangent, direction: int, value: Value) -> None:
    if value.__class__ is float and value == 0.0:
        total.pop(direction, None)
    else:
        total[direction] = value


def choose(condition: Value, if_true: Tangent, if_false: Tangent) -> Tangent:
    """The derivative of a choice: that of the value which is chosen."""
    result: Tangent = {}
    for direction in dict.fromkeys([*if_true, *if_false]):
        _put(result, direction, select(condition, if_true.get(direction, 0.0), if_false.get(direction, 0.0)))
    return result
