"""From a function over NumPy arrays to a program."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import ARITY, Op
from floatbase.compiler.program import Block, Port, Program, as_shape
from floatbase.compiler.scalar import Scalar, Truth, select
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols, explain_index, symbols
from floatbase.errors import ArgumentError, FloatbaseError, TraceError


def trace(
    function: Callable[..., Any],
    inputs: Mapping[str, int | Sequence[int]] | Sequence[Port],
    name: str | None = None,
) -> Program:
    """Call `function` with one array of symbols for each input, and make a program of what it returns.

    inputs: names and shapes, in the order of the function's positional arguments. The function returns an array,
    a tuple or dictionary of arrays, or a dataclass of arrays; see `flatten` for the names of the outputs.
    """
    if not callable(function):
        raise ArgumentError(f"trace takes a function, got {function!r}")
    ports = as_ports(inputs)
    label = name or str(getattr(function, "__name__", "function"))
    with Graph() as graph:
        arguments = {port.name: symbols(port.name, port.shape) for port in ports}
        outputs, _ = flatten(call_with_symbols(function, label, arguments))
        return extract(graph, label, arguments, outputs)


def call_with_symbols(function: Callable[..., Any], name: str, arguments: Mapping[str, SymbolArray]) -> Any:
    """What a function returns for symbols; mistakes that have no meaning in a program are explained."""
    given = {key: array.copy() for key, array in arguments.items()}
    try:
        value = function(*arguments.values())
    except RecursionError:
        raise TraceError(f"{name!r} calls itself without end while it is traced; see floatbase.while_loop") from None
    except ZeroDivisionError as error:
        raise TraceError(
            f"{name!r} divides a number by zero while it is traced; products with structural zeros, such as a mass of "
            "zero, are the number 0.0"
        ) from error
    except IndexError as error:
        explain_index(error)
        raise
    except TypeError as error:  # operators that symbols lack
        if isinstance(error, FloatbaseError) or not re.search(r"\b(Scalar|Truth|SymbolArray)\b", str(error)):
            raise
        raise TraceError(f"{name!r} does with a symbol what has no meaning while tracing: {error}") from error
    for key, array in arguments.items():
        if any(now is not before for now, before in zip(array.flat, given[key].flat, strict=True)):
            raise TraceError(f"{name!r} changes its argument {key!r} in place; let it change a copy, {key}.copy()")
    return value


def as_ports(inputs: Mapping[str, int | Sequence[int]] | Sequence[Port]) -> tuple[Port, ...]:
    """Ports from a mapping of names to shapes."""
    if isinstance(inputs, Mapping) and all(isinstance(name, str) for name in inputs):
        return tuple(Port(name, as_shape(f"the shape of input {name!r}", shape)) for name, shape in inputs.items())
    if not isinstance(inputs, Sequence) or not all(isinstance(port, Port) for port in inputs):
        raise ArgumentError(f"inputs must be a mapping of names to shapes, got {inputs!r}")
    if len({port.name for port in inputs}) < len(inputs):
        raise ArgumentError(f"two inputs have one name: {', '.join(port.name for port in inputs)}")
    return tuple(inputs)


def flatten(value: Any) -> tuple[dict[str, Any], Callable[[Sequence[Any]], Any]]:
    """Named arrays of what a function returned, and how to put arrays back into the same form.

    A single array is called `result`; the elements of a tuple `result0`, `result1`, ...; those of a dictionary or a
    dataclass keep their names.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in dataclasses.fields(value)]
        kind = type(value)
        return {name: getattr(value, name) for name in names}, lambda parts: kind(
            **dict(zip(names, parts, strict=True))
        )
    if isinstance(value, Mapping):
        keys = list(value)
        if len({str(key) for key in keys}) < len(keys):
            raise TraceError(f"two outputs have one name: {', '.join(map(str, keys))}")
        return {str(key): value[key] for key in keys}, lambda parts: dict(zip(keys, parts, strict=True))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        make = type(value)
        return dict(zip(value._fields, value, strict=True)), lambda parts: make(*parts)
    if isinstance(value, tuple):
        return {f"result{k}": part for k, part in enumerate(value)}, tuple
    return {"result": value}, lambda parts: parts[0]


