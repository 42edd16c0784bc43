"""From whatever a caller passes to rows in memory that a kernel can read and write.

An argument of a port of shape `s` has shape `(*batch, *s)`; the batch axes of all arguments broadcast against each
other. A kernel sees each as an address and a number of bytes between rows, 0 if all rows share it: arrays are copied
only where their rows are not contiguous, or do not follow one another at equal distances.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.compiler.artifact import Signature
from floatbase.compiler.program import Port
from floatbase.compiler.recycling import empty
from floatbase.compiler.target import DType
from floatbase.errors import ArgumentError, ShapeError

AnyArray = npt.NDArray[Any]
Shape = tuple[int, ...]

_NUMBERS = "fiub"


@dataclass(frozen=True, eq=False)
class Rows:
    """An array as a kernel sees it."""

    array: AnyArray
    address: int
    stride: int


def order_arguments(signature: Signature, values: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """The arguments in the order of the inputs; those passed by name go to their places."""
    if len(values) == len(signature.inputs) and not named:
        return list(values)
    names = [port.name for port in signature.inputs]
    usage = f"{signature.name}({', '.join(names)})"
    if len(values) > len(names):
        raise ArgumentError(f"{usage} takes {len(names)} arguments, got {len(values)}")
    given = dict(zip(names, values, strict=False))
    for name, value in named.items():
        if name not in names:
            raise ArgumentError(f"{usage} has no argument {name!r}")
        if name in given:
            raise ArgumentError(f"{usage} got argument {name!r} twice")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise ArgumentError(f"{usage} takes {len(names)} arguments, got {len(given)}: missing {', '.join(missing)}")
    return [given[name] for name in names]


def convert(signature: Signature, values: Sequence[Any]) -> tuple[DType, list[AnyArray]]:
    """Arrays of the type to compute in: float32 if every array is float32, else float64.

    Python numbers and lists take the type of the arrays beside them.
    """
    arrays = []
    kinds = set()
    for port, value in zip(signature.inputs, values, strict=True):
        array = _as_array(signature, port, value)
        arrays.append(array)
        if not isinstance(value, (int, float, list, tuple)) or isinstance(value, np.generic):
            kinds.add(array.dtype.type)
    dtype: DType = "float32" if kinds == {np.float32} else "float64"
    with np.errstate(over="ignore"):  # becomes infinite, which is reported as such
        return dtype, [np.asarray(array, dtype) for array in arrays]


def _as_array(signature: Signature, port: Port, value: Any) -> AnyArray:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise ArgumentError(
            f"{signature.name}: argument {port.name!r} is not an array of numbers ({error}); "
            f"it must be of shape {_wanted(port)}"
        ) from None
    if _is_masked(value):
        raise ArgumentError(f"{signature.name}: argument {port.name!r} has masked elements; every number is needed")
    if array.dtype.kind not in _NUMBERS:
        raise ArgumentError(
            f"{signature.name}: argument {port.name!r} is {_described(value, array)}; "
            f"it must be an array of real numbers of shape {_wanted(port)}"
        )
    return array


def _is_masked(value: Any) -> bool:
    """Whether elements of a masked array are missing; NumPy loads what knows about them when one is made."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(value, masked.MaskedArray) and masked.is_masked(value)


def _described(value: Any, array: AnyArray) -> str:
    return f"of dtype {array.dtype}" if array.dtype != object or array.ndim else f"a {type(value).__name__}"


def _wanted(port: Port) -> str:
    inner = ", ".join(str(extent) for extent in port.shape)
    return f"(..., {inner})" if inner else "(...)"


def batch_shape(signature: Signature, arrays: Sequence[AnyArray]) -> Shape:
    """The batch axes of all arguments, broadcast."""
    batches = []
    for port, array in zip(signature.inputs, arrays, strict=True):
        axes = array.ndim - len(port.shape)
        if axes < 0 or array.shape[axes:] != port.shape:
            one = f" or {port.shape} for one state" if port.shape else ""
            raise ShapeError(
                f"{signature.name}: argument {port.name!r} has shape {array.shape}; "
                f"it must be {_wanted(port)}, with batch axes before{one}"
            )
        batches.append(array.shape[:axes])
    first = batches[0] if batches else ()
    if all(batch == first for batch in batches):
        return first
    try:
        return np.broadcast_shapes(*batches)
    except ValueError:
        shapes = ", ".join(
            f"{port.name} {batch}" for port, batch in zip(signature.inputs, batches, strict=True) if batch
        )
        raise ShapeError(f"{signature.name}: the batch axes do not broadcast against each other: {shapes}") from None


