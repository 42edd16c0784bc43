"""From programs to LLVM's language, for any processor, scalar type and number of states side by side.

`selection` decides what is computed and in which order; `kernel` writes a program's instructions;
`single` and `batch` are the two entries, `elementary` the functions, `dense` and `control` the blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

from floatbase.compiler.lowering.batch import emit_batch
from floatbase.compiler.lowering.module import Module
from floatbase.compiler.lowering.single import emit_single
from floatbase.compiler.program import Program
from floatbase.compiler.target import DType, Target
from floatbase.errors import ArgumentError

__all__ = ["DType", "Lowered", "Target", "lower"]

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
    module = Module.create(target, dtype, lanes)
    scratch = (emit_single if lanes == 1 else emit_batch)(module, program)
    return Lowered(module.text(), scratch)
