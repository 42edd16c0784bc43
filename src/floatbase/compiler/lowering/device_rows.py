"""A program for one thread of a GPU, which reads its inputs where they are and hands its results to the warp."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.exchange import SMALL, global_pointer, shared_bytes_per_warp, tile_columns, write_rows
from floatbase.compiler.lowering.kernel import Base, Kernel
from floatbase.compiler.lowering.module import Frame, Module
from floatbase.compiler.lowering.ordering import Group
from floatbase.compiler.lowering.selection import Selection, select_instructions
from floatbase.compiler.operations import Op
from floatbase.compiler.program import Program

LONGEST = 16000
"""Assemblers take more than proportional time: programs of more steps are cut into functions, of `PART` steps each."""

PART = 6000

_REGISTERS = {"thread": "tid.x", "threads": "ntid.x", "block": "ctaid.x", "lane": "laneid"}

_Tile = tuple[int, int]
"""Columns of an output that are written together: its position among the program's outputs, and the first column."""


class DeviceKernel(Kernel):
    """Emits a program of which each thread computes one row; `outputs` are the numbers of its outputs' pointers."""

    def __init__(self, module: Module, program: Program, outputs: Sequence[int], parameters: Sequence[str]) -> None:
        ends = list(accumulate(port.size for port in program.inputs))
        frame = Frame()
        widens = module.stored.scalar != module.element.scalar
        copies = [frame.allocate(port.size * module.element.bytes) for port in program.inputs] if widens else []

        def place(position: int) -> tuple[Base, int]:
            number = bisect_right(ends, position)
            base: Base = copies[number] if widens else f"%source.{number}"
            return base, position - (ends[number - 1] if number else 0)

        self._place = place
        builder = module.builder()
        super().__init__(module, builder, program, frame, place, (*parameters, "ptr %scratch"), self._begin)
        self.part = LONGEST if len(self.selection.steps) <= LONGEST else PART
        self._numbers = list(outputs)
        self._tile_bytes = shared_bytes_per_warp(module.stored.size, program)
        self._whole = builder
        self._unseen = set(range(program.input_size))
        self._sum: str | None = None  # NaN if an input that this part has read is not finite
        self._sums: list[int] = []  # where in scratch memory earlier parts have left theirs
        self._results = self._values_of_tiles()
        self._tiles: dict[int, list[_Tile]] = {}  # that wait for a value
        self._waiting: dict[_Tile, set[int]] = {}  # values that a tile waits for
        self._plan()
        self._begin(builder)
        for number, copy in enumerate(copies):
            self._widen(f"%source.{number}", copy, program.inputs[number].size)

    def _begin(self, builder: Builder) -> None:
        """What each part begins with: this thread's row, and where its inputs are."""
        for name, register in _REGISTERS.items():
            builder.declarations.add(f"declare i32 @llvm.nvvm.read.ptx.sreg.{register}()")
            builder.do(f"%{name} = call i32 @llvm.nvvm.read.ptx.sreg.{register}()")
        for name in ("thread", "threads", "block"):
            builder.do(f"%{name}.wide = zext i32 %{name} to i64")
        builder.do("%before = mul i64 %block.wide, %threads.wide")
        builder.do("%row = add i64 %before, %thread.wide")
        builder.do("%last = sub i64 %rows, 1")
        builder.declarations.add("declare i64 @llvm.umin.i64(i64, i64)")
        builder.do("%own = call i64 @llvm.umin.i64(i64 %row, i64 %last)")
        for number in range(len(self.program.inputs)):
            builder.do(f"%distance.{number} = mul i64 %own, %stride.{number}")
            builder.do(f"%start.{number} = getelementptr i8, ptr %input.{number}, i64 %distance.{number}")
            builder.do(f"%global.{number} = addrspacecast ptr %start.{number} to ptr addrspace(1)")
            builder.do(f"%source.{number} = addrspacecast ptr addrspace(1) %global.{number} to ptr")

    # inputs

    def _widen(self, source: str, copy: int, size: int) -> None:
        """Copy an input to scratch memory in the type of arithmetic."""
        builder, element, stored = self.builder, self.module.element, self.module.stored
        arrays = builder.using(stored)
        with builder.loop(size) as position:
            number = arrays.load(arrays.at(source, position))
            wide = builder.let(f"fpext {stored.scalar} {number} to {element.scalar}")
            builder.store(wide, builder.at(self.locate(copy), position))

    def value(self, number: int) -> str:
        """The register that holds a value; inputs are looked at when they are read for the first time."""
        name = super().value(number)
        op, position, _, _ = self.selection.code[number]
        if op == Op.INPUT and position in self._unseen:
            self._unseen.discard(position)
            self._sum = self._watch(name)
        return name

    def _watch(self, value: str) -> str:
        zero = self.builder.literal(0.0)
        return self.builder.fma(value, zero, self._sum or zero)

    def not_finite(self, all_inputs: bool) -> str:
        """Whether a number among the inputs is NaN or infinite: among those read so far, or all."""
        builder = self.builder
        for position in sorted(self._unseen) if all_inputs else ():
            self._sum = self._watch(builder.load(self.locate(*self._place(position))))
        total = self._sum or builder.literal(0.0)
        for offset in self._sums:
            total = builder.add(total, builder.load(self.locate(offset)))
        return builder.compare("uno", total, total)

    # outputs

    def _select(self) -> Selection:
        tiles = list(self._values_of_tiles().values())
        return select_instructions(self.program, self.module.element.fma, together=False, written=tiles)

    def _values_of_tiles(self) -> dict[_Tile, list[int]]:
        values: list[int] = self.program.results.tolist()
        tiles: dict[_Tile, list[int]] = {}
        start = 0
        for output, port in enumerate(self.program.outputs):
            width = tile_columns(self.module.stored.size, port.size) if port.size >= SMALL else max(port.size, 1)
            for first in range(0, port.size, width):
                tiles[output, first] = values[start + first : start + min(first + width, port.size)]
            start += port.size
        return tiles

    def _plan(self) -> None:
        for tile, values in self._results.items():
            computed = {value for value in values if self.selection.code[value][0] != Op.CONSTANT}
            self._waiting[tile] = computed
            for value in computed:
                self._tiles.setdefault(value, []).append(tile)

    def _emit_steps(self, steps: Sequence[int | Group]) -> None:
        for step in steps:
            super()._emit_steps([step])
            for value in step.gives() if isinstance(step, Group) else (step,):
                for tile in self._tiles.get(value, ()):
                    self._waiting[tile].discard(value)
                    if not self._waiting[tile]:
                        del self._waiting[tile]
                        self._write(*tile)
        if self.builder is not self._whole and self._sum is not None:
            self._sums.append(self.frame.allocate(self.module.element.bytes))
            self.builder.store(self._sum, self.locate(self._sums[-1]))
            self._sum = None

    def finish_outputs(self) -> None:
        """Write what consists of constants alone."""
        for tile in self._waiting:
            self._write(*tile)

    def _write(self, output: int, first: int) -> None:
        size = self.program.outputs[output].size
        values = [self._result(value) for value in self._results[output, first]]
        pointer = f"%output.{self._numbers[output]}"
        element, stored = self.module.element, self.module.stored
        if stored.scalar != element.scalar:
            values = [self.builder.let(f"fptrunc {element.scalar} {value} to {stored.scalar}") for value in values]
        if size >= SMALL:
            write_rows(self.builder.using(stored), pointer, size, first, values, self._tile_bytes)
        else:
            self._write_alone(pointer, values)

    def _result(self, number: int) -> str:
        value = self.value(number)
        if self._is_truth(number):
            return self.builder.select(value, self.builder.literal(1.0), self.builder.literal(0.0))
        return value

    def _write_alone(self, pointer: str, values: Sequence[str]) -> None:
        builder = self.builder.using(self.module.stored)

        def store() -> None:
            distance = builder.let(f"mul i64 %row, {len(values) * builder.element.size}")
            target = global_pointer(builder, builder.let(f"getelementptr i8, ptr {pointer}, i64 {distance}"))
            for position, value in enumerate(values):
                builder.store(value, builder.at(target, position))

        builder.when(builder.let("icmp ult i64 %row, %rows"), store)
