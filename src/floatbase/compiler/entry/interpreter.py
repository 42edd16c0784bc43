"""What this Python interpreter and this NumPy look like in memory, verified before it is relied upon.

The entry reads objects at fixed offsets. They have been the same in CPython 3.11 to 3.13 and NumPy 1.26 to 2.x, but
nothing is taken on trust: `probe` reads known objects through them, and anything unexpected (another implementation, a
free-threaded build, a changed layout) means that there is no built-in entry and calls take the Python path.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

from floatbase.compiler.entry import emit
from floatbase.compiler.entry.layout import Descriptor, Interpreter

ARRAY_TYPE, SCALAR_OF, NEW_ARRAY = 2, 76, 94  # places in NumPy's table of functions

_C_FUNCTIONS = MappingProxyType(
    {
        "vectorcall": "PyObject_Vectorcall",
        "call_one": "PyObject_CallOneArg",
        "increment": "Py_IncRef",
        "decrement": "Py_DecRef",
        "from_pointer": "PyLong_FromVoidPtr",
        "as_long": "PyLong_AsLong",
        "as_long_or_overflow": "PyLong_AsLongAndOverflow",
        "tuple_new": "PyTuple_New",
        "tuple_get": "PyTuple_GetItem",
        "tuple_set": "PyTuple_SetItem",
        "is_subtype": "PyType_IsSubtype",
        "get_attribute": "PyObject_GetAttr",
        "call_none": "PyObject_CallNoArgs",
        "equal": "PyObject_RichCompareBool",
        "clear_error": "PyErr_Clear",
        "context_get": "PyContextVar_Get",
        "save_thread": "PyEval_SaveThread",
        "restore_thread": "PyEval_RestoreThread",
    }
)


@cache
def probe() -> tuple[Interpreter, int] | None:
    """Addresses for the entry and the offset of a tuple's items, or None where the entry cannot be used."""
    if not _is_known_interpreter():
        return None
    try:
        items = _tuple_items()
        table = _numpy_table()
    except (AttributeError, ImportError, ValueError, TypeError):
        return None
    if items is None or table is None or not _layouts_hold():
        return None
    python = ctypes.pythonapi
    addresses = {field: ctypes.cast(python[name], ctypes.c_void_p).value for field, name in _C_FUNCTIONS.items()}
    interpreter = Interpreter(
        array_type=id(np.ndarray),
        tuple_type=id(tuple),
        int_type=id(int),
        float_type=id(float),
        double_type=id(np.float64),
        none=id(None),
        out=id(sys.intern("out")),
        threads=id(sys.intern("threads")),
        new_array=table[NEW_ARRAY],
        scalar_of=table[SCALAR_OF],
        **addresses,
    )
    return interpreter, items


def _is_known_interpreter() -> bool:
    threaded = not getattr(sys, "_is_gil_enabled", lambda: True)()
    return (
        sys.implementation.name == "cpython"
        and not threaded
        and getattr(sys.flags, "gil", 1) != 0
        and not hasattr(sys, "gettotalrefcount")  # a debug build has longer object heads
        and sys.byteorder == "little"
        and ctypes.sizeof(ctypes.c_void_p) == 8
        and sys.platform in ("linux", "darwin")
    )


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


def _tuple_items() -> int | None:
    first, second = object(), object()
    pair = (first, second)
    if _word(id(pair) + emit.TUPLE_SIZE) != 2:
        return None
    size = tuple.__basicsize__ + 2 * tuple.__itemsize__
    for offset in range(emit.TUPLE_SIZE + 8, size - 8, 8):
        if _word(id(pair) + offset) == id(first) and _word(id(pair) + offset + 8) == id(second):
            return offset
    return None


def _numpy_table() -> Any | None:
    """NumPy's table of C functions, checked by the type of arrays it names."""
    try:
        umath: Any = import_module("numpy._core._multiarray_umath")
    except ImportError:  # NumPy 1
        umath = import_module("numpy.core._multiarray_umath")
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    address = get(umath._ARRAY_API, None)
    table = (ctypes.c_void_p * (NEW_ARRAY + 1)).from_address(address)
    return table if table[ARRAY_TYPE] == id(np.ndarray) else None


def _layouts_hold() -> bool:
    array = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    at = id(array)
    shape = _word(at + emit.ARRAY_SHAPE)
    dtype = np.dtype(np.float64)
    other = dtype.newbyteorder(">")
    number = 3.25
    descriptor = Descriptor()
    return (
        np.ndarray.__basicsize__ > emit.ARRAY_FLAGS
        and np.dtype.__basicsize__ > emit.DTYPE_NUMBER
        and _word(at + emit.OBJECT_TYPE) == id(np.ndarray)
        and _word(at + emit.ARRAY_DATA) == array.ctypes.data
        and ctypes.c_int32.from_address(at + emit.ARRAY_AXES).value == 3
        and [_word(shape + 8 * axis) for axis in range(3)] == [2, 3, 4]
        and _word(at + emit.ARRAY_DTYPE) == id(array.dtype) == id(np.dtype(np.float32))
        and ctypes.c_int32.from_address(at + emit.ARRAY_FLAGS).value == array.flags.num
        and ctypes.c_int32.from_address(id(dtype) + emit.DTYPE_NUMBER).value == dtype.num
        and ctypes.c_uint8.from_address(id(dtype) + emit.DTYPE_BYTE_ORDER).value == emit.NATIVE
        and ctypes.c_uint8.from_address(id(other) + emit.DTYPE_BYTE_ORDER).value != emit.NATIVE
        and ctypes.c_double.from_address(id(number) + emit.FLOAT_VALUE).value == number
        and ctypes.c_double.from_address(id(np.float64(number)) + emit.FLOAT_VALUE).value == number
        and _word(id(descriptor) + emit.STRUCTURE_DATA) == ctypes.addressof(descriptor)
    )
