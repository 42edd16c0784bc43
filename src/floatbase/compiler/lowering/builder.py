"""Text of LLVM functions, written one instruction at a time.

A `Builder` knows the type of a value: a scalar, or a vector with one lane per state. The same calls
give either, and each call is one IEEE operation, so that scalar and vector code agree to the last bit.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import count

import numpy as np

from floatbase.compiler.target import DType


@dataclass(frozen=True)
class Element:
    """The types of a value of `lanes` lanes, as LLVM writes them."""

    dtype: DType
    lanes: int
    fma: bool
    across: int = 1  # numbers of one state that are taken together, where they lie side by side

    @property
    def size(self) -> int:
        """Bytes of one lane."""
        return 8 if self.dtype == "float64" else 4

    @property
    def bytes(self) -> int:
        """Bytes of all lanes."""
        return self.size * self.lanes

    @property
    def scalar(self) -> str:
        """The type of one lane."""
        return "double" if self.dtype == "float64" else "float"

    @property
    def bits(self) -> str:
        """The integer type of one lane's bits."""
        return "i64" if self.dtype == "float64" else "i32"

    def of(self, scalar: str) -> str:
        """A value whose lanes are of another scalar type."""
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    @property
    def value(self) -> str:
        """The type of a floating-point value."""
        return self.of(self.scalar)

    @property
    def mask(self) -> str:
        """The type of a truth value."""
        return self.of("i1")

    @property
    def integer(self) -> str:
        """The type of a value's bits."""
        return self.of(self.bits)

    @property
    def mangled(self) -> str:
        """The suffix of intrinsics on this type."""
        scalar = "f64" if self.dtype == "float64" else "f32"
        return scalar if self.lanes == 1 else f"v{self.lanes}{scalar}"

    @property
    def alignment(self) -> int:
        """Bytes to which values in scratch memory are aligned."""
        return min(self.bytes & -self.bytes, 64)

    def with_lanes(self, lanes: int) -> Element:
        """The same scalar type with another number of lanes."""
        return Element(self.dtype, lanes, self.fma, self.across)

    def literal(self, number: float) -> str:
        """A constant in every lane."""
        if self.dtype == "float32":
            with np.errstate(over="ignore"):
                number = float(np.float32(number))
        if number == 0.0 and not np.signbit(number):
            return "0.0" if self.lanes == 1 else "zeroinitializer"
        text = f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
        return text if self.lanes == 1 else f"splat ({self.scalar} {text})"

    def integer_literal(self, number: int) -> str:
        """An integer constant in every lane."""
        return str(number) if self.lanes == 1 else f"splat ({self.bits} {number})"


