"""Running kernels over the rows of a batch.

The one-state kernel is looped over a few rows; beyond that the batch kernel takes pieces of the batch, on one thread or
several, with the interpreter lock released. Pieces are short enough for an interrupt to be noticed between them. A
row's result does not depend on how the batch is cut.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.arrays import Rows
from floatbase.compiler.memory import thread_scratch
from floatbase.compiler.threads import share

NON_FINITE = 1 << 31
LOOP_ROWS = 2  # up to this many rows the one-state kernel is faster than a batch of mostly padding
SECONDS_PER_OPERATION = 3e-11  # in a batch; a first guess, soon replaced by what is measured
_LONGEST_SECONDS = 0.02  # of a piece: interrupts are noticed after it
_SHORTEST_SECONDS = 20e-6  # of a piece: calling the kernel takes 3 us
_SHARED_SECONDS = 1e-4  # of a batch that is worth waking another thread for

_ONE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_BATCH = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
    ctypes.c_void_p,
)


@dataclass(frozen=True, eq=False)
class Kernel:
    """Machine code of a program for one type of numbers and number of lanes."""

    call: Callable[..., int]
    address: int
    lanes: int
    scratch: int
    code: Any  # keeps the memory of the machine code alive

    @staticmethod
    def at(address: int, lanes: int, scratch: int, code: Any) -> Kernel:
        """A kernel from the address of its function."""
        return Kernel((_ONE if lanes == 1 else _BATCH)(address), address, lanes, scratch, code)


class Ports:
    """The rows of all inputs and outputs, as the arrays of addresses and strides that kernels take."""

    def __init__(self, inputs: Sequence[Rows], outputs: Sequence[Rows]) -> None:
        self.rows = (*inputs, *outputs)
        self._count = len(inputs)
        self._words = ctypes.c_int64 * max(len(self.rows), 1)
        self._addresses = [item.address for item in self.rows]
        self._strides = [item.stride for item in self.rows]
        self._stride_words = self._words(*self._strides)
        self._at = ctypes.addressof(self._stride_words)

    def run(self, kernel: Kernel, start: int, stop: int) -> int:
        """Run a kernel on some of the rows; the union of their status bits."""
        scratch = thread_scratch(kernel.scratch)
        outputs = 8 * self._count
        if kernel.lanes > 1:
            pointers = self._words(*(a + start * s for a, s in zip(self._addresses, self._strides, strict=True)))
            at = ctypes.addressof(pointers)
            status = kernel.call(at, self._at, at + outputs, self._at + outputs, stop - start, scratch)
            return int(status) & 0xFFFFFFFF
        union = 0
        for row in range(start, stop):
            pointers = self._words(*(a + row * s for a, s in zip(self._addresses, self._strides, strict=True)))
            at = ctypes.addressof(pointers)
            union |= kernel.call(at, at + outputs, scratch)
        return union & 0xFFFFFFFF


class _Pieces:
    """Hands out the rows of a batch: large pieces first, small ones near the end, where threads wait for the last."""

    def __init__(self, rows: int, lanes: int, seconds_per_row: float, threads: int) -> None:
        self._rows, self._lanes, self._threads = rows, lanes, threads
        self._start = 0
        self._lock = threading.Lock()
        self._bound(seconds_per_row)
        self._largest = self._whole(self._largest / 4)  # until the estimate is replaced by a measurement
        self.status = 0

    def _bound(self, seconds_per_row: float) -> None:
        self._smallest = self._whole(_SHORTEST_SECONDS / seconds_per_row)
        self._largest = self._whole(_LONGEST_SECONDS / seconds_per_row)

    def _whole(self, rows: float) -> int:
        return max(int(rows) // self._lanes, 1) * self._lanes

    def stop(self) -> None:
        """Hand out nothing more."""
        with self._lock:
            self._start = self._rows

    def run(self, ports: Ports, kernel: Kernel) -> None:
        """Run a kernel on piece after piece until none is left or a state is bad."""
        while True:
            with self._lock:
                start = self._start
                left = self._rows - start
                if left <= 0:
                    return
                size = left if self._threads == 1 else self._whole(left / (2 * self._threads))
                stop = start + min(max(size, self._smallest), self._largest, left)
                self._start = stop
            before = time.perf_counter()
            status = ports.run(kernel, start, stop)
            seconds = time.perf_counter() - before
            if status:
                self.status = status
                self.stop()
                return
            self._bound(max(seconds, 1e-9) / (stop - start))


def run_rows(ports: Ports, kernel: Kernel, rows: int, operations: int, threads: int) -> int:
    """Run a kernel on all rows; status bits of a piece with a bad state, or 0."""
    if kernel.lanes == 1 or rows <= kernel.lanes:
        return ports.run(kernel, 0, rows)
    estimate = max(operations, 1) * SECONDS_PER_OPERATION
    if rows * estimate < _SHARED_SECONDS:
        threads = 1
    pieces = _Pieces(rows, kernel.lanes, estimate, threads)
    if threads == 1:
        pieces.run(ports, kernel)
    else:
        share(lambda: pieces.run(ports, kernel), pieces.stop, min(threads, -(-rows // kernel.lanes)))
    return pieces.status
