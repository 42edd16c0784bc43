"""The entry for many states.

`i32 @fb_batch(ptr inputs, ptr input_strides, ptr outputs, ptr output_strides, i64 rows, i64 all, ptr scratch)`

`rows` is a piece of a batch of `all` rows.

Each group of `lanes` rows is transposed into scratch memory, one vector per input element, run through
the kernel, and transposed back. Rows beyond the last are the last row again, both read and written, so that
nothing outside is touched and a row's result does not depend on where it stands. Which slot of scratch memory
an output element comes from is a table: symmetric, repeated and constant elements cost the kernel nothing.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.kernel import Kernel, flags
from floatbase.compiler.lowering.module import Frame, Module
from floatbase.compiler.lowering.rows import STAGE, emit_read, emit_stream, emit_write
from floatbase.compiler.lowering.selection import IN_MEMORY
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Program

_HEADER = (
    "define i32 @fb_batch(ptr %inputs, ptr %input_strides, ptr %outputs, ptr %output_strides, "
    "i64 %rows, i64 %all, ptr %scratch)"
)

STREAMED_BYTES = 8 << 20
"""Results that take more than this are written past the caches."""


def emit_batch(module: Module, program: Program) -> int:
    """Emit `fb_batch` and what it calls; gives the bytes of scratch memory it needs."""
    element, frame = module.element, Frame()
    slots = frame.allocate(program.input_size * element.bytes)
    streams = any(port.size >= STAGE for port in program.outputs)
    stage = frame.allocate((STAGE + element.lanes) * element.bytes) if streams else 0
    offsets, constants = _emit_kernel(module, program, frame, slots)
    emit_read(module)
    emit_write(module)
    if streams:
        emit_stream(module)
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
                rows, columns = f"ptr {base}, i64 {stride}, i64 {row}", f"ptr %scratch, ptr {table}, i64 {port.size}"

                def write(rows: str = rows, columns: str = columns) -> None:
                    builder.do(f"call void @write({rows}, i64 {last}, {columns})")

                def stream(rows: str = rows, columns: str = columns) -> None:
                    builder.do(f"call void @stream({rows}, {columns}, ptr {builder.at('%scratch', stage, 'i8')})")

                if port.size < STAGE:
                    write()
                else:
                    builder.choose(_is_streamed(builder, row, stride), stream, write)
    if streams:
        builder.do("fence seq_cst")  # what was streamed is there for other threads
    builder.do(f"ret i32 {builder.let(f'load i32, ptr {failed}, align 4')}")
    module.finish(builder, _HEADER)
    return frame.total


def _is_streamed(builder: Builder, row: str, stride: str) -> str:
    """Whether a full group of rows begins here, and the results of the whole batch are too many for the caches."""
    left = builder.let(f"sub i64 %rows, {row}")
    full = builder.let(f"icmp sge i64 {left}, {builder.element.lanes}")
    large = builder.let(f"icmp sgt i64 {builder.let(f'mul i64 {stride}, %all')}, {STREAMED_BYTES}")
    return builder.let(f"and i1 {full}, {large}")


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
