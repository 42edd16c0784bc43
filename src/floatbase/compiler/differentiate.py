r"""Derivatives of symbols and of programs, by sparse automatic differentiation on the graph.

Forward differentiation carries, for each value, its derivatives along the directions in which they can be non-zero;
reverse differentiation collects, for each value, the derivatives of the outputs that depend on it. Both are exact, fold
structural zeros and ones away, and go once through the instructions. Blocks stay blocks: solves reuse one factorisation
for all directions, calls call a Jacobian sub-program, loops carry tangents. In reverse, loops (`scan`, `while`) and
calls use their forward Jacobian along the arguments that matter; everything else has a reverse rule.

`min`, `max`, `abs` and `select` have the derivative of the branch that is taken; `sign`, `floor`, `ceil`, comparisons
and the index of a look-up have derivative zero. A branch that is not taken costs nothing in forward mode; in reverse
mode, as in every such system, a zero adjoint times an infinite derivative (`np.where(x > 0, np.sqrt(x), 0)` at 0) is
not a number: prefer forward mode there.

Inputs may be intermediate symbols; each then counts as independent. An intermediate symbol and its constant multiples
are one and the same variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from floatbase.compiler.differentiate_forward import push_forward
from floatbase.compiler.differentiate_reverse import pull_back
from floatbase.compiler.differentiate_scalars import Tangent, add_scaled
from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Program
from floatbase.compiler.replaying import replay
from floatbase.compiler.scalar import Scalar, Truth
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols, symbols
from floatbase.compiler.tracing import extract
from floatbase.errors import ArgumentError, ShapeError, TraceError, unknown_name

Mode = Literal["forward", "reverse"]


def jacobian(outputs: Any, inputs: Any, mode: Mode | None = None) -> SymbolArray:
    """Derivatives of an array of symbols with respect to another: shape (*outputs.shape, *inputs.shape).

    mode: "forward", "reverse", or None for the one that has fewer directions.
    """
    if mode not in (None, "forward", "reverse"):
        raise ArgumentError(f"mode must be 'forward', 'reverse' or None, got {mode!r}")
    y, x = as_symbols(outputs), as_symbols(inputs)
    result = np.full((y.size, x.size), 0.0, dtype=object)
    graph = _graph(x)
    if graph is not None:
        for i, row in enumerate(sparse_jacobian(graph, list(y.flat), list(x.flat), mode)):
            for j, value in row.items():
                result[i, j] = value
    return result.reshape((*y.shape, *x.shape)).view(SymbolArray)


def sparse_jacobian(
    graph: Graph, outputs: Sequence[Any], inputs: Sequence[Any], mode: Mode | None = None
) -> list[Tangent]:
    """For each output, the derivatives that are not structurally zero by the position of the input."""
    places, factors = _independent(graph, inputs)
    rows = [_node(graph, output) for output in outputs]
    if mode is None:
        mode = "reverse" if len(set(rows)) < len(places) else "forward"
    result: list[Tangent] = [{} for _ in outputs]
    if mode == "forward":
        wanted = [row for row in rows if row is not None]
        seeds: dict[int, Tangent] = {
            place: {k: 1.0 / factor} for k, (place, factor) in enumerate(zip(places, factors, strict=True))
        }
        found = iter(push_forward(graph, wanted, seeds))
        return [dict(next(found)) if row is not None else {} for row in rows]
    adjoints: dict[int, Tangent] = {}
    for i, row in enumerate(rows):
        if row is not None:
            adjoints.setdefault(row, {})[i] = 1.0
    for k, column in enumerate(pull_back(graph, adjoints, places)):
        for i, value in column.items():
            result[i][k] = value * (1.0 / factors[k])
    return result


def jvp(outputs: Any, inputs: Any, tangents: Any) -> SymbolArray:
    """Derivative of the outputs along one direction: the Jacobian times `tangents`, of the inputs' shape."""
    y, x, dx = as_symbols(outputs), as_symbols(inputs), as_symbols(tangents)
    if dx.shape != x.shape:
        raise ShapeError(f"jvp: the tangents must have the inputs' shape {x.shape}, got {dx.shape}")
    result = np.full(y.size, 0.0, dtype=object)
    graph = _graph(x)
    if graph is not None:
        places, factors = _independent(graph, list(x.flat))
        seeds: dict[int, Tangent] = {}
        for place, factor, tangent in zip(places, factors, dx.flat, strict=True):
            seeds[place] = {}
            add_scaled(seeds[place], 1.0 / factor, {0: tangent})
        rows = [_node(graph, item) for item in y.flat]
        found = iter(push_forward(graph, [row for row in rows if row is not None], seeds))
        result[:] = [next(found).get(0, 0.0) if row is not None else 0.0 for row in rows]
    return result.reshape(y.shape).view(SymbolArray)


