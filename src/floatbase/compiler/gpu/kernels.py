"""Programs loaded on a GPU, and the choice among the ways in which they can be started.

How many registers a thread may use and how many threads form a block are chosen by measurement, at the first large
batch, on the caller's own arrays; the choice is kept in the cache. Small batches want many small blocks.
"""

from __future__ import annotations

import ctypes
import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from floatbase.compiler.cache import cache_key
from floatbase.compiler.gpu.code import (
    DeviceCode,
    compile_device,
    load_code,
    machine_code,
    nearest_capability,
    store_code,
)
from floatbase.compiler.gpu.driver import Device
from floatbase.compiler.locking import making_code
from floatbase.compiler.lowering.device import ENTRY
from floatbase.compiler.lowering.exchange import WARP
from floatbase.compiler.target import DType

if TYPE_CHECKING:
    from floatbase.compiler.function import Function

LARGE_ROWS, HUGE_ROWS = 32768, 262144
"""Batches from these sizes on are started in the way that was measured to be the fastest for such a size."""

_SHARED_UNASKED = 48 << 10  # bytes of shared memory that every block may have
_LONG = 3 << 18  # bytes of PTX that take so long to assemble that there is one number of registers


@dataclass(frozen=True)
class Way:
    """Registers that a thread may use, and threads of a block."""

    registers: int
    block: int

    @property
    def warps(self) -> int:
        """How many times 32 threads a block has."""
        return self.block // WARP


class _Arguments:
    """Room for the arguments of a launch, and for their addresses."""

    def __init__(self, count: int) -> None:
        self.values = (ctypes.c_int64 * count)()
        first = ctypes.addressof(self.values)
        self._places = (ctypes.c_int64 * count)(*range(first, first + 8 * count, 8))
        self.address = ctypes.addressof(self._places)
        self.pack = struct.Struct(f"{count}q").pack_into


SMALL = Way(255, 64)
WAYS = (SMALL, Way(255, 128), Way(255, 256), Way(168, 64), Way(168, 128), Way(128, 64), Way(128, 128))


class Launch(NamedTuple):
    """What a kernel is started with."""

    rows: int
    addresses: Sequence[int]  # of inputs and outputs
    strides: tuple[int, ...]  # of inputs
    status: int
    stream: int


class DeviceKernel:
    """A program for arrays of one type of numbers on one GPU."""

    def __init__(self, function: Function, dtype: DType, device: Device) -> None:
        kind = (dtype, function.arithmetic or dtype)
        self._cache, self._kind, self.device = function.cache, kind, device
        self._digest = function.record.digest
        capability = nearest_capability(device.capability)
        code = load_code(self._cache, self._digest, kind, capability)
        if code is None:
            code = compile_device(function.program, kind, capability)
            store_code(self._cache, self._digest, kind, capability, code)
        self.code: DeviceCode = code
        self._loaded: dict[int, tuple[Any, Any]] = {}
        self._addresses: dict[int, int] = {}
        self._ways: dict[bool, Way] = {}  # for batches that are large, and very large
        self._arguments: list[_Arguments] = []  # that nobody uses

    def run(self, launch: Launch, way: Way = SMALL) -> None:
        """Start it."""
        rows, addresses, strides, status, stream = launch
        inputs = len(strides)
        words = [rows]
        for address, stride in zip(addresses, strides, strict=False):
            words += (address, stride)
        words += addresses[inputs:]
        words.append(status)
        arguments = self._arguments.pop() if self._arguments else _Arguments(len(words))
        arguments.pack(arguments.values, 0, *words)
        grid = (-(-rows // way.block), self.code.groups)
        function = self._addresses.get(way.registers) or self.address(way.registers)
        self.device.launch(function, grid, way.block, way.warps * self.code.shared, stream, arguments.address)
        self._arguments.append(arguments)  # the driver has copied them

    def way(self, launch: Launch, measure: bool) -> Way:
        """How to start a batch: as measured, now if `measure` allows it and it has not been done."""
        if launch.rows < LARGE_ROWS:
            return SMALL
        huge = launch.rows >= HUGE_ROWS
        found = self._ways.get(huge)
        if found is None:
            with making_code:
                found = self._stored(huge) or (self._measured(launch, huge) if measure else None)
                if found is not None:
                    self._ways[huge] = found
        return found or SMALL

    def describe(self) -> dict[str, Any]:
        """Registers and local memory of each thread, and the way large batches are started, for tables."""
        way = self._ways.get(True) or self._ways.get(False) or SMALL
        return {**self.device.attributes(self._function(way.registers)), "block": way.block, "limit": way.registers}

    def is_settled(self, rows: int) -> bool:
        """Whether it is known how a batch is best started."""
        return rows < LARGE_ROWS or (rows >= HUGE_ROWS) in self._ways

    def address(self, registers: int) -> int:
        """Where the driver keeps the program; found once."""
        address = self._addresses[registers] = int(self._function(registers))
        return address

    def _function(self, registers: int) -> Any:
        found = self._loaded.get(registers)
        if found is None:
            with making_code:
                code = machine_code(self._cache, self._digest, self._kind, self.code, self.device, registers)
                found = self.device.load(code, ENTRY)
                most = self.code.shared * max(way.warps for way in WAYS)
                if most > _SHARED_UNASKED:
                    self.device.allow_shared(found[1], most)
                self._loaded[registers] = found
        return found[1]

    def _measured(self, launch: Launch, huge: bool) -> Way:
        ways = [way for way in WAYS if len(self.code.ptx) <= _LONG or way.registers == SMALL.registers]
        best = min(ways, key=lambda way: self._seconds(launch, way))
        if self._cache is not None:
            self._cache.put(self._key(huge), json.dumps([best.registers, best.block]).encode())
        return best

    def _seconds(self, launch: Launch, way: Way) -> float:
        work: Callable[[], None] = lambda: self.run(launch, way)  # noqa: E731
        work()
        return min(self.device.seconds(launch.stream, work) for _ in range(3))

    def _stored(self, huge: bool) -> Way | None:
        data = self._cache.get(self._key(huge)) if self._cache is not None else None
        if data is None:
            return None
        try:
            registers, block = (int(number) for number in json.loads(data))
        except (ValueError, TypeError):
            return None
        return next((way for way in WAYS if way == Way(registers, block)), None)

    def _key(self, huge: bool) -> str:
        device = self.device
        return cache_key("gpu way", huge, self._digest, self._kind, device.name, device.driver_version)


def moved(launch: Launch, outputs: Sequence[int], first: int, stop: int) -> Launch:
    """The same launch for some of its rows; `outputs` are the bytes of a row of each output."""
    steps = (*launch.strides, *outputs)
    addresses = tuple(address + first * step for address, step in zip(launch.addresses, steps, strict=True))
    return Launch(stop - first, addresses, launch.strides, launch.status, launch.stream)
