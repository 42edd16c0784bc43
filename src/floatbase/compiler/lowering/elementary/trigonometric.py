r"""Sine, cosine and tangent.

On \(|r| \le \pi/4\), with \(z = r^2\), \(\sin r = r + r z S(z)\) and \(\cos r = 1 - z/2 + z^2 C(z)\); `S` and `C`
interpolate at Chebyshev points to \(2^{-57}\). The second part of `r` enters to first order.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.elementary.reduction import reduce_angle
from floatbase.compiler.lowering.module import Module

_SINE = (
    -0.16666666666666666,
    0.008333333333333331,
    -0.00019841269841264821,
    2.7557319219150783e-06,
    -2.5052106167335705e-08,
    1.6058521349954986e-10,
    -7.586094789672621e-13,
)
_COSINE = (
    0.041666666666666664,
    -0.0013888888888888887,
    2.480158730158451e-05,
    -2.755731922129809e-07,
    2.0876755754879594e-09,
    -1.1470455178216906e-11,
    4.745537017319258e-14,
)
_TINY = 2.0**-28  # below, sin x = x


def sincos(module: Module, builder: Builder, x: str) -> tuple[str, str]:
    """Sine and cosine of the same angle."""
    r, low, k = reduce_angle(module, builder, x)
    z = builder.mul(r, r)
    half = builder.mul(z, builder.literal(0.5))
    one = builder.literal(1.0)
    rest = builder.sub(one, half)
    correction = builder.fma(builder.mul(z, r), builder.polynomial(z, _SINE), builder.mul(low, rest))
    sine = builder.add(r, correction)
    correction = builder.fma(builder.mul(z, z), builder.polynomial(z, _COSINE), builder.neg(builder.mul(r, low)))
    cosine = builder.add(rest, builder.add(builder.sub(builder.sub(one, rest), half), correction))
    odd = builder.integer("icmp ne", builder.integer("and", k, 1), 0)
    first, second = builder.select(odd, cosine, sine), builder.select(odd, sine, cosine)
    first = _flip(builder, first, k)
    second = _flip(builder, second, builder.integer("add", k, 1))
    tiny = builder.compare("olt", builder.abs(x), builder.literal(_TINY))
    return builder.select(tiny, x, first), second


def tan(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The tangent."""
    sine, cosine = sincos(module, builder, x)
    return (builder.div(sine, cosine),)


def _flip(builder: Builder, value: str, k: str) -> str:
    """Change the sign if bit 1 of `k` is set."""
    sign = builder.integer("shl", builder.integer("and", k, 2), 62)
    return builder.from_bits(builder.integer("xor", builder.bits(value), sign))
