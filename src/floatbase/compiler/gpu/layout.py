"""What a call on a GPU needs to know of its arguments beside where they are; checked once for arrays of one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from floatbase.compiler.arrays import as_array_of, batch_shape, has_contiguous_rows, row_stride
from floatbase.compiler.artifact import Signature
from floatbase.compiler.gpu.libraries import ITEM_BYTES, Library, View, library_of
from floatbase.compiler.lowering.exchange import written_together
from floatbase.compiler.target import DType
from floatbase.errors import ArgumentError, GpuError, ShapeError

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    """The GPU, the batch axes, the bytes between rows of inputs, the shapes of outputs, and what memory is taken."""

    device: int
    batch: Shape
    rows: int
    dtype: DType
    strides: tuple[int, ...]
    outputs: tuple[Shape, ...]
    extents: tuple[tuple[int, int], ...]  # of the memory of inputs, in bytes from their first numbers
    sizes: tuple[int, ...]  # of outputs in bytes
    alignments: tuple[int, ...]  # bytes of which the address of each output must be a multiple


def common_library(signature: Signature, values: Sequence[Any]) -> Library:
    """The library that all arguments are of; Python's numbers may stand among them."""
    first = type(values[0])
    library = library_of(values[0])
    if library is not None:
        owns, same = library.owns, True
        for value in values:
            if type(value) is not first or not owns(value):
                same = False
                break
        if same:
            return library
    found: tuple[str, Library] | None = None
    for port, value in zip(signature.inputs, values, strict=True):
        library = library_of(value)
        if library is None:
            if type(value) in (int, float) and not port.shape:
                continue
            kind = "a NumPy array" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
            raise GpuError(
                f"{signature.name}: argument {port.name!r} is {kind}, which is not on the GPU where others are; "
                "copy it there first, or the others from there: nothing is moved between them unasked"
            )
        if found is not None and library is not found[1]:
            raise GpuError(
                f"{signature.name}: arguments {found[0]!r} and {port.name!r} are arrays of {found[1].name} and "
                f"{library.name}; all must be of one library"
            )
        found = found or (port.name, library)
    assert found is not None
    return found[1]


def common_device(signature: Signature, views: Sequence[View | None]) -> int:
    """The GPU that all arguments are on."""
    found: tuple[str, int] | None = None
    for port, view in zip(signature.inputs, views, strict=True):
        if view is None:
            continue
        if found is not None and view.device != found[1]:
            raise GpuError(
                f"{signature.name}: argument {found[0]!r} is on GPU {found[1]}, {port.name!r} on GPU {view.device}; "
                "all must be on one"
            )
        found = found or (port.name, view.device)
    assert found is not None
    return found[1]


def lay_out(signature: Signature, views: Sequence[View | None]) -> Layout:
    """The layout of a call; an error if arrays have other types, shapes or gaps than a kernel can read."""
    number = common_device(signature, views)
    dtype = _common_dtype(signature, views)
    arrays = [_stand_in(view, dtype) for view in views]
    batch = batch_shape(signature, arrays)
    strides = []
    for port, array in zip(signature.inputs, arrays, strict=True):
        stride = row_stride(array, batch, len(port.shape)) if has_contiguous_rows(array, len(port.shape)) else None
        if stride is None:
            raise ShapeError(
                f"{signature.name}: argument {port.name!r} of shape {array.shape} has strides of {array.strides} "
                "bytes; the numbers of a state must lie side by side, and states at equal distances: make a copy"
            )
        strides.append(stride)
    outputs = tuple(batch + port.shape for port in signature.outputs)
    sizes = tuple(prod(shape) * ITEM_BYTES[dtype] for shape in outputs)
    extents = tuple(map(_extent, views))
    alignments = tuple(written_together(ITEM_BYTES[dtype], port.size) for port in signature.outputs)
    return Layout(number, batch, prod(batch), dtype, tuple(strides), outputs, extents, sizes, alignments)


