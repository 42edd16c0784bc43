"""Functions that move rows of a batch: to scratch memory, one vector per element, and back.

Results that are much larger than the caches are streamed: full lines, aligned, go to memory at once. Ordinary stores
would read every line first, and drive everything else from the caches.
"""

from __future__ import annotations

from collections.abc import Callable

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Module

STAGE = 512
"""Columns of each row that are put together before they are streamed."""


def _row_pointers(builder: Builder) -> list[str]:
    """Where each lane's row begins; rows beyond the last are the last."""
    pointers = []
    for lane in range(builder.element.lanes):
        row = builder.let(f"add i64 %row, {lane}")
        inside = builder.let(f"icmp slt i64 {row}, %last")
        row = builder.let(f"select i1 {inside}, i64 {row}, i64 %last")
        distance = builder.let(f"mul i64 {row}, %stride")
        pointers.append(builder.let(f"getelementptr i8, ptr %base, i64 {distance}"))
    return pointers


def _slot(builder: Builder, column: str) -> str:
    """The vector of a column of results, found by its offset."""
    offset = builder.let(f"load i32, ptr {builder.at('%places', column, 'i32')}, align 4")
    return builder.load(builder.at("%scratch", builder.let(f"zext i32 {offset} to i64"), "i8"))


def _transpose(builder: Builder, rows: list[str]) -> list[str]:
    """Columns of a square of vectors, by exchanging halves of pairs at distance 1, 2, 4, ..."""
    lanes, kind = len(rows), builder.element.value
    distance = 1
    while distance < lanes:
        low = [lane if not lane & distance else lane - distance + lanes for lane in range(lanes)]
        high = [lane + distance if not lane & distance else lane + lanes for lane in range(lanes)]
        exchanged = list(rows)
        for first in range(lanes):
            if not first & distance:
                pair = f"{kind} {rows[first]}, {kind} {rows[first + distance]}"
                for position, order in ((first, low), (first + distance, high)):
                    mask = ", ".join(f"i32 {lane}" for lane in order)
                    exchanged[position] = builder.let(f"shufflevector {pair}, <{lanes} x i32> <{mask}>")
        rows = exchanged
        distance *= 2
    return rows


def _by_squares(builder: Builder, square: Callable[[str], None], elements: Callable[[], None]) -> None:
    """All columns by squares, given their first column, or by elements if there are too few for a square.

    The last square ends with the last column, and may overlap the one before.
    """
    lanes = builder.element.lanes
    limit = builder.let(f"sub i64 %size, {lanes}")
    whole = builder.let(f"icmp sge i64 {limit}, 0")

    def squares() -> None:
        with builder.loop("%size", step=lanes) as counter:
            inside = builder.let(f"icmp slt i64 {counter}, {limit}")
            square(builder.let(f"select i1 {inside}, i64 {counter}, i64 {limit}"))

    builder.choose(whole, squares, elements)


def emit_read(module: Module) -> None:
    """`i32 @read(base, stride, row, last, slots, size)`: rows to slots; the sign bit if any number is not finite."""
    builder = module.builder()
    scalar = module.element.scalar
    bad = builder.allocate()
    builder.store(builder.literal(0.0), bad)
    pointers = _row_pointers(builder)

    def check(values: list[str]) -> None:
        total = builder.bits(builder.load(bad))
        for value in values:
            total = builder.integer("or", total, builder.bits(builder.sub(value, value)))
        builder.store(builder.from_bits(total), bad)

    def square(column: str) -> None:
        rows = [builder.load(builder.at(pointer, column, scalar), aligned=False) for pointer in pointers]
        check(rows)
        for position, value in enumerate(_transpose(builder, rows)):
            slot = builder.let(f"add i64 {column}, {position}")
            builder.store(value, builder.at("%slots", slot))

    def elements() -> None:
        with builder.loop("%size") as column:
            value = "poison"
            for lane, pointer in enumerate(pointers):
                address = builder.at(pointer, column, scalar)
                part = builder.let(f"load {scalar}, ptr {address}, align {module.element.size}")
                value = builder.let(f"insertelement {module.element.value} {value}, {scalar} {part}, i64 {lane}")
            check([value])
            builder.store(value, builder.at("%slots", column))

    _by_squares(builder, square, elements)
    differences = builder.load(bad)
    wide = builder.let(f"zext i1 {builder.any(builder.compare('uno', differences, differences))} to i32")
    builder.do(f"ret i32 {builder.let(f'shl i32 {wide}, 31')}")
    module.finish(
        builder,
        "define internal i32 @read(ptr %base, i64 %stride, i64 %row, i64 %last, ptr %slots, i64 %size)",
    )


