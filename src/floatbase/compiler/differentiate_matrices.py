"""Sparse matrices of symbols: what the rules of dense blocks compute with.

A matrix is a dictionary from (row, column) to a symbol or number; what is not there is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.differentiate_scalars import Tangent, Value
from floatbase.compiler.graph import Graph
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Block
from floatbase.compiler.scalar import Scalar

Sparse = dict[tuple[int, int], Value]

INLINE_PRODUCTS = 2000  # multiplications up to which a product is written out
INLINE_SHARE = 0.1  # and the share of a dense product up to which it is, whatever its size


@dataclass(frozen=True)
class BlockUse:
    """A block where it stands in a graph, with its arguments and outputs."""

    graph: Graph
    block: Block
    arguments: list[Value]
    outputs: list[Scalar]

    @classmethod
    def of(cls, graph: Graph, index: int) -> BlockUse:
        """The block of instruction `index`."""
        block = graph.blocks[graph.code[index][1]]
        arguments: list[Any] = []
        for argument in block.arguments.tolist():
            key = graph.code[argument]
            arguments.append(graph.constants[key[1]] if key[0] == Op.CONSTANT else graph.scalars[argument])
        return cls(graph, block, arguments, [graph.node((int(Op.PROJECT), index, k)) for k in range(block.size)])

    def settings(self, *names: str) -> list[int]:
        """Several of the block's sizes."""
        return [self.block.setting(name) for name in names]


def put(matrix: Sparse, place: tuple[int, int], value: Value) -> None:
    """Add to an entry, and forget it if it becomes a structural zero."""
    total = matrix[place] + value if place in matrix else value
    if not isinstance(total, Scalar) and total == 0.0:
        matrix.pop(place, None)
    else:
        matrix[place] = total


def sparse(values: Sequence[Value], columns: int) -> Sparse:
    """The matrix of row-major values."""
    result: Sparse = {}
    for k, value in enumerate(values):
        if isinstance(value, Scalar) or value != 0.0:
            result[divmod(k, columns)] = value
    return result


def transposed(matrix: Sparse) -> Sparse:
    """Rows and columns exchanged."""
    return {(j, i): value for (i, j), value in matrix.items()}


def by_direction(tangents: Sequence[Tangent], columns: int) -> dict[int, Sparse]:
    """For each direction, the matrix of derivatives of row-major values."""
    result: dict[int, Sparse] = {}
    for k, tangent in enumerate(tangents):
        for direction, value in tangent.items():
            result.setdefault(direction, {})[divmod(k, columns)] = value
    return result


def as_tangents(matrices: dict[int, Sparse], rows: int, columns: int) -> list[Tangent]:
    """The inverse of `by_direction`."""
    result: list[Tangent] = [{} for _ in range(rows * columns)]
    for direction, matrix in matrices.items():
        for (i, j), value in matrix.items():
            result[i * columns + j][direction] = value
    return result


def stacked(matrices: Iterable[Sparse], rows: int, columns: int) -> Sparse:
    """Matrices below (`columns == 0`) or beside one another (`rows == 0`), each of that many rows or columns."""
    result: Sparse = {}
    for number, matrix in enumerate(matrices):
        for (i, j), value in matrix.items():
            result[i + number * rows, j + number * columns] = value
    return result


def unstacked(matrix: Sparse, directions: Sequence[int], rows: int, columns: int) -> dict[int, Sparse]:
    """The inverse of `stacked`."""
    result: dict[int, Sparse] = {direction: {} for direction in directions}
    for (i, j), value in matrix.items():
        number = i // rows if rows else j // columns
        result[directions[number]][i - number * rows, j - number * columns] = value
    return result


def product(graph: Graph, A: Sparse, B: Sparse) -> Sparse:
    """`A B`: written out where it is small or sparse, else one block on the rows and columns that are not zero."""
    rows_of_B: dict[int, list[tuple[int, Value]]] = {}
    for (k, j), value in B.items():
        rows_of_B.setdefault(k, []).append((j, value))
    count = sum(len(rows_of_B.get(k, ())) for _, k in A)
    rows = sorted({i for i, _ in A})
    columns = sorted({j for _, j in B})
    inner = sorted({k for _, k in A} & set(rows_of_B))
    if count <= INLINE_PRODUCTS or count <= INLINE_SHARE * len(rows) * len(inner) * len(columns):
        result: Sparse = {}
        for (i, k), value in A.items():
            for j, other in rows_of_B.get(k, ()):
                put(result, (i, j), value * other)
        return result
    arguments = [A.get((i, k), 0.0) for i in rows for k in inner] + [B.get((k, j), 0.0) for k in inner for j in columns]
    values = graph.block("matmul", arguments, n=len(rows), k=len(inner), m=len(columns))
    places = [(i, j) for i in rows for j in columns]
    return dict(zip(places, values, strict=True))


def solve(use: BlockUse, matrix: Sequence[Value], rhs: Sparse, **settings: int) -> Sparse:
    """Solve with the block's kind and matrix, with the columns of `rhs` that are not zero."""
    n = use.block.setting("n")
    columns = sorted({j for _, j in rhs})
    if not columns:
        return {}
    arguments = [*matrix, *(rhs.get((i, j), 0.0) for i in range(n) for j in columns)]
    values = use.graph.block(use.block.kind, arguments, (), n=n, m=len(columns), **settings)
    result = {(i, j): values[i * len(columns) + place] for i in range(n) for place, j in enumerate(columns)}
    if use.block.kind != "triangular_solve":
        return result
    if settings["transposed"]:  # a solution begins (ends) where its right-hand side does
        last = {j: max(i for i, other in rhs if other == j) for j in columns}
        return {(i, j): value for (i, j), value in result.items() if i <= last[j]}
    first = {j: min(i for i, other in rhs if other == j) for j in columns}
    return {(i, j): value for (i, j), value in result.items() if i >= first[j]}
