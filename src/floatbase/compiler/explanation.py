"""Errors for states that were refused: which argument, which row, which element, and what it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.compiler.arrays import AnyArray, Shape
from floatbase.compiler.artifact import Signature
from floatbase.compiler.execution import NON_FINITE, Kernel, Ports
from floatbase.compiler.program import Program
from floatbase.errors import StateError

_PART = re.compile(r"\b(\w+)\[(\d+):(\d+)\]")  # of an argument, such as q[3:7]


def explain(
    signature: Signature, arrays: Sequence[AnyArray], batch: Shape, ports: Ports, kernel: Kernel, status: int
) -> StateError:
    """The error for a status that is not zero."""
    if status & NON_FINITE:
        error = non_finite(signature, arrays)
        if error is not None:
            return error
    row, status = first_bad_row(lambda first, stop: ports.run(kernel, first, stop), int(np.prod(batch, dtype=np.int64)))
    said = [text for bit, text in enumerate(signature.guards) if status >> bit & 1]
    index = tuple(int(axis) for axis in np.unravel_index(row, batch)) if batch else ()
    return refusal(signature, arrays, said, batch, index)


def refusal(
    signature: Signature | Program,
    arrays: Sequence[Any],
    said: Sequence[str],
    batch: Shape,
    index: tuple[int, ...],
    at: tuple[int, ...] | None = None,
) -> StateError:
    """The error for guards that do not hold in a row of a batch; `said` is what they say.

    `at` is that row, if arrays are of one row.
    """
    row = {
        port.name: np.broadcast_to(array, (*batch, *port.shape))[index]
        for port, array in zip(signature.inputs, arrays, strict=True)
    }
    messages = "; ".join(with_values(text, row) for text in said) or "the state is not finite"
    return StateError(f"{signature.name}: {messages}{place(index if at is None else at)}")


def with_values(message: str, row: Mapping[str, Any]) -> str:
    """What a guard says, with the values of the first part of an argument that it names, and their length."""
    found = _PART.search(message)
    if found is None or found[1] not in row:
        return message
    part = np.real(row[found[1]])[int(found[2]) : int(found[3])]
    values = ", ".join(f"{value:.9g}" for value in part)
    return f"{message}; got {values}, of length {np.linalg.norm(part.astype(np.float64)):.9g}"


def place(index: tuple[int, ...]) -> str:
    """Which row of a batch, in the words that end a message."""
    return f" (row {index[0] if len(index) == 1 else index})" if index else ""


def non_finite(
    signature: Signature | Program, arrays: Sequence[AnyArray], at: tuple[int, ...] = ()
) -> StateError | None:
    """The error for the first number that is not finite, if there is one; `at` is the row, if arrays are of one row."""
    for port, array in zip(signature.inputs, arrays, strict=True):
        bad = ~np.isfinite(array)
        if bad.any():
            index = tuple(int(axis[0]) for axis in np.nonzero(bad)) if array.ndim else ()
            own = array.ndim - len(port.shape)
            row, element = index[:own] or at, index[own:]
            name = port.name + (f"[{', '.join(map(str, element))}]" if element else "")
            where = f" in row {row[0] if len(row) == 1 else row}" if row else ""
            return StateError(
                f"{signature.name}: argument {port.name!r} must be finite, but {name} is {array[index]}{where}"
            )
    return None


def first_bad_row(run: Callable[[int, int], int], rows: int) -> tuple[int, int]:
    """The first row whose status is not zero, and its status: by halving, since rows are computed again.

    `run` computes rows from a first one up to another and gives the union of their status bits.
    """
    low, high = 0, rows
    while high - low > 1:
        middle = (low + high) // 2
        if run(low, middle):
            high = middle
        else:
            low = middle
    return low, run(low, low + 1)
