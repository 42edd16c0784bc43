"""Which instructions a program is executed with, and in which order.

Three decisions are taken here once for every target and number of lanes, so that a result does not
depend on them: what is dead, which products are fused into a multiply-add (a product used once, by a sum
or difference), and which elementary functions are evaluated together. Functions of mutually independent
arguments form a group: a humanoid's joint angles then take a few vector evaluations, even for one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from floatbase.compiler.lowering.ordering import Group, Needs, order_as_written, order_for_registers
from floatbase.compiler.operations import ARITY, Op
from floatbase.compiler.program import Program

# instructions that only exist after selection; operands a, b, c
MULTIPLY_ADD = 100  # a b + c
MULTIPLY_SUBTRACT = 101  # a b - c
NEGATIVE_MULTIPLY_ADD = 102  # c - a b

FUNCTIONS: dict[int, tuple[str, int]] = {
    Op.SIN: ("sincos", 0),
    Op.COS: ("sincos", 1),
    Op.TAN: ("tan", 0),
    Op.ASIN: ("asin", 0),
    Op.ACOS: ("acos", 0),
    Op.ATAN: ("atan", 0),
    Op.ATAN2: ("atan2", 0),
    Op.SINH: ("sinh", 0),
    Op.COSH: ("cosh", 0),
    Op.TANH: ("tanh", 0),
    Op.EXP: ("exp", 0),
    Op.LOG: ("log", 0),
    Op.EXPM1: ("expm1", 0),
    Op.LOG1P: ("log1p", 0),
    Op.POW: ("pow", 0),
}
"""The function that evaluates an operation, and which of its results the operation is."""

IN_MEMORY = frozenset({int(op) for op in (Op.INPUT, Op.CONSTANT, Op.PROJECT, *FUNCTIONS)})
"""Operations whose values are read from memory, or are constants, where functions are evaluated together."""

IN_MEMORY_ALONE = frozenset({int(op) for op in (Op.INPUT, Op.CONSTANT, Op.PROJECT)})
"""The same where each function is evaluated alone, in registers."""

_LEAVES = frozenset({int(Op.INPUT), int(Op.CONSTANT)})


@dataclass(frozen=True)
class Selection:
    """Instructions by value number, and the order of the steps: a value, or a group of function evaluations.

    `in_memory` are the operations whose values are read from memory.
    """

    code: list[list[int]]
    steps: list[int | Group]
    in_memory: frozenset[int]


def select_instructions(
    program: Program, fuse: bool, together: bool = True, written: Sequence[Sequence[int]] = ()
) -> Selection:
    """Drop what is dead, fuse products into sums, group elementary functions and put all in order.

    `together`: evaluate functions together, all else in the program's own order. Otherwise the order is one that keeps
    few values at a time; results that are `written` together are kept until all of them are there.
    """
    code: list[list[int]] = program.code.tolist()
    uses = count_uses(program, code)
    if fuse:
        _fuse(code, uses)
    groups = _group(program, code, uses, together)
    needed = [operands(program, row) if uses[value] else None for value, row in enumerate(code)]
    needs = Needs(code, needed, groups, _roots(program), written)
    if together:
        return Selection(code, order_as_written(needs), IN_MEMORY)
    return Selection(code, order_for_registers(needs), IN_MEMORY_ALONE)


def operands(program: Program, row: list[int]) -> list[int]:
    """The values an instruction reads."""
    op = row[0]
    if op in _LEAVES:
        return []
    if op == Op.BLOCK:
        return [int(value) for value in program.blocks[row[1]].arguments]
    if op == Op.PROJECT:
        return [row[1]]
    if op >= MULTIPLY_ADD:
        return row[1:4]
    return row[1 : 1 + ARITY[Op(op)]]


@dataclass(frozen=True)
class Parts:
    """A long program in pieces; `shared` are the values that one piece computes (`defined`) and a later one reads."""

    pieces: list[list[int | Group]]
    defined: list[list[int]]
    shared: list[int]


def split_steps(program: Program, selection: Selection, length: int) -> Parts:
    """Cut the steps into pieces. What is read after the last piece (results, guards) is shared as well."""
    steps, code = selection.steps, selection.code
    pieces = [steps[start : start + length] for start in range(0, len(steps), length)]
    home: dict[int, int] = {}  # of values in registers
    shared: dict[int, int] = {}
    for number, piece in enumerate(pieces):
        for step in piece:
            if isinstance(step, Group):
                needed, given = step.needs(), step.gives()
            else:
                needed, given = operands(program, code[step]), [step]
            for value in given:
                if code[value][0] not in selection.in_memory and code[value][0] != Op.BLOCK:
                    home[value] = number
            shared.update((value, home[value]) for value in needed if home.get(value, number) != number)
    shared.update((value, home[value]) for value in _roots(program) if value in home)
    defined: list[list[int]] = [[] for _ in pieces]
    for value, number in shared.items():
        defined[number].append(value)
    return Parts(pieces, defined, list(shared))


def _roots(program: Program) -> list[int]:
    return [int(value) for value in program.results] + [value for value, _ in program.guards]


def count_uses(program: Program, code: list[list[int]]) -> list[int]:
    """How often each value is read, results and guards included, by what is not dead."""
    uses = [0] * len(code)
    for value in _roots(program):
        uses[value] += 1
    for value in range(len(code) - 1, -1, -1):
        if uses[value]:
            for operand in operands(program, code[value]):
                uses[operand] += 1
    return uses


def _fuse(code: list[list[int]], uses: list[int]) -> None:
    for value, (op, a, b, _) in enumerate(code):
        if not uses[value] or (op != Op.ADD and op != Op.SUB):
            continue
        if code[b][0] == Op.MUL and uses[b] == 1:
            kind = MULTIPLY_ADD if op == Op.ADD else NEGATIVE_MULTIPLY_ADD
            code[value] = [kind, code[b][1], code[b][2], a]
            uses[b] = 0
        elif code[a][0] == Op.MUL and uses[a] == 1:
            kind = MULTIPLY_ADD if op == Op.ADD else MULTIPLY_SUBTRACT
            code[value] = [kind, code[a][1], code[a][2], b]
            uses[a] = 0


def _group(program: Program, code: list[list[int]], uses: list[int], together: bool) -> dict[int, Group]:
    """The group of every value that an elementary function gives; groups of one evaluation if not `together`.

    Values whose longest chain of function evaluations has the same length cannot depend on one another.
    """
    depth = [0] * len(code)
    members: dict[tuple[int, str], dict[tuple[int, ...], list[int]]] = {}
    for value, row in enumerate(code):
        if not uses[value]:
            continue
        arguments = operands(program, row)
        if arguments:
            depth[value] = max([depth[argument] for argument in arguments])
        if row[0] in FUNCTIONS:
            depth[value] += 1
            name, part = FUNCTIONS[row[0]]
            results = members.setdefault((depth[value], name), {}).setdefault(tuple(arguments), [-1, -1])
            results[part] = value
    groups: dict[int, Group] = {}
    for (_, name), calls in members.items():
        for together_calls in [calls] if together else [{one: wanted} for one, wanted in calls.items()]:
            group = Group(name, tuple(together_calls), tuple(tuple(parts) for parts in together_calls.values()))
            for numbers in group.results:
                groups.update((number, group) for number in numbers if number >= 0)
    return groups
