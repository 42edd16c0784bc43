"""Running kernels over the rows of a batch.

The one-state kernel is looped over a few rows; beyond that the batch kernel takes pieces of the batch, on one thread or
several, with the interpreter lock released. Pieces are short enough for an interrupt to be noticed between them. A
row's result does not depend on how the batch is cut.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.arrays import Rows
from floatbase.compiler.memory import thread_scratch
from floatbase.compiler.sharing import Job
from floatbase.compiler.threads import LONGEST_SECONDS, share

NON_FINITE = 1 << 31
LOOP_ROWS = 2  # up to this many rows the one-state kernel is faster than a batch of mostly padding
SECONDS_PER_OPERATION = 3e-11  # in a batch; a first guess, soon replaced by what is measured
_SHORTEST_SECONDS = 5e-6  # of a piece
SHARED_SECONDS = 1e-4  # of a batch that is worth waking another thread for

ONE_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
BATCH_PROTOTYPE = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_void_p,
    ctypes.c_int64,
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
        return Kernel((ONE_PROTOTYPE if lanes == 1 else BATCH_PROTOTYPE)(address), address, lanes, scratch, code)


@dataclass(frozen=True)
class Table:
    """Where the rows of all inputs and outputs are: addresses of arrays of addresses and strides."""

    addresses: int
    strides: int
    inputs: int
    ports: int


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
        self._address_words = self._words(*self._addresses)
        self._first = ctypes.addressof(self._address_words)

    def run(self, kernel: Kernel, start: int, stop: int) -> int:
        """Run a kernel on some of the rows; the union of their status bits."""
        scratch = thread_scratch(kernel.scratch)
        outputs = 8 * self._count
        if kernel.lanes > 1:
            pointers = self._words(*(a + start * s for a, s in zip(self._addresses, self._strides, strict=True)))
            at = ctypes.addressof(pointers)
            rows = stop - start
            status = kernel.call(at, self._at, at + outputs, self._at + outputs, rows, rows, scratch)
            return int(status) & 0xFFFFFFFF
        union = 0
        for row in range(start, stop):
            pointers = self._words(*(a + row * s for a, s in zip(self._addresses, self._strides, strict=True)))
            at = ctypes.addressof(pointers)
            union |= kernel.call(at, at + outputs, scratch)
        return union & 0xFFFFFFFF

    @property
    def table(self) -> Table:
        """Where all rows are; valid as long as this object."""
        return Table(self._first, self._at, self._count, len(self.rows))


def run_rows(ports: Ports, kernel: Kernel, rows: int, operations: int, threads: int) -> int:
    """Run a kernel on all rows; status bits of pieces with bad states, or 0."""
    if kernel.lanes == 1 or rows <= kernel.lanes:
        return ports.run(kernel, 0, rows)
    return run_batch(ports.table, kernel, rows, operations, threads)


def run_batch(table: Table, kernel: Kernel, rows: int, operations: int, threads: int) -> int:
    """Run a batch kernel on all rows; status bits of pieces with bad states, or 0."""
    seconds_per_row = max(operations, 1) * SECONDS_PER_OPERATION
    if rows * seconds_per_row < SHARED_SECONDS:
        threads = 1
    # a quarter until the estimate is replaced by a measurement
    largest = max(int(LONGEST_SECONDS / 4 / seconds_per_row), kernel.lanes)
    job = Job(
        rows=rows,
        lanes=kernel.lanes,
        smallest=int(_SHORTEST_SECONDS / seconds_per_row),
        largest=largest,
        budget=largest,
        kernel=kernel.address,
        addresses=table.addresses,
        strides=table.strides,
        inputs=table.inputs,
        ports=table.ports,
        scratch=thread_scratch(kernel.scratch),
    )
    share(job, min(threads, -(-rows // kernel.lanes)), kernel.scratch)
    return int(job.status)
