"""NumPy functions, other than elementwise ones, that need a version of their own for symbols."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from floatbase.compiler import dense
from floatbase.compiler.scalar import select
from floatbase.compiler.symbol_arrays import SymbolArray, as_symbols
from floatbase.errors import TraceError

_select = np.frompyfunc(select, 3, 1)


def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise TraceError("np.where with a condition alone needs to know its truth; give both values")
    parts = [as_symbols(value).view(np.ndarray) for value in (condition, *choices)]
    return as_symbols(_select(*parts, dtype=object))


def _chosen(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0.0) -> Any:
    """Where several conditions hold, the first counts."""
    if len(condlist) != len(choicelist) or not len(condlist):
        raise TraceError(f"np.select takes as many choices as conditions, got {len(choicelist)} and {len(condlist)}")
    result = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        result = _where(condition, choice, result)
    return result


def _numbers_for_nan(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    """In single precision the largest number of double precision, which stands for infinity, is infinity again."""
    if not copy:
        raise TraceError("np.nan_to_num of symbols does not change an array in place; assign its result instead")
    largest = np.finfo(np.float64).max
    result = np.where(x == np.inf, largest if posinf is None else posinf, x)
    result = np.where(x == -np.inf, -largest if neginf is None else neginf, result)
    return np.where(np.isnan(x), nan, result)


def _rounded(a: Any, decimals: int = 0, out: Any = None) -> Any:
    if out is not None:
        raise TraceError("np.round of symbols does not write into an array; assign its result instead")
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        return np.rint(as_symbols(a) / scale) * scale
    return np.rint(as_symbols(a) * scale) / scale


def _filled(value: float) -> Callable[..., SymbolArray]:
    def make(shape: Any, *settings: Any, **named: Any) -> SymbolArray:
        del settings, named
        return np.full(shape, value, dtype=object).view(SymbolArray)

    return make


def _filled_like(value: float | None) -> Callable[..., SymbolArray]:
    def make(
        prototype: Any, fill: Any = value, dtype: Any = None, order: Any = "C", subok: bool = True, shape: Any = None
    ) -> SymbolArray:
        del dtype, order, subok
        result = np.empty(np.shape(prototype) if shape is None else shape, dtype=object)
        result[...] = fill if fill is not None else 0.0
        return result.view(SymbolArray)

    return make


def _full(shape: Any, fill_value: Any, *settings: Any, **named: Any) -> SymbolArray:
    del settings, named
    result = np.empty(shape, dtype=object)
    result[...] = fill_value
    return result.view(SymbolArray)


def _eye(N: int, M: int | None = None, k: int = 0, **settings: Any) -> SymbolArray:
    del settings
    return as_symbols(np.eye(N, M, k))


def _array(value: Any, dtype: Any = None, **settings: Any) -> SymbolArray:
    del dtype, settings
    return as_symbols(np.array(_nested(value), dtype=object))


def _nested(value: Any) -> Any:
    """Lists of symbols, numbers and small arrays, with zero-dimensional arrays unwrapped."""
    if isinstance(value, list | tuple):
        return [_nested(item) for item in value]
    if isinstance(value, np.ndarray):
        return value.item() if value.ndim == 0 else as_symbols(value).view(np.ndarray).tolist()
    return float(value) if isinstance(value, np.integer | np.floating) else value


def _joined(function: Callable[..., Any]) -> Callable[..., SymbolArray]:
    def join(arrays: Sequence[Any], *args: Any, **kwargs: Any) -> SymbolArray:
        kwargs.pop("dtype", None)
        kwargs.pop("casting", None)
        plain = [as_symbols(array).view(np.ndarray) for array in arrays]
        return as_symbols(function(plain, *args, **kwargs))

    return join


def _block(arrays: Any) -> SymbolArray:
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(item) for item in value]
        return as_symbols(value).view(np.ndarray)

    return as_symbols(np.block(plain(arrays)))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or (ord == 2 and axis is None and np.ndim(x) > 1):
        raise TraceError(f"np.linalg.norm with ord={ord!r} cannot be traced; only the Euclidean norm of vectors can")
    return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    del out
    return a * b if np.ndim(a) == 0 or np.ndim(b) == 0 else as_symbols(a) @ as_symbols(b)


def _inner(a: Any, b: Any) -> Any:
    """Of vectors; symbols are real, so that `vdot` is the same."""
    if np.ndim(a) != 1 or np.ndim(b) != 1:
        raise TraceError(f"np.inner and np.vdot of symbols take vectors, got shapes {np.shape(a)} and {np.shape(b)}")
    return as_symbols(a) @ as_symbols(b)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, **limits: Any) -> Any:
    if limits.get("out") is not None:
        raise TraceError("np.clip of symbols does not write into an array; assign its result instead")
    lower = limits.get("min", a_min)
    upper = limits.get("max", a_max)
    result = a if lower is None else np.maximum(a, lower)
    return result if upper is None else np.minimum(result, upper)


def _einsum(subscripts: str, *operands: Any, **settings: Any) -> SymbolArray:
    """By explicit loops over the named axes; sums skip structural zeros."""
    del settings
    if not isinstance(subscripts, str) or "..." in subscripts:
        raise TraceError(f"np.einsum of symbols needs subscripts such as 'ij,j->i', got {subscripts!r}")
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if not arrow:  # the letters that appear once, in alphabetical order
        right = "".join(sorted(letter for letter in set(left) - {","} if left.count(letter) == 1))
    names = left.split(",")
    arrays = [as_symbols(operand).view(np.ndarray) for operand in operands]
    sizes: dict[str, int] = {}
    for name, array in zip(names, arrays, strict=True):
        for letter, size in zip(name, array.shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                raise TraceError(f"np.einsum {subscripts!r}: sizes {sizes[letter]} and {size} for {letter!r}")
    inner = [letter for letter in sizes if letter not in right]
    result = np.empty([sizes[letter] for letter in right], dtype=object)
    for index in np.ndindex(*result.shape):
        place = dict(zip(right, index, strict=True))
        total: Any = 0.0
        for summed in np.ndindex(*[sizes[letter] for letter in inner]):
            place.update(zip(inner, summed, strict=True))
            term: Any = 1.0
            for name, array in zip(names, arrays, strict=True):
                term = term * array[tuple(place[letter] for letter in name)]
            total = total + term
        result[index] = total
    return as_symbols(result)


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.select: _chosen,
    np.nan_to_num: _numbers_for_nan,
    np.round: _rounded,
    np.around: _rounded,
    np.zeros: _filled(0.0),
    np.ones: _filled(1.0),
    np.empty: _filled(0.0),
    np.full: _full,
    np.zeros_like: _filled_like(0.0),
    np.ones_like: _filled_like(1.0),
    np.empty_like: _filled_like(0.0),
    np.full_like: _filled_like(None),
    np.eye: _eye,
    np.identity: _eye,
    np.array: _array,
    np.asarray: _array,
    np.stack: _joined(np.stack),
    np.concatenate: _joined(np.concatenate),
    np.vstack: _joined(np.vstack),
    np.hstack: _joined(np.hstack),
    np.block: _block,
    np.dot: _dot,
    np.inner: _inner,
    np.vdot: _inner,
    np.clip: _clip,
    np.einsum: _einsum,
    np.linalg.norm: _norm,
    np.linalg.solve: dense.solve,
    np.linalg.inv: dense.inverse,
    np.linalg.cholesky: dense.cholesky,
}
