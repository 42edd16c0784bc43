"""How many operations a program executes for one state, roughly: loops count as often as they may run."""

from __future__ import annotations

import numpy as np

from floatbase.compiler.blocks import block_operations
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Block, Program

WHILE_STEPS = 10  # a guess: most loops that wait for convergence stop long before their limit
ELEMENT_OPERATIONS = 10  # as long as a number of a batch takes to be read, or written


def estimated_operations(program: Program) -> int:
    """Operations executed for one state."""
    own = int(np.count_nonzero(program.code[:, 0] >= Op.NEG))
    return own + sum(estimated_block(block) for block in program.blocks)


def batch_operations(program: Program) -> int:
    """Operations as long as one state of a batch takes, its numbers read and written."""
    return estimated_operations(program) + ELEMENT_OPERATIONS * (program.input_size + program.output_size)


def estimated_block(block: Block) -> int:
    """Operations of a block, once."""
    settings = dict(block.settings)
    bodies = sum(estimated_operations(sub) for sub in block.programs)
    if block.kind == "scan":
        return settings["length"] * bodies
    if block.kind == "while":
        return min(settings["limit"], WHILE_STEPS) * bodies
    if block.programs or block.kind == "gather":
        return bodies + block.size
    if block.kind == "tree_solve":
        return block_operations(block)
    n = settings["n"]
    m, k = settings.get("m", 0), settings.get("k", n)
    factorization = n**3 // 3 if block.kind != "matmul" and block.kind != "triangular_solve" else 0
    return factorization + 2 * n * k * m
