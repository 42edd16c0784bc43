"""Blocks as loops over arrays in scratch memory: which emitter serves which kind."""

from __future__ import annotations

from collections.abc import Callable

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.control import SubprogramEmitter, emit_call, emit_gather, emit_scan, emit_while
from floatbase.compiler.lowering.dense import (
    emit_cholesky,
    emit_cholesky_solve,
    emit_lu_solve,
    emit_matmul,
    emit_triangular_solve,
)
from floatbase.compiler.lowering.module import Frame, Module
from floatbase.compiler.lowering.trees import emit_tree_solve
from floatbase.compiler.program import Block

_CONTROL = {"call": emit_call, "scan": emit_scan, "while": emit_while}
_DENSE: dict[str, Callable[[Builder, Frame, Block, str, str], None]] = {
    "gather": emit_gather,
    "matmul": emit_matmul,
    "cholesky": emit_cholesky,
    "cholesky_solve": emit_cholesky_solve,
    "triangular_solve": emit_triangular_solve,
    "lu_solve": emit_lu_solve,
    "tree_solve": emit_tree_solve,
}


def emit_block(
    module: Module,
    builder: Builder,
    frame: Frame,
    block: Block,
    arguments: str,
    outputs: str,
    subprogram: SubprogramEmitter,
) -> None:
    """Run a block on an array of arguments, giving an array of outputs; the arguments may be overwritten."""
    if block.kind in _CONTROL:
        _CONTROL[block.kind](module, builder, frame, block, arguments, outputs, subprogram)
    else:
        _DENSE[block.kind](builder, frame, block, arguments, outputs)
