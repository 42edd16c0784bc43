"""The entry for a GPU: one state for each thread, `void @fb_device(rows, inputs and strides, outputs, status)`.

Rows lie as they come: entry k of a state is k numbers after the beginning of its row, and the beginnings of two rows
are a stride in bytes apart, 0 if all states share one row. Outputs are written row by row without gaps. Bits of the
word at `status` are set as `lower` says, if they are to be set at all. Scratch memory is the thread's own.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.kernel import Kernel, flags
from floatbase.compiler.lowering.module import Frame, Module
from floatbase.compiler.lowering.selection import IN_MEMORY
from floatbase.compiler.program import Program

ENTRY = "fb_device"
_REGISTERS = ("tid.x", "ntid.x", "ctaid.x")


def emit_device(module: Module, program: Program) -> None:
    """Emit `fb_device`."""
    builder, frame = module.builder(), Frame()
    size = module.element.size
    row = _row(builder)
    inside = builder.let(f"icmp ult i64 {row}, %rows")
    body, done = builder.fresh_label("body"), builder.fresh_label("done")
    builder.do(f"br i1 {inside}, label %{body}, label %{done}")
    builder.label(body)
    sources = []
    for number in range(len(program.inputs)):
        distance = builder.let(f"mul i64 {row}, %stride.{number}")
        sources.append(builder.let(f"getelementptr i8, ptr %input.{number}, i64 {distance}"))
    targets = []
    for number, port in enumerate(program.outputs):
        distance = builder.let(f"mul i64 {row}, {port.size * size}")
        targets.append(builder.let(f"getelementptr i8, ptr %output.{number}, i64 {distance}"))
    ends = list(accumulate(port.size for port in program.inputs))

    def place(position: int) -> tuple[str, int]:
        number = bisect_right(ends, position)
        return sources[number], position - (ends[number - 1] if number else 0)

    kernel = Kernel(module, builder, program, frame, place)
    results = program.results.tolist()
    start, late = 0, []
    for target, port in zip(targets, program.outputs, strict=True):
        for position, value in enumerate(results[start : start + port.size]):
            if kernel.selection.code[value][0] in IN_MEMORY:
                late.append((value, target, position))
            else:
                kernel.sinks.setdefault(value, []).append((target, position))
        start += port.size
    kernel.emit("part")
    for value, target, position in late:
        builder.store(kernel.value(value), builder.at(target, position))
    total = builder.literal(0.0)
    for position in range(program.input_size):
        source, offset = place(position)
        total = builder.fma(builder.load(builder.at(source, offset)), builder.literal(0.0), total)
    status = flags(kernel, builder.compare("uno", total, total))
    wrong = builder.let(f"icmp ne i32 {status}, 0")
    builder.when(wrong, lambda: builder.do(f"atomicrmw or ptr %status, i32 {status} monotonic"))
    builder.do(f"br label %{done}")
    builder.label(done)
    builder.do("ret void")
    if frame.total:
        builder.stack(f"%scratch = alloca [{frame.total} x i8], align 16")
    kernel.finish(f"define ptx_kernel void @{ENTRY}({_parameters(program)})")


def _row(builder: Builder) -> str:
    values = []
    for name in _REGISTERS:
        builder.declarations.add(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}()")
        value = builder.let(f"call i32 @llvm.nvvm.read.ptx.sreg.{name}()")
        values.append(builder.let(f"zext i32 {value} to i64"))
    thread, threads, block = values
    return builder.let(f"add i64 {builder.let(f'mul i64 {block}, {threads}')}, {thread}")


def _parameters(program: Program) -> str:
    inputs = [f"ptr noalias readonly %input.{k}, i64 %stride.{k}" for k in range(len(program.inputs))]
    outputs = [f"ptr noalias %output.{k}" for k in range(len(program.outputs))]
    return ", ".join(["i64 %rows", *inputs, *outputs, "ptr %status"])