def extract(
    graph: Graph,
    name: str,
    inputs: Mapping[str, SymbolArray],
    outputs: Mapping[str, Any],
) -> Program:
    """The part of a graph that computes the outputs from the inputs, as a program."""
    arrays = {key: _as_output(key, value) for key, value in outputs.items()}
    places: dict[int, int] = {}
    for key, array in inputs.items():
        for item in as_symbols(array).flat:
            if not isinstance(item, Scalar) or item.key[0] != Op.INPUT or item.graph is not graph:
                raise TraceError(f"input {key!r} of program {name!r} must be made by floatbase.symbols")
            if places.setdefault(item.index, len(places)) != len(places) - 1:
                raise TraceError(f"input {key!r} of program {name!r}: symbol {item!r} appears twice")
    wanted = [graph.lift(item).index for array in arrays.values() for item in array.flat]
    guards = [(condition.index, message) for condition, message in graph.guards]
    code, numbers, constants, blocks = _compact(graph, name, wanted + [value for value, _ in guards], places)
    return Program(
        name,
        tuple(Port(key, as_symbols(array).shape) for key, array in inputs.items()),
        tuple(Port(key, array.shape) for key, array in arrays.items()),
        np.array(code, dtype=np.int32).reshape(-1, 4),
        np.array(constants, dtype=np.float64),
        np.array([numbers[value] for value in wanted], dtype=np.int32),
        tuple(blocks),
        tuple((numbers[value], message) for value, message in guards),
    )


def _as_output(name: str, value: Any) -> np.ndarray:
    if value is None or isinstance(value, str):
        raise TraceError(f"output {name!r} is {value!r}; a traced function returns arrays or numbers")
    array = as_symbols(value).view(np.ndarray)
    if any(isinstance(item, Truth | bool) for item in array.flat):
        array = array.copy()
        for index in np.ndindex(*array.shape):
            if isinstance(array[index], Truth | bool):
                array[index] = select(array[index], 1.0, 0.0)
    return array


def _compact(
    graph: Graph, name: str, wanted: Sequence[int], places: Mapping[int, int]
) -> tuple[list[tuple[int, int, int, int]], dict[int, int], list[float], list[Block]]:
    """The instructions that `wanted` depends on, renumbered, in the order in which they were traced."""
    source = graph.code
    alive = bytearray(len(source))
    for value in wanted:
        alive[value] = 1
    operands: dict[int, Sequence[int]] = {}
    for number in range(len(source) - 1, -1, -1):
        if not alive[number]:
            continue
        key = source[number]
        op = key[0]
        if op == Op.INPUT or op == Op.CONSTANT:
            continue
        if op == Op.BLOCK:
            used: Sequence[int] = graph.blocks[key[1]].arguments.tolist()
        elif op == Op.PROJECT:
            used = key[1:2]
        else:
            used = key[1:]
        operands[number] = used
        for value in used:
            alive[value] = 1
    numbers: dict[int, int] = {}
    code: list[tuple[int, int, int, int]] = []
    constants: list[float] = []
    blocks: list[Block] = []
    for number in range(len(source)):
        if not alive[number]:
            continue
        key = source[number]
        op = key[0]
        if op == Op.INPUT:
            if number not in places:
                raise TraceError(
                    f"program {name!r} depends on {graph.input_names[key[1]]}, which is not an input of it"
                )
            row = (op, places[number], 0, 0)
        elif op == Op.CONSTANT:
            row = (op, len(constants), 0, 0)
            constants.append(graph.constants[key[1]])
        elif op == Op.BLOCK:
            block = graph.blocks[key[1]]
            row = (op, len(blocks), 0, 0)
            arguments = np.array([numbers[value] for value in operands[number]], dtype=np.int32)
            blocks.append(dataclasses.replace(block, arguments=arguments))
        elif op == Op.PROJECT:
            row = (op, numbers[key[1]], key[2], 0)
        else:
            values = [numbers[value] for value in key[1:]] + [0] * (3 - ARITY[Op(op)])
            row = (op, values[0], values[1], values[2])
        numbers[number] = len(code)
        code.append(row)
    return code, numbers, constants, blocks
