"""A program: what an algorithm becomes when it is traced for one robot.

A program is a list of instructions in static single assignment. Row `k` of `code` is
`(operation, a, b, c)` and defines value `k`; its operands are earlier values. Values are scalars,
either floating point or truth values (`operations.BOOLEAN`). Straight-line stretches are separated
by *blocks*, which have real loops in machine code and pass arrays through memory:

| kind | programs | arguments | outputs | settings |
|---|---|---|---|---|
| `call` | body | the body's inputs | the body's outputs | |
| `scan` | body | carry, shared, rows | carry, collected | `length`, `carry`, `shared`, `row`, `collect` |
| `while` | condition, body | carry, shared | carry, steps taken | `carry`, `shared`, `limit` |
| `gather` | | table, index | one row | `rows`, `columns` |
| `matmul` | | A (n,k), B (k,m) | A B | `n`, `k`, `m` |
| `cholesky` | | A (n,n), lower part | L (n,n) | `n` |
| `cholesky_solve` | | A (n,n), lower part; B (n,m) | A^-1 B | `n`, `m` |
| `triangular_solve` | | L (n,n); B (n,m) | L^-1 B, or L^-T B | `n`, `m`, `transposed` |
| `lu_solve` | | A (n,n); B (n,m) | A^-1 B, partial pivoting | `n`, `m` |

Arrays are flattened row-major. A `scan` runs its body `length` times on
`(index, carry, shared, row of rows) -> (carry, collected)` with `rows` of shape (length, row) and the
results collected in an array (length, collect). A `while` runs its body `(carry, shared) -> carry`
as long as its condition `(carry, shared) -> scalar` is non-zero and at most `limit` times. A `gather`
index is rounded down and clamped to the table.

Guards are truth values that must hold; a machine-code function returns a bit mask of those that do not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from floatbase.compiler.operations import ARITY, BOOLEAN, Op
from floatbase.errors import ProgramError

MAX_GUARDS = 31


@dataclass(frozen=True)
class Port:
    """A named input or output and its shape; `()` is a scalar."""

    name: str
    shape: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """How many scalars it holds."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Block:
    """A piece of a program with a loop of its own, see the table in this module's docstring."""

    kind: str
    arguments: npt.NDArray[np.int32]
    size: int
    programs: tuple[Program, ...] = ()
    settings: tuple[tuple[str, int], ...] = ()

    def setting(self, name: str) -> int:
        """One of the block's sizes or switches."""
        return dict(self.settings)[name]


@dataclass(frozen=True, eq=False)
class Program:
    """Instructions, constants and blocks, with named inputs and outputs of known shapes."""

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    code: npt.NDArray[np.int32]
    constants: npt.NDArray[np.float64]
    results: npt.NDArray[np.int32]
    blocks: tuple[Block, ...] = ()
    guards: tuple[tuple[int, str], ...] = field(default=())

    def __post_init__(self) -> None:
        for array in (self.code, self.constants, self.results):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.code)

    def __repr__(self) -> str:
        inputs = ", ".join(f"{port.name}{list(port.shape)}" for port in self.inputs)
        outputs = ", ".join(f"{port.name}{list(port.shape)}" for port in self.outputs)
        return f"<Program {self.name}({inputs}) -> ({outputs}): {self.operation_count} operations>"

    @property
    def input_size(self) -> int:
        """How many scalars the inputs hold together."""
        return sum(port.size for port in self.inputs)

    @property
    def output_size(self) -> int:
        """How many scalars the outputs hold together."""
        return sum(port.size for port in self.outputs)

    @cached_property
    def operation_count(self) -> int:
        """Arithmetic instructions, those of called sub-programs and loop bodies counted once each."""
        own = int(np.count_nonzero(self.code[:, 0] >= Op.NEG))
        return own + sum(sub.operation_count for sub in self.subprograms())

    def subprograms(self) -> Iterator[Program]:
        """The programs its blocks run, each once."""
        seen: set[int] = set()
        for block in self.blocks:
            for sub in block.programs:
                if id(sub) not in seen:
                    seen.add(id(sub))
                    yield sub

    def sparsity(self, output: str) -> npt.NDArray[np.bool_]:
        """Where an output can be non-zero: an array of its shape, False at structural zeros."""
        start = 0
        for port in self.outputs:
            if port.name == output:
                values = self.results[start : start + port.size]
                constant = self.code[values, 0] == Op.CONSTANT
                zero = constant.copy()
                zero[constant] = self.constants[self.code[values[constant], 1]] == 0.0
                return ~zero.reshape(port.shape)
            start += port.size
        raise ProgramError(f"program {self.name!r} has no output {output!r}")

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that determines the machine code and the signature."""
        hasher = hashlib.sha256()
        _feed(hasher, self)
        return hasher.hexdigest()

    def validate(self) -> Program:
        """Check every index and size; a program that passes can be run without further checks."""
        _validate(self)
        return self


def _feed(hasher: hashlib._Hash, program: Program) -> None:
    hasher.update(repr((program.name, program.inputs, program.outputs, program.guards)).encode())
    for array in (program.code, program.constants, program.results):
        hasher.update(array.shape.__repr__().encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    for block in program.blocks:
        hasher.update(repr((block.kind, block.size, block.settings, len(block.programs))).encode())
        hasher.update(block.arguments.tobytes())
        for sub in block.programs:
            hasher.update(sub.digest.encode())


def _validate(program: Program) -> None:
    where = f"program {program.name!r}"
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
    _validate_kinds(program, where)
    for block in program.blocks:
        _validate_block(block, where)
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
    from floatbase.compiler.blocks import block_sizes

    try:
        arguments, size = block_sizes(block)
    except (KeyError, ValueError, IndexError) as error:
        raise ProgramError(f"{where}: malformed {block.kind!r} block: {error}") from None
    if len(block.arguments) != arguments or block.size != size:
        raise ProgramError(f"{where}: a {block.kind!r} block has {len(block.arguments)} arguments, needs {arguments}")
    for sub in block.programs:
        sub.validate()
