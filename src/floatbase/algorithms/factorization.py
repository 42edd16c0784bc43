r"""The solution of a symmetric positive definite system, sparing the entries that are structurally zero.

$A = L^\top D L$ with $L$ unit lower triangular, eliminating from the last unknown to the first. In the order base, ...,
leaves, a mass matrix fills in no entry that is zero in it: R. Featherstone, "Efficient factorization of the joint-space
inertia matrix for branched kinematic trees", Int. J. Robotics Research 24(6), 2005.
"""

from __future__ import annotations

from collections.abc import Sequence

from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Component


def elimination_order(tree: Tree) -> list[int]:
    """The velocities in the order base, ..., leaves."""
    head = range(6 if tree.floating else 0)
    columns = [len(head) + body.joint.index + k for body in tree.bodies if body.joint for k in range(body.joint.nv)]
    return list(dict.fromkeys([*head, *columns]))


def solve_symmetric(A: Sequence[Sequence[Component]], b: Sequence[Component], order: Sequence[int]) -> list[Component]:
    """`x` with `A x = b`; entries of A that are the Python float 0.0 are structural zeros; `order`: last goes first."""
    order = list(order)
    rows = [[A[i][j] for j in order[: k + 1]] for k, i in enumerate(order)]
    x = [b[i] for i in order]
    inverses: list[Component] = [0.0] * len(order)
    factors: list[list[tuple[int, Component]]] = []
    for k in range(len(order) - 1, -1, -1):
        inverses[k] = 1.0 / rows[k][k]
        path = [i for i in range(k) if not _is_zero(rows[k][i])]
        scaled = [inverses[k] * rows[k][i] for i in path]
        for number, i in enumerate(path):
            for j, factor in zip(path[: number + 1], scaled, strict=False):
                rows[i][j] = rows[i][j] - rows[k][i] * factor
            x[i] = x[i] - scaled[number] * x[k]
        factors.append(list(zip(path, scaled, strict=True)))
    for k, row in enumerate(reversed(factors)):
        x[k] = inverses[k] * x[k]
        for j, factor in row:
            x[k] = x[k] - factor * x[j]
    result: list[Component] = [0.0] * len(order)
    for k, i in enumerate(order):
        result[i] = x[k]
    return result


def _is_zero(entry: Component) -> bool:
    return type(entry) is float and entry == 0.0
