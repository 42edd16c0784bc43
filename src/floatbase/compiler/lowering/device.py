"""The entry for a GPU: one state for each thread, `void @fb_device(rows, inputs and strides, outputs, status)`.

Rows lie as they come: entry k of a state is k numbers after the beginning of its row, and the beginnings of two rows
are a stride in bytes apart, 0 if all states share one row. Outputs are written row by row without gaps. Threads beyond
the last row compute it again and write nothing. Bits of the word at `status` are set as `lower` says, if they are to be
set at all. Scratch memory is the thread's own.

Where outputs are large and have little in common, each is computed by threads of its own, told apart by the second
index of their block: what several of them need is computed several times, but far fewer values wait in memory.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from floatbase.compiler.effort import estimated_block
from floatbase.compiler.lowering.device_rows import DeviceKernel
from floatbase.compiler.lowering.exchange import declare_tiles
from floatbase.compiler.lowering.kernel import flags
from floatbase.compiler.lowering.module import Module
from floatbase.compiler.lowering.selection import count_uses
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Program

ENTRY = "fb_device"

_LARGE = 256  # numbers of an output that is worth threads of its own
_REPEATED = 1.6  # times the operations of the whole program that groups may take together


def emit_device(module: Module, program: Program) -> int:
    """Emit `fb_device`; gives the number of groups of outputs, each computed by threads of its own."""
    declare_tiles(module)
    groups = output_groups(program)
    if len(groups) == 1:
        _emit_group(module, program, groups[0], "", "ptx_kernel")
        return 1
    for number, group in enumerate(groups):
        part = program if number == 0 else dataclasses.replace(program, guards=())
        _emit_group(module, part, group, f"_{number}", "internal")
    builder = module.builder()
    builder.declarations.add("declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()")
    which = builder.let("call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()")
    cases = " ".join(f"i32 {number}, label %group.{number}" for number in range(1, len(groups)))
    builder.do(f"switch i32 {which}, label %group.0 [{cases}]")
    arguments = ", ".join(_parameters(program))
    for number in range(len(groups)):
        builder.label(f"group.{number}")
        builder.do(f"call void @{ENTRY}_{number}({arguments})")
        builder.do("ret void")
    module.finish(builder, f"define ptx_kernel void @{ENTRY}({arguments})")
    return len(groups)


def output_groups(program: Program) -> list[list[int]]:
    """The outputs that are computed together, by number; all in one group where much would be computed twice."""
    everything = list(range(len(program.outputs)))
    large = [number for number in everything if program.outputs[number].size >= _LARGE]
    if len(large) < 2:
        return [everything]
    small = [number for number in everything if number not in large]
    groups = [sorted([large[0], *small]), *([number] for number in large[1:])]
    apart = sum(_operations(_restricted(program, group)) for group in groups)
    return groups if apart <= _REPEATED * _operations(program) else [everything]


def _restricted(program: Program, outputs: Sequence[int]) -> Program:
    """The program with some of its outputs alone."""
    starts = list(accumulate((port.size for port in program.outputs), initial=0))
    results = np.concatenate([program.results[starts[number] : starts[number + 1]] for number in outputs])
    return dataclasses.replace(program, outputs=tuple(program.outputs[number] for number in outputs), results=results)


def _operations(program: Program) -> int:
    """Operations that the results need."""
    code = program.code.tolist()
    total = 0
    for row, uses in zip(code, count_uses(program, code), strict=True):
        if uses:
            total += estimated_block(program.blocks[row[1]]) if row[0] == Op.BLOCK else row[0] >= Op.NEG
    return total


def _parameters(program: Program) -> list[str]:
    """Of the entry, and of the functions that compute groups of outputs."""
    inputs = [
        text for number in range(len(program.inputs)) for text in (f"ptr %input.{number}", f"i64 %stride.{number}")
    ]
    return ["i64 %rows", *inputs, *(f"ptr %output.{number}" for number in range(len(program.outputs))), "ptr %status"]


def _emit_group(module: Module, program: Program, outputs: Sequence[int], suffix: str, linkage: str) -> None:
    """Emit the function that computes some of the outputs; the first looks at all inputs, the others at their own."""
    parameters = _parameters(program)
    kernel = DeviceKernel(module, _restricted(program, outputs), outputs, parameters[:-1])
    kernel.emit(f"part{suffix}")
    kernel.finish_outputs()
    builder = kernel.builder
    status = flags(kernel, kernel.not_finite(suffix in ("", "_0")))
    inside = builder.let("icmp ult i64 %row, %rows")
    wrong = builder.let(f"and i1 {inside}, {builder.let(f'icmp ne i32 {status}, 0')}")
    builder.when(wrong, lambda: builder.do(f"atomicrmw or ptr %status, i32 {status} monotonic"))
    builder.do("ret void")
    builder.stack(f"%scratch = alloca [{max(kernel.frame.total, 1)} x i8], align 16")
    apart = " noinline" if linkage == "internal" else ""
    kernel.finish(f"define {linkage} void @{ENTRY}{suffix}({', '.join(parameters)}){apart}")
