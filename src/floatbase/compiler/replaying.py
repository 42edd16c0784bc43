"""Running a program on symbols, so that programs can be composed and differentiated."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from floatbase.compiler.graph import Graph, current_graph
from floatbase.compiler.operations import ARITY, Op
from floatbase.compiler.program import Program
from floatbase.compiler.scalar import Scalar, apply, power, select
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols, casadi_arrays, is_symbolic
from floatbase.errors import ArgumentError, ShapeError


def replay(program: Program, *arrays: Any) -> tuple[SymbolArray, ...]:
    """The outputs of a program for arrays of symbols (or numbers) of its inputs' shapes.

    The instructions are repeated in the graph of the symbols, where they fold with what is already there; blocks
    stay blocks of the same sub-programs. Guards are demanded again.
    """
    if len(arrays) != len(program.inputs):
        names = ", ".join(port.name for port in program.inputs)
        raise ArgumentError(f"{program.name}: takes {len(program.inputs)} inputs ({names}), got {len(arrays)}")
    flat: list[Any] = []
    for port, array in zip(program.inputs, arrays, strict=True):
        given = as_symbols(array)
        if given.shape != port.shape:
            raise ShapeError(f"{program.name}: {port.name} must have shape {port.shape}, got {given.shape}")
        flat.extend(given.flat)
    graph = next((item.graph for item in flat if isinstance(item, Scalar)), None) or current_graph()
    values = replay_scalars(graph, program, flat)
    results = []
    start = 0
    for port in program.outputs:
        result = np.empty(port.size, dtype=object)
        result[:] = [values[k] for k in program.results[start : start + port.size].tolist()]
        results.append(result.reshape(port.shape).view(SymbolArray))
        start += port.size
    return tuple(results)


def evaluate_expressions(program: Program, arrays: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs of a program for symbols or CasADi's matrices."""
    if not casadi_arrays(*arrays):
        return tuple(array if array.ndim else array.item() for array in replay(program, *arrays))
    if is_symbolic(*arrays):
        raise ArgumentError(f"{program.name}: symbols and CasADi's matrices do not mix; give one kind, or numbers")
    from floatbase.compiler.casadi import casadi_call

    return casadi_call(program, *arrays)


def replay_scalars(graph: Graph, program: Program, inputs: Sequence[Any]) -> list[Any]:
    """The value of every instruction (a scalar or a number) for flat inputs."""
    constants = program.constants.tolist()
    values: list[Any] = []
    for op, a, b, c in program.code.tolist():
        rule = _RULES.get(op)
        if rule is not None:
            values.append(rule(values[a], values[b]))
        elif op == Op.INPUT:
            values.append(inputs[a])
        elif op == Op.CONSTANT:
            values.append(constants[a])
        elif op == Op.NEG:
            values.append(-values[a])
        elif op == Op.SELECT:
            values.append(select(values[a], values[b], values[c]))
        elif op == Op.BLOCK:
            block = program.blocks[a]
            arguments = [values[k] for k in block.arguments.tolist()]
            values.append(graph.block(block.kind, arguments, block.programs, **dict(block.settings)))
        elif op == Op.PROJECT:
            values.append(values[a][b])
        else:
            values.append(apply(Op(op), values[a]))
    for value, message in program.guards:
        graph.guard(values[value], message)
    return values


def _divide(x: Any, y: Any) -> Any:
    if isinstance(x, Scalar) or isinstance(y, Scalar):
        return x / y
    with np.errstate(all="ignore"):  # as in machine code: a branch that is not taken may divide by zero
        return float(np.divide(x, y))


def _binary(op: Op) -> Callable[[Any, Any], Any]:
    return lambda x, y: apply(op, x, y)


_RULES: dict[int, Callable[[Any, Any], Any]] = {
    **{int(op): _binary(op) for op, count in ARITY.items() if count == 2},
    int(Op.ADD): operator.add,
    int(Op.SUB): operator.sub,
    int(Op.MUL): operator.mul,
    int(Op.DIV): _divide,
    int(Op.POW): power,
}