def emit_write(module: Module) -> None:
    """`void @write(base, stride, row, last, scratch, places, size)`: slots, found by their offsets, to rows."""
    builder = module.builder()
    lanes, scalar = module.element.lanes, module.element.scalar
    pointers = _row_pointers(builder)

    def square(column: str) -> None:
        columns = [_slot(builder, builder.let(f"add i64 {column}, {position}")) for position in range(lanes)]
        for pointer, value in zip(pointers, _transpose(builder, columns), strict=True):
            builder.store(value, builder.at(pointer, column, scalar), aligned=False)

    def elements() -> None:
        with builder.loop("%size") as column:
            value = _slot(builder, column)
            for lane, pointer in enumerate(pointers):
                part = builder.let(f"extractelement {module.element.value} {value}, i64 {lane}")
                address = builder.at(pointer, column, scalar)
                builder.do(f"store {scalar} {part}, ptr {address}, align {module.element.size}")

    _by_squares(builder, square, elements)
    builder.do("ret void")
    header = (
        "define internal void @write(ptr %base, i64 %stride, i64 %row, i64 %last, ptr %scratch, ptr %places, i64 %size)"
    )
    module.finish(builder, header)


def emit_stream(module: Module) -> None:
    """`void @stream(base, stride, row, scratch, places, size, stage)`: what `@write` does, past the caches.

    For full groups of rows with at least `lanes` columns. `stage` is scratch memory for `STAGE + lanes` columns.
    """
    builder, lanes, scalar = module.builder(), module.element.lanes, module.element.scalar
    builder.do(f"%last = add i64 %row, {lanes - 1}")
    pointers = _row_pointers(builder)
    limit = builder.let(f"sub i64 %size, {lanes}")
    length = STAGE + lanes  # the last square of columns may begin before the part that is staged
    with builder.loop("%size", step=STAGE) as start:
        rest = builder.let(f"sub i64 %size, {start}")
        count = builder.let(f"call i64 @llvm.smin.i64(i64 {rest}, i64 {STAGE})")
        with builder.loop(count, step=lanes) as counter:
            wanted = builder.let(f"add i64 {start}, {counter}")
            column = builder.let(f"call i64 @llvm.smin.i64(i64 {wanted}, i64 {limit})")
            columns = [_slot(builder, builder.let(f"add i64 {column}, {position}")) for position in range(lanes)]
            inside = builder.let(f"sub i64 {column}, {start}")
            for lane, value in enumerate(_transpose(builder, columns)):
                place = builder.let(f"add i64 {inside}, {lane * length + lanes}")
                builder.store(value, builder.at("%stage", place, scalar), aligned=False)
        for lane, pointer in enumerate(pointers):
            source = builder.at("%stage", lane * length + lanes, scalar)
            arguments = f"ptr {source}, ptr {builder.at(pointer, start, scalar)}, i64 {count}"
            builder.do(f"call void @stream_row({arguments})")
    builder.do("ret void")
    builder.declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
    module.finish(
        builder,
        "define internal void @stream("
        "ptr %base, i64 %stride, i64 %row, ptr %scratch, ptr %places, i64 %size, ptr %stage)",
    )
    _emit_stream_row(module)


def _emit_stream_row(module: Module) -> None:
    """`void @stream_row(source, target, count)`: copy numbers, whole aligned vectors of the target past the caches."""
    builder, scalar, size = module.builder(), module.element.scalar, module.element.size
    wide = builder.using(module.element.with_lanes(module.target.native_vector_bits // (8 * size)))
    lanes, vector = wide.element.lanes, wide.element.bytes

    def copy_one(position: str) -> None:
        value = builder.let(f"load {scalar}, ptr {builder.at('%source', position, scalar)}, align {size}")
        builder.do(f"store {scalar} {value}, ptr {builder.at('%target', position, scalar)}, align {size}")

    address = builder.let("ptrtoint ptr %target to i64")
    before = builder.let(f"and i64 {builder.let(f'sub i64 0, {address}')}, {vector - 1}")
    head = builder.let(f"call i64 @llvm.smin.i64(i64 {builder.let(f'udiv i64 {before}, {size}')}, i64 %count)")
    whole = builder.let(f"and i64 {builder.let(f'sub i64 %count, {head}')}, {-lanes}")
    middle = builder.let(f"add i64 {head}, {whole}")
    with builder.loop(head) as position:
        copy_one(position)
    with builder.loop(middle, start=head, step=lanes) as position:
        value = wide.load(wide.at("%source", position, scalar), aligned=False)
        place = wide.at("%target", position, scalar)
        wide.do(f"store {wide.element.value} {value}, ptr {place}, align {vector}, !nontemporal !0")
    with builder.loop("%count", start=middle) as position:
        copy_one(position)
    builder.do("ret void")
    builder.declarations.add("declare i64 @llvm.smin.i64(i64, i64)")
    module.finish(builder, "define internal void @stream_row(ptr %source, ptr %target, i64 %count)")
