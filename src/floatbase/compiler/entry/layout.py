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
        ("get_attribute", ctypes.c_void_p),
        ("call_none", ctypes.c_void_p),
        ("equal", ctypes.c_void_p),
        ("clear_error", ctypes.c_void_p),
        ("context_get", ctypes.c_void_p),
        ("save_thread", ctypes.c_void_p),
        ("restore_thread", ctypes.c_void_p),
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


class Probe(ctypes.Structure):
    """How to learn something of an array: an attribute, called if it is a method, or an attribute of that."""

    _fields_ = (
        ("name", ctypes.c_void_p),
        ("second", ctypes.c_void_p),  # or null
        ("calls", ctypes.c_int64),
    )


class Route(ctypes.Structure):
    """Calls with arrays on a GPU of one form: what they look like, and how the kernel is started."""

    keep: list[Any]
    pending_kept: Any
    _fields_ = (
        ("next", ctypes.c_void_p),  # another route, or null
        ("users", ctypes.c_int64),  # calls that are inside
        ("waiting", ctypes.c_int64),  # calls that wait for the kernel and use the status word
        ("kind", ctypes.c_void_p),  # the type of all arrays
        ("address", Probe),  # of the first number
        ("probes", ctypes.c_void_p),  # array of `Probe`: what the form is made of
        ("probe_count", ctypes.c_int64),
        ("expected", ctypes.c_void_p),  # array of objects: what the probes give for each input, then each output
        ("masks", ctypes.c_void_p),  # bits that an address must not have, for each of them
        ("near", ctypes.c_void_p),  # where memory begins, in bytes from the first number, for each of them
        ("far", ctypes.c_void_p),  # where it ends
        ("inputs", ctypes.c_int64),
        ("outputs", ctypes.c_int64),
        ("packs", ctypes.c_int64),  # whether outputs come and go in a tuple
        ("makers", ctypes.c_void_p),  # array of functions that make arrays for the outputs
        ("result", ctypes.c_void_p),  # applied to the tuple of outputs, or null
        ("stream", ctypes.c_void_p),  # function that gives the caller's stream
        ("pending_variable", ctypes.c_void_p),  # says whether calls are deferred
        ("pending", ctypes.c_void_p),  # what it held at the last deferred call,
        ("pending_stream", ctypes.c_int64),  # which was on this stream
        ("pending_status", ctypes.c_int64),  # and had this status word
        ("context", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),  # bytes between rows, for each input
        ("rows", ctypes.c_int64),
        ("function", ctypes.c_void_p),
        ("grid_x", ctypes.c_int32),
        ("grid_y", ctypes.c_int32),
        ("block", ctypes.c_int32),
        ("shared", ctypes.c_int32),
        ("word", ctypes.c_void_p),  # the status word, here
        ("status", ctypes.c_int64),  # and on the GPU
        ("current", ctypes.c_void_p),  # functions of the driver
        ("launch", ctypes.c_void_p),
        ("wait", ctypes.c_void_p),
    )


class Routes(ctypes.Structure):
    """The routes of a program."""

    _fields_ = (("first", ctypes.c_void_p),)


class Descriptor(Known):
    """All that the entry knows of a program."""

    _fields_ = (
        ("interpreter", ctypes.c_void_p),
        ("slow", ctypes.c_void_p),  # called with the same arguments whenever something is unusual
        ("large", ctypes.c_void_p),  # called with the address of a `Batch` and the number of threads or None, or null
        ("result", ctypes.c_void_p),  # applied to the tuple of outputs, or null
        ("routes", ctypes.c_void_p),  # for arrays on a GPU
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
