"""Arrays of values in memory."""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder

_UNROLLED = 4


def copy(builder: Builder, source: str, destination: str, length: int) -> None:
    """Copy an array of values."""
    if length <= _UNROLLED:
        for position in range(length):
            builder.store(builder.load(builder.at(source, position)), builder.at(destination, position))
        return
    with builder.loop(length) as counter:
        builder.store(builder.load(builder.at(source, counter)), builder.at(destination, counter))


def spread(builder: Builder, scalar: str) -> str:
    """One number in every lane."""
    element = builder.element
    if element.lanes == 1:
        return scalar
    first = builder.let(f"insertelement {element.value} poison, {element.scalar} {scalar}, i64 0")
    mask = f"<{element.lanes} x i32> zeroinitializer"
    return builder.let(f"shufflevector {element.value} {first}, {element.value} poison, {mask}")
