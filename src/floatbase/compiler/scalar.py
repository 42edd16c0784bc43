"""One scalar of a graph of expressions, and its arithmetic.

See `floatbase.compiler.graph` for the table the scalars refer to and the rules by which they fold.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from floatbase.compiler.operations import BOOLEAN, COMMUTATIVE, NUMPY, Op
from floatbase.errors import TraceError

if TYPE_CHECKING:
    from floatbase.compiler.graph import Graph

Number = int | float | np.floating[Any] | np.integer[Any]
Key = tuple[int, ...]

_NUMBERS = (float, int, np.floating, np.integer)
_CONSTANT, _NEG, _ADD, _SUB, _MUL, _DIV = (int(op) for op in (Op.CONSTANT, Op.NEG, Op.ADD, Op.SUB, Op.MUL, Op.DIV))
_ODD = frozenset({Op.SIN, Op.TAN, Op.ASIN, Op.ATAN, Op.SINH, Op.TANH, Op.SIGN})
_EVEN = frozenset({Op.COS, Op.COSH, Op.ABS})


def as_number(value: Any) -> float:
    """A real number as a Python float; anything else is an error."""
    if isinstance(value, _NUMBERS):
        return float(value)
    raise TraceError(
        f"cannot use {type(value).__name__} {value!r} in an expression: it must be a real number or a symbol"
    )


class Scalar:
    """One scalar of a graph. Supports arithmetic, comparisons and NumPy's elementwise functions."""

    __slots__ = ("graph", "index", "key")

    def __init__(self, graph: Graph, index: int, key: Key) -> None:
        self.graph = graph
        self.index = index
        self.key = key

    # -- arithmetic -----------------------------------------------------------------------------------------

    def __neg__(self) -> Any:
        key = self.key
        graph = self.graph
        if key[0] == _NEG:
            return graph.scalars[key[1]]
        return graph.node((_NEG, self.index))

    def __pos__(self) -> Scalar:
        return self

    def __add__(self, other: Any) -> Any:
        if other.__class__ is not Scalar:
            if not isinstance(other, _NUMBERS):
                return NotImplemented
            if other == 0:
                return self
            if other < 0:
                return self - -other
            other = self.graph.constant(float(other))
        graph = self.graph
        if other.graph is not graph:
            raise mixed_traces()
        a, b = self.key, other.key
        if b[0] == _NEG:
            return self - graph.scalars[b[1]]
        if a[0] == _NEG:
            return other - graph.scalars[a[1]]
        i, j = self.index, other.index
        key = (_ADD, i, j) if i < j else (_ADD, j, i)
        found = graph.nodes.get(key)
        return found if found is not None else graph.node(key)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        if other.__class__ is not Scalar:
            if not isinstance(other, _NUMBERS):
                return NotImplemented
            if other == 0:
                return self
            if other < 0:
                return self + -other
            other = self.graph.constant(float(other))
        graph = self.graph
        if other is self:
            return 0.0
        if other.graph is not graph:
            raise mixed_traces()
        a, b = self.key, other.key
        if b[0] == _NEG:
            return self + graph.scalars[b[1]]
        if a[0] == _NEG:
            return -(graph.scalars[a[1]] + other)
        key = (_SUB, self.index, other.index)
        found = graph.nodes.get(key)
        return found if found is not None else graph.node(key)

    def __rsub__(self, other: Any) -> Any:
        if not isinstance(other, _NUMBERS):
            return NotImplemented
        if other == 0:
            return -self
        return self.graph.constant(float(other)) - self

    def __mul__(self, other: Any) -> Any:
        if other.__class__ is not Scalar:
            return self._scaled(float(other)) if isinstance(other, _NUMBERS) else NotImplemented
        graph = self.graph
        if other.graph is not graph:
            raise mixed_traces()
        a, b = self.key, other.key
        if a[0] == _NEG:
            return -(graph.scalars[a[1]] * other)
        if b[0] == _NEG:
            return -(self * graph.scalars[b[1]])
        i, j = self.index, other.index
        key = (_MUL, i, j) if i < j else (_MUL, j, i)
        found = graph.nodes.get(key)
        return found if found is not None else graph.node(key)

    __rmul__ = __mul__

    def _scaled(self, factor: float) -> Any:
        """`factor * self` with the sign outside and constant factors gathered."""
        if factor == 1.0:
            return self
        if factor == 0.0:
            return 0.0
        if factor < 0.0:
            return -self._scaled(-factor)
        graph, key = self.graph, self.key
        if key[0] == _NEG:
            return -graph.scalars[key[1]]._scaled(factor)
        if key[0] == _MUL:
            for one, other in ((key[1], key[2]), (key[2], key[1])):
                if graph.code[one][0] == _CONSTANT:
                    product = graph.constants[graph.code[one][1]] * factor
                    return graph.scalars[other]._scaled(product)
        i, j = graph.constant(factor).index, self.index
        return graph.node((_MUL, i, j) if i < j else (_MUL, j, i))

    def __truediv__(self, other: Any) -> Any:
        if other.__class__ is not Scalar:
            if not isinstance(other, _NUMBERS):
                return NotImplemented
            if other == 0:
                raise TraceError("division of a symbol by zero")
            return self._scaled(1.0 / float(other))
        graph = self.graph
        if other.graph is not graph:
            raise mixed_traces()
        if self.key[0] == _NEG:
            return -(graph.scalars[self.key[1]] / other)
        if other.key[0] == _NEG:
            return -(self / graph.scalars[other.key[1]])
        return graph.node((_DIV, self.index, other.index))

    def __rtruediv__(self, other: Any) -> Any:
        if not isinstance(other, _NUMBERS):
            return NotImplemented
        if other == 0:
            return 0.0
        if other < 0:
            return -(-other / self)
        return self.graph.constant(float(other)) / self

    def __pow__(self, exponent: Any) -> Any:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return apply(Op.POW, base, self)

    def __floordiv__(self, divisor: Any) -> Any:
        return apply(Op.FLOOR, self / divisor)

    def __rfloordiv__(self, dividend: Any) -> Any:
        return apply(Op.FLOOR, dividend / self)

    def __mod__(self, divisor: Any) -> Any:
        return self - divisor * (self // divisor)

    def __rmod__(self, dividend: Any) -> Any:
        return dividend - self * (dividend // self)

    def __abs__(self) -> Any:
        return apply(Op.ABS, self)

    def __floor__(self) -> Any:
        return apply(Op.FLOOR, self)

    def __ceil__(self) -> Any:
        return apply(Op.CEIL, self)

    def __trunc__(self) -> Any:
        return np.trunc(self)

    def __round__(self, digits: int | None = None) -> Any:
        return np.round(self, digits or 0).item()  # type: ignore[call-overload]

    def _no_bits(self, *_: Any) -> Any:
        raise TraceError(
            "a symbol stands for a real number, which has no bits to shift or combine: multiply by a power of two, or "
            "combine truth values, such as (x > 0) & (y > 0)"
        )

    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __invert__ = _no_bits
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _no_bits

    # -- comparisons ----------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        return apply(Op.LT, self, other)

    def __le__(self, other: Any) -> Any:
        return apply(Op.LE, self, other)

    def __gt__(self, other: Any) -> Any:
        return apply(Op.LT, other, self)

    def __ge__(self, other: Any) -> Any:
        return apply(Op.LE, other, self)

    def __eq__(self, other: object) -> Any:
        return apply(Op.EQ, self, other)

    def __ne__(self, other: object) -> Any:
        return apply(Op.NE, self, other)

    __hash__ = object.__hash__

    # -- behaving like a NumPy scalar -----------------------------------------------------------------------

    shape: tuple[int, ...] = ()
    ndim = 0

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **settings: Any) -> Any:
        from floatbase.compiler.symbol_arrays import apply_ufunc

        return apply_ufunc(ufunc, method, inputs, settings)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from floatbase.compiler.symbol_arrays import apply_function

        return apply_function(function, args, kwargs)

    def __bool__(self) -> bool:
        raise TraceError(
            "the truth of a symbol is not known while tracing: an algorithm cannot branch on it with `if`, `while`, "
            "`and`, `or` or `not`; use np.where(condition, a, b), `&`, `|`, `~`, or floatbase.while_loop"
        )

    def __float__(self) -> float:
        raise TraceError(
            "a symbol has no value while tracing: it cannot become a float or be stored in a float array; "
            "make the array with np.zeros(shape, like=x) where x is an argument of the algorithm"
        )

    __int__ = __index__ = __float__

    def __copy__(self) -> Scalar:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Scalar:
        return self

    def __repr__(self) -> str:
        op = Op(self.key[0])
        if op == Op.INPUT:
            return self.graph.input_names[self.key[1]]
        return f"<{op.name.lower()} #{self.index}>"


class Truth(Scalar):
    """A truth value: the result of a comparison."""

    __slots__ = ()

    def __and__(self, other: Any) -> Any:
        return _logic(Op.AND, self, other)

    def __or__(self, other: Any) -> Any:
        return _logic(Op.OR, self, other)

    def __invert__(self) -> Any:
        return _logic(Op.NOT, self)

    def __xor__(self, other: Any) -> Any:
        return _logic(Op.AND, _logic(Op.OR, self, other), _logic(Op.NOT, _logic(Op.AND, self, other)))

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__

    def _no_number(self, *_: Any) -> Any:
        raise TraceError("arithmetic with a truth value; use np.where(condition, 1.0, 0.0) to make it a number")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_number
    __neg__ = __pos__ = __abs__ = __pow__ = __rpow__ = __mod__ = __floordiv__ = _no_number


def mixed_traces() -> TraceError:
    """The error for symbols that have nothing to do with one another."""
    return TraceError(
        "symbols of two different traces were combined: a symbol means nothing outside the call it was made for, and "
        "the body of a loop or sub-program sees its own arguments alone (pass it the others as well)"
    )


def _logic(op: Op, *operands: Any) -> Any:
    known = [bool(operand) for operand in operands if not isinstance(operand, Scalar)]
    unknown = [operand for operand in operands if isinstance(operand, Scalar)]
    if any(not isinstance(operand, Truth) for operand in unknown):
        raise TraceError(f"logical {op.name.lower()} needs truth values such as x < 1, got a number")
    if not unknown:
        return bool(NUMPY[op](*known))
    if known:
        absorbing = op == Op.OR
        return absorbing if known[0] == absorbing else unknown[0]
    indices = [operand.index for operand in unknown]
    if op in COMMUTATIVE:
        indices.sort()
    graph = unknown[0].graph
    if any(operand.graph is not graph for operand in unknown):
        raise mixed_traces()
    return graph.node((int(op), *indices))


def apply(op: Op, *operands: Any) -> Any:
    """An operation on scalars or numbers; numbers alone are computed at once."""
    if op in (Op.AND, Op.OR, Op.NOT):
        return _logic(op, *operands)
    graph = next((operand.graph for operand in operands if isinstance(operand, Scalar)), None)
    if graph is None:
        value = NUMPY[op](*(as_number(operand) for operand in operands))
        return bool(value) if op in BOOLEAN else float(value)
    if any(isinstance(operand, Truth) for operand in operands):
        raise TraceError(f"{op.name.lower()} of a truth value; use np.where(condition, 1.0, 0.0) to make it a number")
    first = operands[0]
    if isinstance(first, Scalar) and first.key[0] == _NEG and (op in _ODD or op in _EVEN):
        inner = apply(op, -first)
        return -inner if op in _ODD else inner
    lifted = [graph.lift(operand).index for operand in operands]
    if op in COMMUTATIVE:
        lifted.sort()
    return graph.node((int(op), *lifted))


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`; small whole exponents and halves become products and roots."""
    if isinstance(base, Scalar) and not isinstance(exponent, Scalar):
        value = as_number(exponent)
        if value == 0.5:
            return apply(Op.SQRT, base)
        if value == round(value) and abs(value) <= 16:
            result: Any = 1.0
            square, count = base, int(abs(value))
            while count:
                if count & 1:
                    result = square * result
                square, count = square * square, count >> 1
            return result if value >= 0 else 1.0 / result
    return apply(Op.POW, base, exponent)


def select(condition: Any, if_true: Any, if_false: Any) -> Any:
    """`if_true` where the condition holds, else `if_false`."""
    if not isinstance(condition, Scalar):
        return if_true if condition else if_false
    if not isinstance(condition, Truth):
        condition = apply(Op.NE, condition, 0.0)
    if if_true is if_false or (
        not isinstance(if_true, Scalar) and not isinstance(if_false, Scalar) and if_true == if_false
    ):
        return if_true
    if isinstance(if_true, Truth) or isinstance(if_false, Truth):
        return (condition & if_true) | (~condition & if_false)
    graph = condition.graph
    return graph.node((int(Op.SELECT), condition.index, graph.lift(if_true).index, graph.lift(if_false).index))
