"""Elementary functions in LLVM's language, evaluated on arrays with full vectors.

One implementation serves every scalar type and number of lanes, so that a function of the same number is
the same to the last bit wherever it is evaluated. Single precision is computed in double precision and
rounded, which is correctly rounded in all but a few cases in a billion.

A function's arguments lie in scratch memory one array after another, and so do its results.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from floatbase.compiler.lowering.builder import Builder, Element
from floatbase.compiler.lowering.elementary.exponential import cosh, exp, expm1, sinh, tanh
from floatbase.compiler.lowering.elementary.inverse import acos, asin, atan, atan2
from floatbase.compiler.lowering.elementary.logarithm import log, log1p
from floatbase.compiler.lowering.elementary.power import power
from floatbase.compiler.lowering.elementary.single_precision import single_sincos
from floatbase.compiler.lowering.elementary.trigonometric import sincos, tan
from floatbase.compiler.lowering.module import Module

_Body = Callable[..., tuple[str, ...]]

_BODIES: dict[str, tuple[_Body, int, int]] = {  # body, numbers of arguments and results
    "sincos": (sincos, 1, 2),
    "tan": (tan, 1, 1),
    "asin": (asin, 1, 1),
    "acos": (acos, 1, 1),
    "atan": (atan, 1, 1),
    "atan2": (atan2, 2, 1),
    "exp": (exp, 1, 1),
    "expm1": (expm1, 1, 1),
    "sinh": (sinh, 1, 1),
    "cosh": (cosh, 1, 1),
    "tanh": (tanh, 1, 1),
    "log": (log, 1, 1),
    "log1p": (log1p, 1, 1),
    "pow": (power, 2, 1),
}


@dataclass(frozen=True)
class ElementaryFunction:
    """`void name(ptr arguments, ptr results, i64 vectors)`, on vectors of `lanes` numbers."""

    name: str
    arguments: int
    results: int
    lanes: int


def elementary_function(module: Module, function: str) -> ElementaryFunction:
    """Emit a function if it has not been, and say how it is called."""
    body, arguments, results = _BODIES[function]
    lanes = module.target.native_vector_bits // 64
    module.once(function, lambda: _emit(module, function, body, arguments, results, lanes))
    return ElementaryFunction(f"@{function}", arguments, results, lanes)


def inline_function(module: Module, builder: Builder, function: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """Evaluate a function on values in registers, where it stands."""
    if function == "sincos" and builder.element.dtype == "float32" and builder.element.lanes == 1:
        return single_sincos(module, builder, *arguments)
    body, _, _ = _BODIES[function]
    wide = builder.using(Element("float64", builder.element.lanes, builder.element.fma))
    results = body(module, wide, *(_widen(wide, builder, argument) for argument in arguments))
    return tuple(_narrow(wide, builder, result) for result in results)


def _emit(module: Module, name: str, body: _Body, arguments: int, results: int, lanes: int) -> int:
    builder = module.builder(Element("float64", lanes, module.element.fma))
    outside = builder.using(module.element.with_lanes(lanes))
    with builder.loop("%vectors") as counter:
        operands = []
        for part in range(arguments):
            address = outside.at("%arguments", _position(builder, counter, part))
            operands.append(_widen(builder, outside, outside.load(address)))
        for part, result in enumerate(body(module, builder, *operands)):
            address = outside.at("%results", _position(builder, counter, part))
            outside.store(_narrow(builder, outside, result), address)
    builder.do("ret void")
    module.finish(builder, f"define internal void @{name}(ptr %arguments, ptr %results, i64 %vectors)")
    return 0


def _position(builder: Builder, counter: str, part: int) -> str:
    if part == 0:
        return counter
    return builder.let(f"add i64 {counter}, {builder.let(f'mul i64 %vectors, {part}')}")


def _widen(builder: Builder, outside: Builder, value: str) -> str:
    if outside.element.dtype == "float64":
        return value
    return builder.let(f"fpext {outside.element.value} {value} to {builder.element.value}")


def _narrow(builder: Builder, outside: Builder, value: str) -> str:
    if outside.element.dtype == "float64":
        return value
    return builder.let(f"fptrunc {builder.element.value} {value} to {outside.element.value}")
