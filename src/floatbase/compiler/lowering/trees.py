"""Systems with the structure of a tree, solved for a few columns at a time.

`L^T D L X = B`: rows of the right side lose what their descendants take with them, from the leaves to the roots; then
each row is divided by D and loses what its ancestors give, from the roots to the leaves. The code of both sweeps is
written out, because its entries are few; the loop is over columns, of which several are kept side by side.
"""

from __future__ import annotations

from collections.abc import Sequence

from floatbase.compiler.blocks import tree_rows
from floatbase.compiler.lowering.arrays import spread
from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Frame
from floatbase.compiler.program import Block

BROAD = 4


def emit_tree_solve(builder: Builder, frame: Frame, block: Block, arguments: str, outputs: str) -> None:
    """`X = A^-1 B`; a tile of columns overlaps the one before, where they do not go up evenly."""
    n, m = block.setting("n"), block.setting("m")
    if not n or not m:
        return
    rows = tree_rows(block)
    lead = n + sum(len(row) for row in rows)
    element = builder.element
    across = element.across if element.lanes == 1 and m >= element.across else 1
    wide = builder.using(element.with_lanes(across)) if across > 1 else builder
    broad = min(BROAD, m // across)
    right = builder.at(arguments, lead)
    with builder.loop(m, step=broad * across) as first:
        last = m - broad * across
        inside = builder.let(f"icmp slt i64 {first}, {last}")
        column = builder.let(f"select i1 {inside}, i64 {first}, i64 {last}")
        source, target = builder.at(right, column), builder.at(outputs, column)
        _sweep(builder, wide, (arguments, source, target), rows, m, broad, across)


def _sweep(
    builder: Builder,
    wide: Builder,
    places: tuple[str, str, str],
    rows: Sequence[Sequence[int]],
    m: int,
    broad: int,
    across: int,
) -> None:
    arguments, source, target = places
    n = len(rows)
    starts = [n]
    for row in rows:
        starts.append(starts[-1] + len(row))
    carried: list[list[tuple[int, int]]] = [[] for _ in rows]  # (descendant, place of the entry)
    for k, row in enumerate(rows):
        for position, j in enumerate(row):
            carried[j].append((k, starts[k] + position))

    def coefficient(position: int, negative: bool) -> str:
        value = builder.load(builder.at(arguments, position))
        value = builder.neg(value) if negative else value
        return value if wide is builder else spread(wide, value)

    def load(base: str, row: int) -> list[str]:
        return [wide.load(builder.at(base, row * m + part * across), across == 1) for part in range(broad)]

    def store(values: Sequence[str], row: int) -> None:
        for part, value in enumerate(values):
            wide.store(value, builder.at(target, row * m + part * across), across == 1)

    def subtract(values: list[str], others: Sequence[tuple[int, int]]) -> list[str]:
        for row, position in others:
            factor = coefficient(position, True)
            values = [wide.fma(factor, x, y) for x, y in zip(load(target, row), values, strict=True)]
        return values

    for j in reversed(range(n)):
        store(subtract(load(source, j), carried[j]), j)
    for k in range(n):
        inverse = coefficient(k, False)
        values = [wide.mul(inverse, value) for value in load(target, k)]
        store(subtract(values, [(j, starts[k] + position) for position, j in enumerate(rows[k])]), k)
