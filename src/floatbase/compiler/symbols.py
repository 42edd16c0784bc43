"""Arrays of symbols that behave as NumPy arrays.

A `SymbolArray` is an object array whose elements are `Scalar`s or Python floats. Slicing, broadcasting, item
assignment, `@`, elementwise functions, comparisons, `np.where`, `np.stack`, `np.cross`, `np.linalg.solve`, ... work
as on numbers, so an algorithm written for numbers is traced by calling it. Make arrays with `like=`
(`np.zeros((6, 6), like=q)`): they are float arrays for numbers and symbol arrays for symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from floatbase.compiler import scalar as scalars
from floatbase.compiler.graph import Graph, current_graph
from floatbase.compiler.operations import Op
from floatbase.compiler.scalar import Scalar
from floatbase.errors import TraceError


class SymbolArray(np.ndarray):
    """An object array of symbols and numbers."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        """NumPy's elementwise functions on symbols."""
        return apply_ufunc(ufunc, method, inputs, settings)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's other functions on symbols."""
        return apply_function(function, args, kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value.item()
        super().__setitem__(key, value)

    def __bool__(self) -> bool:
        if self.size == 1 and isinstance(self.item(), Scalar):
            return bool(self.item())
        return bool(self.view(np.ndarray))


def symbols(name: str, shape: int | Sequence[int] = (), graph: Graph | None = None) -> SymbolArray:
    """New input symbols `name[0]`, `name[1]`, ... in an array of the given shape."""
    graph = graph or current_graph()
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    result = np.empty(shape, dtype=object)
    for index in np.ndindex(*shape):
        result[index] = graph.input(name + (str(list(index)) if index else ""))
    return result.view(SymbolArray)


def as_symbols(value: Any) -> SymbolArray:
    """An array of symbols and floats from anything array-like; numbers become Python floats."""
    if isinstance(value, SymbolArray):
        return value
    if isinstance(value, Scalar):
        result = np.empty((), dtype=object)
        result[()] = value
        return result.view(SymbolArray)
    array = np.asarray(value)
    if array.dtype != object:
        if not (
            np.issubdtype(array.dtype, np.floating) or np.issubdtype(array.dtype, np.integer) or array.dtype == bool
        ):
            raise TraceError(f"cannot mix symbols with an array of {array.dtype}")
        array = array.astype(np.float64).astype(object) if array.dtype != bool else array.astype(object)
    return array.view(SymbolArray)


def is_symbolic(*values: Any) -> bool:
    """Whether any of the values is a symbol or an array of symbols."""
    return any(isinstance(value, SymbolArray | Scalar) for value in values)


def casadi_arrays(*values: Any) -> bool:
    """Whether any of the values is one of CasADi's matrices."""
    return any(type(value).__module__.partition(".")[0] == "casadi" for value in values)


def _elementwise(op: Op, inputs: int) -> np.ufunc:
    def function(*operands: Any) -> Any:
        return scalars.apply(op, *operands)

    return _pyfunc(function, inputs)


def _pyfunc(function: Callable[..., Any], inputs: int) -> np.ufunc:
    made: np.ufunc = np.frompyfunc(function, inputs, 1)
    return made


def _divide(x: Any, y: Any) -> Any:
    if not isinstance(y, Scalar) and y == 0:
        raise TraceError("division by a constant zero while tracing")
    return x / y


_UFUNCS: dict[np.ufunc, np.ufunc] = {
    np.add: np.add,
    np.subtract: np.subtract,
    np.multiply: np.multiply,
    np.negative: np.negative,
    np.positive: np.positive,
    np.divide: _pyfunc(_divide, 2),
    np.conjugate: _pyfunc(lambda x: x, 1),
    np.square: _pyfunc(lambda x: x * x, 1),
    np.reciprocal: _pyfunc(lambda x: _divide(1.0, x), 1),
    np.power: _pyfunc(scalars.power, 2),
    np.float_power: _pyfunc(scalars.power, 2),
    np.sqrt: _elementwise(Op.SQRT, 1),
    np.absolute: _elementwise(Op.ABS, 1),
    np.fabs: _elementwise(Op.ABS, 1),
    np.sign: _elementwise(Op.SIGN, 1),
    np.floor: _elementwise(Op.FLOOR, 1),
    np.ceil: _elementwise(Op.CEIL, 1),
    np.minimum: _elementwise(Op.MIN, 2),
    np.maximum: _elementwise(Op.MAX, 2),
    np.sin: _elementwise(Op.SIN, 1),
    np.cos: _elementwise(Op.COS, 1),
    np.tan: _elementwise(Op.TAN, 1),
    np.arcsin: _elementwise(Op.ASIN, 1),
    np.arccos: _elementwise(Op.ACOS, 1),
    np.arctan: _elementwise(Op.ATAN, 1),
    np.arctan2: _elementwise(Op.ATAN2, 2),
    np.sinh: _elementwise(Op.SINH, 1),
    np.cosh: _elementwise(Op.COSH, 1),
    np.tanh: _elementwise(Op.TANH, 1),
    np.exp: _elementwise(Op.EXP, 1),
    np.log: _elementwise(Op.LOG, 1),
    np.expm1: _elementwise(Op.EXPM1, 1),
    np.log1p: _elementwise(Op.LOG1P, 1),
    np.hypot: _pyfunc(lambda x, y: scalars.apply(Op.SQRT, x * x + y * y), 2),
    np.deg2rad: _pyfunc(lambda x: x * (np.pi / 180.0), 1),
    np.rad2deg: _pyfunc(lambda x: x * (180.0 / np.pi), 1),
    np.less: _elementwise(Op.LT, 2),
    np.less_equal: _elementwise(Op.LE, 2),
    np.greater: _pyfunc(lambda x, y: scalars.apply(Op.LT, y, x), 2),
    np.greater_equal: _pyfunc(lambda x, y: scalars.apply(Op.LE, y, x), 2),
    np.equal: _elementwise(Op.EQ, 2),
    np.not_equal: _elementwise(Op.NE, 2),
    np.logical_and: _elementwise(Op.AND, 2),
    np.logical_or: _elementwise(Op.OR, 2),
    np.logical_not: _elementwise(Op.NOT, 1),
    np.bitwise_and: _elementwise(Op.AND, 2),
    np.bitwise_or: _elementwise(Op.OR, 2),
    np.invert: _elementwise(Op.NOT, 1),
}


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Apply a NumPy ufunc to symbols; the type of the result is `SymbolArray`, or `Scalar` for scalars alone."""
    arrays = any(isinstance(value, np.ndarray) for value in inputs)
    plain = [as_symbols(value).view(np.ndarray) for value in inputs[:1] if method == "reduce"] or [
        as_symbols(value).view(np.ndarray) for value in inputs
    ]
    out = settings.pop("out", None)
    settings.pop("dtype", None)
    if settings.get("where", True) is True:
        settings.pop("where", None)
    if ufunc is np.matmul and method == "__call__":
        result: Any = _matmul(*plain)
    else:
        function = _UFUNCS.get(ufunc)
        if function is None or settings.keys() - {"axis", "keepdims", "initial", "casting", "order", "subok"}:
            known = ", ".join(sorted(name.__name__ for name in _UFUNCS))
            raise TraceError(f"np.{ufunc.__name__} cannot be traced; these can: matmul, {known}")
        for name in ("casting", "order", "subok"):
            settings.pop(name, None)
        result = getattr(function, method)(*plain, **({"dtype": object} if method == "__call__" else {}), **settings)
    if out is not None:
        out[0][...] = result
        return out[0]
    if isinstance(result, np.ndarray):
        return result.view(SymbolArray)
    return as_symbols(result) if arrays else result


def _matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of object arrays of at most two axes that never touches structural zeros."""
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise TraceError(f"matmul of shapes {a.shape} and {b.shape}")
    if a.ndim > 2 or b.ndim > 2:
        return _stacked_matmul(a, b)
    rows = a.tolist() if a.ndim == 2 else [a.tolist()]
    columns = b.T.tolist() if b.ndim == 2 else [b.tolist()]
    result = np.empty((len(rows), len(columns)), dtype=object)
    for i, row in enumerate(rows):
        kept = [(k, x) for k, x in enumerate(row) if x.__class__ is Scalar or x != 0]
        for j, column in enumerate(columns):
            total: Any = 0.0
            for k, x in kept:
                y = column[k]
                if y.__class__ is Scalar or y != 0:
                    total = total + x * y
            result[i, j] = total
    shape = (a.shape[:-1] if a.ndim == 2 else ()) + (b.shape[1:] if b.ndim == 2 else ())
    return result.reshape(shape)


def _stacked_matmul(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    left = a if a.ndim > 1 else a[None, :]
    right = b if b.ndim > 1 else b[:, None]
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    left = np.broadcast_to(left, batch + left.shape[-2:])
    right = np.broadcast_to(right, batch + right.shape[-2:])
    result = np.empty((*batch, left.shape[-2], right.shape[-1]), dtype=object)
    for index in np.ndindex(*batch):
        result[index] = _matmul(left[index], right[index])
    if a.ndim == 1:
        result = result[..., 0, :]
    return result if b.ndim > 1 else result[..., 0]


def apply_function(function: Any, args: Any, kwargs: Any) -> Any:
    """Apply a NumPy function that is not a ufunc to symbols."""
    from floatbase.compiler.symbol_functions import FUNCTIONS

    own = FUNCTIONS.get(function)
    if own is not None:
        return own(*args, **kwargs)
    result = np.ndarray.__array_function__(np.empty(0).view(SymbolArray), function, (SymbolArray,), args, kwargs)
    if result is NotImplemented:
        raise TraceError(f"np.{function.__name__} cannot be traced")
    if isinstance(result, np.ndarray) and result.dtype == object:
        return result.view(SymbolArray)
    return result
