"""Which rule differentiates which kind of block."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from floatbase.compiler import differentiate_dense as dense
from floatbase.compiler import differentiate_loops as loops
from floatbase.compiler import differentiate_trees as trees
from floatbase.compiler.differentiate_matrices import BlockUse
from floatbase.compiler.differentiate_scalars import Tangent

ReverseRule = Callable[[BlockUse, Sequence[Tangent], Sequence[bool]], list[Tangent]]

FORWARD: dict[str, loops.ForwardRule] = {
    "call": loops.call_forward,
    "scan": loops.scan_forward,
    "while": loops.while_forward,
    "gather": loops.gather_forward,
    "matmul": dense.matmul_forward,
    "cholesky": dense.cholesky_forward,
    "cholesky_solve": dense.solve_forward,
    "triangular_solve": dense.solve_forward,
    "lu_solve": dense.solve_forward,
    "tree_solve": trees.tree_solve_forward,
}

REVERSE: dict[str, ReverseRule] = {
    "call": loops.by_jacobian(loops.call_forward),
    "scan": loops.by_jacobian(loops.scan_forward),
    "while": loops.by_jacobian(loops.while_forward),
    "gather": loops.gather_reverse,
    "matmul": dense.matmul_reverse,
    "cholesky": dense.cholesky_reverse,
    "cholesky_solve": dense.solve_reverse,
    "triangular_solve": dense.solve_reverse,
    "lu_solve": dense.solve_reverse,
    "tree_solve": trees.tree_solve_reverse,
}

__all__ = ["FORWARD", "REVERSE", "BlockUse"]
