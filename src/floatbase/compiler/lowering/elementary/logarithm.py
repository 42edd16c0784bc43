r"""Natural logarithms.

\( x = 2^k m \), \(\sqrt{1/2} \le m < \sqrt 2\), \(f = m - 1\), \(s = f / (2 + f)\), and
\( \ln m = 2 s + s z L(z) \), \(z = s^2\), with `L` interpolated at Chebyshev points to \(2^{-60}\). Written as
\( f - (f^2/2 - s (f^2/2 + z L)) \), the leading term is exact.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Module

_LOGARITHM = (
    0.6666666666666666,
    0.40000000000001007,
    0.2857142857072325,
    0.22222222409750114,
    0.18181793732111753,
    0.15386342449645143,
    0.13266048812203002,
    0.131148348695975,
)
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
_SQRT_HALF_BITS = 0x3FE6A09E667F3BCD
_INTEGER = 6755399441055744.0  # 1.5 2**52
_INTEGER_BITS = 0x4338000000000000


def split(builder: Builder, x: str) -> tuple[str, str]:
    """`k` as a number and `m` of a positive finite `x`, denormal or not."""
    denormal = builder.compare("olt", x, builder.literal(2.0**-1022))
    x = builder.select(denormal, builder.mul(x, builder.literal(2.0**54)), x)
    bits = builder.bits(x)
    k = builder.integer("ashr", builder.integer("sub", bits, _SQRT_HALF_BITS), 52)
    m = builder.from_bits(builder.integer("sub", bits, builder.integer("shl", k, 52)))
    number = builder.sub(builder.from_bits(builder.integer("add", k, _INTEGER_BITS)), builder.literal(_INTEGER))
    return builder.select(denormal, builder.sub(number, builder.literal(54.0)), number), m


def log(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The natural logarithm."""
    return (_special(builder, x, _logarithm(builder, x, None)),)


def log1p(module: Module, builder: Builder, x: str) -> tuple[str]:
    """`ln(1 + x)` without cancellation."""
    one = builder.literal(1.0)
    u = builder.add(one, x)
    large = builder.compare("ogt", x, one)
    lost = builder.select(large, builder.sub(one, builder.sub(u, x)), builder.sub(x, builder.sub(u, one)))
    result = _special(builder, u, _logarithm(builder, u, builder.div(lost, u)))
    tiny = builder.compare("olt", builder.abs(x), builder.literal(2.0**-54))
    return (builder.select(tiny, x, result),)


def _logarithm(builder: Builder, x: str, correction: str | None) -> str:
    k, m = split(builder, x)
    f = builder.sub(m, builder.literal(1.0))
    s = builder.div(f, builder.add(f, builder.literal(2.0)))
    z = builder.mul(s, s)
    half = builder.mul(builder.mul(f, f), builder.literal(0.5))
    bracket = builder.fma(z, builder.polynomial(z, _LOGARITHM), half)
    low = builder.mul(k, builder.literal(_LN2_LOW))
    if correction is not None:
        low = builder.add(low, correction)
    tail = builder.sub(builder.sub(half, builder.fma(s, bracket, low)), f)
    return builder.sub(builder.mul(k, builder.literal(_LN2_HIGH)), tail)


def _special(builder: Builder, x: str, result: str) -> str:
    """Zero, infinity, negative numbers and NaN."""
    infinity, zero = builder.literal(float("inf")), builder.literal(0.0)
    result = builder.select(builder.compare("oeq", x, zero), builder.literal(-float("inf")), result)
    result = builder.select(builder.compare("oeq", x, infinity), x, result)
    return builder.select(builder.compare("oge", x, zero), result, builder.literal(float("nan")))
