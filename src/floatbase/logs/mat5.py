"""MATLAB files of version 5 to 7: numbers, text and structures, read without running anything.

After 128 bytes of header come elements: a type and a size, 4 bytes each (or 2 bytes each in one word, with up to 4
bytes of data), then the data, padded to 8 bytes. An array is an element of elements: its flags with its class, its
dimensions, its name, its numbers column by column, stored in any type that holds them. Compressed elements are zlib
streams. What is unpacked, the sizes that elements tell, and the depth of structures are bounded; elements have to lie
inside those they are part of, and arrays have to have as many numbers as their dimensions tell.

Cells, sparse arrays, objects and functions are left out, and named.

The MathWorks, "MAT-File Format", 2024.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from floatbase.errors import LogError
from floatbase.logs.limits import Limits
from floatbase.logs.signals import Array

HEADER = 128
_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
_MATRIX, _COMPRESSED = 14, 15
_TEXT = {1: "latin-1", 2: "latin-1", 4: "utf-16", 16: "utf-8", 17: "utf-16", 18: "utf-32"}
_CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
_NAMED = {1: "cell", 3: "object", 5: "sparse array", 16: "function", 17: "object"}
_STRUCTURE, _CHARACTERS = 2, 4
_DEPTH, _ENTRIES = 12, 20_000


@dataclass
class Content:
    """What a file holds: arrays and texts by name, those in structures as `structure.field`; and what was left out."""

    arrays: dict[str, Array] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def read(path: Path, data: bytes, limits: Limits) -> Content:
    """What the bytes of a file hold."""
    return _Reader(path, data, limits).read()


class _Reader:
    def __init__(self, path: Path, data: bytes, limits: Limits) -> None:
        self.path, self.data, self.limits = path, data, limits
        self.budget = limits.memory
        self.entries = 0
        self.content = Content()
        mark = data[126:128]
        if len(data) < HEADER or mark not in (b"IM", b"MI"):
            raise self.wrong("it is no MATLAB file of version 5 to 7")
        self.order = "<" if mark == b"IM" else ">"
        version = struct.unpack(self.order + "H", data[124:126])[0]
        if version != 0x0100:
            raise self.wrong(f"its version is {version:#06x}, where 0x0100 is read")

    def wrong(self, text: str) -> LogError:
        return LogError(f"{self.path}: {text}")

    def read(self) -> Content:
        view = memoryview(self.data)
        for kind, part in self.elements(view[HEADER:]):
            if kind == _COMPRESSED:
                for inner, content in self.elements(memoryview(self.unpack(part))):
                    self.top(inner, content)
            else:
                self.top(kind, part)
        return self.content

    def top(self, kind: int, part: memoryview) -> None:
        if kind == _MATRIX:
            self.matrix(part, "", 0)

    def elements(self, view: memoryview) -> Iterator[tuple[int, memoryview]]:
        """Types and data of the elements in some bytes."""
        place = 0
        while place < len(view):
            if place + 8 > len(view):
                if not any(view[place:]):
                    return
                raise self.wrong("an element is cut off")
            kind, size = struct.unpack_from(self.order + "II", view, place)
            if kind >> 16:  # small: size and type in one word, then the data
                kind, size = kind & 0xFFFF, kind >> 16
                if size > 4:
                    raise self.wrong(f"a small element tells {size} bytes, where at most 4 fit")
                yield kind, view[place + 4 : place + 4 + size]
                place += 8
                continue
            place += 8
            if size > len(view) - place:
                raise self.wrong(f"an element tells {size} bytes, but {len(view) - place} are left")
            yield kind, view[place : place + size]
            place += size if kind == _COMPRESSED else (size + 7) // 8 * 8

    def unpack(self, part: memoryview) -> bytes:
        unpacker = zlib.decompressobj()
        try:
            found = unpacker.decompress(part, self.budget + 1)
        except zlib.error as error:
            raise self.wrong(f"a compressed element is damaged: {error}") from None
        if len(found) > self.budget:
            self.limits.require_memory(self.path, "unpacking it", self.limits.memory + 1)
        if not unpacker.eof:
            raise self.wrong("a compressed element is cut off")
        self.budget -= len(found)
        return found

    def matrix(self, view: memoryview, name: str, depth: int) -> None:
        """Keep an array by its name."""
        if not len(view):
            return
        if depth > _DEPTH:
            raise self.wrong(f"its structures are nested in more than {_DEPTH} levels")
        self.entries += 1
        if self.entries > _ENTRIES:
            raise self.wrong(f"it holds more than {_ENTRIES} arrays")
        parts = self.elements(view)
        kind, flags = self.next(parts, "flags")
        if kind != 6 or len(flags) != 8:
            raise self.wrong("the flags of an array are damaged")
        word = struct.unpack_from(self.order + "I", flags)[0]
        which, imaginary, logical = word & 0xFF, bool(word & 0x800), bool(word & 0x200)
        if which == 17:  # an object of MATLAB's own: no dimensions follow
            _, own = self.next(parts, "name")
            self.content.left_out[name or self.name(own)] = "object"
            return
        kind, sizes = self.next(parts, "dimensions")
        if kind != 5 or len(sizes) % 4 or not 8 <= len(sizes) <= 128:
            raise self.wrong("the dimensions of an array are damaged")
        shape = [int(size) for size in np.frombuffer(sizes, self.order + "i4")]
        if min(shape) < 0:
            raise self.wrong(f"an array has the dimensions {shape}")
        _, own = self.next(parts, "name")
        name = name or self.name(own) or "(no name)"
        if which in _CLASSES:
            if imaginary:
                self.content.left_out[name] = "complex numbers"
                return
            self.content.arrays[name] = self.numbers(parts, name, shape, "?" if logical else _CLASSES[which])
        elif which == _CHARACTERS:
            self.content.texts[name] = self.text(parts, name)
        elif which == _STRUCTURE:
            self.structure(parts, name, shape, depth)
        elif which in _NAMED:
            self.content.left_out[name] = _NAMED[which]
        else:
            raise self.wrong(f"array {name!r} has the unknown class {which}")

    def next(self, parts: Iterator[tuple[int, memoryview]], what: str) -> tuple[int, memoryview]:
        try:
            return next(parts)
        except StopIteration:
            raise self.wrong(f"an array has no {what}") from None

    def name(self, view: memoryview) -> str:
        text = bytes(view).rstrip(b"\0")
        if len(text) > 256:
            raise self.wrong("the name of an array has more than 256 characters")
        return text.decode("latin-1")

    def numbers(self, parts: Iterator[tuple[int, memoryview]], name: str, shape: list[int], dtype: str) -> Array:
        kind, view = self.next(parts, "numbers")
        count = math.prod(shape)
        if kind not in _TYPES:
            raise self.wrong(f"the numbers of {name!r} are of the unknown type {kind}")
        stored = np.dtype(self.order + _TYPES[kind])
        if len(view) != count * stored.itemsize:
            raise self.wrong(
                f"array {name!r} has {' x '.join(map(str, shape))} numbers of {stored.itemsize} bytes, but {len(view)} "
                "bytes of them"
            )
        self.budget -= count * np.dtype(dtype).itemsize
        if self.budget < 0:
            self.limits.require_memory(self.path, "its arrays", self.limits.memory + 1)
        return np.frombuffer(view, stored).astype(dtype).reshape(shape, order="F")

    def text(self, parts: Iterator[tuple[int, memoryview]], name: str) -> str:
        kind, view = self.next(parts, "characters")
        if kind not in _TEXT or len(view) > self.limits.text:
            raise self.wrong(f"the text {name!r} is damaged or too long")
        code = _TEXT[kind]
        if code in ("utf-16", "utf-32"):
            code += "-le" if self.order == "<" else "-be"
        return bytes(view).decode(code, "replace")

    def structure(self, parts: Iterator[tuple[int, memoryview]], name: str, shape: list[int], depth: int) -> None:
        _, width = self.next(parts, "length of its names")
        _, names = self.next(parts, "names of fields")
        if len(width) != 4:
            raise self.wrong(f"structure {name!r} is damaged")
        length = struct.unpack(self.order + "i", width)[0]
        if not 0 < length <= 256 or len(names) % length:
            raise self.wrong(f"the names of the fields of {name!r} are damaged")
        fields = [self.name(names[k : k + length]).partition("\0")[0] for k in range(0, len(names), length)]
        if math.prod(shape) != 1:
            self.content.left_out[name] = f"array of {' x '.join(map(str, shape))} structures"
            return
        for name_of_field in fields:
            kind, view = self.next(parts, f"field {name_of_field!r}")
            if kind != _MATRIX:
                raise self.wrong(f"field {name_of_field!r} of {name!r} is no array")
            self.matrix(view, f"{name}.{name_of_field}", depth + 1)
