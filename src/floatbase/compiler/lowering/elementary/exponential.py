r"""The exponential function and the hyperbolic functions.

\( x = k \ln 2 + r \), \(|r| \le \ln 2 / 2\), and \( e^r = 1 + r + r^2 P(r) \) with `P` interpolated at Chebyshev
points to \(2^{-59}\). The rounding error of `r` is carried along.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Module

_EXPONENTIAL = (
    0.5,
    0.16666666666666666,
    0.04166666666666668,
    0.008333333333333333,
    0.0013888888888878269,
    0.00019841269841262761,
    2.4801587338565345e-05,
    2.7557319248633827e-06,
    2.755726102934377e-07,
    2.5052069594795685e-08,
    2.0918961837795778e-09,
    1.6087177234380782e-10,
)
_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_ROUND = 6755399441055744.0  # 1.5 2**52
_ROUND_BITS = 0x4338000000000000
_LARGEST, _SMALLEST = 712.0, -750.0  # beyond, the result overflows or is zero


def exponential(builder: Builder, x: str, low: str | None = None, power: int = 0) -> str:
    """`2**power exp(x + low)`, for a `low` that is small."""
    k, r, correction = _reduce(builder, _clamp(builder, x, _SMALLEST), low)
    total = builder.add(builder.literal(1.0), builder.add(r, correction))
    return _scale(builder, total, builder.integer("add", k, power))


def exp(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The exponential."""
    return (exponential(builder, x),)


def expm1(module: Module, builder: Builder, x: str) -> tuple[str]:
    """`exp(x) - 1` without cancellation."""
    k, r, correction = _reduce(builder, _clamp(builder, x, -50.0), None)
    # exp(x) - 1 = 2**k (exp(r) - 1 + 1 - 2**-k); 2**-k does not count beyond 2**-60
    capped = builder.let(
        f"select {builder.element.of('i1')} {builder.integer('icmp slt', k, 60)}, "
        f"{builder.element.integer} {k}, {builder.element.integer} {builder.element.integer_literal(60)}"
    )
    shift = builder.sub(builder.literal(1.0), _power_of_two(builder, builder.integer("sub", "zeroinitializer", capped)))
    total, error = builder.quick_sum(shift, r)
    result = _scale(builder, builder.add(total, builder.add(error, correction)), k)
    tiny = builder.compare("olt", builder.abs(x), builder.literal(2.0**-54))
    return (builder.select(tiny, x, result),)


def sinh(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The hyperbolic sine, from `expm1` where that does not overflow."""
    size = builder.abs(x)
    (e,) = expm1(module, builder, size)
    small = builder.add(e, builder.div(e, builder.add(e, builder.literal(1.0))))
    small = builder.mul(small, builder.literal(0.5))
    large = exponential(builder, size, power=-1)
    result = builder.select(builder.compare("ogt", size, builder.literal(22.0)), large, small)
    return (builder.copysign(result, x),)


def cosh(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The hyperbolic cosine."""
    half = exponential(builder, builder.abs(x), power=-1)
    return (builder.add(half, builder.div(builder.literal(0.25), half)),)


def tanh(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The hyperbolic tangent; beyond 22 it is 1."""
    size = builder.abs(x)
    far = builder.compare("ogt", size, builder.literal(22.0))
    bounded = builder.select(far, builder.literal(22.0), size)
    (e,) = expm1(module, builder, builder.add(bounded, bounded))
    divisor = builder.add(e, builder.literal(2.0))
    small = builder.div(e, divisor)
    large = builder.sub(builder.literal(1.0), builder.div(builder.literal(2.0), divisor))
    result = builder.select(builder.compare("ogt", size, builder.literal(0.5)), large, small)
    return (builder.copysign(result, x),)


def _clamp(builder: Builder, x: str, smallest: float) -> str:
    """Keep `x` where exponents fit; NaN stays."""
    low, high = builder.literal(smallest), builder.literal(_LARGEST)
    x = builder.select(builder.compare("olt", x, low), low, x)
    return builder.select(builder.compare("ogt", x, high), high, x)


def _reduce(builder: Builder, x: str, low: str | None) -> tuple[str, str, str]:
    """The integer `k`, `r`, and `exp(r) - 1 - r` with what rounding `r` lost."""
    shifted = builder.add(builder.mul(x, builder.literal(_LOG2_E)), builder.literal(_ROUND))
    number = builder.sub(shifted, builder.literal(_ROUND))
    k = builder.integer("sub", builder.bits(shifted), _ROUND_BITS)
    high = builder.sub(x, builder.mul(number, builder.literal(_LN2_HIGH)))
    rest = builder.mul(number, builder.literal(_LN2_LOW))
    if low is not None:
        rest = builder.sub(rest, low)
    r = builder.sub(high, rest)
    lost = builder.sub(builder.sub(high, r), rest)
    correction = builder.fma(builder.mul(r, r), builder.polynomial(r, _EXPONENTIAL), lost)
    return k, r, correction


def _power_of_two(builder: Builder, k: str) -> str:
    return builder.from_bits(builder.integer("shl", builder.integer("add", k, 1023), 52))


def _scale(builder: Builder, value: str, k: str) -> str:
    """`2**k value`, in two steps so that overflow and denormal results come out right."""
    half = builder.integer("ashr", k, 1)
    value = builder.mul(value, _power_of_two(builder, half))
    return builder.mul(value, _power_of_two(builder, builder.integer("sub", k, half)))
