"""How threads write rows of results: through shared memory, so that neighbours write neighbouring numbers.

Each thread puts some columns of its own row into a tile of shared memory; then the threads take the tile line by line,
each a few numbers that lie side by side, and write whole lines. Room between the rows of a tile keeps its
banks apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Module
from floatbase.compiler.program import Program

WARP = 32
SMALL = 4
"""Results with fewer numbers are written by the thread that computes them."""

WIDE = 256
"""Results with at least so many numbers are written in longer lines: memory takes them faster, but more values wait."""

_LINE, _WIDE_LINE = 128, 256  # bytes that are written at once
_AT_ONCE = 4  # pieces of a tile that are copied in one turn of the loop
_SYNCHRONIZE = "call void @llvm.nvvm.bar.warp.sync(i32 -1)"


def tile_columns(size: int, width: int) -> int:
    """Numbers of each row that are exchanged at once, of `size` bytes each; `width` is that of a whole row."""
    line = _WIDE_LINE if width >= WIDE else _LINE
    return min(line // size, WARP * vector_length(size, width))


def shared_bytes_per_warp(size: int, program: Program) -> int:
    """Shared memory that each warp needs, for numbers of `size` bytes."""
    widths = [port.size for port in program.outputs if port.size >= SMALL]
    pitches = [tile_columns(size, width) + vector_length(size, width) for width in widths]
    return WARP * size * max(pitches, default=0)


def vector_length(size: int, width: int) -> int:
    """How many numbers are written at once: as many as 16 bytes hold, if every row begins at a multiple of that."""
    return next(length for length in (16 // size, 8 // size, 1) if length and width % length == 0)


def written_together(size: int, width: int) -> int:
    """Bytes of a row that are written at once, of which the address of the first row must be a multiple."""
    return vector_length(size, width) * size if width >= SMALL else size


def declare_tiles(module: Module) -> None:
    """Shared memory, of a size that is chosen at the launch."""
    module.once("tiles", lambda: _declare(module))


def _declare(module: Module) -> int:
    module.texts.append(f"@tiles = external addrspace(3) global [0 x {module.stored.scalar}], align 16\n")
    return 0


def write_rows(builder: Builder, output: str, width: int, first: int, values: Sequence[str], tile_bytes: int) -> None:
    """Write columns from `first` on of the rows of all threads of the warp; `width` is that of a whole row.

    tile_bytes: shared memory of each warp, the same for all outputs: warps of a block write different ones at a time.
    The function has `%rows`, and `%row`, `%thread` and `%lane` of this thread. All threads of the warp must come here.
    """
    element = builder.element
    scalar, columns = element.scalar, tile_columns(element.size, width)
    lanes = vector_length(element.size, width)
    vector = builder.using(element.with_lanes(lanes))
    kind, align, pitch = vector.element.value, vector.element.bytes, columns + lanes
    across = columns // lanes  # threads that share a line
    states = WARP // across  # whose lines are written at once

    def shared(base: str, position: str) -> str:
        return builder.let(f"getelementptr {scalar}, ptr addrspace(3) {base}, i32 {position}")

    builder.declarations.add("declare void @llvm.nvvm.bar.warp.sync(i32)")
    warp = builder.let("lshr i32 %thread, 5")
    tile = shared("@tiles", builder.let(f"mul i32 {warp}, {tile_bytes // element.size}"))
    mine = shared(tile, builder.let(f"mul i32 %lane, {pitch}"))
    for start in range(0, len(values), lanes):
        packed = _pack(vector, values[start : start + lanes])
        builder.do(f"store {kind} {packed}, ptr addrspace(3) {shared(mine, str(start))}, align {align}")
    builder.do(_SYNCHRONIZE)
    ahead = builder.let(f"lshr i32 %lane, {across.bit_length() - 1}")
    column = builder.let(f"mul i32 {builder.let(f'and i32 %lane, {across - 1}')}, {lanes}")
    wanted = builder.let(f"icmp ult i32 {column}, {len(values)}")
    source = shared(tile, builder.let(f"add i32 {builder.let(f'mul i32 {ahead}, {pitch}')}, {column}"))
    top = builder.let(f"sub i64 %row, {builder.let('zext i32 %lane to i64')}")  # the warp's first row
    row = builder.let(f"add i64 {top}, {builder.let(f'zext i32 {ahead} to i64')}")
    left = builder.let(f"sub i64 %rows, {row}")
    place = builder.let(f"add i64 {builder.let(f'mul i64 {row}, {width}')}, {first}")
    place = builder.let(f"add i64 {place}, {builder.let(f'zext i32 {column} to i64')}")
    target = builder.let(f"getelementptr {scalar}, ptr {output}, i64 {place}")
    with builder.loop(WARP, step=states * min(_AT_ONCE, WARP // states)) as state:
        line = builder.let(f"trunc i64 {builder.let(f'mul i64 {state}, {pitch}')} to i32")
        tile_row = shared(source, line)
        start_of_row = builder.let(f"mul i64 {state}, {width}")
        out = global_pointer(builder, builder.let(f"getelementptr {scalar}, ptr {target}, i64 {start_of_row}"))
        for piece in range(min(_AT_ONCE, WARP // states)):
            step = piece * states
            exists = builder.let(f"icmp slt i64 {builder.let(f'add i64 {state}, {step}')}, {left}")

            def move(step: int = step, tile_row: str = tile_row, out: str = out) -> None:
                address = shared(tile_row, str(step * pitch))
                value = builder.let(f"load {kind}, ptr addrspace(3) {address}, align {align}")
                vector.store(value, builder.at(out, step * width, scalar))

            builder.when(builder.let(f"and i1 {exists}, {wanted}"), move)
    builder.do(_SYNCHRONIZE)


def global_pointer(builder: Builder, pointer: str) -> str:
    """The same pointer, known to lie in the memory that all threads see."""
    known = builder.let(f"addrspacecast ptr {pointer} to ptr addrspace(1)")
    return builder.let(f"addrspacecast ptr addrspace(1) {known} to ptr")


def _pack(vector: Builder, values: Sequence[str]) -> str:
    """A vector of the given numbers."""
    if len(values) == 1:
        return values[0]
    kind, scalar = vector.element.value, vector.element.scalar
    packed = "poison"
    for position, value in enumerate(values):
        packed = vector.let(f"insertelement {kind} {packed}, {scalar} {value}, i32 {position}")
    return packed
