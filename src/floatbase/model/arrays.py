"""Arrays of frozen dataclasses: copied, checked and made read-only, so that a digest stays true."""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.errors import ModelError


def freeze(owner: Any, name: str, shape: tuple[int, ...]) -> None:
    """Replace a field of a frozen dataclass by a read-only float64 array of a given shape, or raise `ModelError`.

    An entry of -1 in the shape stands for any size.
    """
    value = getattr(owner, name)
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = None
    if array is None or not _fits(array.shape, shape):
        what = f"{type(owner).__name__} {getattr(owner, 'name', '')!r}".removesuffix(" ''")
        came = f"of shape {array.shape}" if array is not None else f"{value!r:.60}"
        raise ModelError(f"{name} of {what} is {came}; it needs numbers of shape {shape}")
    array.flags.writeable = False
    object.__setattr__(owner, name, array)


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(shape) == len(wanted) and all(size in (own, -1) for own, size in zip(shape, wanted, strict=True))
