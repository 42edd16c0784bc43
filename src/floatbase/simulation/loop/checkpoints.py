"""States in files: a heading in JSON and the bytes of arrays, nothing that could be run.

A file has a magic number, the length of the heading and its checksum (CRC-32), the heading, and the arrays one after
the other in little-endian order. The heading tells places, types and shapes of the arrays, and the checksum of all
their bytes; sizes are compared with that of the file before anything is read. Files are written beside their place and
moved there, so that one is whole whenever its process ends.

A state is told by another one of the same structure: named tuples, tuples, dictionaries, arrays, whole and fractional
numbers, truth values and None. Where the pattern has None, the file may have an array.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, LogError, name_hint

MAGIC = b"FBSTATE\x01"
LARGEST_HEADING, LARGEST_FILE = 1 << 24, 1 << 32
_START = struct.Struct("<8sII")
_TYPES = ("<f8", "<f4", "<i8", "<i4", "<u8", "<u4", "|b1", "|i1", "|u1", "<i2", "<u2")


def save_state(path: Path, state: Any, about: Mapping[str, Any]) -> None:
    """Write a state, and what else is to be known of it, in place of what is there."""
    leaves = {name: np.asarray(value) for name, value in _leaves(state, "state") if value is not None}
    arrays = {}
    for name, array in leaves.items():
        if array.dtype.kind not in "fiub":
            raise ArgumentError(f"{name} is {array.dtype}; states that are stored are made of numbers")
        arrays[name] = np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")
    data = b"".join(array.tobytes() for array in arrays.values())
    listed = [[name, array.dtype.str, list(array.shape)] for name, array in arrays.items()]
    heading = json.dumps({"about": dict(about), "arrays": listed, "crc": zlib.crc32(data)}).encode()
    part = path.with_name(f".{path.name}.part")
    with open(part, "wb") as file:
        file.write(_START.pack(MAGIC, len(heading), zlib.crc32(heading)) + heading + data)
    os.replace(part, path)


def load_state(path: Path, pattern: Any, about: Mapping[str, Any]) -> Any:
    """Read a state of the structure of `pattern`; what else is told of it must be as in `about`."""
    heading, data = _read(path)
    told = heading.get("about")
    if not isinstance(told, dict):
        raise LogError(f"{path}: it does not say which run it is of")
    for name, value in about.items():
        if told.get(name) != value:
            raise ArgumentError(f"{path} is of another run: its {name} is {told.get(name)!r}, and not {value!r}")
    arrays = _arrays(path, heading, data)
    known = dict(_leaves(pattern, "state"))
    for name in arrays:
        if name not in known:
            raise ArgumentError(f"{path} has {name!r}, which this loop has not; {name_hint(name, known)}")
    return _rebuilt(path, pattern, "state", arrays)


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            start = file.read(_START.size)
            if len(start) < _START.size or not start.startswith(MAGIC):
                raise LogError(f"{path}: it is no state of this version")
            _, length, checksum = _START.unpack(start)
            if length > min(LARGEST_HEADING, size) or size > LARGEST_FILE:
                raise LogError(f"{path}: it tells sizes that it has not")
            text = file.read(length)
            if zlib.crc32(text) != checksum:
                raise LogError(f"{path}: its heading is damaged")
            return _mapping(path, json.loads(text)), file.read()
    except OSError as error:
        raise LogError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        if isinstance(error, LogError):
            raise
        raise LogError(f"{path}: its heading is no JSON: {error}") from None


def _mapping(path: Path, heading: Any) -> dict[str, Any]:
    if not isinstance(heading, dict):
        raise LogError(f"{path}: its heading is {type(heading).__name__}; it must be an object")
    return heading


def _arrays(path: Path, heading: dict[str, Any], data: bytes) -> dict[str, Any]:
    if zlib.crc32(data) != heading.get("crc"):
        raise LogError(f"{path}: its arrays are damaged")
    found, place = {}, 0
    listed = heading.get("arrays")
    for item in listed if isinstance(listed, list) else ():
        whole = isinstance(item, list) and len(item) == 3 and isinstance(item[0], str) and isinstance(item[2], list)
        if not whole or item[1] not in _TYPES or not all(type(n) is int and 0 <= n < LARGEST_FILE for n in item[2]):
            raise LogError(f"{path}: it tells of an array {item!r}, which is none")
        name, dtype, shape = item[0], np.dtype(item[1]), tuple(item[2])
        count = 1
        for n in shape:
            count *= n
        if count * dtype.itemsize > len(data) - place:
            raise LogError(f"{path}: {name!r} is larger than the file")
        array = np.frombuffer(data, dtype, count, place).reshape(shape)
        found[name] = array.astype(dtype.newbyteorder("="), copy=True)
        place += count * dtype.itemsize
    if place != len(data):
        raise LogError(f"{path}: it has {len(data) - place} bytes more than it tells")
    return found


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{name}/{key}")
    elif isinstance(value, tuple):
        fields = getattr(value, "_fields", range(len(value)))
        for key, item in zip(fields, value, strict=True):
            yield from _leaves(item, f"{name}/{key}")
    elif value is None or isinstance(value, np.ndarray | np.generic | bool | int | float):
        yield name, value
    else:
        raise ArgumentError(
            f"{name} is {type(value).__name__}; states that are stored are made of arrays, numbers, None, tuples and "
            "dictionaries"
        )


def _rebuilt(path: Path, pattern: Any, name: str, arrays: dict[str, Any]) -> Any:
    if isinstance(pattern, Mapping):
        return {key: _rebuilt(path, item, f"{name}/{key}", arrays) for key, item in pattern.items()}
    if isinstance(pattern, tuple):
        fields = getattr(pattern, "_fields", range(len(pattern)))
        items = [_rebuilt(path, item, f"{name}/{key}", arrays) for key, item in zip(fields, pattern, strict=True)]
        return type(pattern)._make(items) if hasattr(pattern, "_make") else tuple(items)
    found = arrays.get(name)
    if pattern is None or found is None:
        if pattern is not None:
            raise ArgumentError(f"{path} has no {name!r}, which this loop has")
        return found
    like = np.asarray(pattern)
    if found.shape != like.shape or found.dtype != like.dtype:
        raise ArgumentError(f"{path}: {name!r} is {found.dtype} {found.shape}; it must be {like.dtype} {like.shape}")
    return found if isinstance(pattern, np.ndarray) else type(pattern)(found[()])
