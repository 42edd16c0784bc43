r"""Powers: \( x^y = \pm e^{y \ln |x|} \), the logarithm as a sum of two numbers good to \(2^{-66}\).

With `s` as in `logarithm`, \( \ln m = 2 s + \tfrac23 s^3 + s^5 Q(s^2) \): the first two terms in twice the precision.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder
from floatbase.compiler.lowering.elementary.exponential import exponential
from floatbase.compiler.lowering.elementary.logarithm import split
from floatbase.compiler.lowering.module import Module

_TAIL = (
    0.4,
    0.28571428571428564,
    0.22222222222229365,
    0.18181818179379808,
    0.15384615801141957,
    0.13333293425590076,
    0.11766946267193636,
    0.10453373259983653,
    0.1078893012949437,
)
_TWO_THIRDS, _TWO_THIRDS_LOW = 0.6666666666666666, 3.700743415417188e-17
_LN2 = (0.6931471803691238, 1.9082149288430703e-10, 4.275175589747649e-20)


def power(module: Module, builder: Builder, x: str, y: str) -> tuple[str]:
    """`x**y`, with the special cases of C and NumPy."""
    zero, one, infinity = (builder.literal(value) for value in (0.0, 1.0, float("inf")))
    nan = builder.literal(float("nan"))
    size = builder.abs(x)
    high, low = _precise_logarithm(builder, size)
    product, error = builder.two_product(y, high)
    error = builder.fma(y, low, error)
    ordinary = builder.compare("olt", builder.abs(product), builder.literal(800.0))
    result = exponential(builder, product, builder.select(ordinary, error, zero))
    negative_power = builder.compare("olt", y, zero)
    vanishes, endless = builder.compare("oeq", size, zero), builder.compare("oeq", size, infinity)
    of_zero = builder.select(negative_power, infinity, zero)
    of_infinity = builder.select(negative_power, zero, infinity)
    result = builder.select(vanishes, of_zero, builder.select(endless, of_infinity, result))
    result = builder.select(builder.compare("oeq", size, one), one, result)
    # signs: odd powers of negative numbers (and of -0)
    integer = builder.compare("oeq", builder.floor(y), y)
    half = builder.mul(y, builder.literal(0.5))
    odd = builder.both(integer, builder.compare("une", builder.floor(half), half))
    negative = builder.integer("icmp slt", builder.bits(x), 0)
    result = builder.select(builder.both(negative, odd), builder.neg(result), result)
    below = builder.both(builder.compare("olt", x, zero), builder.compare("olt", size, infinity))
    result = builder.select(builder.both(below, builder.invert(integer)), nan, result)
    result = builder.select(builder.compare("uno", x, y), nan, result)
    trivial = builder.either(builder.compare("oeq", x, one), builder.compare("oeq", y, zero))
    return (builder.select(trivial, one, result),)


def _precise_logarithm(builder: Builder, x: str) -> tuple[str, str]:
    k, m = split(builder, x)
    two = builder.literal(2.0)
    f = builder.sub(m, builder.literal(1.0))
    divisor, divisor_low = builder.quick_sum(two, f)
    s = builder.div(f, divisor)
    back, back_low = builder.two_product(s, divisor)
    rest = builder.sub(builder.sub(builder.sub(f, back), back_low), builder.mul(s, divisor_low))
    s_low = builder.div(rest, divisor)
    z, z_low = builder.two_product(s, s)
    z_low = builder.fma(builder.mul(two, s), s_low, z_low)
    cube, cube_low = builder.two_product(s, z)
    cube_low = builder.add(cube_low, builder.fma(s, z_low, builder.mul(s_low, z)))
    term, term_low = builder.two_product(cube, builder.literal(_TWO_THIRDS))
    term_low = builder.fma(cube, builder.literal(_TWO_THIRDS_LOW), term_low)
    term_low = builder.fma(cube_low, builder.literal(_TWO_THIRDS), term_low)
    tail = builder.mul(builder.mul(cube, z), builder.polynomial(z, _TAIL))
    total, first = builder.quick_sum(builder.mul(k, builder.literal(_LN2[0])), builder.mul(two, s))
    total, second = builder.quick_sum(total, term)
    small = builder.fma(k, builder.literal(_LN2[2]), builder.add(tail, builder.fma(two, s_low, term_low)))
    small = builder.add(builder.add(first, second), builder.fma(k, builder.literal(_LN2[1]), small))
    return builder.quick_sum(total, small)
