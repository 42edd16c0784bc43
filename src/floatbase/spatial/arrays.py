"""Arrays of numbers or symbols, made and taken apart in one way.

Arrays of numbers have any leading batch axes; arrays of symbols have none. Recursions over a robot work on
*components*: for numbers a component is an array of the batch's shape, for symbols one symbol. A component that is
the same for every state may be a plain Python float, which costs nothing in a traced program when it is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError

Array = Any  # a NumPy array of numbers or symbols
Component = Any  # a number, an array of the batch's shape, or a symbol


def components(x: Array, size: int | None = None) -> list[Component]:
    """The entries along the last axis: `x[..., 0], x[..., 1], ...`; as many as `size` says."""
    if size is not None:
        require_shape(x, size)
    return [x[..., k][()] for k in range(x.shape[-1])]


def is_nothing(entry: Component) -> bool:
    """Whether a component is a structural zero: the Python float 0.0."""
    return type(entry) is float and entry == 0.0


def require_shape(x: Array, *shape: int) -> None:
    """Raise unless the last axes of an array have a shape."""
    found = getattr(x, "shape", None)
    if found is None:
        raise ArgumentError(f"an array (..., {', '.join(map(str, shape))}) is needed, got {type(x).__name__} {x!r}")
    if found[-len(shape) :] != shape:
        raise ShapeError(f"an array has shape {found} where (..., {', '.join(map(str, shape))}) is needed")


def zeros(shape: tuple[int, ...], *like: Array) -> Array:
    """Zeros of the batch shape and dtype that the arrays `like` have together (vectors: one axis is no batch axis)."""
    for x in like:
        if x.dtype == object:
            return np.full(shape, 0.0, dtype=object).view(type(x))
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in like))
    dtype = np.result_type(np.float16, *(x.dtype for x in like))  # whole numbers become floating point
    return np.zeros(batch + shape, dtype=dtype)


def vector(entries: Sequence[Component], *like: Array) -> Array:
    """The inverse of `components`: shape (..., n), batch and dtype as `like` (see `zeros`)."""
    result = zeros((len(entries),), *like)
    for k, entry in enumerate(entries):
        result[..., k] = entry
    return result


def matrix(rows: Sequence[Sequence[Component]], *like: Array) -> Array:
    """A matrix (..., n, m) of components, batch and dtype as `like` (see `zeros`)."""
    result = zeros((len(rows), len(rows[0]) if rows else 0), *like)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            result[..., i, j] = entry
    return result


def apply_matrix(M: Array, x: Array) -> Array:
    """Matrix times vector, `M: (..., n, m)`, `x: (..., m)`, with leading batch axes."""
    require_shape(x, M.shape[-1])
    return (M @ x[..., None])[..., 0]


def transpose(M: Array) -> Array:
    """The last two axes exchanged."""
    return np.swapaxes(M, -1, -2)
