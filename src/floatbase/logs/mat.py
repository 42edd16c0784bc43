"""Logs from MATLAB files, of version 5 to 7.3."""

from __future__ import annotations

import os
from pathlib import Path

from floatbase.errors import LogError
from floatbase.logs import mat5, mat73
from floatbase.logs.atomic import as_path
from floatbase.logs.columns import ColumnMap, Columns, TimeOrder, build, clock_of, source_names
from floatbase.logs.limits import STANDARD, Limits
from floatbase.logs.log import Log
from floatbase.logs.signals import MOST_COLUMNS, Array

HDF5 = b"\x89HDF\r\n\x1a\n"


def read_mat(
    path: object,
    columns: ColumnMap | None = None,
    *,
    time: str | None = None,
    time_unit: str = "",
    rate: float | None = None,
    time_order: TimeOrder = "raise",
    limits: Limits = STANDARD,
) -> Log:
    """A log from a MATLAB file: arrays with as many rows, or columns, as there are stamps.

    Arrays in structures are called `structure.field`. `columns` makes signals of them, as with `read_csv`; without it,
    all arrays of the clock's length become signals. What else the file holds is named in the metadata, as "left out".
    """
    path = as_path(path)
    found = _content(path, limits)
    arrays = {name: _flat(array) for name, array in found.arrays.items()}
    known = [name for name, array in arrays.items() if 0 < array.ndim <= 2 and array.size]
    if not known:
        raise LogError(f"{path}: it holds no arrays of numbers")
    left_out = {**found.left_out, **dict.fromkeys(found.texts, "text")}
    left_out |= {name: _shape_text(array) for name, array in arrays.items() if name not in known}

    wanted = [name for item in (columns or {}).values() for name in source_names(item)]
    for name in [time, *wanted] if time else wanted:
        if name in left_out:
            raise LogError(f"{path}: {name!r} is no array of numbers, but: {left_out[name]}")
    clock = clock_of(path, known, time, rate)
    if clock is not None:
        length = len(arrays[clock])
    else:
        first = source_names(next(iter(columns.values())))[0] if columns else known[0]
        length = max(arrays[first].shape) if first in arrays else 0
    if columns is None:
        for name in known:
            if length not in arrays[name].shape:
                left_out[name] = _shape_text(arrays[name])
        known = [name for name in known if name not in left_out]

    def get(name: str) -> Array:
        array = arrays[name]
        turned = array.ndim == 2 and len(array) != length and array.shape[1] == length
        if array.ndim == 2 and (array.shape[0] if turned else array.shape[1]) > MOST_COLUMNS:
            raise LogError(f"{path}: {name!r} has the shape {array.shape}; it cannot be a signal")
        return array.T if turned else array

    made = {name.replace(".", "/"): Columns((name,) if arrays[name].ndim == 2 else name) for name in known}
    return build(
        path,
        known,
        get,
        {name: item for name, item in made.items() if item.names != clock} if columns is None else columns,
        time=clock,
        time_unit=time_unit,
        rate=rate,
        time_order=time_order,
        metadata={"left out": left_out} if left_out else {},
    )


def _content(path: Path, limits: Limits) -> mat5.Content:
    try:
        with open(path, "rb") as file:
            start = file.read(1024)
            if HDF5 in (start[:8], start[512:520]):
                return mat73.read(path, limits)
            size = os.fstat(file.fileno()).st_size
            limits.require_memory(path, "it", size)
            file.seek(0)
            return mat5.read(path, file.read(size), limits)
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None


def _flat(array: Array) -> Array:
    """MATLAB's vectors have two dimensions."""
    return array.reshape(-1) if array.ndim == 2 and 1 in array.shape else array


def _shape_text(array: Array) -> str:
    return f"array of {' x '.join(map(str, array.shape))}"
