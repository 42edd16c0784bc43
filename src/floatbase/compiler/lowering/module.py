"""One LLVM module: its functions, tables and the scratch memory they use."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from floatbase.compiler.lowering.builder import Builder, Element
from floatbase.compiler.program import Program
from floatbase.compiler.target import DType, Target

CACHE_LINE = 64
VECTOR = 64
"""Bytes of the vectors in which the numbers of one state are taken; narrower processors take them in several pieces."""

FRAME_END = "@FRAME_END@"
"""Stands for a function's own scratch size until that is known: where the scratch of what it calls begins."""


@dataclass
class Frame:
    """The scratch memory of one function: arrays one after another, and below them what it calls."""

    own: int = 0
    called: int = 0

    def allocate(self, size: int) -> int:
        """The offset in bytes of a new array."""
        offset = self.own
        self.own += -(-size // CACHE_LINE) * CACHE_LINE
        return offset

    def call(self, size: int) -> None:
        """Provide for a function that is called, whose scratch has the given size."""
        self.called = max(self.called, size)

    @property
    def total(self) -> int:
        """Bytes that a caller has to provide."""
        return self.own + self.called


@dataclass
class Module:
    """What has been emitted so far, for one target, scalar type and number of lanes.

    stored: the type of numbers in arrays, which for a GPU may be another than that of arithmetic.
    """

    target: Target
    element: Element
    stored: Element
    texts: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    emitted: dict[str, int] = field(default_factory=dict)

    @staticmethod
    def create(target: Target, dtype: DType, lanes: int, stored: DType | None = None) -> Module:
        """An empty module."""

        def element(dtype: DType) -> Element:
            size = 8 if dtype == "float64" else 4
            return Element(dtype, lanes, target.has_fma, 1 if target.is_gpu else VECTOR // size)

        return Module(target, element(dtype), element(stored or dtype))

    def builder(self, element: Element | None = None) -> Builder:
        """For the body of a new function."""
        return Builder(element or self.element)

    def finish(self, builder: Builder, header: str, frame: Frame | None = None) -> None:
        """Add a function whose body is complete."""
        text = builder.function(f"{header} #0")
        if frame is not None:
            text = text.replace(FRAME_END, str(frame.own))
        self.texts.append(text)
        self.declarations |= builder.declarations

    def once(self, name: str, emit: Callable[[], int]) -> int:
        """Emit a function if it has not been; gives what `emit` gave, the scratch it needs."""
        if name not in self.emitted:
            self.emitted[name] = emit()
        return self.emitted[name]

    def table(self, name: str, kind: str, entries: list[str]) -> str:
        """Add a constant array and give its name."""
        body = ", ".join(f"{kind} {entry}" for entry in entries)
        self.texts.append(f"@{name} = private unnamed_addr constant [{len(entries)} x {kind}] [{body}], align 64\n")
        return f"@{name}"

    def numbers(self, values: np.ndarray) -> str:
        """A constant array of numbers of the module's type, added once, and its name."""
        name = f"numbers_{hashlib.sha256(values.tobytes()).hexdigest()[:24]}"
        if name not in self.emitted:
            scalar = self.element.with_lanes(1)
            self.table(name, scalar.scalar, [scalar.literal(float(value)) for value in values])
            self.emitted[name] = 0  # bytes of scratch
        return f"@{name}"

    def text(self) -> str:
        """The module as LLVM reads it."""
        width = self.target.native_vector_bits
        # A 512-bit machine has to be told that its full width is wanted.
        attributes = f'nounwind "prefer-vector-width"="{width}" "min-legal-vector-width"="{width}"'
        return "\n".join(
            [
                f'target triple = "{self.target.triple}"',
                *sorted(self.declarations),
                *self.texts,
                f"attributes #0 = {{ {attributes} }}",
                "!0 = !{i32 1}",
                "",
            ]
        )


def subprogram_name(program: Program) -> str:
    """The name of the function of a program that a block runs."""
    return f"program_{program.digest[:24]}"
