"""MATLAB files of version 7.3, which are HDF5 files, read with bounds.

Links that lead out of the file, data kept in other files, and virtual data are refused; soft links are not followed.
Chunks are read as they are stored and unpacked here (zlib, byte shuffle, checksum), since HDF5 itself would unpack as
much as a stream holds; other filters, which could load libraries, are refused. Arrays of MATLAB come column by column,
so axes are in reverse order in the file.

Texts, cells, sparse arrays, structure arrays and objects are left out, and named.
"""

from __future__ import annotations

import math
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from floatbase.errors import LogError, missing_dependency
from floatbase.logs.limits import Limits
from floatbase.logs.mat5 import Content
from floatbase.logs.signals import Array

_DEFLATE, _SHUFFLE, _CHECKSUM = 1, 2, 3
_DEPTH, _ENTRIES = 12, 20_000
_NUMBERS = {"double", "single", "logical"} | {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def read(path: Path, limits: Limits) -> Content:
    """What a file holds."""
    try:
        import h5py
    except ImportError:
        raise missing_dependency("h5py", "logs", "reading MATLAB files of version 7.3") from None
    reader = _Reader(path, limits, h5py)
    try:
        with h5py.File(path, "r", locking=False) as file:
            reader.group(file, "", 0)
    except LogError:
        raise
    except (OSError, RuntimeError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise LogError(f"{path}: cannot be read as a MATLAB file of version 7.3: {str(error)[:300]}") from None
    return reader.content


class _Reader:
    def __init__(self, path: Path, limits: Limits, h5py: Any) -> None:
        self.path, self.limits, self.h5py = path, limits, h5py
        self.size = path.stat().st_size
        self.budget = limits.memory
        self.entries = 0
        self.content = Content()

    def wrong(self, text: str) -> LogError:
        return LogError(f"{self.path}: {text}")

    def group(self, group: Any, prefix: str, depth: int) -> None:
        if depth > _DEPTH:
            raise self.wrong(f"its structures are nested in more than {_DEPTH} levels")
        for key in group:
            name = f"{prefix}{key}"
            self.entries += 1
            if self.entries > _ENTRIES:
                raise self.wrong(f"it holds more than {_ENTRIES} arrays")
            link = group.get(key, getlink=True)
            if isinstance(link, self.h5py.ExternalLink):
                raise self.wrong(f"{name!r} leads to another file, which is not followed")
            if isinstance(link, self.h5py.SoftLink):
                self.content.left_out[name] = "link"
                continue
            if key.startswith("#"):  # what cells refer to
                continue
            item = group[key]
            if isinstance(item, self.h5py.Group):
                if "MATLAB_sparse" in item.attrs:
                    self.content.left_out[name] = "sparse array"
                else:
                    self.group(item, f"{name}.", depth + 1)
            elif isinstance(item, self.h5py.Dataset):
                self.dataset(item, name)
            else:
                self.content.left_out[name] = type(item).__name__

    def dataset(self, item: Any, name: str) -> None:
        kind = self.matlab_class(item)
        properties = item.id.get_create_plist()
        if properties.get_external_count() or item.is_virtual:
            raise self.wrong(f"{name!r} keeps its numbers in other files, which are not read")
        numeric = item.dtype.kind in "fiub" and item.dtype.itemsize <= 8 and item.dtype.fields is None
        if kind not in _NUMBERS | {""} or not numeric or item.shape is None:
            self.content.left_out[name] = {"char": "text"}.get(kind, kind or str(item.dtype))
            return
        if "MATLAB_empty" in item.attrs:
            self.content.arrays[name] = np.empty((0, 0))
            return
        if item.ndim == 0:
            self.content.left_out[name] = "single number"
            return
        self.take(math.prod(item.shape) * item.dtype.itemsize)
        if item.chunks is None:
            if math.prod(item.shape) * item.dtype.itemsize > self.size:
                raise self.wrong(f"{name!r} tells the dimensions {item.shape}, for which the file is too small")
            array = np.asarray(item[...])
        else:
            array = self.chunks(item, name, properties)
        self.content.arrays[name] = (array.astype(bool) if kind == "logical" else array).T

    def matlab_class(self, item: Any) -> str:
        if "MATLAB_class" not in item.attrs:
            return ""
        attribute = item.attrs.get_id("MATLAB_class")
        if math.prod(attribute.shape or ()) > 1 or attribute.dtype.itemsize > 256:
            raise self.wrong("the class of an array is damaged")
        value = item.attrs["MATLAB_class"]
        return value.decode("latin-1") if isinstance(value, bytes) else str(value)

    def take(self, count: int) -> None:
        self.budget -= count
        if self.budget < 0:
            self.limits.require_memory(self.path, "its arrays", self.limits.memory - self.budget)

    def chunks(self, item: Any, name: str, properties: Any) -> Array:
        """An array, chunk by chunk."""
        filters = [properties.get_filter(k)[0] for k in range(properties.get_nfilters())]
        unknown = set(filters) - {_DEFLATE, _SHUFFLE, _CHECKSUM}
        if unknown:
            raise self.wrong(f"{name!r} is packed by the filter {min(unknown)}, which is not read")
        size = math.prod(item.chunks) * item.dtype.itemsize
        self.limits.require_memory(self.path, f"a chunk of {name!r}", size)
        array = np.zeros(item.shape, item.dtype)
        for k in range(item.id.get_num_chunks()):
            place = item.id.get_chunk_info(k)
            if place.size > self.size:
                raise self.wrong(f"a chunk of {name!r} tells {place.size} bytes, more than the file has")
            mask, raw = item.id.read_direct_chunk(place.chunk_offset)
            block = np.frombuffer(self.unpack(raw, filters, mask, size, item.dtype.itemsize, name), item.dtype)
            inside = tuple(
                slice(start, min(start + step, whole))
                for start, step, whole in zip(place.chunk_offset, item.chunks, item.shape, strict=True)
            )
            kept = tuple(slice(0, max(0, part.stop - part.start)) for part in inside)
            array[inside] = block.reshape(item.chunks)[kept]
        return array

    def unpack(self, raw: bytes, filters: list[int], mask: int, size: int, width: int, name: str) -> bytes:
        for k, kind in reversed(list(enumerate(filters))):
            if mask >> k & 1:  # this chunk was stored without the filter
                continue
            if kind == _CHECKSUM:
                raw = raw[:-4]
            elif kind == _DEFLATE:
                try:
                    raw = zlib.decompressobj().decompress(raw, size + 4)
                except zlib.error as error:
                    raise self.wrong(f"a chunk of {name!r} is damaged: {error}") from None
            elif len(raw) % width == 0:
                raw = np.frombuffer(raw, np.uint8).reshape(width, -1).T.tobytes()
        if len(raw) != size:
            raise self.wrong(f"a chunk of {name!r} unpacks to another size than the {size} bytes it should have")
        return raw
