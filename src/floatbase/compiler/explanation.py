"""Errors for states that a kernel refused: which argument, which row, which element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from floatbase.compiler.arrays import AnyArray, Shape
from floatbase.compiler.artifact import Signature
from floatbase.compiler.execution import NON_FINITE, Kernel, Ports
from floatbase.errors import StateError


def explain(
    signature: Signature, arrays: Sequence[AnyArray], batch: Shape, ports: Ports, kernel: Kernel, status: int
) -> StateError:
    """The error for a status that is not zero."""
    if status & NON_FINITE:
        error = _non_finite(signature, arrays)
        if error is not None:
            return error
    row, status = _first_bad_row(ports, kernel, int(np.prod(batch, dtype=np.int64)))
    where = f" (row {_place(row, batch)})" if batch else ""
    said = [text for bit, text in enumerate(signature.guards) if status >> bit & 1]
    return StateError(f"{signature.name}: {'; '.join(said) or 'the state is not finite'}{where}")


def _non_finite(signature: Signature, arrays: Sequence[AnyArray]) -> StateError | None:
    for port, array in zip(signature.inputs, arrays, strict=True):
        bad = ~np.isfinite(array)
        if bad.any():
            index = tuple(int(axis[0]) for axis in np.nonzero(bad)) if array.ndim else ()
            own = array.ndim - len(port.shape)
            row, element = index[:own], index[own:]
            name = port.name + (f"[{', '.join(map(str, element))}]" if element else "")
            where = f" in row {row[0] if len(row) == 1 else row}" if row else ""
            return StateError(
                f"{signature.name}: argument {port.name!r} must be finite, but {name} is {array[index]}{where}"
            )
    return None


def _place(row: int, batch: Shape) -> str:
    index = tuple(int(axis) for axis in np.unravel_index(row, batch))
    return str(index[0]) if len(index) == 1 else str(index)


def _first_bad_row(ports: Ports, kernel: Kernel, rows: int) -> tuple[int, int]:
    """The first row whose status is not zero, and its status: by halving, since rows are computed again."""
    low, high = 0, rows
    while high - low > 1:
        middle = (low + high) // 2
        if ports.run(kernel, low, middle):
            high = middle
        else:
            low = middle
    return low, ports.run(kernel, low, low + 1)
