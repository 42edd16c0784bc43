"""Hash-consed scalar expressions.

A `Graph` is a table of instructions; a `Scalar` is a reference to one of its rows. Writing the same
expression twice gives the same scalar, constants fold, and adding zero or multiplying by zero or one costs
nothing: structural zeros of a robot (axes, massless directions, fixed branches) vanish while an algorithm is
being traced. Constants are plain Python floats outside the table, so that arithmetic between them costs nothing.

Signs are moved outwards (`(-a) b -> -(a b)`, `a + (-b) -> a - b`), constant factors are kept positive and gathered;
both make equal expressions literally equal more often.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from floatbase.compiler.blocks import block_sizes
from floatbase.compiler.operations import BOOLEAN, Op
from floatbase.compiler.program import MAX_GUARDS, Block, Program
from floatbase.compiler.scalar import Key, Number, Scalar, Truth, as_number, mixed_traces
from floatbase.errors import TraceError

_INPUT, _CONSTANT = int(Op.INPUT), int(Op.CONSTANT)


class Graph:
    """A growing table of instructions, each present once."""

    def __init__(self) -> None:
        self.code: list[Key] = []
        self.nodes: dict[Key, Scalar] = {}
        self.scalars: list[Scalar] = []
        self.constants: list[float] = []
        self.constant_nodes: dict[tuple[float, float], Scalar] = {}
        self.blocks: list[Block] = []
        self.block_numbers: dict[Any, int] = {}
        self.input_names: list[str] = []
        self.guards: list[tuple[Scalar, str]] = []
        self._token: Any = None

    def __enter__(self) -> Graph:
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _current.reset(self._token)

    def node(self, key: Key) -> Scalar:
        """The scalar of an instruction, made if it is new. No folding."""
        found = self.nodes.get(key)
        if found is None:
            found = (Truth if key[0] in BOOLEAN else Scalar)(self, len(self.code), key)
            self.code.append(key)
            self.scalars.append(found)
            self.nodes[key] = found
        return found

    def input(self, name: str) -> Scalar:
        """A new input scalar."""
        self.input_names.append(name)
        return self.node((_INPUT, len(self.input_names) - 1))

    def constant(self, value: float) -> Scalar:
        """The scalar of a constant; needed only where an instruction refers to it."""
        signature = (value, math.copysign(1.0, value))
        found = self.constant_nodes.get(signature)
        if found is None:
            self.constants.append(value)
            found = self.node((_CONSTANT, len(self.constants) - 1))
            self.constant_nodes[signature] = found
        return found

    def lift(self, value: Scalar | Number) -> Scalar:
        """The scalar of a value that may be a number."""
        if isinstance(value, Scalar):
            if value.graph is not self:
                raise mixed_traces()
            return value
        return self.constant(as_number(value))

    def block(
        self,
        kind: str,
        arguments: Sequence[Scalar | Number],
        programs: tuple[Program, ...] = (),
        **settings: int,
    ) -> list[Scalar]:
        """Add a block; gives the scalars of its outputs."""
        lifted = np.array([self.lift(argument).index for argument in arguments], dtype=np.int32)
        if any(isinstance(argument, Truth) for argument in arguments):
            raise TraceError(f"a truth value cannot be passed to a {kind!r} block; use np.where(condition, 1.0, 0.0)")
        signature = (kind, lifted.tobytes(), tuple(id(program) for program in programs), tuple(settings.items()))
        number = self.block_numbers.get(signature)
        if number is None:
            draft = Block(kind, lifted, 0, programs, tuple(settings.items()))
            _, size = block_sizes(draft)
            number = self.block_numbers[signature] = len(self.blocks)
            self.blocks.append(Block(kind, lifted, size, programs, tuple(settings.items())))
        instruction = self.node((int(Op.BLOCK), number)).index
        return [self.node((int(Op.PROJECT), instruction, k)) for k in range(self.blocks[number].size)]

    def guard(self, condition: Any, message: str) -> None:
        """Demand that a truth value holds whenever the program runs; those with one message become one."""
        if isinstance(condition, Truth):
            for number, (known, text) in enumerate(self.guards):
                if text == message:
                    self.guards[number] = (known if known is condition else known & condition, message)
                    return
            if len(self.guards) == MAX_GUARDS:
                raise TraceError(f"a program can have at most {MAX_GUARDS} guards")
            self.guards.append((condition, message))
        elif not condition:
            raise TraceError(f"a guard can never hold: {message}")


_current: ContextVar[Graph | None] = ContextVar("floatbase_graph", default=None)
_shared = Graph()


def current_graph() -> Graph:
    """The graph of the trace in progress, or else the one shared by symbols made by hand."""
    return _current.get() or _shared