def _common_dtype(signature: Signature, views: Sequence[View | None]) -> DType:
    found: tuple[str, str] | None = None
    for port, view in zip(signature.inputs, views, strict=True):
        if view is None:
            continue
        if view.dtype not in ITEM_BYTES:
            raise ArgumentError(
                f"{signature.name}: argument {port.name!r} is of dtype {view.dtype}; on a GPU it must be float64 or "
                "float32"
            )
        if found is not None and view.dtype != found[1]:
            raise ArgumentError(
                f"{signature.name}: argument {found[0]!r} is of dtype {found[1]}, {port.name!r} of {view.dtype}; on a "
                "GPU all must be of one"
            )
        found = found or (port.name, view.dtype)
    assert found is not None
    return "float32" if found[1] == "float32" else "float64"


def _stand_in(view: View | None, dtype: DType) -> Any:
    """An array of NumPy's of the same shape and strides, whose numbers nobody reads."""
    if view is None:
        return as_array_of((), (), dtype)
    return as_array_of(view.shape, view.steps(), dtype)


def check_output(signature: Signature, name: str, view: View, shape: Shape, layout: Layout) -> None:
    """An error if results cannot be written to an array."""
    where = f"{signature.name}: out for {name!r}"
    if view.device != layout.device:
        raise GpuError(f"{where} is on GPU {view.device}, the arguments are on GPU {layout.device}; all must be on one")
    if view.shape != shape:
        raise ShapeError(f"{where} has shape {view.shape}; it must be {shape}")
    if view.dtype != layout.dtype:
        raise ArgumentError(f"{where} has dtype {view.dtype}; it must be {layout.dtype}")
    if view.strides is not None and 0 not in shape and view.steps() != View(0, shape, None, view.dtype, 0).steps():
        raise ShapeError(f"{where} has strides of {view.strides} bytes; on a GPU it must be contiguous")


def check_apart(signature: Signature, layout: Layout, inputs: Sequence[View | None], outputs: Sequence[View]) -> None:
    """An error if memory that is written to is read too, or written to twice, or begins at an odd place."""
    spans = [
        (f"argument {port.name!r}", view.pointer + near, view.pointer + far)
        for port, view, (near, far) in zip(signature.inputs, inputs, layout.extents, strict=True)
        if view is not None and near != far
    ]
    for port, view, size, step in zip(signature.outputs, outputs, layout.sizes, layout.alignments, strict=True):
        first, last = view.pointer, view.pointer + size
        if first % step:
            raise ArgumentError(
                f"{signature.name}: out for {port.name!r} begins at the address {first:#x}; on a GPU it must be a "
                f"multiple of {step} bytes: give an array that has memory of its own"
            )
        for name, begin, end in spans:
            if first < end and begin < last:
                raise ArgumentError(
                    f"{signature.name}: out for {port.name!r} shares memory with {name}; on a GPU it needs its own"
                )
        spans.append((f"out for {port.name!r}", first, last))


def check_inputs(signature: Signature, layout: Layout, inputs: Sequence[View | None]) -> None:
    """An error if an argument begins between two numbers, which a GPU cannot read."""
    item = ITEM_BYTES[layout.dtype]
    for port, view in zip(signature.inputs, inputs, strict=True):
        if view is not None and view.pointer % item:
            raise ArgumentError(
                f"{signature.name}: argument {port.name!r} begins at the address {view.pointer:#x}; on a GPU it must "
                f"be a multiple of {item} bytes: make a copy"
            )


def _extent(view: View | None) -> tuple[int, int]:
    """Where an array's memory begins and ends, in bytes from its first number."""
    if view is None or 0 in view.shape:
        return 0, 0
    reach = [(extent - 1) * step for extent, step in zip(view.shape, view.steps(), strict=True)]
    return sum(min(step, 0) for step in reach), sum(max(step, 0) for step in reach) + ITEM_BYTES[view.dtype]
