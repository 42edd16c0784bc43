"""Programs assembled by hand, and a way to run their machine code on arrays."""

from __future__ import annotations

import ctypes

import numpy as np

from floatbase.compiler.lowering import Target, lower
from floatbase.compiler.machine import compile_object, load_object
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Block, Port, Program

GUARD_BYTES = 128


class Assembler:
    """Collects a program's instructions."""

    def __init__(self, *shapes):
        self.ports = [Port(f"x{k}", shape) for k, shape in enumerate(shapes)]
        self.code, self.constants, self.blocks = [], [], []
        self.inputs, start = [], 0
        for port in self.ports:
            self.inputs.append([self.add(Op.INPUT, start + k) for k in range(port.size)])
            start += port.size

    def add(self, op, *operands):
        self.code.append([int(op), *operands, *[0] * (3 - len(operands))])
        return len(self.code) - 1

    def constant(self, number):
        self.constants.append(number)
        return self.add(Op.CONSTANT, len(self.constants) - 1)

    def block(self, kind, arguments, size, programs=(), **settings):
        self.blocks.append(
            Block(kind, np.array(arguments, dtype=np.int32), size, tuple(programs), tuple(settings.items()))
        )
        number = self.add(Op.BLOCK, len(self.blocks) - 1)
        return [self.add(Op.PROJECT, number, k) for k in range(size)]

    def program(self, *outputs, guards=(), name="program"):
        return Program(
            name,
            tuple(self.ports),
            tuple(Port(f"y{k}", (len(values),)) for k, values in enumerate(outputs)),
            np.array(self.code, dtype=np.int32).reshape(-1, 4),
            np.array(self.constants, dtype=float),
            np.array([value for values in outputs for value in values], dtype=np.int32),
            tuple(self.blocks),
            tuple(guards),
        ).validate()


class MachineCode:
    """A compiled program; `one` runs a state, `batch` runs rows."""

    def __init__(self, program, lanes=1, dtype="float64", target=None):
        target = target or Target.host()
        self.program, self.lanes, self.dtype = program, lanes, np.dtype(dtype)
        lowered = lower(program, target, dtype, lanes)
        self.ir = lowered.ir
        self._code = load_object(compile_object(lowered.ir, target, lanes))
        self._memory = np.full(lowered.scratch + 64 + GUARD_BYTES, 0x5A, np.uint8)
        start = -self._memory.ctypes.data % 64
        self._scratch = self._memory.ctypes.data + start
        self._beyond = self._memory[start + lowered.scratch :]
        pointer, count = ctypes.c_void_p, ctypes.c_int64
        arguments = [pointer] * 3 if lanes == 1 else [pointer] * 4 + [count, count, pointer]
        address = self._code.address("fb_one" if lanes == 1 else "fb_batch")
        self._call = ctypes.CFUNCTYPE(ctypes.c_int32, *arguments)(address)

    def one(self, *inputs, out=None):
        """The status and the outputs for one state."""
        inputs = [np.ascontiguousarray(array, self.dtype) for array in inputs]
        outputs = out or [np.full(port.shape, 9.25, self.dtype) for port in self.program.outputs]
        status = self._call(_pointers(inputs), _pointers(outputs), self._scratch)
        assert (self._beyond == 0x5A).all(), "scratch memory is overrun"
        return status, outputs

    def batch(self, *inputs, out=None):
        """The status and the outputs for rows; an input of one row is shared."""
        inputs = [np.asarray(array, self.dtype) for array in inputs]
        rows = max(len(array) for array in inputs)
        outputs = out or [np.full((rows, *port.shape), 9.25, self.dtype) for port in self.program.outputs]
        strides = np.array([0 if len(array) == 1 else array.strides[0] for array in inputs] + [0], np.int64)
        output_strides = np.array([array.strides[0] for array in outputs] + [0], np.int64)
        status = self._call(
            _pointers(inputs),
            strides.ctypes.data,
            _pointers(outputs),
            output_strides.ctypes.data,
            rows,
            rows,
            self._scratch,
        )
        assert (self._beyond == 0x5A).all(), "scratch memory is overrun"
        return status, outputs


def _pointers(arrays):
    return (ctypes.c_void_p * max(1, len(arrays)))(*[array.ctypes.data for array in arrays])
