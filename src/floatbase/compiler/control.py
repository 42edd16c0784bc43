"""Loops, look-ups and sub-programs for traced algorithms.

Each of these computes at once when called with numbers, and becomes one block of the program when called with
symbols: a real loop or call in machine code, whose size does not depend on how often it runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from floatbase.compiler.blocks import MAX_LENGTH
from floatbase.compiler.graph import current_graph
from floatbase.compiler.program import Port, Program
from floatbase.compiler.scalar import Scalar, Truth, select
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols, is_symbolic
from floatbase.compiler.tracing import trace
from floatbase.errors import ArgumentError, ShapeError, StateError, TraceError


def _packed(values: list[Scalar], shape: tuple[int, ...]) -> SymbolArray:
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result.reshape(shape).view(SymbolArray)


def scan(
    body: Callable[..., tuple[Any, Any]],
    carry: Any,
    rows: Any = None,
    *,
    length: int | None = None,
    shared: Any = None,
) -> tuple[Any, Any]:
    """Run `carry, collected = body(index, carry, row, shared)` for each row, and stack what was collected.

    carry: an array, of the same shape at every step. rows: (length, ...) or None, then `row` is None and `length` is
    needed. shared: an array all steps see, or None. Returns the last carry and the collected arrays (length, ...).
    """
    _check_callback("scan", "body", body, "index, carry, row, shared")
    count = len(rows) if rows is not None else length
    if count is None or (length is not None and length != count):
        raise ArgumentError(f"scan: needs rows or a positive length, got length={length}, rows of {np.shape(rows)}")
    count = _whole("scan: length", count)
    if not is_symbolic(carry, rows, shared):
        collected = []
        for index in range(count):
            carry, item = _pair(body(index, carry, None if rows is None else rows[index], shared))
            collected.append(item)
        return carry, np.stack(collected)
    carry_shape, shared_shape = np.shape(carry), np.shape(shared) if shared is not None else (0,)
    row_shape = np.shape(rows)[1:] if rows is not None else (0,)

    def step(index: Any, carried: Any, common: Any, row: Any) -> tuple[Any, Any]:
        return _pair(body(index, carried, row if rows is not None else None, common if shared is not None else None))

    program = trace(
        step,
        [Port("index"), Port("carry", carry_shape), Port("shared", shared_shape), Port("row", row_shape)],
        getattr(body, "__name__", "scan"),
    )
    _same_carry("scan", program, carry_shape)
    item_shape = program.outputs[1].shape
    arguments = [*as_symbols(carry).flat]
    arguments += [*as_symbols(shared).flat] if shared is not None else []
    arguments += [*as_symbols(rows).flat] if rows is not None else []
    sizes = {"carry": program.outputs[0].size, "shared": program.inputs[2].size, "row": program.inputs[3].size}
    values = current_graph().block(
        "scan", arguments, (program,), length=count, collect=program.outputs[1].size, **sizes
    )
    split = program.outputs[0].size
    return _packed(values[:split], carry_shape), _packed(values[split:], (count, *item_shape))


def while_loop(
    condition: Callable[..., Any],
    body: Callable[..., Any],
    carry: Any,
    *,
    shared: Any = None,
    limit: int,
) -> tuple[Any, Any]:
    """Run `carry = body(carry, shared)` as long as `condition(carry, shared)`, at most `limit` times.

    Returns the last carry and the number of steps. In a batch, each state stops on its own.
    """
    _check_callback("while_loop", "condition", condition, "carry, shared")
    _check_callback("while_loop", "body", body, "carry, shared")
    limit = _whole("while_loop: limit", limit)
    if not is_symbolic(carry, shared):
        steps = 0
        while steps < limit and _truth(condition(carry, shared)):
            carry = body(carry, shared)
            steps += 1
        return carry, steps
    shape, shared_shape = np.shape(carry), np.shape(shared) if shared is not None else (0,)
    ports = [Port("carry", shape), Port("shared", shared_shape)]

    def with_shared(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda carried, common: function(carried, common if shared is not None else None)

    test = trace(lambda *arrays: _truth(with_shared(condition)(*arrays)), ports, "condition")
    step = trace(with_shared(body), ports, getattr(body, "__name__", "while"))
    _same_carry("while_loop", step, shape)
    arguments = [*as_symbols(carry).flat, *(as_symbols(shared).flat if shared is not None else ())]
    values = current_graph().block(
        "while", arguments, (test, step), carry=ports[0].size, shared=ports[1].size, limit=limit
    )
    return _packed(values[:-1], shape), values[-1]


def gather(table: Any, index: Any) -> Any:
    """Row `index` (rounded down, clamped to the table) of `table` (n, ...), with an index that may be a symbol."""
    shape = np.shape(table)
    if len(shape) == 0 or shape[0] < 1:
        raise ShapeError(f"gather: the table needs at least one row, got shape {shape}")
    if not is_symbolic(index):
        place = np.clip(np.floor(index), 0, shape[0] - 1).astype(np.int64)
        return np.asarray(table)[place] if not is_symbolic(table) else as_symbols(table)[place]
    index = as_symbols(index)
    if index.ndim:
        raise ShapeError(f"gather: a symbolic index must be a scalar, got shape {index.shape}")
    columns = int(np.prod(shape[1:], dtype=np.int64))
    values = current_graph().block("gather", [*as_symbols(table).flat, index.item()], rows=shape[0], columns=columns)
    return _packed(values, shape[1:])


def subprogram(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function over arrays that is compiled once and called, instead of being unrolled at every use.

    It takes arrays and returns one array. With numbers it is the function itself. Its guards are the caller's.
    """
    if not callable(function):
        raise ArgumentError(f"subprogram takes a function over arrays, got {function!r}")
    programs: dict[tuple[tuple[int, ...], ...], tuple[Program, list[str]]] = {}

    def guarded(messages: list[str], *arrays: Any) -> tuple[Any, ...]:
        """The result, and behind it what its guards demand as numbers; `messages` is filled with what they say."""
        result, demanded = function(*arrays), current_graph().guards
        if isinstance(result, tuple | list | dict):
            raise TraceError(f"subprogram {name!r} must return one array, got {type(result).__name__}")
        messages += [message for _, message in demanded]
        flags = [select(condition, 1.0, 0.0) for condition, _ in demanded]
        demanded.clear()
        return (result, _packed(flags, (len(flags),))) if flags else (result,)

    def call(*arrays: Any) -> Any:
        if not is_symbolic(*arrays):
            return function(*arrays)
        shapes = tuple(np.shape(array) for array in arrays)
        if shapes not in programs:
            ports, said = [Port(f"argument{k}", shape) for k, shape in enumerate(shapes)], list[str]()
            programs[shapes] = trace(partial(guarded, said), ports, name), said
        program, messages = programs[shapes]
        arguments = [item for array in arrays for item in as_symbols(array).flat]
        values = current_graph().block("call", arguments, (program,))
        size = program.outputs[0].size
        for flag, message in zip(values[size:], messages, strict=True):
            guard(flag > 0.5, message)
        return _packed(values[:size], program.outputs[0].shape)

    name = call.__name__ = getattr(function, "__name__", "subprogram")
    call.__doc__ = function.__doc__
    return call


