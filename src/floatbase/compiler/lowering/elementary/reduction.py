r"""Reduction of an angle to \( |r| \le \pi/4 \), `x = k pi/2 + r`, with `r` as a sum of two numbers.

Up to a million radians, \(\pi/2\) in three parts of 33, 33 and 53 bits (W. J. Cody and W. Waite, "Software Manual
for the Elementary Functions", 1980): products of the first two with `k` are exact. Beyond, and where so much
cancels that this is not enough, a lane is reduced alone with the bits of \(2/\pi\) that matter for its exponent
(M. Payne and R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983).
"""

from __future__ import annotations

from floatbase.compiler.lowering.builder import Builder, Element
from floatbase.compiler.lowering.module import Module

_TWO_OVER_PI = 0.6366197723675814
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
_HALF_PI_HIGH, _HALF_PI_LOW = 1.5707963267948966, 6.123233995736766e-17
_ROUND = 6755399441055744.0  # 1.5 2**52: adding it rounds to an integer, held in the lowest bits
_LIMIT = 1.0e6
_REDUCED = "{double, double, i64}"

# 2/pi in binary, 1280 bits after the point
_TWO_OVER_PI_BITS = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921c"
    "fe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980f"
    "ef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d08"
    "56033046fc7b6babf0cfbc209af4361d",
    16,
)


def reduce_angle(module: Module, builder: Builder, x: str) -> tuple[str, str, str]:
    """Gives `r` in two parts and the integer `k` (its lowest two bits count)."""
    size = builder.abs(x)
    shifted = builder.add(builder.mul(x, builder.literal(_TWO_OVER_PI)), builder.literal(_ROUND))
    k = builder.sub(shifted, builder.literal(_ROUND))
    rest = builder.sub(x, builder.mul(k, builder.literal(_HALF_PI[0])))
    rest, error = builder.two_difference(rest, builder.mul(k, builder.literal(_HALF_PI[1])))
    high, low = builder.quick_sum(rest, builder.sub(error, builder.mul(k, builder.literal(_HALF_PI[2]))))
    large = builder.compare("ogt", size, builder.literal(_LIMIT))
    cancelled = builder.compare("olt", builder.abs(high), builder.mul(builder.abs(k), builder.literal(2.0**-60)))
    finite = builder.compare("olt", size, builder.literal(float("inf")))
    hard = builder.both(builder.either(large, cancelled), finite)
    if builder.element.lanes == 1:
        return _reduce_one(module, builder, x, hard, (high, low, builder.bits(shifted)))
    places = [builder.allocate() for _ in range(4)]
    for value, place in zip((high, low, shifted, x), places, strict=True):
        builder.store(value, place)
    module.once("reduce_large", lambda: _emit_large(module))

    def lanes() -> None:
        scalar = builder.using(builder.element.with_lanes(1))
        kind = builder.element.mask
        with scalar.loop(builder.element.lanes) as lane:
            chosen = builder.let(f"extractelement {kind} {hard}, i64 {lane}")
            addresses = [scalar.at(place, lane) for place in places]
            listed = ", ".join(f"ptr {address}" for address in addresses)
            builder.when(chosen, lambda: builder.do(f"call void @reduce_large({listed})"))

    builder.when(builder.any(hard), lanes)
    high, low, shifted = (builder.load(place) for place in places[:3])
    return high, low, builder.bits(shifted)


def _reduce_one(
    module: Module, builder: Builder, x: str, hard: str, easy: tuple[str, str, str]
) -> tuple[str, str, str]:
    """The same for one number, which never leaves the registers unless it is reduced the long way."""
    module.once("reduce_one", lambda: _emit_one(module))

    def others() -> list[str]:
        reduced = builder.let(f"call {_REDUCED} @reduce_one(double {x})")
        return [builder.let(f"extractvalue {_REDUCED} {reduced}, {part}") for part in range(3)]

    high, low, k = builder.detour(hard, ("double", "double", "i64"), easy, others)
    return high, low, k


