r"""Inverse trigonometric functions.

\( \arctan r = r + r z A(z) \) for \(|r| \le \tan(\pi/8)\), \( \arcsin x = x + x z R(z) \) for \(|x| \le 1/2\), with
\(z\) the square; `A` and `R` interpolate at Chebyshev points to \(2^{-58}\). Other arguments are reduced by
\( \arctan(a/b) = \pi/4 + \arctan((a-b)/(a+b)) \), \( \arcsin x = \pi/2 - 2 \arcsin\sqrt{(1-x)/2} \).
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.module import Module

_ARCTANGENT = (
    -0.3333333333333333,
    0.19999999999999762,
    -0.1428571428564902,
    0.11111111104112661,
    -0.09090908702135936,
    0.07692294904896305,
    -0.06666398746388635,
    0.05878631460320977,
    -0.05228284767565546,
    0.045417954500753324,
    -0.034321082112901316,
    0.016012008547392122,
)
_ARCSINE = (
    0.16666666666666666,
    0.07500000000000119,
    0.04464285714255019,
    0.030381944475693704,
    0.022372157435623815,
    0.017352816768546473,
    0.013963775787848137,
    0.011566511821890942,
    0.00962140274734483,
    0.009322101501082774,
    0.0030350071727267623,
    0.019579201619744684,
    -0.019277545928584557,
    0.02963502626354855,
)
_TAN_EIGHTH = 0.41421356237309503
_QUARTER, _QUARTER_LOW = 0.7853981633974172, 3.111686085948307e-14  # pi/4; the first has 44 bits
_HALF_PI, _HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17


def atan(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The arctangent."""
    return atan2(module, builder, x, builder.literal(1.0))


def atan2(module: Module, builder: Builder, y: str, x: str) -> tuple[str]:
    """The angle of the point (x, y), in [-pi, pi]; the sign of zero counts."""
    zero, one = builder.literal(0.0), builder.literal(1.0)
    height, width = builder.abs(y), builder.abs(x)
    steep = builder.compare("ogt", height, width)
    least, most = builder.select(steep, width, height), builder.select(steep, height, width)
    least, most = _rescale(builder, least, most)
    equal = builder.compare("oeq", least, builder.literal(float("inf")))
    least, most = builder.select(equal, one, least), builder.select(equal, one, most)
    large = builder.compare("ogt", least, builder.mul(most, builder.literal(_TAN_EIGHTH)))
    above = builder.select(large, builder.sub(least, most), least)
    below = builder.select(large, builder.add(least, most), most)
    nothing = builder.compare("oeq", above, zero)
    r = builder.select(nothing, above, builder.div(above, below))
    z = builder.mul(r, r)
    correction = builder.mul(builder.mul(r, z), builder.polynomial(z, _ARCTANGENT))
    # the angle is `quarters` pi/4 + or - arctan r
    left = builder.integer("icmp slt", builder.bits(x), 0)
    quarters = builder.select(large, one, zero)
    quarters = builder.select(steep, builder.sub(builder.literal(2.0), quarters), quarters)
    quarters = builder.select(left, builder.sub(builder.literal(4.0), quarters), quarters)
    backwards = builder.let(f"xor {builder.element.mask} {steep}, {left}")
    r = builder.select(backwards, builder.neg(r), r)
    correction = builder.select(backwards, builder.neg(correction), correction)
    total, error = builder.quick_sum(builder.mul(quarters, builder.literal(_QUARTER)), r)
    low = builder.fma(quarters, builder.literal(_QUARTER_LOW), correction)
    angle = builder.copysign(builder.add(total, builder.add(error, low)), y)
    return (builder.select(builder.compare("uno", x, y), builder.literal(float("nan")), angle),)


def asin(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The arcsine."""
    size, small, value, correction = _arcsine(builder, x)
    near = builder.add(value, correction)
    total, error = builder.quick_sum(builder.literal(_HALF_PI), builder.mul(value, builder.literal(-2.0)))
    error = builder.add(error, builder.literal(_HALF_PI_LOW))
    far = builder.add(total, builder.fma(correction, builder.literal(-2.0), error))
    result = builder.copysign(builder.select(small, near, far), x)
    return (builder.select(builder.compare("ole", size, builder.literal(1.0)), result, builder.literal(float("nan"))),)


def acos(module: Module, builder: Builder, x: str) -> tuple[str]:
    """The arccosine: `pi/2 - asin x`, or from one of the ends `2 asin sqrt((1 - |x|) / 2)`."""
    size, small, value, correction = _arcsine(builder, x)
    zero, two = builder.literal(0.0), builder.literal(2.0)
    negative = builder.compare("olt", x, zero)
    # base - factor (value + correction), with base 0, pi/2 or pi
    base = builder.select(small, builder.literal(1.0), builder.select(negative, two, zero))
    factor = builder.select(small, builder.literal(1.0), two)
    factor = builder.select(
        negative, builder.select(small, builder.neg(factor), factor), builder.select(small, factor, builder.neg(factor))
    )
    total, error = builder.quick_sum(
        builder.mul(base, builder.literal(_HALF_PI)), builder.neg(builder.mul(factor, value))
    )
    error = builder.fma(base, builder.literal(_HALF_PI_LOW), error)
    result = builder.add(total, builder.sub(error, builder.mul(factor, correction)))
    return (builder.select(builder.compare("ole", size, builder.literal(1.0)), result, builder.literal(float("nan"))),)


def _arcsine(builder: Builder, x: str) -> tuple[str, str, str, str]:
    """`|x|`, whether it is small, and the arcsine of `|x|` or of `sqrt((1 - |x|) / 2)` as a sum of two numbers."""
    size, half = builder.abs(x), builder.literal(0.5)
    small = builder.compare("ole", size, half)
    folded = builder.mul(builder.sub(builder.literal(1.0), size), half)
    z = builder.select(small, builder.mul(size, size), folded)
    root = builder.sqrt(folded)
    square, square_low = builder.two_product(root, root)
    lost = builder.div(builder.sub(builder.sub(folded, square), square_low), builder.add(root, root))
    at_end = builder.compare("oeq", root, builder.literal(0.0))
    lost = builder.select(builder.either(small, at_end), builder.literal(0.0), lost)
    value = builder.select(small, size, root)
    return size, small, value, builder.fma(builder.mul(value, z), builder.polynomial(z, _ARCSINE), lost)


def _rescale(builder: Builder, least: str, most: str) -> tuple[str, str]:
    """Keep sums from overflowing and quotients of denormals exact."""
    one = builder.literal(1.0)
    huge = builder.compare("ogt", most, builder.literal(2.0**1000))
    minute = builder.compare("olt", most, builder.literal(2.0**-900))
    factor = builder.select(huge, builder.literal(2.0**-100), builder.select(minute, builder.literal(2.0**100), one))
    return builder.mul(least, factor), builder.mul(most, factor)
