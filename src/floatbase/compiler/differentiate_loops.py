r"""Derivatives of calls, look-ups and loops.

* A call has a Jacobian sub-program, which is called in turn: \(\mathrm{d}y = J\,\mathrm{d}x\).
* A look-up reads the derivatives of the table at the same index; its index is rounded, so it has derivative zero.
* A loop carries its derivatives along: the carry \(c\) becomes \((c, \partial c)\) with one tangent for each direction
  and each entry that can be non-zero, which is found by following the pattern until it no longer grows.

In reverse, look-ups have a rule of their own; calls and loops use the forward derivatives along their active arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from floatbase.compiler.differentiate_matrices import BlockUse
from floatbase.compiler.differentiate_scalars import Tangent, Value, add_scaled
from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Port, Program
from floatbase.compiler.replaying import replay_scalars
from floatbase.compiler.scalar import Scalar, apply, select
from floatbase.compiler.symbol_arrays import SymbolArray, symbols
from floatbase.compiler.tracing import extract

Places = list[tuple[int, int]]  # (entry, direction) of tangents that can be non-zero
ForwardRule = Callable[[BlockUse, Sequence[Tangent]], list[Tangent]]


def by_jacobian(forward: ForwardRule) -> Callable[[BlockUse, Sequence[Tangent], Sequence[bool]], list[Tangent]]:
    """The reverse rule that multiplies with the forward Jacobian of the block."""

    def reverse(use: BlockUse, adjoints: Sequence[Tangent], active: Sequence[bool]) -> list[Tangent]:
        unit: list[Tangent] = [{k: 1.0} if moving else {} for k, moving in enumerate(active)]
        result: list[Tangent] = [{} for _ in active]
        for derivative, adjoint in zip(forward(use, unit), adjoints, strict=True):
            for k, partial in derivative.items():
                add_scaled(result[k], partial, adjoint)
        return result

    return reverse


def call_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """Call the Jacobian of the sub-program."""
    active = tuple(k for k, tangent in enumerate(tangents) if tangent)
    program, places, known = _call_jacobian(use.block.programs[0], active)
    values = use.graph.block("call", use.arguments, (program,)) if places else []
    result: list[Tangent] = [{} for _ in range(use.block.size)]
    entries: list[tuple[int, int, Value]] = [(*place, value) for place, value in zip(places, values, strict=True)]
    for i, k, value in [*entries, *known]:
        add_scaled(result[i], value, tangents[k])
    return result


@lru_cache(maxsize=256)
def _call_jacobian(
    program: Program, active: tuple[int, ...]
) -> tuple[Program, list[tuple[int, int]], list[tuple[int, int, float]]]:
    """A program for the entries (output, input) of a Jacobian that vary, their places, and the constant entries."""
    from floatbase.compiler.differentiate import sparse_jacobian

    with Graph() as graph:
        inputs = _inputs(program.inputs)
        flat = [item for array in inputs.values() for item in array.flat]
        values = replay_scalars(graph, program, flat)
        outputs = [values[k] for k in program.results.tolist()]
        rows = sparse_jacobian(graph, outputs, [flat[k] for k in active])
        varying: list[tuple[int, int]] = []
        known: list[tuple[int, int, float]] = []
        entries: list[Scalar] = []
        for i, row in enumerate(rows):
            for column, value in row.items():
                if isinstance(value, Scalar):
                    varying.append((i, active[column]))
                    entries.append(value)
                else:
                    known.append((i, active[column], value))
        jacobian = extract(graph, f"{program.name}_jacobian", inputs, {"jacobian": _vector(entries)})
    return jacobian, varying, known


def gather_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """Look up all directions at once, as more columns of the table."""
    rows, columns = use.settings("rows", "columns")
    table = tangents[:-1]
    pairs = list(dict.fromkeys((k % columns, d) for k, tangent in enumerate(table) for d in tangent))
    result: list[Tangent] = [{} for _ in range(columns)]
    if pairs:
        arguments = [table[row * columns + column].get(d, 0.0) for row in range(rows) for column, d in pairs]
        values = use.graph.block("gather", [*arguments, use.arguments[-1]], rows=rows, columns=len(pairs))
        for (column, d), value in zip(pairs, values, strict=True):
            result[column][d] = value
    return result


def gather_reverse(use: BlockUse, adjoints: Sequence[Tangent], active: Sequence[bool]) -> list[Tangent]:
    """The adjoint goes to the row that was read."""
    rows, columns = use.settings("rows", "columns")
    index = use.arguments[-1]
    result: list[Tangent] = [{} for _ in active]
    for row in range(rows):
        lower = row > 0 and apply(Op.LE, float(row), index)
        upper = row < rows - 1 and apply(Op.LE, float(row + 1), index)
        for column, adjoint in enumerate(adjoints):
            if active[row * columns + column]:
                for d, value in adjoint.items():
                    reached = value if row == 0 else select(lower, value, 0.0)
                    result[row * columns + column][d] = reached if row == rows - 1 else select(upper, 0.0, reached)
    return result


def scan_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """A scan whose carry, shared values and rows have their tangents beside them."""
    length, carry, shared, row, collect = use.settings("length", "carry", "shared", "row", "collect")
    first_row = carry + shared
    row_tangents = tangents[first_row:]
    carry_places = _places(tangents[:carry])
    shared_places = _places(tangents[carry:first_row])
    row_places = sorted({(k % row, d) for k, tangent in enumerate(row_tangents) for d in tangent}) if row else []
    while True:
        with Graph() as graph:
            sizes = {"carry": carry + len(carry_places), "shared": shared + len(shared_places)}
            sizes["row"] = row + len(row_places)
            inputs = _inputs([Port("index"), *(Port(name, (size,)) for name, size in sizes.items())])
            index, carried, fixed, item = (list(array.flat) for array in inputs.values())
            seeds = _seeds(carried, carry, carry_places) | _seeds(fixed, shared, shared_places)
            seeds |= _seeds(item, row, row_places)
            primal = [*index, *carried[:carry], *fixed[:shared], *item[:row]]
            values, moved = _push(graph, use.block.programs[0], primal, seeds)
            grown = sorted({*carry_places, *_places(moved[:carry])})
            if grown != carry_places:
                carry_places = grown
                continue
            collect_places = _places(moved[carry:])
            outputs = {
                "carry": _vector([*values[:carry], *(moved[k].get(d, 0.0) for k, d in carry_places)]),
                "collected": _vector([*values[carry:], *(moved[carry + k][d] for k, d in collect_places)]),
            }
            body = extract(graph, f"{use.block.programs[0].name}_tangents", inputs, outputs)
            break
    arguments = [*use.arguments[:carry], *(tangents[k].get(d, 0.0) for k, d in carry_places)]
    arguments += [*use.arguments[carry:first_row], *(tangents[carry + k][d] for k, d in shared_places)]
    for step in range(length):
        arguments += use.arguments[first_row + step * row : first_row + (step + 1) * row]
        arguments += [row_tangents[step * row + k].get(d, 0.0) for k, d in row_places]
    items = collect + len(collect_places)
    outputs_all = use.graph.block("scan", arguments, (body,), length=length, collect=items, **sizes)
    result: list[Tangent] = [{} for _ in range(use.block.size)]
    for (k, d), value in zip(carry_places, outputs_all[carry : sizes["carry"]], strict=True):
        result[k][d] = value
    for step in range(length):
        start = sizes["carry"] + step * items + collect
        for place, (k, d) in enumerate(collect_places):
            result[carry + step * collect + k][d] = outputs_all[start + place]
    return result


def while_forward(use: BlockUse, tangents: Sequence[Tangent]) -> list[Tangent]:
    """A loop that carries its tangents and stops when the loop itself does."""
    carry, shared, limit = use.settings("carry", "shared", "limit")
    condition, body = use.block.programs
    carry_places, shared_places = _places(tangents[:carry]), _places(tangents[carry:])
    while True:
        ports = (Port("carry", (carry + len(carry_places),)), Port("shared", (shared + len(shared_places),)))
        with Graph() as graph:
            inputs = _inputs(ports)
            carried, fixed = (list(array.flat) for array in inputs.values())
            seeds = _seeds(carried, carry, carry_places) | _seeds(fixed, shared, shared_places)
            values, moved = _push(graph, body, [*carried[:carry], *fixed[:shared]], seeds)
            grown = sorted({*carry_places, *_places(moved)})
            if grown != carry_places:
                carry_places = grown
                continue
            result_carry = _vector([*values, *(moved[k].get(d, 0.0) for k, d in carry_places)])
            step = extract(graph, f"{body.name}_tangents", inputs, {"carry": result_carry})
            break
    with Graph() as graph:
        inputs = _inputs(ports)
        carried, fixed = (list(array.flat) for array in inputs.values())
        checked = replay_scalars(graph, condition, [*carried[:carry], *fixed[:shared]])
        test = extract(graph, condition.name, inputs, {"result": checked[condition.results[0]]})
    arguments = [*use.arguments[:carry], *(tangents[k].get(d, 0.0) for k, d in carry_places)]
    arguments += [*use.arguments[carry:], *(tangents[carry + k][d] for k, d in shared_places)]
    sizes = {"carry": carry + len(carry_places), "shared": shared + len(shared_places)}
    outputs = use.graph.block("while", arguments, (test, step), limit=limit, **sizes)
    result: list[Tangent] = [{} for _ in range(use.block.size)]
    for (k, d), value in zip(carry_places, outputs[carry:-1], strict=True):
        result[k][d] = value
    return result


def _push(
    graph: Graph, program: Program, inputs: Sequence[Any], seeds: dict[int, Tangent]
) -> tuple[list[Any], list[Tangent]]:
    """The outputs of a program and their tangents."""
    from floatbase.compiler.differentiate_forward import push_forward

    values = replay_scalars(graph, program, inputs)
    outputs = [values[k] for k in program.results.tolist()]
    return outputs, push_forward(graph, [graph.lift(value).index for value in outputs], seeds)


def _inputs(ports: Sequence[Port]) -> dict[str, SymbolArray]:
    return {port.name: symbols(port.name, port.shape) for port in ports}


def _vector(values: Sequence[Value]) -> SymbolArray:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result.view(SymbolArray)


def _places(tangents: Sequence[Tangent]) -> Places:
    return sorted((k, d) for k, tangent in enumerate(tangents) for d in tangent)


def _seeds(items: Sequence[Scalar], primal: int, places: Places) -> dict[int, Tangent]:
    """Tangents of the first `primal` symbols: the symbols that follow them."""
    result: dict[int, Tangent] = {}
    for (k, d), symbol in zip(places, items[primal:], strict=True):
        result.setdefault(items[k].index, {})[d] = symbol
    return result
