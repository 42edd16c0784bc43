"""The entry for one state: `i32 @fb_one(ptr inputs, ptr outputs, ptr scratch)`.

The inputs are first copied to scratch memory with full vectors, which tells whether all are finite
(`x - x` is NaN otherwise) and lets outputs share memory with inputs.
"""

from __future__ import annotations

import numpy as np

from floatbase.compiler.lowering.arrays import copy
from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.kernel import LONG_RUN, Kernel, flags
from floatbase.compiler.lowering.module import Frame, Module
from floatbase.compiler.lowering.selection import IN_MEMORY
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Program

_UNROLLED = 32


def emit_single(module: Module, program: Program) -> int:
    """Emit `fb_one`; gives the bytes of scratch memory it needs."""
    builder, frame = module.builder(), Frame()
    scalar = module.element
    vector = scalar.with_lanes(module.target.native_vector_bits // (8 * scalar.size))
    offset = frame.allocate(max(program.input_size, vector.lanes) * scalar.size)
    slots = builder.let(f"getelementptr i8, ptr %scratch, i64 {offset}")
    wide = builder.using(vector)
    bad = wide.allocate()
    wide.store(wide.literal(0.0), bad)
    start = 0
    for number, port in enumerate(program.inputs):
        source = builder.let(f"load ptr, ptr {builder.at('%inputs', number, 'ptr')}, align 8")
        _read(builder, wide, bad, source, builder.at(slots, start), port.size)
        start += port.size
    differences = wide.load(bad)
    not_finite = wide.any(wide.compare("uno", differences, differences))
    targets = [f"%output.{number}" for number in range(len(program.outputs))]

    def prelude(part: Builder) -> None:
        for number, target in enumerate(targets):
            part.do(f"{target} = load ptr, ptr {part.at('%outputs', number, 'ptr')}, align 8")

    prelude(builder)
    kernel = Kernel(module, builder, program, frame, offset, ("ptr %outputs", "ptr %scratch"), prelude)
    start = 0
    for target, port in zip(targets, program.outputs, strict=True):
        for position, value in enumerate(program.results[start : start + port.size].tolist()):
            if kernel.selection.code[value][0] not in IN_MEMORY:
                kernel.sinks.setdefault(value, []).append((target, position))
        start += port.size
    kernel.emit("part")
    _write(kernel, wide, targets)
    builder.do(f"ret i32 {flags(kernel, not_finite)}")
    kernel.finish("define i32 @fb_one(ptr %inputs, ptr %outputs, ptr noalias %scratch)")
    return frame.total


def _read(builder: Builder, wide: Builder, bad: str, source: str, target: str, size: int) -> None:
    """Copy a port to scratch memory, and join the bits of all `x - x` into the vector `bad`."""
    lanes = wide.element.lanes
    if size < lanes:
        for position in range(size):
            _join(builder, bad, _copy_piece(builder, source, target, position))
        return
    chunks = size // lanes
    starts = [] if size % lanes == 0 else [size - lanes]  # the last vector overlaps the one before
    if chunks > _UNROLLED:
        with builder.loop(chunks * lanes, step=lanes) as counter:
            _join(wide, bad, _copy_piece(wide, source, target, counter))
    else:
        starts = [lanes * chunk for chunk in range(chunks)] + starts
    if starts:
        total = _copy_piece(wide, source, target, starts[0])
        for position in starts[1:]:
            total = wide.integer("or", total, _copy_piece(wide, source, target, position))
        _join(wide, bad, total)


def _copy_piece(builder: Builder, source: str, target: str, position: int | str) -> str:
    """Copy one element or vector; gives the bits of `x - x`."""
    scalar = builder.element.scalar
    value = builder.load(builder.at(source, position, scalar), aligned=False)
    builder.store(value, builder.at(target, position, scalar), aligned=False)
    return builder.bits(builder.sub(value, value))


def _join(builder: Builder, bad: str, bits: str) -> None:
    joined = builder.integer("or", builder.bits(builder.load(bad)), bits)
    builder.store(builder.from_bits(joined), bad)


def _write(kernel: Kernel, wide: Builder, targets: list[str]) -> None:
    """Outputs that are constants, or lie in memory already; all others were stored where they were computed."""
    builder, code, constants = kernel.builder, kernel.selection.code, kernel.program.constants
    lanes = wide.element.lanes
    start = 0
    for target, port in zip(targets, kernel.program.outputs, strict=True):
        values = kernel.program.results[start : start + port.size].tolist()
        start += port.size
        constant = [float(constants[code[value][1]]) if code[value][0] == Op.CONSTANT else None for value in values]
        zero = [number == 0.0 and not np.signbit(number) for number in constant]
        position = 0
        while position < len(values):
            place = builder.at(target, position)
            run = kernel.run(values, position)
            if run >= LONG_RUN:
                copy(builder, kernel.address(values[position]), place, run)
                position += run
            elif len(values) - position >= lanes and all(zero[position : position + lanes]):
                wide.store(wide.literal(0.0), place, aligned=False)
                position += lanes
            else:
                if code[values[position]][0] in IN_MEMORY:
                    builder.store(kernel.value(values[position]), place)
                position += 1
