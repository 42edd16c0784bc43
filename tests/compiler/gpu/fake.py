"""A GPU that is not there: arrays in ordinary memory, and programs that the interpreter runs.

What a launch reads and writes is found through the addresses and strides that a real GPU would be given, so that
everything but the machine code is tested.
"""

import ctypes
from contextlib import contextmanager
from functools import partial

import numpy as np

from floatbase.compiler import interpret
from floatbase.compiler.execution import NON_FINITE
from floatbase.compiler.gpu.driver import Direct
from floatbase.compiler.gpu.libraries import Look, Looks, View
from floatbase.errors import StateError


class Array:
    """An array of a library that computes on a GPU."""

    def __init__(self, values, device=0):
        self.memory = np.asarray(values)
        self.device = device

    @property
    def shape(self):
        return self.memory.shape

    @property
    def strides(self):
        return self.memory.strides

    @property
    def dtype(self):
        return self.memory.dtype

    @property
    def address(self):
        return self.memory.ctypes.data

    def __array__(self, *_, **__):
        raise AssertionError("an array on a GPU was read by the CPU")


class Library:
    """A library of such arrays."""

    def __init__(self, name="Fake", waits=False):
        self.name, self.waits = name, waits
        self.full = False
        form = tuple(Look(name) for name in ("shape", "strides", "dtype", "device"))
        self.looks = None if waits else Looks(Look("address"), form)

    def owns(self, array):
        return True

    def view(self, array):
        memory = array.memory
        strides = None if memory.flags.c_contiguous else memory.strides
        return View(memory.ctypes.data, memory.shape, strides, memory.dtype.name, array.device)

    def empty(self, shape, dtype, device):
        if self.full:
            raise MemoryError("out of memory allocating 1 byte")
        return Array(np.full(shape, np.nan, dtype), device)

    def stream(self, device):
        return 7

    def maker(self, shape, dtype, device):
        return partial(self.empty, shape, dtype, device)

    def stream_of(self, device):
        return partial(self.stream, device)


class Device:
    """One GPU, which knows the program it is asked to run."""

    def __init__(self, number, program=None, dtype="float64"):
        self.number, self.program, self.dtype = number, program, dtype
        self.name, self.capability, self.driver_version = "Fake GPU", (9, 0), 13000
        self.launches, self.linked, self.timed = [], [], 0
        self.context, self.direct_launches = 4000 + number, 0
        self.driver = (
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_void_p))(self._current),
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)(self._launch),
            ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda stream: 0 if stream == 7 else 1),
        )

    def direct(self):
        return Direct(self.context, *(ctypes.cast(call, ctypes.c_void_p).value for call in self.driver))

    def _current(self, found):
        found[0] = self.context
        return 0

    def _launch(self, function, x, y, _, block, _y, _z, shared, stream, arguments, _extra):
        self.direct_launches += 1
        try:
            self.launch(function, (x, y), block, shared, stream, arguments)
        except Exception:
            return 1
        return 0

    @contextmanager
    def current(self):
        yield

    def enter(self):
        return False

    def leave(self, entered):
        assert entered is False

    def link(self, ptx, registers):
        self.linked.append(registers)
        return b"machine code of " + ptx[:40]

    def load(self, code, name):
        assert code.startswith(b"machine code of ")
        return object(), 4711

    def allow_shared(self, function, size):
        self.allowed = size

    def attributes(self, function):
        return {"registers": 255, "local": 0}

    def host_word(self):
        word = ctypes.c_uint32(0)
        return word, ctypes.addressof(word)

    def synchronize(self, stream):
        assert stream == 7

    def write(self, address, data, stream):
        ctypes.memmove(address, data, len(data))

    def read(self, address, size):
        return ctypes.string_at(address, size)

    def seconds(self, stream, work):
        work()
        self.timed += 1
        return 1.0 / self.timed  # the last way is the fastest

    def launch(self, function, grid, block, shared, stream, arguments):
        self.launches.append((grid, block, shared, stream))
        program = self.program
        count = 2 + 2 * len(program.inputs) + len(program.outputs)
        places = (ctypes.c_int64 * count).from_address(arguments)
        words = [ctypes.c_int64.from_address(place).value for place in places]
        rows = words[0]
        assert (grid[0] - 1) * block < rows <= grid[0] * block
        inputs = [
            at(words[1 + 2 * k], (rows, *port.shape), words[2 + 2 * k], self.dtype)
            for k, port in enumerate(program.inputs)
        ]
        status = ctypes.c_uint32.from_address(words[-1])
        finite = all(np.isfinite(values).all() for values in inputs)
        if not finite:
            status.value |= NON_FINITE
        with np.errstate(all="ignore"):
            results = interpret(program, *inputs)
        try:
            interpret(program, *inputs, guards=finite)
        except StateError:
            status.value |= 1  # the programs of these tests have one guard
        for port, result, address in zip(program.outputs, results, words[1 + 2 * len(inputs) :], strict=False):
            target = at(address, (rows, *port.shape), 0, self.dtype, dense=True)
            target[...] = np.asarray(result).reshape(target.shape)


def at(address, shape, stride, dtype, dense=False):
    """Memory as an array: rows at a distance of `stride` bytes, or without gaps."""
    size = int(np.prod(shape[1:], dtype=int)) * np.dtype(dtype).itemsize
    step = size if dense else stride
    buffer = (ctypes.c_char * (abs(step) * (shape[0] - 1) + size)).from_address(address + min(step, 0) * (shape[0] - 1))
    inner = np.zeros(shape[1:], dtype).strides
    rows = np.ndarray(shape, dtype, buffer, strides=(abs(step), *inner))
    return rows[::-1] if step < 0 else rows
