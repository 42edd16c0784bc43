"""What the built-in entry reads: structures that Python fills in and machine code follows.

The entry is compiled once per kind of machine and serves every program, so that everything it needs to know
about a program (ports, kernels) or about this process (addresses of Python's and NumPy's functions and types)
is in these structures, reached through the `self` of the built-in function.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

MAX_PORTS = 32
MAX_AXES = 8
MAX_CHOICES = 16
MAX_THREADS = 1024


class Known(ctypes.Structure):
    """A structure that is the `self` of a built-in function.

    Attributes that are not fields keep alive what its addresses point to. `again` is a function and its arguments that
    give, in any process, what the built-in function stands for: a built-in function is pickled as an attribute of its
    `self`, and addresses mean nothing elsewhere.
    """

    keep: list[Any]
    again: tuple[Callable[..., Any], tuple[Any, ...]]

    def __reduce__(self) -> tuple[Any, ...]:
        return Again, self.again


class Again:
    """What is unpickled in place of a built-in function's `self`: every attribute of it is that function."""

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.made = make(*arguments)

    def __getattribute__(self, name: str) -> Any:
        return object.__getattribute__(self, "made")


class Interpreter(ctypes.Structure):
    """Addresses of objects and functions of this process. Bound at load, never stored."""

    _fields_ = (
        ("array_type", ctypes.c_void_p),
        ("tuple_type", ctypes.c_void_p),
        ("int_type", ctypes.c_void_p),
        ("float_type", ctypes.c_void_p),
        ("double_type", ctypes.c_void_p),  # numpy.float64
        ("none", ctypes.c_void_p),
        ("out", ctypes.c_void_p),  # the interned string "out"
        ("threads", ctypes.c_void_p),  # the interned string "threads"
        ("vectorcall", ctypes.c_void_p),
        ("call_one", ctypes.c_void_p),
        ("increment", ctypes.c_void_p),
        ("decrement", ctypes.c_void_p),
        ("tuple_new", ctypes.c_void_p),
        ("tuple_get", ctypes.c_void_p),
        ("tuple_set", ctypes.c_void_p),
        ("is_subtype", ctypes.c_void_p),
        ("from_pointer", ctypes.c_void_p),
        ("as_long", ctypes.c_void_p),
        ("as_long_or_overflow", ctypes.c_void_p),
        ("new_array", ctypes.c_void_p),
        ("scalar_of", ctypes.c_void_p),
    )


class KernelSlot(ctypes.Structure):
    """The kernels of one floating-point type. Addresses are null until compiled."""

    _fields_ = (
        ("dtype", ctypes.c_void_p),
        ("type_number", ctypes.c_int64),
        ("item_size", ctypes.c_int64),
        ("one", ctypes.c_void_p),
        ("batch", ctypes.c_void_p),
        ("scratch", ctypes.c_void_p),
    )


class PortSlot(ctypes.Structure):
    """The shape of an input or output."""

    _fields_ = (
        ("axes", ctypes.c_int64),
        ("size", ctypes.c_int64),
        ("shape", ctypes.c_int64 * MAX_AXES),
    )


class Batch(ctypes.Structure):
    """A batch to be computed without the interpreter lock, its arguments checked."""

    _fields_ = (
        ("addresses", ctypes.c_void_p),  # of the first rows of inputs and outputs
        ("strides", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("single", ctypes.c_int64),  # whether numbers are float32
    )


class Descriptor(Known):
    """All that the entry knows of a program."""

    _fields_ = (
        ("interpreter", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),  # called with the same arguments whenever something is unusual
        ("large", ctypes.c_void_p),  # called with the address of a `Batch` and the number of threads or None, or null
        ("result", ctypes.c_void_p),  # applied to the tuple of outputs, or null
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("packs", ctypes.c_int64),  # whether outputs come and go in a tuple
        ("loop_rows", ctypes.c_int64),  # up to this many rows: the one-state kernel, in a loop
        ("batch_rows", ctypes.c_int64),  # up to this many rows are computed here, under the interpreter lock
        ("largest", ctypes.c_int64),  # numbers that the largest output has in a row
        ("shared_rows", ctypes.c_int64),  # so are up to this many when several threads are asked for
        ("float64", KernelSlot),
        ("float32", KernelSlot),
        ("ports", PortSlot * MAX_PORTS),  # the inputs, then the outputs
    )


class Choice(ctypes.Structure):
    """An object that selects an entry, known by its address."""

    _fields_ = (
        ("key", ctypes.c_void_p),
        ("entry", ctypes.c_void_p),  # the `self` of the built-in function
    )


class Selector(Known):
    """What a built-in function knows that selects entries by one of its arguments."""

    _fields_ = (
        ("interpreter", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),  # called with all arguments if none of the choices fits
        ("position", ctypes.c_int64),  # of the argument that selects
        ("size", ctypes.c_int64),
        ("choices", Choice * MAX_CHOICES),
    )
