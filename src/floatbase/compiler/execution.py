"""Running kernels over the rows of a batch.

The one-state kernel is looped over a few rows; beyond that the batch kernel takes pieces of the batch, on one thread or
several, with the interpreter lock released. Pieces are short enough for an interrupt to be noticed between them. A
row's result does not depend on how the batch is cut.
"""

from __future__ import annotations

import ctypes
import itertools
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.arrays import Rows
from floatbase.compiler.memory import thread_scratch
from floatbase.compiler.threads import share

NON_FINITE = 1 << 31
LOOP_ROWS = 2  # up to this many rows the one-state kernel is faster than a batch of mostly padding
SECONDS_PER_OPERATION = 3e-11  # in a batch, to choose the first piece; later ones follow what was measured
_PIECE_SECONDS = 0.02
_SHARED_SECONDS = 60e-6  # a piece worth handing to another thread
_PIECES_PER_THREAD = 8

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


def run_rows(ports: Ports, kernel: Kernel, rows: int, operations: int, threads: int) -> int:
    """Run a kernel on all rows; the union of their status bits, of those rows that were run before a bad one."""
    estimate = max(operations, 1) * SECONDS_PER_OPERATION
    if kernel.lanes == 1 or rows <= kernel.lanes:
        return ports.run(kernel, 0, rows)
    shortest = _whole(_SHARED_SECONDS / estimate, kernel.lanes)
    if threads > 1 and rows > shortest:
        size = max(shortest, min(rows // (threads * _PIECES_PER_THREAD), int(_PIECE_SECONDS / estimate)))
        return _run_shared(ports, kernel, rows, _whole(size, kernel.lanes), threads)
    return _run_alone(ports, kernel, rows, _whole(_PIECE_SECONDS / estimate / 4, kernel.lanes))


def _whole(rows: float, lanes: int) -> int:
    """A positive multiple of the lanes."""
    return max(int(rows) // lanes, 1) * lanes


def _run_alone(ports: Ports, kernel: Kernel, rows: int, size: int) -> int:
    start = 0
    while start < rows:
        stop = min(start + size, rows)
        before = time.perf_counter()
        status = ports.run(kernel, start, stop)
        if status:
            return status
        seconds = max(time.perf_counter() - before, 1e-9)
        size = _whole(min(size * _PIECE_SECONDS / seconds, 4 * size), kernel.lanes)
        start = stop
    return 0


def _run_shared(ports: Ports, kernel: Kernel, rows: int, size: int, threads: int) -> int:
    pieces = itertools.count(0, size)  # shared by the threads: `next` is atomic
    statuses: list[int] = []
    stopped: list[bool] = []

    def work() -> None:
        for start in pieces:
            if start >= rows or stopped:
                return
            status = ports.run(kernel, start, min(start + size, rows))
            if status:
                statuses.append(status)
                stopped.append(True)

    share(work, lambda: stopped.append(True), min(threads, -(-rows // size)))
    return next(iter(statuses), 0)
