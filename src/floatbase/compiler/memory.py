"""Scratch memory for kernels: 64-byte aligned, reused from call to call.

Kernels called under the interpreter lock run one at a time and share one area, which also keeps it in the processor's
cache when many functions take turns. Kernels called without the lock use an area of their thread.
"""

from __future__ import annotations

import threading

import numpy as np
import numpy.typing as npt

from floatbase.compiler.locking import making_code

ALIGNMENT = 64

_areas: list[npt.NDArray[np.uint8]] = []  # the last is the largest; earlier ones stay, since kernels are bound to them
_own = threading.local()


def aligned(size: int) -> npt.NDArray[np.uint8]:
    """Uninitialised memory for one thread's scratch."""
    area = np.empty(size + ALIGNMENT, np.uint8)
    start = -area.ctypes.data % ALIGNMENT
    return area[start : start + size]


def shared_scratch(size: int) -> int:
    """Address of the area for kernels that run under the interpreter lock."""
    with making_code:
        if not _areas or len(_areas[-1]) < size:
            _areas.append(aligned(max(size, 1 << 16, 2 * len(_areas[-1]) if _areas else 0)))
        return int(_areas[-1].ctypes.data)


def thread_scratch(size: int) -> int:
    """Address of the calling thread's area, valid until the thread asks for more or ends."""
    area: npt.NDArray[np.uint8] | None = getattr(_own, "area", None)
    if area is None or len(area) < size:
        area = _own.area = aligned(max(size, 1 << 16))
        _own.address = int(area.ctypes.data)
    return int(_own.address)
