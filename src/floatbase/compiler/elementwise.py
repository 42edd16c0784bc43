"""NumPy's elementwise functions in terms of the operations of programs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from floatbase.compiler.operations import Op
from floatbase.compiler.scalar import Scalar, apply, power, select
from floatbase.errors import TraceError


def _function(function: Callable[..., Any], inputs: int) -> np.ufunc:
    made: np.ufunc = np.frompyfunc(function, inputs, 1)
    return made


def _operation(op: Op, inputs: int) -> np.ufunc:
    return _function(lambda *operands: apply(op, *operands), inputs)


def _divide(x: Any, y: Any) -> Any:
    if not isinstance(y, Scalar) and y == 0:
        raise TraceError("division by a constant zero while tracing")
    return x / y


def whole_part(x: Any) -> Any:
    """Without the digits behind the point."""
    return select(apply(Op.LT, x, 0.0), apply(Op.CEIL, x), apply(Op.FLOOR, x))


def _nearest(x: Any) -> Any:
    """Halves go to the even neighbour, as in NumPy."""
    nearest = apply(Op.FLOOR, x + 0.5)
    odd = apply(Op.NE, apply(Op.FLOOR, nearest * 0.5), nearest * 0.5)
    tie = apply(Op.EQ, nearest - x, 0.5)
    return select(apply(Op.AND, odd, tie), nearest - 1.0, nearest)


def _cube_root(x: Any) -> Any:
    """The power 1/3, and one step of Newton's method: a third is no floating-point number."""
    magnitude = apply(Op.ABS, x)
    root = apply(Op.POW, magnitude, 1.0 / 3.0)
    better = root - (root - magnitude / (root * root)) * (1.0 / 3.0)
    return apply(Op.SIGN, x) * select(apply(Op.LT, 0.0, magnitude), better, 0.0)


def _hypotenuse(x: Any, y: Any) -> Any:
    """Squares of the ratio of the legs neither overflow nor vanish where those of the legs do."""
    legs = apply(Op.ABS, x), apply(Op.ABS, y)
    longer, shorter = apply(Op.MAX, *legs), apply(Op.MIN, *legs)
    ratio = shorter / select(apply(Op.EQ, longer, 0.0), 1.0, longer)
    return longer * apply(Op.SQRT, 1.0 + ratio * ratio)


def _decimal_logarithm(x: Any) -> Any:
    """The natural logarithm over log(10), whose reciprocal is the sum of two numbers."""
    natural = apply(Op.LOG, x)
    return natural * 0.4342944819032518 + natural * 1.098319650216765e-17


def copysign(x: Any, y: Any) -> Any:
    """The magnitude of x with the sign of y. Minus zero counts as positive: it compares equal to zero."""
    magnitude = apply(Op.ABS, x)
    return select(apply(Op.LT, y, 0.0), -magnitude, magnitude)


_HUGE = 2.0**60  # a number plus one is that number from here on, and its square is finite in single precision


def arcsinh(x: Any) -> Any:
    """`log(x + sqrt(x^2 + 1))` of the magnitude, for which nothing cancels; beyond `_HUGE` it is `log(2 x)`."""
    negative = apply(Op.LT, x, 0.0)
    magnitude = select(negative, -x, x)  # unlike that of the absolute value, its derivative at zero is one
    bounded = apply(Op.MIN, magnitude, _HUGE)
    square = bounded * bounded
    argument = bounded + square / (1.0 + apply(Op.SQRT, square + 1.0))
    result = _shifted_logarithm(magnitude, argument)
    return select(negative, -result, result)


def arccosh(x: Any) -> Any:
    """`log(x + sqrt(x^2 - 1))`, in terms of `x - 1`."""
    bounded = apply(Op.MIN, x - 1.0, _HUGE)
    argument = bounded + apply(Op.SQRT, bounded) * apply(Op.SQRT, bounded + 2.0)  # one root of both exists below -1
    return _shifted_logarithm(x, argument)


def _shifted_logarithm(x: Any, argument: Any) -> Any:
    """`log(1 + argument)`, or `log(2 x)` for huge x."""
    huge = apply(Op.LT, _HUGE, x)
    return apply(Op.LOG1P, select(huge, x, argument)) + select(huge, math.log(2.0), 0.0)


def arctanh(x: Any) -> Any:
    """Half of `log((1 + x) / (1 - x))`."""
    return 0.5 * (apply(Op.LOG1P, x) - apply(Op.LOG1P, -x))


def _larger_known(x: Any, y: Any) -> Any:
    return select(apply(Op.OR, apply(Op.LT, x, y), apply(Op.NE, x, x)), y, x)


def _smaller_known(x: Any, y: Any) -> Any:
    return select(apply(Op.OR, apply(Op.LT, y, x), apply(Op.NE, x, x)), y, x)