def _emit_one(module: Module) -> int:
    """`{high, low, k} @reduce_one(x)`."""
    module.once("reduce_large", lambda: _emit_large(module))
    builder = module.builder(Element("float64", 1, module.element.fma))
    places = [builder.allocate() for _ in range(4)]
    builder.store("%x", places[3])
    builder.do(f"call void @reduce_large({', '.join(f'ptr {place}' for place in places)})")
    result = "undef"
    for part, (place, kind) in enumerate(zip(places, ("double", "double", "i64"), strict=False)):
        value = builder.let(f"load {kind}, ptr {place}, align 8")
        result = builder.let(f"insertvalue {_REDUCED} {result}, {kind} {value}, {part}")
    builder.do(f"ret {_REDUCED} {result}")
    module.finish(builder, f"define internal {_REDUCED} @reduce_one(double %x) noinline")
    return 0


def _emit_large(module: Module) -> int:
    """`void @reduce_large(high, low, k, x)`: one finite number of magnitude over 1/2; `k` gets its lowest bits."""
    table = module.table("two_over_pi", "i8", [str(byte) for byte in _TWO_OVER_PI_BITS.to_bytes(168, "little")])
    builder = module.builder(Element("float64", 1, module.element.fma))
    x = builder.load("%x")
    bits = builder.bits(x)
    biased = builder.integer("and", builder.integer("lshr", bits, 52), 2047)
    fraction = builder.integer("or", builder.integer("and", bits, 2**52 - 1), 2**52)
    # x = fraction 2**exponent; bits of 2/pi that give multiples of 4 periods are left out, whole bytes at a time
    exponent = builder.integer("sub", biased, 1075)
    start = builder.integer("lshr", builder.let(f"sub i64 {1026 + 7}, {exponent}"), 3)
    window = builder.let(f"load i256, ptr {builder.at(table, start, 'i8')}, align 1")
    product = builder.let(f"mul i256 {window}, {builder.let(f'zext i64 {fraction} to i256')}")
    unit = builder.integer("add", builder.integer("shl", start, 3), exponent)
    shift = builder.let(f"zext i64 {builder.integer('sub', unit, 1280 - 254)} to i256")
    product = builder.let(f"lshr i256 {builder.let(f'shl i256 {product}, {shift}')}, 128")
    turns = builder.let(f"trunc i256 {product} to i128")  # in units of 2**-126 quarter turns
    quarter = builder.let(f"trunc i128 {builder.let(f'lshr i128 {turns}, 126')} to i64")
    rest = builder.let(f"shl i128 {turns}, 2")
    over = builder.let(f"icmp slt i128 {rest}, 0")
    quarter = builder.integer("add", quarter, builder.let(f"zext i1 {over} to i64"))
    negated = builder.let(f"sub i128 0, {rest}")
    size = builder.let(f"select i1 {over}, i128 {negated}, i128 {rest}")
    builder.declarations.add("declare i128 @llvm.ctlz.i128(i128, i1)")
    zeros = builder.let(f"call i128 @llvm.ctlz.i128(i128 {size}, i1 false)")
    size = builder.let(f"shl i128 {size}, {zeros}")
    first = builder.let(f"trunc i128 {builder.let(f'lshr i128 {size}, 75')} to i64")
    second = builder.integer("and", builder.let(f"trunc i128 {builder.let(f'lshr i128 {size}, 22')} to i64"), 2**53 - 1)
    high = builder.let(f"sitofp i64 {first} to double")
    low = builder.mul(builder.let(f"sitofp i64 {second} to double"), builder.literal(2.0**-53))
    power = builder.let(f"sub i64 {1023 - 53}, {builder.let(f'trunc i128 {zeros} to i64')}")
    scale = builder.from_bits(builder.integer("shl", power, 52))
    negative = builder.let(f"icmp slt i64 {bits}, 0")
    scale = builder.select(builder.let(f"xor i1 {negative}, {over}"), builder.neg(scale), scale)
    total, error = builder.two_product(high, builder.literal(_HALF_PI_HIGH))
    error = builder.add(error, builder.mul(high, builder.literal(_HALF_PI_LOW)))
    error = builder.add(error, builder.mul(low, builder.literal(_HALF_PI_HIGH)))
    total, error = builder.quick_sum(total, error)
    builder.store(builder.mul(total, scale), "%high")
    builder.store(builder.mul(error, scale), "%low")
    backwards = builder.let(f"sub i64 0, {quarter}")
    quarter = builder.let(f"select i1 {negative}, i64 {backwards}, i64 {quarter}")
    builder.do(f"store i64 {quarter}, ptr %k, align 8")
    builder.do("ret void")
    module.finish(builder, "define internal void @reduce_large(ptr %high, ptr %low, ptr %k, ptr %x) noinline")
    return 0
