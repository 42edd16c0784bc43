"""Blocks that run other programs or choose among rows: `call`, `scan`, `while`, `gather`.

A program that a block runs is a function `void (ptr in, ptr out, ptr scratch)` on arrays of values, emitted once.
"""

from __future__ import annotations

from collections.abc import Callable

from floatbase.compiler.lowering.arrays import copy, spread
from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import FRAME_END, Frame, Module
from floatbase.compiler.program import Block, Program

SubprogramEmitter = Callable[[Module, Program], tuple[str, int]]


def emit_call(
    module: Module, builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str, emit: SubprogramEmitter
) -> None:
    """Run a program once."""
    _run(module, builder, frame, emit, block.programs[0], arguments, outputs)


def emit_scan(
    module: Module, builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str, emit: SubprogramEmitter
) -> None:
    """Run a program for each row: `(index, carry, shared, row) -> (carry, collected)`."""
    length, carry, shared = block.setting("length"), block.setting("carry"), block.setting("shared")
    row, collect = block.setting("row"), block.setting("collect")
    inputs = _array(builder, frame, 1 + carry + shared + row)
    results = _array(builder, frame, carry + collect)
    copy(builder, arguments, builder.at(inputs, 1), carry + shared)
    rows, collected = builder.at(arguments, carry + shared), builder.at(outputs, carry)
    with builder.loop(length) as index:
        builder.store(_number(builder, index), inputs)
        start = builder.let(f"mul i64 {index}, {row}")
        copy(builder, builder.at(rows, start), builder.at(inputs, 1 + carry + shared), row)
        _run(module, builder, frame, emit, block.programs[0], inputs, results)
        copy(builder, results, builder.at(inputs, 1), carry)
        start = builder.let(f"mul i64 {index}, {collect}")
        copy(builder, builder.at(results, carry), builder.at(collected, start), collect)
    copy(builder, builder.at(inputs, 1), outputs, carry)


def emit_while(
    module: Module, builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str, emit: SubprogramEmitter
) -> None:
    """Run `carry = body(carry, shared)` while the condition is not zero; lanes that are done keep their carry."""
    carry, limit = block.setting("carry"), block.setting("limit")
    condition, body = block.programs
    verdict, results = _array(builder, frame, 1), _array(builder, frame, carry)
    steps = builder.at(outputs, carry)
    builder.store(builder.literal(0.0), steps)
    zero, one = builder.literal(0.0), builder.literal(1.0)
    head, advance, done = (builder.fresh_label(stem) for stem in ("head", "advance", "done"))
    before = builder.block
    counter, following, active, running = (builder.fresh(stem) for stem in ("i", "n", "active", "running"))
    everywhere = "true" if builder.element.lanes == 1 else "splat (i1 true)"
    builder.do(f"br label %{head}")
    builder.label(head)
    # the last predecessor of this block is known only when the body has been written
    position = len(builder.lines)
    within = builder.let(f"icmp slt i64 {counter}, {limit}")
    test = builder.fresh_label("test")
    builder.do(f"br i1 {within}, label %{test}, label %{done}")
    builder.label(test)
    _run(module, builder, frame, emit, condition, arguments, verdict)
    holds = builder.compare("une", builder.load(verdict), zero)
    builder.do(f"{running} = and {builder.element.mask} {active}, {holds}")
    builder.do(f"br i1 {builder.any(running)}, label %{advance}, label %{done}")
    builder.label(advance)
    _run(module, builder, frame, emit, body, arguments, results)
    with builder.loop(carry) as index:
        place = builder.at(arguments, index)
        new = builder.load(builder.at(results, index))
        builder.store(builder.select(running, new, builder.load(place)), place)
    builder.store(builder.add(builder.load(steps), builder.select(running, one, zero)), steps)
    builder.do(f"{following} = add nsw i64 {counter}, 1")
    builder.do(f"br label %{head}")
    mask = builder.element.mask
    builder.lines.insert(position, f"{counter} = phi i64 [ 0, %{before} ], [ {following}, %{builder.block} ]")
    builder.lines.insert(
        position, f"{active} = phi {mask} [ {everywhere}, %{before} ], [ {running}, %{builder.block} ]"
    )
    builder.label(done)
    copy(builder, arguments, outputs, carry)


def emit_gather(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """One row of a table; the index is rounded down and clamped, NaN gives the first row."""
    rows, columns = block.setting("rows"), block.setting("columns")
    index = builder.load(builder.at(arguments, rows * columns))
    emit_row(builder, rows, columns, index, arguments, outputs, builder.element.lanes)


def emit_row(builder: Builder, rows: int, columns: int, index: str, table: str, outputs: str, lanes: int = 1) -> None:
    """The row of a table for a value of the index; of a table of values, or of numbers for all lanes (`lanes` is 1)."""
    element = builder.element
    index = builder.floor(index)
    zero, last = builder.literal(0.0), builder.literal(float(rows - 1))
    index = builder.select(builder.compare("ogt", index, zero), index, zero)
    index = builder.select(builder.compare("olt", index, last), index, last)
    starts = []
    for lane in range(element.lanes):
        number = index
        if element.lanes > 1:
            number = builder.let(f"extractelement {element.value} {index}, i64 {lane}")
        row = builder.let(f"fptosi {element.scalar} {number} to i64")
        start = builder.let(f"mul i64 {row}, {columns * lanes}")
        starts.append(builder.let(f"add i64 {start}, {lane if lanes > 1 else 0}"))
    with builder.loop(columns) as column:
        offset = builder.let(f"mul i64 {column}, {element.lanes}")
        apart = builder.let(f"mul i64 {column}, {lanes}")
        for lane, start in enumerate(starts):
            source = builder.at(table, builder.let(f"add i64 {start}, {apart}"), element.scalar)
            target = builder.at(outputs, builder.let(f"add i64 {offset}, {lane}"), element.scalar)
            value = builder.let(f"load {element.scalar}, ptr {source}, align {element.size}")
            builder.do(f"store {element.scalar} {value}, ptr {target}, align {element.size}")


def _array(builder: Builder, frame: Frame, length: int) -> str:
    offset = frame.allocate(length * builder.element.bytes)
    return builder.let(f"getelementptr i8, ptr %scratch, i64 {offset}")


def _number(builder: Builder, index: str) -> str:
    """A counter as a value."""
    return spread(builder, builder.let(f"sitofp i64 {index} to {builder.element.scalar}"))


def _run(
    module: Module,
    builder: Builder,
    frame: Frame,
    emit: SubprogramEmitter,
    program: Program,
    inputs: str,
    outputs: str,
) -> None:
    name, size = emit(module, program)
    frame.call(size)
    below = builder.let(f"getelementptr i8, ptr %scratch, i64 {FRAME_END}")
    builder.do(f"call void {name}(ptr {inputs}, ptr {outputs}, ptr {below})")
