r"""Sine and cosine in single precision throughout, for processors on which double precision is slow.

`x = k pi/2 + r` with \(\pi/2\) as a sum of three numbers and fused products, exact enough to 1.6 units in the last
place for \(|x| \le 32768\); larger angles go the way of double precision. Polynomials as in `trigonometric`, shorter.
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder, Element
from floatbase.compiler.lowering.elementary.trigonometric import sincos
from floatbase.compiler.lowering.module import Module

_SINE = (-0.166666641831398, 0.008332747966051102, -0.00019587865972425789)
_COSINE = (0.0416666641831398, -0.001388830249197781, 2.454791683703661e-05)
_HALF_PI = (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15)
_TWO_OVER_PI = 0.6366197723675814
_ROUND = 12582912.0  # 1.5 2**23: adding it rounds to an integer, held in the lowest bits
_LIMIT = 32768.0


def single_sincos(module: Module, builder: Builder, x: str) -> tuple[str, str]:
    """Sine and cosine of the same angle, one lane."""
    shifted = builder.fma(x, builder.literal(_TWO_OVER_PI), builder.literal(_ROUND))
    k = builder.neg(builder.sub(shifted, builder.literal(_ROUND)))
    r = x
    for part in _HALF_PI:
        r = builder.fma(k, builder.literal(part), r)
    z = builder.mul(r, r)
    sine = builder.fma(builder.mul(r, z), builder.polynomial(z, _SINE), r)
    rest = builder.fma(z, builder.literal(-0.5), builder.literal(1.0))
    cosine = builder.fma(builder.mul(z, z), builder.polynomial(z, _COSINE), rest)
    quarter = builder.bits(shifted)
    odd = builder.integer("icmp ne", builder.integer("and", quarter, 1), 0)
    first, second = builder.select(odd, cosine, sine), builder.select(odd, sine, cosine)
    first = _flip(builder, first, quarter)
    second = _flip(builder, second, builder.integer("add", quarter, 1))
    module.once("large_sincos", lambda: _emit_large(module))
    large = builder.compare("ugt", builder.abs(x), builder.literal(_LIMIT))

    def others() -> list[str]:
        pair = builder.let(f"call {{float, float}} @large_sincos(float {x})")
        return [builder.let(f"extractvalue {{float, float}} {pair}, {part}") for part in range(2)]

    first, second = builder.detour(large, ("float", "float"), (first, second), others)
    return first, second


def _flip(builder: Builder, value: str, quarter: str) -> str:
    """Change the sign if bit 1 of `quarter` is set."""
    sign = builder.integer("shl", builder.integer("and", quarter, 2), 30)
    return builder.from_bits(builder.integer("xor", builder.bits(value), sign))


def _emit_large(module: Module) -> int:
    """`{float, float} @large_sincos(float x)`."""
    builder = module.builder(Element("float64", 1, module.element.fma))
    results = sincos(module, builder, builder.let("fpext float %x to double"))
    first, second = (builder.let(f"fptrunc double {result} to float") for result in results)
    pair = builder.let(f"insertvalue {{float, float}} undef, float {first}, 0")
    pair = builder.let(f"insertvalue {{float, float}} {pair}, float {second}, 1")
    builder.do(f"ret {{float, float}} {pair}")
    module.finish(builder, "define internal {float, float} @large_sincos(float %x) noinline")
    return 0
