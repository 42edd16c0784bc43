"""The entry for many states.

`i32 @fb_batch(ptr inputs, ptr input_strides, ptr outputs, ptr output_strides, i64 rows, ptr scratch)`

Each group of `lanes` rows is transposed into scratch memory, one vector per input element, run through
the kernel, and transposed back. Rows beyond the last are the last row again, both read and written, so that
nothing outside is touched and a row's result does not depend on where it stands. Which slot of scratch memory
an output element comes from is a table: symmetric, repeated and constant elements cost the kernel nothing.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.kernel import Kernel, flags
from floatbase.compiler.lowering.module import Frame, Module
from floatbase.compiler.lowering.selection import IN_MEMORY
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Program

_HEADER = (
    "define i32 @fb_batch(ptr %inputs, ptr %input_strides, ptr %outputs, ptr %output_strides, i64 %rows, ptr %scratch)"
)


def emit_batch(module: Module, program: Program) -> int:
    """Emit `fb_batch` and what it calls; gives the bytes of scratch memory it needs."""
    element, frame = module.element, Frame()
    slots = frame.allocate(program.input_size * element.bytes)
    offsets, constants = _emit_kernel(module, program, frame, slots)
    _emit_read(module)
    _emit_write(module)
    builder = module.builder()
    for offset, number in constants:
        builder.store(element.literal(number), builder.at("%scratch", offset, "i8"))
    sources = _ports(builder, "%inputs", "%input_strides", len(program.inputs))
    targets = _ports(builder, "%outputs", "%output_strides", len(program.outputs))
    last = builder.let("sub i64 %rows, 1")
    failed = builder.let("alloca i32, align 4")
    builder.do(f"store i32 0, ptr {failed}, align 4")
    with builder.loop("%rows", step=element.lanes) as row:
        first = builder.let(f"icmp eq i64 {row}, 0")
        start = slots
        for (base, stride), port in zip(sources, program.inputs, strict=True):
            varies = builder.let(f"icmp ne i64 {stride}, 0")

            def read(base: str = base, stride: str = stride, start: int = start, size: int = port.size) -> None:
                slot = builder.at("%scratch", start, "i8")
                call = f"call i32 @read(ptr {base}, i64 {stride}, i64 {row}, i64 {last}, ptr {slot}, i64 {size})"
                _join(builder, failed, builder.let(call))

            # an input shared by all rows keeps its place in scratch memory
            builder.when(builder.let(f"or i1 {first}, {varies}"), read)
            start += port.size * element.bytes
        _join(builder, failed, builder.let("call i32 @kernel(ptr %scratch)"))
        begin = 0
        for number, ((base, stride), port) in enumerate(zip(targets, program.outputs, strict=True)):
            places = [str(offset) for offset in offsets[begin : begin + port.size]]
            begin += port.size
            if places:
                table = module.table(f"places_{number}", "i32", places)
                builder.do(
                    f"call void @write(ptr {base}, i64 {stride}, i64 {row}, i64 {last}, ptr %scratch, "
                    f"ptr {table}, i64 {port.size})"
                )
    builder.do(f"ret i32 {builder.let(f'load i32, ptr {failed}, align 4')}")
    module.finish(builder, _HEADER)
    return frame.total


def _join(builder: Builder, failed: str, flag: str) -> None:
    joined = builder.let(f"or i32 {builder.let(f'load i32, ptr {failed}, align 4')}, {flag}")
    builder.do(f"store i32 {joined}, ptr {failed}, align 4")


def _ports(builder: Builder, pointers: str, strides: str, count: int) -> list[tuple[str, str]]:
    return [
        (
            builder.let(f"load ptr, ptr {builder.at(pointers, number, 'ptr')}, align 8"),
            builder.let(f"load i64, ptr {builder.at(strides, number, 'i64')}, align 8"),
        )
        for number in range(count)
    ]


def _emit_kernel(
    module: Module, program: Program, frame: Frame, slots: int
) -> tuple[list[int], list[tuple[int, float]]]:
    """Emit `i32 @kernel(ptr scratch)`; gives the offset of each output element, and the constants among them."""
    builder, size = module.builder(), module.element.bytes
    kernel = Kernel(module, builder, program, frame, slots)
    code = kernel.selection.code
    results = program.results.tolist()
    stored = [v for v in dict.fromkeys(results) if code[v][0] == Op.CONSTANT or code[v][0] not in IN_MEMORY]
    region = frame.allocate(len(stored) * size)
    offset = {value: region + position * size for position, value in enumerate(stored)}
    constants = []
    for position, value in enumerate(stored):
        if code[value][0] == Op.CONSTANT:
            constants.append((offset[value], float(program.constants[code[value][1]])))
        else:
            kernel.sinks[value] = [(region, position)]
    kernel.emit("kernel")
    for value in dict.fromkeys(results):
        if value not in offset:
            offset[value] = kernel.offset(value)
    builder.do(f"ret i32 {flags(kernel, None)}")
    kernel.finish("define internal i32 @kernel(ptr %scratch)")
    return [offset[value] for value in results], constants


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


def _emit_read(module: Module) -> None:
    """`i32 @read(base, stride, row, last, slots, size)`: rows to slots; the sign bit if any number is not finite."""
    builder = module.builder()
    lanes, scalar = module.element.lanes, module.element.scalar
    bad = builder.allocate()
    builder.store(builder.literal(0.0), bad)
    pointers = _row_pointers(builder)

    def check(values: list[str]) -> None:
        total = builder.bits(builder.load(bad))
        for value in values:
            total = builder.integer("or", total, builder.bits(builder.sub(value, value)))
        builder.store(builder.from_bits(total), bad)

    limit = builder.let(f"sub i64 %size, {lanes}")  # where the last whole square of columns begins
    whole = builder.let(f"icmp sge i64 {limit}, 0")

    def squares() -> None:
        with builder.loop("%size", step=lanes) as counter:
            inside = builder.let(f"icmp slt i64 {counter}, {limit}")
            column = builder.let(f"select i1 {inside}, i64 {counter}, i64 {limit}")
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

    builder.choose(whole, squares, elements)
    differences = builder.load(bad)
    wide = builder.let(f"zext i1 {builder.any(builder.compare('uno', differences, differences))} to i32")
    builder.do(f"ret i32 {builder.let(f'shl i32 {wide}, 31')}")
    module.finish(
        builder,
        "define internal i32 @read(ptr %base, i64 %stride, i64 %row, i64 %last, ptr %slots, i64 %size)",
    )


def _emit_write(module: Module) -> None:
    """`void @write(base, stride, row, last, scratch, places, size)`: slots, found by their offsets, to rows."""
    builder = module.builder()
    lanes, scalar = module.element.lanes, module.element.scalar
    pointers = _row_pointers(builder)

    def slot(column: str) -> str:
        offset = builder.let(f"load i32, ptr {builder.at('%places', column, 'i32')}, align 4")
        return builder.load(builder.at("%scratch", builder.let(f"zext i32 {offset} to i64"), "i8"))

    limit = builder.let(f"sub i64 %size, {lanes}")  # where the last whole square of columns begins
    whole = builder.let(f"icmp sge i64 {limit}, 0")

    def squares() -> None:
        with builder.loop("%size", step=lanes) as counter:
            inside = builder.let(f"icmp slt i64 {counter}, {limit}")
            column = builder.let(f"select i1 {inside}, i64 {counter}, i64 {limit}")
            columns = [slot(builder.let(f"add i64 {column}, {position}")) for position in range(lanes)]
            for pointer, value in zip(pointers, _transpose(builder, columns), strict=True):
                builder.store(value, builder.at(pointer, column, scalar), aligned=False)

    def elements() -> None:
        with builder.loop("%size") as column:
            value = slot(column)
            for lane, pointer in enumerate(pointers):
                part = builder.let(f"extractelement {module.element.value} {value}, i64 {lane}")
                address = builder.at(pointer, column, scalar)
                builder.do(f"store {scalar} {part}, ptr {address}, align {module.element.size}")

    builder.choose(whole, squares, elements)
    builder.do("ret void")
    header = (
        "define internal void @write(ptr %base, i64 %stride, i64 %row, i64 %last, ptr %scratch, ptr %places, i64 %size)"
    )
    module.finish(builder, header)
