"""Arrays of symbols that behave as NumPy arrays.

A `SymbolArray` is an object array whose elements are `Scalar`s or Python floats. Slicing, broadcasting, item
assignment, `@`, elementwise functions, comparisons, `np.where`, `np.stack`, `np.cross`, `np.linalg.solve`, ... work
as on numbers, so an algorithm written for numbers is traced by calling it. Make arrays with `like=`
(`np.zeros((6, 6), like=q)`): they are float arrays for numbers and symbol arrays for symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.compiler.elementwise import UFUNCS
from floatbase.compiler.graph import Graph, current_graph
from floatbase.compiler.program import as_shape
from floatbase.compiler.scalar import Scalar
from floatbase.errors import ArgumentError, TraceError


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
        try:
            super().__setitem__(key, value)
        except IndexError as error:
            explain_index(error)
            raise

    def clip(self, min: Any = None, max: Any = None, out: Any = None, **settings: Any) -> Any:
        """Limit values to a range; see `np.clip`."""
        return apply_function(np.clip, (self, min, max), {"out": out} if out is not None else {})

    def __bool__(self) -> bool:
        if self.size == 1 and isinstance(self.item(), Scalar):
            return bool(self.item())
        return bool(self.view(np.ndarray))


def explain_index(error: IndexError) -> None:
    """Raise the error for an index that is a symbol or a condition on symbols, if it is about one."""
    if str(error).startswith(("arrays used as indices", "only integers")):
        raise TraceError(
            "an index must be whole numbers or truth values that are known while tracing; with symbols, "
            "np.where(x > 0, a, b) chooses between elements and floatbase.gather(table, index) reads a row of a table"
        ) from error


def symbols(name: str, shape: int | Sequence[int] = (), graph: Graph | None = None) -> SymbolArray:
    """New input symbols `name[0]`, `name[1]`, ... in an array of the given shape."""
    if not isinstance(name, str):
        raise ArgumentError(f"symbols: the name must be a string, got {name!r}")
    graph = graph or current_graph()
    shape = as_shape("symbols: the shape", shape)
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
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise TraceError(f"arrays of different shapes do not form an array: {error}") from None
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


def refuse_output(name: str, out: Any) -> None:
    """Expressions are not written into arrays of numbers."""
    if out is not None:
        raise ArgumentError(f"{name}: out is for calls with numbers; expressions are returned")


def apply_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], settings: dict[str, Any]) -> Any:
    """Apply a NumPy ufunc to symbols; the type of the result is `SymbolArray`, or `Scalar` for scalars alone."""
    if method in ("at", "reduceat"):
        raise TraceError(
            f"np.{ufunc.__name__}.{method} cannot be traced; assign the elements one after another, "
            "such as y[i] = y[i] + value"
        )
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
        function = UFUNCS.get(ufunc)
        if function is None or settings.keys() - {"axis", "keepdims", "initial", "casting", "order", "subok"}:
            known = ", ".join(sorted({name.__name__ for name in UFUNCS}))
            raise TraceError(f"np.{ufunc.__name__} cannot be traced; these can: matmul, {known}")
        for name in ("casting", "order", "subok"):
            settings.pop(name, None)
        if method == "reduce":
            result = _reduce(function, plain[0], **settings)
        else:
            named = {"dtype": object} if method == "__call__" else {}
            result = getattr(function, method)(*plain, **named, **settings)
    if out is not None:
        out[0][...] = result
        return out[0]
    if isinstance(result, np.ndarray):
        return result.view(SymbolArray)
    return as_symbols(result) if arrays else result


def _reduce(function: np.ufunc, array: np.ndarray, axis: Any = 0, **settings: Any) -> Any:
    """Along one axis after the other: NumPy does not know that our functions may be reordered."""
    axes = range(array.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    result: Any = array
    for place in sorted((place % max(array.ndim, 1) for place in axes), reverse=True):
        result = function.reduce(result, axis=place, **settings)
    return result


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
    try:
        result = np.ndarray.__array_function__(np.empty(0).view(SymbolArray), function, (SymbolArray,), args, kwargs)
    except TraceError:
        raise
    except (TypeError, AttributeError) as error:
        raise TraceError(f"np.{function.__name__} cannot be traced here: {error}") from error
    if result is NotImplemented:
        raise TraceError(f"np.{function.__name__} cannot be traced")
    if isinstance(result, np.ndarray) and result.dtype == object:
        return result.view(SymbolArray)
    return result
