"""Arrays of values in memory."""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder

_UNROLLED = 4


def copy(builder: Builder, source: str, destination: str, length: int) -> None:
    """Copy an array of values to another place; for one state in full vectors, of which the last ones may overlap."""
    element = builder.element
    across = element.across if element.lanes == 1 and length >= element.across else 1
    wide = builder.using(element.with_lanes(across)) if across > 1 else builder
    aligned = across == 1

    def piece(position: int | str) -> None:
        value = wide.load(builder.at(source, position), aligned)
        wide.store(value, builder.at(destination, position), aligned)

    whole = length - length % across
    if whole <= _UNROLLED * across:
        for position in range(0, whole, across):
            piece(position)
    else:
        with builder.loop(whole, step=across) as counter:
            piece(counter)
    if whole < length:
        piece(length - across)


def spread(builder: Builder, scalar: str) -> str:
    """One number in every lane."""
    element = builder.element
    if element.lanes == 1:
        return scalar
    first = builder.let(f"insertelement {element.value} poison, {element.scalar} {scalar}, i64 0")
    mask = f"<{element.lanes} x i32> zeroinitializer"
    return builder.let(f"shufflevector {element.value} {first}, {element.value} poison, {mask}")
