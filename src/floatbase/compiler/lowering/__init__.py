"""From programs to LLVM's language, for any processor, scalar type and number of states side by side.

`selection` decides what is computed and in which order; `kernel` writes a program's instructions;
`single` and `batch` are the two entries, `elementary` the functions, `dense` and `control` the blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.compiler.lowering.batch import emit_batch
from floatbase.compiler.lowering.device import emit_device
from floatbase.compiler.lowering.exchange import shared_bytes_per_warp
from floatbase.compiler.lowering.module import Module
from floatbase.compiler.lowering.single import emit_single
from floatbase.compiler.program import Program
from floatbase.compiler.target import CAPABILITIES, DType, Target
from floatbase.errors import ArgumentError

__all__ = ["DType", "Lowered", "LoweredDevice", "Target", "lower", "lower_device"]

LANES = (1, 2, 4, 8, 16, 32)


@dataclass(frozen=True)
class Lowered:
    """The text of a module, and the bytes of scratch memory (64-byte aligned) its entry needs."""

    ir: str
    scratch: int


def lower(program: Program, target: Target, dtype: DType, lanes: int) -> Lowered:
    """Write a program as an LLVM module with one entry: `fb_one` for one lane, `fb_batch` for several.

    Bit `k` of what an entry returns is set if guard `k` failed in any row, and the sign bit if any number among
    the inputs is NaN or infinite. A row's results are the same to the last bit for any number of lanes.
    """
    if lanes not in LANES:
        raise ArgumentError(f"lanes={lanes!r}: a program is compiled for one of {LANES} states side by side")
    if dtype not in ("float64", "float32"):
        raise ArgumentError(f"dtype={dtype!r}: programs are compiled for 'float64' or 'float32'")
    if target.is_gpu:
        raise ArgumentError("programs for GPUs are written by lower_device")
    module = Module.create(target, dtype, lanes)
    scratch = (emit_single if lanes == 1 else emit_batch)(module, program)
    return Lowered(module.text(), scratch)


@dataclass(frozen=True)
class LoweredDevice:
    """The text of a module for a GPU.

    shared: bytes of shared memory that each warp needs; groups: how many blocks of threads, told apart by their second
    index, compute outputs of the same rows.
    """

    ir: str
    shared: int
    groups: int


def lower_device(
    program: Program, dtype: DType, capability: tuple[int, int], stored: DType | None = None
) -> LoweredDevice:
    """Write a program as an LLVM module with the entry `fb_device`, one state for each thread of a GPU.

    stored: the type of numbers in arrays, if that is not the type of arithmetic.
    """
    if capability not in CAPABILITIES:
        known = ", ".join(f"{major}.{minor}" for major, minor in CAPABILITIES)
        raise ArgumentError(f"capability={capability!r}: programs are compiled for compute capability {known}")
    module = Module.create(Target.gpu(capability), dtype, 1, stored)
    groups = emit_device(module, program)
    return LoweredDevice(module.text(), shared_bytes_per_warp(module.stored.size, program), groups)
