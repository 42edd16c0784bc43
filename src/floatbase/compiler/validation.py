"""Checks of a program before it is run: every index, every size, every kind of value.

Programs come from files, so nothing is taken for granted: what passes can be interpreted and compiled without reading
or writing out of bounds, in memory and time that the limits below bound. Constants may be infinite or not a number.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from floatbase.compiler.blocks import block_sizes
from floatbase.compiler.operations import ARITY, BOOLEAN, Op
from floatbase.compiler.program import MAX_GUARDS, Block, Port, Program
from floatbase.errors import ProgramError

MAX_SIZE = 1 << 24  # scalars in all inputs, in all outputs, or in the results of one block
MAX_AXES = 16
MAX_NAME = 1000
MAX_OPERATIONS = 10**12  # in one run, loops unrolled


def validate(program: Program) -> None:
    """Raise `ProgramError` if a program, or one it uses, is inconsistent."""
    checked: set[int] = set()
    _validate(program, checked)


def _validate(program: Program, checked: set[int]) -> None:
    if id(program) in checked:
        return
    checked.add(id(program))
    where = f"program {program.name[:80]!r}"
    _validate_names(program, where)
    _validate_ports(program.inputs, f"{where}: input")
    _validate_ports(program.outputs, f"{where}: output")
    for block in program.blocks:
        for sub in block.programs:
            _validate(sub, checked)
        _validate_block(block, where)
    _validate_code(program, where)
    _validate_kinds(program, where)
    if program.unrolled_count > MAX_OPERATIONS:
        raise ProgramError(f"{where}: its loops take {program.unrolled_count} operations, more than {MAX_OPERATIONS}")


def _validate_names(program: Program, where: str) -> None:
    ports = (program.inputs, program.outputs)
    for name in (program.name, *(port.name for kind in ports for port in kind), *(text for _, text in program.guards)):
        if not isinstance(name, str) or len(name) > MAX_NAME or not name.isprintable():
            raise ProgramError(f"{where}: {name[:80]!r} is not a name of at most {MAX_NAME} printable characters")
    for kind in ports:
        names = [port.name for port in kind]
        if len(set(names)) < len(names):
            raise ProgramError(f"{where}: two inputs or two outputs have one name: {', '.join(names[:12])}")


def _validate_ports(ports: tuple[Port, ...], where: str) -> None:
    total = 0
    for port in ports:
        size = 1
        if len(port.shape) > MAX_AXES or any(not 0 <= n <= MAX_SIZE for n in port.shape):
            raise ProgramError(f"{where} {port.name!r} has an impossible shape {port.shape[:MAX_AXES]}")
        for n in port.shape:
            size *= n
        total += size
    if total > MAX_SIZE:
        raise ProgramError(f"{where}s hold {total} numbers, more than {MAX_SIZE}")


def _validate_code(program: Program, where: str) -> None:
    code = program.code
    if code.ndim != 2 or code.shape[1] != 4 or code.dtype != np.int32:
        raise ProgramError(f"{where}: code must be int32 (n, 4), got {code.dtype} {code.shape}")
    count = len(code)
    position = np.arange(count)
    known = np.isin(code[:, 0], [int(op) for op in Op])
    if not known.all():
        raise ProgramError(f"{where}: instruction {np.argmin(known)} has unknown operation {code[np.argmin(known), 0]}")
    for op in Op:
        rows = code[:, 0] == op
        if not rows.any():
            continue
        limit, operands = _operand_rule(program, op, position[rows])
        values = code[rows, 1 : 1 + operands]
        if (values < 0).any() or (values >= np.reshape(limit, (-1, 1))).any():
            raise ProgramError(f"{where}: an operand of {op.name} is out of range")
    used = code[code[:, 0] == Op.BLOCK, 1]
    if not np.array_equal(np.sort(used), np.arange(len(program.blocks))):
        raise ProgramError(f"{where}: every block must be run once")
    for number in np.flatnonzero(code[:, 0] == Op.BLOCK):
        arguments = program.blocks[code[number, 1]].arguments
        if len(arguments) and (arguments.min() < 0 or arguments.max() >= number):
            raise ProgramError(f"{where}: an argument of block {code[number, 1]} is out of range")
    for number in np.flatnonzero(code[:, 0] == Op.PROJECT):
        block_row = code[code[number, 1]]
        if block_row[0] != Op.BLOCK or not 0 <= code[number, 2] < program.blocks[block_row[1]].size:
            raise ProgramError(f"{where}: instruction {number} projects something that is not a block's output")
    results = program.results
    if len(results) != program.output_size or (len(results) and (results.min() < 0 or results.max() >= count)):
        raise ProgramError(f"{where}: results do not match the outputs")
    if len(program.guards) > MAX_GUARDS or any(not 0 <= value < count for value, _ in program.guards):
        raise ProgramError(f"{where}: bad guards")


def _operand_rule(program: Program, op: Op, position: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64] | int, int]:
    """Upper bounds of an operation's operands, and how many it has."""
    if op == Op.INPUT:
        return program.input_size, 1
    if op == Op.CONSTANT:
        return len(program.constants), 1
    if op == Op.BLOCK:
        return len(program.blocks), 1
    if op == Op.PROJECT:
        return position, 1
    return position, ARITY[op]


def _validate_kinds(program: Program, where: str) -> None:
    """Truth values and numbers must not be mixed up, and a block has no value of its own."""
    code = program.code
    boolean = np.isin(code[:, 0], [int(op) for op in BOOLEAN])
    block = code[:, 0] == Op.BLOCK
    wants_boolean = {Op.AND: (1, 2), Op.OR: (1, 2), Op.NOT: (1,), Op.SELECT: (1,)}
    for op, arity in ARITY.items():
        rows = code[code[:, 0] == op]
        for operand in range(1, 1 + arity):
            values = rows[:, operand]
            expected = operand in wants_boolean.get(op, ())
            if block[values].any() or (boolean[values] != expected).any():
                raise ProgramError(f"{where}: an operand of {op.name} is of the wrong kind")
    numbers = [program.results, *(item.arguments for item in program.blocks)]
    for values in numbers:
        inside = values[(values >= 0) & (values < len(code))]
        if (boolean | block)[inside].any():
            raise ProgramError(f"{where}: a truth value cannot leave a program or enter a block")
    for value, _ in program.guards:
        if 0 <= value < len(code) and not boolean[value]:
            raise ProgramError(f"{where}: a guard must be a truth value")


def _validate_block(block: Block, where: str) -> None:
    try:
        arguments, size = block_sizes(block)
    except (KeyError, ValueError, IndexError) as error:
        raise ProgramError(f"{where}: malformed {block.kind[:80]!r} block: {error}") from None
    if len(block.arguments) != arguments or block.size != size:
        raise ProgramError(
            f"{where}: a {block.kind!r} block has {len(block.arguments)} arguments and {block.size} outputs, "
            f"needs {arguments} and {size}"
        )
    if size > MAX_SIZE:
        raise ProgramError(f"{where}: a {block.kind!r} block has {size} outputs, more than {MAX_SIZE}")