def _heaviside(x: Any, at_zero: Any) -> Any:
    return select(apply(Op.LT, x, 0.0), 0.0, select(apply(Op.EQ, x, 0.0), at_zero, 1.0))


def _exclusive_or(x: Any, y: Any) -> Any:
    return apply(Op.AND, apply(Op.OR, x, y), apply(Op.NOT, apply(Op.AND, x, y)))


UFUNCS: dict[np.ufunc, np.ufunc] = {
    np.add: np.add,
    np.subtract: np.subtract,
    np.multiply: np.multiply,
    np.negative: np.negative,
    np.positive: np.positive,
    np.divide: _function(_divide, 2),
    np.floor_divide: _function(lambda x, y: apply(Op.FLOOR, _divide(x, y)), 2),
    np.remainder: _function(lambda x, y: x - y * apply(Op.FLOOR, _divide(x, y)), 2),
    np.fmod: _function(lambda x, y: x - y * whole_part(_divide(x, y)), 2),
    np.conjugate: _function(lambda x: x, 1),
    np.square: _function(lambda x: x * x, 1),
    np.reciprocal: _function(lambda x: _divide(1.0, x), 1),
    np.power: _function(power, 2),
    np.float_power: _function(power, 2),
    np.sqrt: _operation(Op.SQRT, 1),
    np.cbrt: _function(_cube_root, 1),
    np.absolute: _operation(Op.ABS, 1),
    np.fabs: _operation(Op.ABS, 1),
    np.sign: _operation(Op.SIGN, 1),
    np.copysign: _function(copysign, 2),
    np.heaviside: _function(_heaviside, 2),
    np.floor: _operation(Op.FLOOR, 1),
    np.ceil: _operation(Op.CEIL, 1),
    np.trunc: _function(whole_part, 1),
    np.rint: _function(_nearest, 1),
    np.minimum: _operation(Op.MIN, 2),
    np.maximum: _operation(Op.MAX, 2),
    np.fmin: _function(_smaller_known, 2),
    np.fmax: _function(_larger_known, 2),
    np.sin: _operation(Op.SIN, 1),
    np.cos: _operation(Op.COS, 1),
    np.tan: _operation(Op.TAN, 1),
    np.arcsin: _operation(Op.ASIN, 1),
    np.arccos: _operation(Op.ACOS, 1),
    np.arctan: _operation(Op.ATAN, 1),
    np.arctan2: _operation(Op.ATAN2, 2),
    np.sinh: _operation(Op.SINH, 1),
    np.cosh: _operation(Op.COSH, 1),
    np.tanh: _operation(Op.TANH, 1),
    np.arcsinh: _function(arcsinh, 1),
    np.arccosh: _function(arccosh, 1),
    np.arctanh: _function(arctanh, 1),
    np.exp: _operation(Op.EXP, 1),
    np.exp2: _function(lambda x: apply(Op.POW, 2.0, x), 1),
    np.log: _operation(Op.LOG, 1),
    np.log2: _function(lambda x: apply(Op.LOG, x) * (1.0 / math.log(2.0)), 1),
    np.log10: _function(_decimal_logarithm, 1),
    np.expm1: _operation(Op.EXPM1, 1),
    np.log1p: _operation(Op.LOG1P, 1),
    np.hypot: _function(_hypotenuse, 2),
    np.deg2rad: _function(lambda x: x * (math.pi / 180.0), 1),
    np.radians: _function(lambda x: x * (math.pi / 180.0), 1),
    np.rad2deg: _function(lambda x: x * (180.0 / math.pi), 1),
    np.degrees: _function(lambda x: x * (180.0 / math.pi), 1),
    np.less: _operation(Op.LT, 2),
    np.less_equal: _operation(Op.LE, 2),
    np.greater: _function(lambda x, y: apply(Op.LT, y, x), 2),
    np.greater_equal: _function(lambda x, y: apply(Op.LE, y, x), 2),
    np.equal: _operation(Op.EQ, 2),
    np.not_equal: _operation(Op.NE, 2),
    np.isnan: _function(lambda x: apply(Op.NE, x, x), 1),
    np.isinf: _function(lambda x: apply(Op.EQ, apply(Op.ABS, x), math.inf), 1),
    np.isfinite: _function(lambda x: apply(Op.LT, apply(Op.ABS, x), math.inf), 1),
    np.logical_and: _operation(Op.AND, 2),
    np.logical_or: _operation(Op.OR, 2),
    np.logical_not: _operation(Op.NOT, 1),
    np.logical_xor: _function(_exclusive_or, 2),
    np.bitwise_and: _operation(Op.AND, 2),
    np.bitwise_or: _operation(Op.OR, 2),
    np.bitwise_xor: _function(_exclusive_or, 2),
    np.invert: _operation(Op.NOT, 1),
}
