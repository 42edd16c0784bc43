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
| `tree_solve` | | 1 / D (n); L, entries; B (n,m) | A^-1 B, A = L^T D L | `n`, `m`, `parent0`, `parent1`, ... |

Row k of the unit lower triangular L of `tree_solve` has entries in the columns of k's ancestors in a tree, in ascending
order: its parent is `parentk` - 1, an earlier row, or there is none.

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
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.compiler.operations import Op
from floatbase.errors import ArgumentError, ProgramError

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

    @cached_property
    def unrolled_count(self) -> int:
        """Arithmetic instructions carried out at most in one run: loops count as often as they can turn."""
        from floatbase.compiler.blocks import block_operations

        own = int(np.count_nonzero(self.code[:, 0] >= Op.NEG))
        return own + sum(block_operations(block) for block in self.blocks)

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
                possible: npt.NDArray[np.bool_] = ~zero.reshape(port.shape)
                return possible
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
        from floatbase.compiler.validation import validate

        validate(self)
        return self


def as_shape(what: str, value: Any) -> tuple[int, ...]:
    """A shape given as a whole number or a sequence of them."""
    extents = (value,) if isinstance(value, int | np.integer) else value
    if not isinstance(extents, tuple | list) or not all(
        isinstance(n, int | np.integer) and not isinstance(n, bool) and n >= 0 for n in extents
    ):
        raise ArgumentError(f"{what} must be a whole number or a tuple of them, got {value!r}")
    return tuple(map(int, extents))


def check_program(name: str, value: object) -> None:
    """Raise `ArgumentError` if the argument of the function `name` is no program."""
    if not isinstance(value, Program):
        raise ArgumentError(f"{name} takes a floatbase.Program, got {type(value).__name__}")


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