def as_rows(array: AnyArray, batch: Shape, shape: Shape) -> Rows:
    """An argument's rows, copied if they are not regular."""
    if not has_contiguous_rows(array, len(shape)):
        array = array.copy(order="C")
    stride = row_stride(array, batch, len(shape))
    if stride is None:
        array = np.broadcast_to(array, batch + shape).copy(order="C")
        stride = prod(shape) * array.itemsize
    return Rows(array, array.ctypes.data, stride)


def as_array_of(shape: Shape, strides: Shape, dtype: DType) -> AnyArray:
    """An array of a shape and strides in bytes that stands for one somewhere else: its numbers must not be read."""
    return np.lib.stride_tricks.as_strided(np.empty(1, dtype), shape, strides)


def has_contiguous_rows(array: AnyArray, axes: int) -> bool:
    """Whether the elements of the last axes lie side by side in order."""
    flags = array.flags
    if not flags.aligned:
        return False
    if flags.c_contiguous:
        return True
    expected = array.itemsize
    for extent, stride in zip(reversed(array.shape[array.ndim - axes :]), reversed(array.strides), strict=False):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True


def row_stride(array: AnyArray, batch: Shape, axes: int) -> int | None:
    """Bytes from one row to the next if that is the same throughout the batch, else None."""
    stride = None
    passed = 1  # rows spanned by the axes looked at
    own = array.ndim - axes
    for position in range(1, len(batch) + 1):
        extent = batch[-position]
        if extent == 1:
            continue
        shared = position > own or array.shape[own - position] == 1
        step = 0 if shared else array.strides[own - position]
        if stride is None:
            stride = step
        elif step != stride * passed:
            return None
        passed *= extent
    return stride or 0


def prepare_outputs(
    signature: Signature, out: Any, batch: Shape, dtype: DType, packs: bool, inputs: Sequence[Rows]
) -> tuple[list[AnyArray], list[Rows]]:
    """Arrays for the results, and the rows to write: others where an array given cannot be written directly."""
    outputs = signature.outputs
    if out is None:
        arrays: list[AnyArray] = [empty(batch + port.shape, dtype) for port in outputs]
        return arrays, [as_rows(array, batch, port.shape) for array, port in zip(arrays, outputs, strict=True)]
    if packs and (not isinstance(out, tuple) or len(out) != len(outputs)):
        names = ", ".join(port.name for port in outputs)
        raise ArgumentError(
            f"{signature.name}: out must be a tuple of {len(outputs)} arrays ({names}), got {_summary(out)}"
        )
    arrays = list(out) if packs else [out]
    rows: list[Rows] = []
    for port, array in zip(outputs, arrays, strict=True):
        _check_output(signature, port, array, batch + port.shape, dtype)
        _check_apart(signature, port, array, arrays[: len(rows)])
        used = [item.array for item in (*inputs, *rows)]
        rows.append(_writable_rows(array, batch, port.shape, used))
    return arrays, rows


def _check_output(signature: Signature, port: Port, array: Any, shape: Shape, dtype: DType) -> None:
    where = f"{signature.name}: out for {port.name!r}"
    if not isinstance(array, np.ndarray):
        raise ArgumentError(f"{where} must be a NumPy array of shape {shape} and dtype {dtype}, got {_summary(array)}")
    if array.shape != shape:
        raise ShapeError(f"{where} has shape {array.shape}; it must be {shape}")
    if array.dtype != np.dtype(dtype):
        raise ArgumentError(f"{where} has dtype {array.dtype}; it must be {dtype}")
    if not array.flags.writeable:
        raise ArgumentError(f"{where} is read-only; it must be writeable")


def _check_apart(signature: Signature, port: Port, array: AnyArray, earlier: Sequence[AnyArray]) -> None:
    """Raise `ArgumentError` if results in the array would overwrite one another, or those of earlier outputs."""
    where = f"{signature.name}: out for {port.name!r}"
    span = array.itemsize
    for stride, extent in sorted((abs(step), count) for step, count in zip(array.strides, array.shape, strict=True)):
        if extent > 1:
            if stride < span and array.size:
                raise ArgumentError(f"{where} has elements that share memory; every element needs its own")
            span += stride * (extent - 1)
    if any(np.shares_memory(array, other) for other in earlier):
        raise ArgumentError(f"{where} shares memory with another output; every output needs its own")


def _summary(value: Any) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else f"a {type(value).__name__}"


def _writable_rows(array: AnyArray, batch: Shape, shape: Shape, used: Sequence[AnyArray]) -> Rows:
    if has_contiguous_rows(array, len(shape)) and not any(np.may_share_memory(array, other) for other in used):
        stride = row_stride(array, batch, len(shape))
        width = prod(shape) * array.itemsize
        if stride is not None and (abs(stride) >= width or prod(batch) == 1):
            return Rows(array, array.ctypes.data, stride)
    return as_rows(np.empty(batch + shape, array.dtype), batch, shape)
