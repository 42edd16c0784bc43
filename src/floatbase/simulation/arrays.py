"""Arrays made of components that are numbers of the batch's shape or symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.compiler import SymbolArray, is_symbolic
from floatbase.spatial.arrays import Array


def stacked(*entries: Any) -> Array:
    """The array (..., n) of n components, each a number, an array of the batch's shape, or a symbol."""
    if not is_symbolic(*entries):
        return np.stack(np.broadcast_arrays(*entries), axis=-1)
    result = np.empty(len(entries), dtype=object).view(SymbolArray)
    for k, entry in enumerate(entries):
        result[k] = entry
    return result


def stacked_matrix(rows: Sequence[Sequence[Any]]) -> Array:
    """The matrix (..., n, m) of rows of components."""
    flat = stacked(*(entry for row in rows for entry in row))
    return flat.reshape((*flat.shape[:-1], len(rows), len(rows[0])))
