"""Memory for large results, used again once no array on it is left.

The operating system clears every page before it gives it to a process, which takes longer than computing what goes
there. So the memory of large results that nobody holds any more is kept for the next ones, as small pieces are by any
allocator: at most a sixteenth of the machine's memory, and a gigabyte.
"""

from __future__ import annotations

import os
import threading
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

LARGE_BYTES = 4 << 20
"""Results from this size on are made here."""

_SLACK = 1.25  # how much larger than needed a piece of memory may be


def _capacity() -> int:
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not on every system
        physical = 1 << 32
    return min(physical // 16, 1 << 30)


class Store:
    """Pieces of memory that nobody uses, the latest last."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._pieces: list[npt.NDArray[np.uint8]] = []
        self._lock = threading.RLock()  # a piece may come back whenever memory is allocated, also in here

    @property
    def kept(self) -> int:
        """Bytes."""
        return sum(len(piece) for piece in self._pieces)

    def renew_lock(self) -> None:
        """In a forked process, where the thread that held the lock may be missing."""
        self._lock = threading.RLock()

    def take(self, size: int) -> npt.NDArray[np.uint8]:
        """A piece of memory of at least so many bytes, with any content."""
        with self._lock:
            for number in reversed(range(len(self._pieces))):
                if size <= len(self._pieces[number]) <= _SLACK * size:
                    return self._pieces.pop(number)
        return np.empty(size, np.uint8)

    def give(self, piece: npt.NDArray[np.uint8]) -> None:
        """Keep a piece of memory, instead of older ones if there are too many."""
        with self._lock:
            if len(piece) <= self.capacity:
                self._pieces.append(piece)
            while self.kept > self.capacity:
                self._pieces.pop(0)


class _Owner:
    """What arrays on a piece of memory refer to; gives it back when the last of them is gone."""

    def __init__(self, store: Store, piece: npt.NDArray[np.uint8]) -> None:
        self._store, self._piece = store, piece

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return self._piece.__array_interface__

    def __del__(self) -> None:
        self._store.give(self._piece)


_store = Store(_capacity())
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_store.renew_lock)


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike, store: Store = _store) -> npt.NDArray[Any]:
    """An array with any content, as `numpy.empty` makes it."""
    kind = np.dtype(dtype)
    size = prod(shape) * kind.itemsize
    if size < LARGE_BYTES:
        return np.empty(shape, kind)
    memory: npt.NDArray[np.uint8] = np.asarray(_Owner(store, store.take(size)))
    return memory[:size].view(kind).reshape(shape)