class Builder:
    """Collects the lines of one function's body and gives every value a fresh name."""

    def __init__(self, element: Element) -> None:
        self.element = element
        self.lines: list[str] = []
        self.declarations: set[str] = set()
        self._stack: list[str] = []
        self._labels = ["entry"]
        self._count = count(1)

    def using(self, element: Element) -> Builder:
        """The same function, continued with values of another type."""
        other = copy(self)
        other.element = element
        return other

    @property
    def block(self) -> str:
        """The basic block that is being written."""
        return self._labels[-1]

    def fresh(self, stem: str = "t") -> str:
        """A name not used before in this function."""
        return f"%{stem}.{next(self._count)}"

    def let(self, expression: str) -> str:
        """Name the result of an instruction."""
        name = self.fresh()
        self.lines.append(f"{name} = {expression}")
        return name

    def do(self, instruction: str) -> None:
        """An instruction without a result."""
        self.lines.append(instruction)

    def label(self, name: str) -> None:
        """Begin the basic block `name` (without the percent sign)."""
        self.lines.append(f"{name}:")
        self._labels.append(name)

    def fresh_label(self, stem: str) -> str:
        """The name of a basic block not used before in this function."""
        return self.fresh(stem)[1:]

    def function(self, header: str) -> str:
        """The text of the function whose body has been collected."""
        return "\n".join([f"{header} {{", "entry:", *self._stack, *self.lines, "}", ""])

    # values

    def literal(self, number: float) -> str:
        """A floating-point constant."""
        return self.element.literal(number)

    def add(self, a: str, b: str) -> str:
        """`a + b`."""
        return self.let(f"fadd {self.element.value} {a}, {b}")

    def sub(self, a: str, b: str) -> str:
        """`a - b`."""
        return self.let(f"fsub {self.element.value} {a}, {b}")

    def mul(self, a: str, b: str) -> str:
        """`a * b`."""
        return self.let(f"fmul {self.element.value} {a}, {b}")

    def div(self, a: str, b: str) -> str:
        """`a / b`."""
        return self.let(f"fdiv {self.element.value} {a}, {b}")

    def neg(self, a: str) -> str:
        """`-a`."""
        return self.let(f"fneg {self.element.value} {a}")

    def fma(self, a: str, b: str, c: str) -> str:
        """`a * b + c`, rounded once if the processor can."""
        if not self.element.fma:
            return self.add(self.mul(a, b), c)
        return self.intrinsic("fma", a, b, c)

    def sqrt(self, a: str) -> str:
        """The square root."""
        return self.intrinsic("sqrt", a)

    def abs(self, a: str) -> str:
        """The magnitude."""
        return self.intrinsic("fabs", a)

    def copysign(self, magnitude: str, sign: str) -> str:
        """A number of given magnitude and sign."""
        return self.intrinsic("copysign", magnitude, sign)

    def intrinsic(self, name: str, *arguments: str) -> str:
        """A function that LLVM knows, of values of our type."""
        kind = self.element.value
        full = f"@llvm.{name}.{self.element.mangled}"
        self.declarations.add(f"declare {kind} {full}({', '.join([kind] * len(arguments))})")
        return self.let(f"call {kind} {full}({', '.join(f'{kind} {value}' for value in arguments)})")

    def floor(self, a: str, name: str = "floor") -> str:
        """Round down (or with `name="ceil"` up); without SSE4.1 or the like this must not become a library call."""
        return self.intrinsic(name, a)

    def compare(self, predicate: str, a: str, b: str) -> str:
        """A truth value; the predicate is LLVM's (`olt`, `oeq`, `uno`, ...)."""
        return self.let(f"fcmp {predicate} {self.element.value} {a}, {b}")

    def select(self, mask: str, a: str, b: str) -> str:
        """`a` where the mask holds, else `b`."""
        element = self.element
        return self.let(f"select {element.mask} {mask}, {element.value} {a}, {element.value} {b}")

    def either(self, a: str, b: str) -> str:
        """`a or b` of truth values."""
        return self.let(f"or {self.element.mask} {a}, {b}")

    def both(self, a: str, b: str) -> str:
        """`a and b` of truth values."""
        return self.let(f"and {self.element.mask} {a}, {b}")

    def invert(self, a: str) -> str:
        """`not a` of a truth value."""
        return self.let(f"xor {self.element.mask} {a}, {'true' if self.element.lanes == 1 else 'splat (i1 true)'}")

    def any(self, mask: str) -> str:
        """An `i1`: whether a truth value holds in any lane."""
        if self.element.lanes == 1:
            return mask
        packed = self.let(f"bitcast {self.element.mask} {mask} to i{self.element.lanes}")
        return self.let(f"icmp ne i{self.element.lanes} {packed}, 0")

    def polynomial(self, x: str, coefficients: Sequence[float]) -> str:
        """Horner's scheme; the coefficient of the highest power comes last."""
        total = self.literal(coefficients[-1])
        for coefficient in reversed(coefficients[:-1]):
            total = self.fma(total, x, self.literal(coefficient))
        return total

    def two_difference(self, a: str, b: str) -> tuple[str, str]:
        """`a - b` exactly, as a rounded difference and its error."""
        difference = self.sub(a, b)
        virtual = self.sub(a, difference)
        error = self.add(self.sub(a, self.add(difference, virtual)), self.sub(virtual, b))
        return difference, error

    def quick_sum(self, a: str, b: str) -> tuple[str, str]:
        """`a + b` exactly for `|a| >= |b|`, as a rounded sum and its error."""
        total = self.add(a, b)
        return total, self.sub(b, self.sub(total, a))

    def two_product(self, a: str, b: str) -> tuple[str, str]:
        """`a b` exactly, as a rounded product and its error (Dekker's way if the processor has no fma)."""
        product = self.mul(a, b)
        if self.element.fma:
            return product, self.fma(a, b, self.neg(product))
        (a_high, a_low), (b_high, b_low) = self._halves(a), self._halves(b)
        error = self.sub(self.mul(a_high, b_high), product)
        error = self.add(error, self.mul(a_high, b_low))
        error = self.add(error, self.mul(a_low, b_high))
        return product, self.add(error, self.mul(a_low, b_low))

    def _halves(self, a: str) -> tuple[str, str]:
        scaled = self.mul(a, self.literal(134217729.0))  # 2**27 + 1
        high = self.sub(scaled, self.sub(scaled, a))
        return high, self.sub(a, high)

    # integers and bits

    def bits(self, a: str) -> str:
        """The bits of a floating-point value as an integer."""
        return self.let(f"bitcast {self.element.value} {a} to {self.element.integer}")

    def from_bits(self, a: str) -> str:
        """A floating-point value of given bits."""
        return self.let(f"bitcast {self.element.integer} {a} to {self.element.value}")

    def integer(self, operation: str, a: str, b: str | int) -> str:
        """An integer instruction (`add`, `and`, `shl`, `icmp eq`, ...) on the integer type of our width."""
        other = self.element.integer_literal(b) if isinstance(b, int) else b
        return self.let(f"{operation} {self.element.integer} {a}, {other}")

    # memory

    def at(self, base: str, position: int | str, kind: str | None = None) -> str:
        """The address of an element of an array; an `int` position may be 0."""
        if position == 0:
            return base
        return self.let(f"getelementptr {kind or self.element.value}, ptr {base}, i64 {position}")

    def stack(self, allocation: str) -> None:
        """Room on the stack, made when the function begins."""
        self._stack.append(allocation)

    def allocate(self) -> str:
        """Room for one value on the stack."""
        address = self.fresh("stack")
        self._stack.append(f"{address} = alloca {self.element.value}, align {self.element.alignment}")
        return address

    def load(self, address: str, aligned: bool = True) -> str:
        """A value from memory."""
        element = self.element
        alignment = element.alignment if aligned else element.size
        return self.let(f"load {element.value}, ptr {address}, align {alignment}")

    def store(self, value: str, address: str, aligned: bool = True) -> None:
        """A value to memory."""
        element = self.element
        alignment = element.alignment if aligned else element.size
        self.do(f"store {element.value} {value}, ptr {address}, align {alignment}")

    # control flow

    @contextmanager
    def loop(self, stop: int | str, start: int | str = 0, step: int = 1) -> Iterator[str]:
        """A counted loop over `start, start + step, ... < stop`; yields the counter (`i64`)."""
        head, body, done = (self.fresh_label(stem) for stem in ("head", "body", "done"))
        counter, following = self.fresh("i"), self.fresh("n")
        before = self.block
        self.do(f"br label %{head}")
        self.label(head)
        position = len(self.lines)
        inside = self.let(f"icmp slt i64 {counter}, {stop}")
        self.do(f"br i1 {inside}, label %{body}, label %{done}")
        self.label(body)
        yield counter
        self.do(f"{following} = add nsw i64 {counter}, {step}")
        self.do(f"br label %{head}")
        self.lines.insert(position, f"{counter} = phi i64 [ {start}, %{before} ], [ {following}, %{self.block} ]")
        self.label(done)

    def accumulate(self, stop: int, initial: Sequence[str], body: Callable[[str, list[str]], list[str]]) -> list[str]:
        """A loop over `0 <= i < stop` that carries values in registers; gives the last ones."""
        before = self.block
        carried = [self.fresh("sum") for _ in initial]
        with self.loop(stop) as counter:
            head = self._labels[-2]
            position = self.lines.index(f"{head}:") + 1
            after = body(counter, carried)
            phis = [
                f"{name} = phi {self.element.value} [ {start}, %{before} ], [ {value}, %{self.block} ]"
                for name, start, value in zip(carried, initial, after, strict=True)
            ]
            self.lines[position:position] = phis
        return carried

    def when(self, condition: str, body: Callable[[], None]) -> None:
        """Run a piece of code if an `i1` holds."""
        then, done = self.fresh_label("then"), self.fresh_label("done")
        self.do(f"br i1 {condition}, label %{then}, label %{done}")
        self.label(then)
        body()
        self.do(f"br label %{done}")
        self.label(done)

    def choose(self, condition: str, body: Callable[[], None], otherwise: Callable[[], None]) -> None:
        """Run one or another piece of code."""
        then, other, done = (self.fresh_label(stem) for stem in ("then", "else", "done"))
        self.do(f"br i1 {condition}, label %{then}, label %{other}")
        for label, part in ((then, body), (other, otherwise)):
            self.label(label)
            part()
            self.do(f"br label %{done}")
        self.label(done)

    def detour(
        self, condition: str, kinds: Sequence[str], values: Sequence[str], others: Callable[[], Sequence[str]]
    ) -> list[str]:
        """Values of the given types, or, if an `i1` holds, those that a piece of code gives."""
        before, then, done = self.block, self.fresh_label("then"), self.fresh_label("done")
        self.do(f"br i1 {condition}, label %{then}, label %{done}")
        self.label(then)
        found = others()
        after = self.block
        self.do(f"br label %{done}")
        self.label(done)
        return [
            self.let(f"phi {kind} [ {value}, %{before} ], [ {other}, %{after} ]")
            for kind, value, other in zip(kinds, values, found, strict=True)
        ]