def vjp(outputs: Any, inputs: Any, cotangents: Any) -> SymbolArray:
    """Derivative of the sum of `cotangents * outputs`: the transposed Jacobian times `cotangents`."""
    y, x, dy = as_symbols(outputs), as_symbols(inputs), as_symbols(cotangents)
    if dy.shape != y.shape:
        raise ShapeError(f"vjp: the cotangents must have the outputs' shape {y.shape}, got {dy.shape}")
    result = np.full(x.size, 0.0, dtype=object)
    graph = _graph(x)
    if graph is not None:
        places, factors = _independent(graph, list(x.flat))
        adjoints: dict[int, Tangent] = {}
        for item, cotangent in zip(y.flat, dy.flat, strict=True):
            row = _node(graph, item)
            if row is not None:
                add_scaled(adjoints.setdefault(row, {}), 1.0, {0: cotangent})
        columns = pull_back(graph, adjoints, places)
        result[:] = [column.get(0, 0.0) * (1.0 / factor) for column, factor in zip(columns, factors, strict=True)]
    return result.reshape(x.shape).view(SymbolArray)


def gradient(output: Any, inputs: Any) -> SymbolArray:
    """Gradient of one scalar, of the inputs' shape, by reverse differentiation."""
    return vjp(_one(output, "gradient"), inputs, 1.0)


def hessian(output: Any, inputs: Any) -> SymbolArray:
    """Second derivatives of one scalar: forward over reverse; exactly symmetric. Shape (*inputs, *inputs)."""
    x = as_symbols(inputs)
    first = gradient(_one(output, "hessian"), x).reshape(-1)
    full = jacobian(first, x.reshape(-1), "forward").view(np.ndarray)
    for i in range(x.size):
        full[i, i + 1 :] = full[i + 1 :, i]
    return full.reshape((*x.shape, *x.shape)).view(SymbolArray)


def jacobian_program(
    program: Program,
    output: str | Sequence[str] | None = None,
    input: str | Sequence[str] | None = None,
    mode: Mode | None = None,
) -> Program:
    """The Jacobians of a program's outputs with respect to its inputs, as a program of the same inputs.

    output, input: a name, several, or None for all. Each pair becomes the output `d_{output}_d_{input}` of shape
    (*output, *input), whose structural zeros `Program.sparsity` tells.
    """
    rows = _chosen("output", output, [port.name for port in program.outputs])
    columns = _chosen("input", input, [port.name for port in program.inputs])
    with Graph() as graph:
        inputs = {port.name: symbols(port.name, port.shape) for port in program.inputs}
        outputs = dict(zip((port.name for port in program.outputs), replay(program, *inputs.values()), strict=True))
        y = np.concatenate([outputs[name].reshape(-1) for name in rows])
        x = np.concatenate([inputs[name].reshape(-1) for name in columns])
        full = jacobian(y, x, mode)
        results = {}
        i = 0
        for row in rows:
            j = 0
            for column in columns:
                part = full[i : i + outputs[row].size, j : j + inputs[column].size]
                results[f"d_{row}_d_{column}"] = part.reshape((*outputs[row].shape, *inputs[column].shape))
                j += inputs[column].size
            i += outputs[row].size
        return extract(graph, f"{program.name}_jacobian", inputs, results)


def _chosen(kind: str, names: str | Sequence[str] | None, known: list[str]) -> list[str]:
    chosen = known if names is None else [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in known:
            raise unknown_name(kind, name, known)
    return chosen


def _one(output: Any, name: str) -> SymbolArray:
    array = as_symbols(output)
    if array.size != 1:
        raise ShapeError(f"{name}: the output must be one scalar, got shape {array.shape}")
    return as_symbols(array.reshape(()))


def _graph(x: SymbolArray) -> Graph | None:
    graph = next((item.graph for item in x.flat if isinstance(item, Scalar)), None)
    if graph is None and x.size:
        raise TraceError("cannot differentiate with respect to numbers: derivatives are of symbols, inside a kernel")
    return graph


def _node(graph: Graph, value: Any) -> int | None:
    """The instruction of an output, or None for a constant."""
    if isinstance(value, Truth | bool):
        raise TraceError("a truth value has no derivative; differentiate a number")
    return graph.lift(value).index if isinstance(value, Scalar) else None


def _independent(graph: Graph, inputs: Sequence[Any]) -> tuple[list[int], list[float]]:
    """The instruction each input is a multiple of, and the factor.

    Signs and constant factors are moved about when expressions fold, so a multiple of a symbol may not appear in the
    expressions made from it; the symbol under it does.
    """
    places: list[int] = []
    factors: list[float] = []
    for item in inputs:
        if not isinstance(item, Scalar) or isinstance(item, Truth):
            raise TraceError(f"cannot differentiate with respect to {item!r}: it must be a symbol")
        index, factor = graph.lift(item).index, 1.0
        while True:
            key = graph.code[index]
            constants = [k for k in key[1:] if key[0] == Op.MUL and graph.code[k][0] == Op.CONSTANT]
            if key[0] == Op.NEG:
                index, factor = key[1], -factor
            elif constants:
                factor *= graph.constants[graph.code[constants[0]][1]]
                index = key[2] if constants[0] == key[1] else key[1]
            else:
                break
        places.append(index)
        factors.append(factor)
    if len(set(places)) < len(places):
        raise TraceError("cannot differentiate with respect to a symbol twice: the inputs must be different symbols")
    return places, factors
