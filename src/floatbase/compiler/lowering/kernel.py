"""A program's instructions as the body of one function.

Every value is a register; inputs, results of blocks and of elementary functions lie in scratch memory as
arrays of values (one value: one element in each lane) and are read where they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from floatbase.compiler.lowering.arrays import copy
from floatbase.compiler.lowering.blocks import emit_block
from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.control import emit_row
from floatbase.compiler.lowering.elementary import elementary_function, inline_function
from floatbase.compiler.lowering.module import Frame, Module, subprogram_name
from floatbase.compiler.lowering.ordering import Group
from floatbase.compiler.lowering.selection import (
    MULTIPLY_ADD,
    MULTIPLY_SUBTRACT,
    NEGATIVE_MULTIPLY_ADD,
    Selection,
    select_instructions,
    split_steps,
)
from floatbase.compiler.operations import BOOLEAN, Op
from floatbase.compiler.program import Block, Program
from floatbase.errors import ProgramError

LONG_RUN = 8
"""Copies of at least so many neighbouring values are loops."""

PART = 4000
"""LLVM's register allocator takes more than proportional time: longer programs are cut into functions of this many
steps, which cost nothing to call."""

Base = str | int
"""An array in memory: the name of a pointer, or an offset in scratch memory."""

_KEPT = ("matmul", "tree_solve")
"""Blocks that leave their arguments as they are."""

_SIMPLE = {Op.ADD: "fadd", Op.SUB: "fsub", Op.MUL: "fmul", Op.DIV: "fdiv"}
_COMPARISONS = {Op.LT: "olt", Op.LE: "ole", Op.EQ: "oeq", Op.NE: "une"}
_INTRINSICS = {Op.SQRT: "sqrt", Op.ABS: "fabs", Op.FLOOR: "floor", Op.CEIL: "ceil"}


class Kernel:
    """Emits one program into a builder; a long one into several functions that it calls, one after another.

    `inputs` is an array of all inputs, or says where each is. `places` says where values that lie in memory are: an
    array and a position in it. The array is the name of a pointer, or an offset in scratch memory. `sinks` says where
    values are to be stored as soon as they are computed. `parameters` are those of the function that is written,
    and `prelude` writes what each part of it begins with.
    """

    part = PART

    def __init__(
        self,
        module: Module,
        builder: Builder,
        program: Program,
        frame: Frame,
        inputs: Base | Callable[[int], tuple[Base, int]],
        parameters: Sequence[str] = ("ptr %scratch",),
        prelude: Callable[[Builder], None] | None = None,
    ) -> None:
        self.module, self.builder, self.program, self.frame = module, builder, program, frame
        self.inputs, self.parameters, self.prelude = inputs, parameters, prelude
        self.selection: Selection = self._select()
        self.names: list[str] = [""] * len(program.code)
        self.places: dict[int, tuple[Base, int]] = {}
        self.sinks: dict[int, list[tuple[Base, int]]] = {}
        self._parts: list[tuple[str, Builder]] = []
        self._arguments: Base | None = None
        self._regions: dict[int, Base] = {}  # of the arguments of a block, if some are stored there when computed
        self._homes: dict[int, tuple[Base, int]] = {}  # of values that are stored among the arguments of a block
        element = module.element
        self._prefix = {int(op): f"{name} {element.value} " for op, name in _SIMPLE.items()}
        self._prefix.update((int(op), f"fcmp {name} {element.value} ") for op, name in _COMPARISONS.items())

    def _select(self) -> Selection:
        return select_instructions(self.program, self.module.element.fma, together=not self.module.target.is_gpu)

    def emit(self, name: str) -> None:
        """All instructions, in the order of the selection; `name` is that of the function."""
        steps = self.selection.steps
        self._settle_arguments()
        if len(steps) <= self.part:
            self._emit_steps(steps)
            return
        parts = split_steps(self.program, self.selection, self.part)
        left = [value for value in parts.shared if value not in self._homes]
        region = self.frame.allocate(len(left) * self.module.element.bytes)
        shared: dict[int, tuple[Base, int]] = {value: (region, position) for position, value in enumerate(left)}
        whole = self.builder
        for number, piece in enumerate(parts.pieces):
            self.builder = self.module.builder()
            self.names = [""] * len(self.names)
            if self.prelude is not None:
                self.prelude(self.builder)
            for value in parts.defined[number]:
                if value in shared:
                    self.sinks.setdefault(value, []).append(shared[value])
            self._emit_steps(piece)
            self.builder.do("ret void")
            self._parts.append((f"{name}_{number}", self.builder))
            self.places.update((value, shared[value]) for value in parts.defined[number] if value in shared)
            whole.do(f"call void @{name}_{number}({', '.join(self.parameters)})")
        self.builder = whole
        self.names = [""] * len(self.names)

    def _settle_arguments(self) -> None:
        """Let what blocks read lie where the first of them reads it as soon as it is computed."""
        for step in self.selection.steps:
            if isinstance(step, Group) or self.selection.code[step][0] != Op.BLOCK:
                continue
            which = self.selection.code[step][1]
            block = self.program.blocks[which]
            numbers = [int(value) for value in block.arguments]
            new = {value: position for position, value in enumerate(numbers) if self._can_settle(value)}
            if block.kind not in _KEPT or not new:
                continue
            region = self._regions[which] = self._array(len(numbers))
            for value, position in new.items():
                self._homes[value] = (region, position)
                self.sinks.setdefault(value, []).append((region, position))

    def _can_settle(self, value: int) -> bool:
        op = self.selection.code[value][0]
        return op not in self.selection.in_memory and op != Op.BLOCK and value not in self._homes

    def finish(self, header: str) -> None:
        """Add the function and its parts to the module."""
        for name, builder in self._parts:
            apart = " noinline" if self.module.target.is_gpu else ""
            part = f"define internal void @{name}({', '.join(self.parameters)}){apart}"
            self.module.finish(builder, part, self.frame)
        self.module.finish(self.builder, header, self.frame)

    def _emit_steps(self, steps: Sequence[int | Group]) -> None:
        code, names, lines, prefix = self.selection.code, self.names, self.builder.lines, self._prefix
        kind = self.module.element.value
        fma = f"call {kind} @llvm.fma.{self.module.element.mangled}({kind} "
        self.builder.declarations.add(f"declare {kind} @llvm.fma.{self.module.element.mangled}({kind}, {kind}, {kind})")
        for step in steps:
            if isinstance(step, Group):
                if self.module.target.is_gpu:
                    self._group_inline(step)
                    for value in step.gives():
                        if value in self.sinks:
                            self._sink(value)
                else:
                    self._group(step)
                continue
            op, a, b, c = code[step]
            if op in prefix:
                lines.append(f"%v{step} = {prefix[op]}{names[a] or self.value(a)}, {names[b] or self.value(b)}")
                names[step] = f"%v{step}"
            elif op >= MULTIPLY_ADD:
                first, second, third = (names[a] or self.value(a)), (names[b] or self.value(b)), self.value(c)
                if op == NEGATIVE_MULTIPLY_ADD:
                    first = self.builder.neg(first)
                elif op == MULTIPLY_SUBTRACT:
                    third = self.builder.neg(third)
                lines.append(f"%v{step} = {fma}{first}, {kind} {second}, {kind} {third})")
                names[step] = f"%v{step}"
            else:
                self._other(step, op, a, b, c)
            if step in self.sinks:
                self._sink(step)

    def _sink(self, number: int) -> None:
        value = self.names[number]
        if self._is_truth(number):
            value = self.builder.select(value, self.builder.literal(1.0), self.builder.literal(0.0))
        for base, position in self.sinks[number]:
            self.builder.store(value, self.locate(base, position))
        if number in self._homes:
            self.places[number] = self._homes[number]

    def _is_truth(self, number: int) -> bool:
        return self.selection.code[number][0] in BOOLEAN

    def value(self, number: int) -> str:
        """The register that holds a value; reads it from memory the first time."""
        name = self.names[number]
        if not name:
            op, a, _, _ = self.selection.code[number]
            if op == Op.CONSTANT:
                name = self.module.element.literal(float(self.program.constants[a]))
            else:
                name = self.builder.load(self.address(number))
                if self._is_truth(number):
                    name = self.builder.compare("une", name, self.builder.literal(0.0))
            self.names[number] = name
        return name

    def address(self, number: int) -> str:
        """Where a value lies that is in memory."""
        return self.locate(*self.places[number])

    def locate(self, base: Base, position: int = 0) -> str:
        """A pointer to an element of an array."""
        if isinstance(base, str):
            return self.builder.at(base, position)
        return self.builder.at("%scratch", base + position * self.module.element.bytes, "i8")

    def offset(self, number: int) -> int:
        """Where in this function's scratch a value lies that is in memory, in bytes."""
        base, position = self.places[number]
        assert isinstance(base, int)
        return base + position * self.module.element.bytes

    def truth(self, number: int) -> str:
        """The `i1` that says whether a truth value is false in any lane."""
        return self.builder.any(self.builder.invert(self.value(number)))

    def _other(self, number: int, op: int, a: int, b: int, c: int) -> None:
        builder = self.builder
        if op == Op.CONSTANT:
            return
        if op == Op.INPUT:
            self.places[number] = self.inputs(a) if callable(self.inputs) else (self.inputs, a)
        elif op == Op.PROJECT:
            base, position = self.places[a]
            self.places[number] = (base, position + b)
        elif op == Op.BLOCK:
            self._block(number, a)
        elif op == Op.NEG:
            self.names[number] = builder.neg(self.value(a))
        elif op in _INTRINSICS:
            self.names[number] = builder.intrinsic(_INTRINSICS[Op(op)], self.value(a))
        elif op in (Op.MIN, Op.MAX):
            self.names[number] = _extreme(builder, op, self.value(a), self.value(b))
        elif op == Op.SIGN:
            self.names[number] = _sign(builder, self.value(a))
        elif op == Op.SELECT:
            self.names[number] = builder.select(self.value(a), self.value(b), self.value(c))
        elif op == Op.NOT:
            self.names[number] = builder.invert(self.value(a))
        elif op in BOOLEAN:
            combine = builder.both if op == Op.AND else builder.either
            self.names[number] = combine(self.value(a), self.value(b))
        else:
            raise ProgramError(f"program {self.program.name!r}: operation {op} cannot be compiled")

    def _block(self, number: int, which: int) -> None:
        block = self.program.blocks[which]
        if self._is_table(block):
            self._look_up(number, block)
            return
        region = self._regions.get(which)
        if region is None:
            if self._arguments is None:  # blocks run one after another: one array serves all, and stays in the cache
                sizes = [len(other.arguments) for other in self.program.blocks if not self._is_table(other)]
                self._arguments = self._array(max(sizes))
            region = self._arguments
        arguments = self.locate(region)
        outputs = self._array(block.size)
        self.store_all([int(value) for value in block.arguments], arguments, region)
        self.places[number] = (outputs, 0)
        emit_block(self.module, self.builder, self.frame, block, arguments, self.locate(outputs), emit_subprogram)

    def _is_table(self, block: Block) -> bool:
        """Whether a block reads a row of a table of constants."""
        code = self.selection.code
        return block.kind == "gather" and all(code[int(value)][0] == Op.CONSTANT for value in block.arguments[:-1])

    def _look_up(self, number: int, block: Block) -> None:
        """A row of a table of constants, which the module holds once, however many rows are read and how often."""
        places = [self.selection.code[int(value)][1] for value in block.arguments[:-1]]
        table = self.module.numbers(self.program.constants[places])
        outputs = self._array(block.size)
        index = self.value(int(block.arguments[-1]))
        emit_row(self.builder, block.setting("rows"), block.setting("columns"), index, table, self.locate(outputs))
        self.places[number] = (outputs, 0)

    def _array(self, length: int) -> int:
        return self.frame.allocate(length * self.module.element.bytes)

    def _group(self, group: Group) -> None:
        """Evaluate a function on packed arguments: full native vectors, whatever our number of lanes."""
        element, builder = self.module.element, self.builder
        function = elementary_function(self.module, group.function)
        native = function.lanes * element.size
        vectors = -(-len(group.arguments) * element.bytes // native)
        capacity = vectors * native // element.bytes
        arguments = self._array(capacity * function.arguments)
        results = self._array(capacity * function.results)
        for part in range(function.arguments):
            for position, values in enumerate(group.arguments):
                builder.store(self.value(values[part]), self.locate(arguments, part * capacity + position))
            for position in range(len(group.arguments), capacity):  # the last vector is padded with harmless numbers
                builder.store(element.literal(1.0), self.locate(arguments, part * capacity + position))
        places = f"ptr {self.locate(arguments)}, ptr {self.locate(results)}"
        builder.do(f"call void {function.name}({places}, i64 {vectors})")
        for position, wanted in enumerate(group.results):
            for part, number in enumerate(wanted):
                if number >= 0:
                    self.places[number] = (results, part * capacity + position)

    def _group_inline(self, group: Group) -> None:
        """Evaluate a function in registers, one call after another."""
        for values, wanted in zip(group.arguments, group.results, strict=True):
            arguments = [self.value(value) for value in values]
            results = inline_function(self.module, self.builder, group.function, arguments)
            for number, result in zip(wanted, results, strict=False):
                if number >= 0:
                    self.names[number] = result

    def store_all(self, numbers: Sequence[int], target: str, region: Base | None = None) -> None:
        """Write values to consecutive elements of an array; long runs of neighbours in memory are copied by a loop.

        `region`: the array, if values may be there already.
        """
        builder = self.builder
        position = 0
        while position < len(numbers):
            if region is not None and self._homes.get(numbers[position]) == (region, position):
                position += 1
                continue
            length = self.run(numbers, position)
            if length >= LONG_RUN:
                source, destination = self.address(numbers[position]), builder.at(target, position)
                copy(builder, source, destination, length)
                position += length
            else:
                builder.store(self.value(numbers[position]), builder.at(target, position))
                position += 1

    def run(self, numbers: Sequence[int], start: int) -> int:
        """How many of the numbers from `start` on lie in memory one after another."""
        place = self.places.get(numbers[start])
        if place is None:
            return 0
        length = 1
        while start + length < len(numbers) and self.places.get(numbers[start + length]) == (
            place[0],
            place[1] + length,
        ):
            length += 1
        return length


def emit_subprogram(module: Module, program: Program) -> tuple[str, int]:
    """Emit a program that a block runs, `void (ptr in, ptr out, ptr scratch)`; its name and scratch size."""
    name = subprogram_name(program)
    if program.guards:
        raise ProgramError(f"program {program.name!r} is run by a block and has guards; they belong to the caller")
    return f"@{name}", module.once(name, lambda: _emit_subprogram(module, program, name))


def _emit_subprogram(module: Module, program: Program, name: str) -> int:
    builder, frame = module.builder(), Frame()
    kernel = Kernel(module, builder, program, frame, "%in", ("ptr %in", "ptr %out", "ptr %scratch"))
    kernel.emit(name)
    kernel.store_all([int(value) for value in program.results], "%out")
    builder.do("ret void")
    kernel.finish(f"define internal void @{name}(ptr %in, ptr %out, ptr %scratch)")
    return frame.total


def flags(kernel: Kernel, not_finite: str | None) -> str:
    """The `i32` a program returns: a bit for every guard that fails, and the sign bit for a bad input."""
    builder = kernel.builder
    total = "0"
    conditions = [(number, kernel.truth(value)) for number, (value, _) in enumerate(kernel.program.guards)]
    if not_finite is not None:
        conditions.append((31, not_finite))
    for bit, condition in conditions:
        wide = builder.let(f"zext i1 {condition} to i32")
        shifted = builder.let(f"shl i32 {wide}, {bit}")
        total = builder.let(f"or i32 {total}, {shifted}")
    return total


def _extreme(builder: Builder, op: int, x: str, y: str) -> str:
    """The smaller or the larger number; NaN if either is. The first choice is one instruction, and gives x for NaN."""
    ordered = (y, x) if op == Op.MIN else (x, y)
    chosen = builder.select(builder.compare("olt", *ordered), y, x)
    return builder.select(builder.compare("uno", y, y), y, chosen)


def _sign(builder: Builder, x: str) -> str:
    """-1, 0 or 1; NaN stays NaN."""
    one, zero = builder.literal(1.0), builder.literal(0.0)
    signed = builder.select(
        builder.compare("olt", x, zero), builder.literal(-1.0), builder.select(builder.compare("ogt", x, zero), one, x)
    )
    return builder.select(builder.compare("oeq", x, zero), zero, signed)
