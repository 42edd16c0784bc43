"""Offsets of objects' fields, and the few forms of LLVM IR that reading them takes."""

from __future__ import annotations

from floatbase.compiler.entry.layout import MAX_AXES, Descriptor, PortSlot

OBJECT_TYPE = 8
ARRAY_DATA, ARRAY_AXES, ARRAY_SHAPE, ARRAY_DTYPE, ARRAY_FLAGS = 16, 24, 32, 56, 64
DTYPE_BYTE_ORDER, DTYPE_NUMBER = 26, 28
TUPLE_SIZE = 16
FLOAT_VALUE = 16
STRUCTURE_DATA = 16  # of a ctypes instance
READABLE = 0x0101  # C-contiguous, aligned
WRITEABLE = 0x0501
NATIVE = ord("=")
PORTS = Descriptor.ports.offset
PORT_SIZE = PortSlot.shape.offset + 8 * MAX_AXES


def load(name: str, kind: str, base: str, offset: int) -> str:
    """Read a value at an offset in bytes."""
    return f"  %{name}.at = getelementptr i8, ptr %{base}, i64 {offset}\n  %{name} = load {kind}, ptr %{name}.at"


def item(name: str, kind: str, base: str, index: str) -> str:
    """Read an element of an array."""
    return f"  %{name}.at = getelementptr {kind}, ptr %{base}, i64 %{index}\n  %{name} = load {kind}, ptr %{name}.at"


def put(name: str, kind: str, value: str, base: str, index: str) -> str:
    """Write an element of an array."""
    return f"  %{name} = getelementptr {kind}, ptr %{base}, i64 %{index}\n  store {kind} %{value}, ptr %{name}"


def store(structure: type, name: str, field: str, base: str, value: str) -> str:
    """Write a field of one of our structures; `value` with its type."""
    offset = getattr(structure, field).offset
    return f"  %{name} = getelementptr i8, ptr %{base}, i64 {offset}\n  store {value}, ptr %{name}"


def of(structure: type, name: str, field: str, base: str, kind: str = "ptr") -> str:
    """Read a field of one of our structures."""
    return load(name, kind, base, getattr(structure, field).offset)