def guard(condition: Any, message: str, arguments: Mapping[str, Any] | None = None) -> None:
    """Demand a condition: a compiled function whose guard fails raises `StateError` with this message.

    If the message names a part of an argument, such as "q[3:7]", its values are added. With numbers the condition is
    checked at once; `arguments` are then those that the message may name.
    """
    if is_symbolic(condition):
        for item in as_symbols(condition).flat:
            current_graph().guard(item, message)
    elif not np.all(condition):
        from floatbase.compiler.explanation import place, with_values

        index = tuple(int(axis[0]) for axis in np.nonzero(~np.asarray(condition))) if np.ndim(condition) else ()
        row = {name: np.asarray(value)[index] for name, value in (arguments or {}).items()}
        raise StateError(with_values(message, row) + place(index))


def _check_callback(name: str, role: str, function: Any, arguments: str) -> None:
    """Raise `ArgumentError` for what cannot be called with the arguments."""
    if not callable(function):
        raise ArgumentError(f"{name}: {role} must be a function called as {role}({arguments}), got {function!r}")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C do not say
        return
    try:
        signature.bind(*arguments.split(", "))
    except TypeError:
        raise ArgumentError(f"{name}: {role} is called as {role}({arguments}), but takes {signature}") from None


def _truth(value: Any) -> Any:
    """The condition of a loop, one truth value."""
    array = as_symbols(value)
    if array.size == 1 and isinstance(array.item(), Truth | bool):
        return array.item()
    raise TraceError(f"while_loop: the condition must be one truth value, such as carry[0] < 1.0, got {value!r}")


def _whole(what: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not 1 <= value <= MAX_LENGTH:
        raise ArgumentError(f"{what} must be a whole number from 1 to {MAX_LENGTH}, got {value!r}")
    return int(value)


def _pair(result: Any) -> tuple[Any, Any]:
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise TraceError(f"scan: the body must return a carry and what is collected, got {type(result).__name__}")
    return result[0], result[1]


def _same_carry(name: str, program: Program, shape: tuple[int, ...]) -> None:
    if program.outputs[0].shape != shape:
        raise TraceError(f"{name}: the body returns a carry of shape {program.outputs[0].shape}, it was given {shape}")
