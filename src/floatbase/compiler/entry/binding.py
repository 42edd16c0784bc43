"""A built-in function bound to a program's ports, kernels and slow path."""

from __future__ import annotations

import ctypes
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.compiler.entry.interpreter import probe
from floatbase.compiler.entry.layout import MAX_AXES, MAX_PORTS, Descriptor, KernelSlot, Known, PortSlot, Routes
from floatbase.compiler.memory import shared_scratch
from floatbase.compiler.program import Port
from floatbase.compiler.target import DType

METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02


class _MethodDefinition(ctypes.Structure):
    """CPython's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("method", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@dataclass(frozen=True, eq=False)
class Place:
    """Where a built-in function is found: as an attribute of an object, by which it is pickled."""

    owner: object
    attribute: str
    usage: str | None = None  # the arguments that Python shows; by default the ports

    @staticmethod
    def of(method: Any) -> Place:
        """That of a method, with the method's arguments."""
        signature = inspect.signature(method)
        plain = [item.replace(annotation=inspect.Parameter.empty) for item in signature.parameters.values()]
        usage = str(signature.replace(parameters=plain, return_annotation=inspect.Signature.empty))
        return Place(method.__self__, method.__name__, usage)

    @property
    def again(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """What finds it there."""
        return getattr, (self.owner, self.attribute)


@dataclass(frozen=True, eq=False)
class Binding:
    """The built-in function and the structure it reads."""

    function: Callable[..., Any]
    descriptor: Descriptor

    def set_kernel(self, dtype: DType, lanes: int, address: int, scratch: int) -> None:
        """Let the built-in call a kernel from now on."""
        slot: KernelSlot = getattr(self.descriptor, dtype)
        slot.scratch = shared_scratch(scratch)
        if lanes == 1:
            slot.one = address
        else:
            slot.batch = address

    def set_limits(self, loop_rows: int, batch_rows: int, shared_rows: int) -> None:
        """Up to how many rows the one-state kernel is looped over, and how many rows are computed under the lock.

        shared_rows: the latter where several threads are asked for, which are not worth waking for so few.
        """
        descriptor = self.descriptor
        descriptor.loop_rows, descriptor.batch_rows, descriptor.shared_rows = loop_rows, batch_rows, shared_rows


def supported(inputs: tuple[Port, ...], outputs: tuple[Port, ...]) -> bool:
    """Whether the built-in can serve these ports in this interpreter."""
    ports = inputs + outputs
    return (
        len(inputs) > 0
        and len(outputs) > 0
        and len(ports) <= MAX_PORTS
        and all(len(port.shape) <= MAX_AXES for port in ports)
        and probe() is not None
    )


def bind(
    address: int,
    name: str,
    doc: str,
    inputs: tuple[Port, ...],
    outputs: tuple[Port, ...],
    slow: Callable[..., Any],
    result: Callable[[tuple[Any, ...]], Any] | None = None,
    owner: object = None,
    large: Callable[[int, int | None], int] | None = None,
    place: Place | None = None,
    routes: Routes | None = None,
) -> Binding:
    """Make the built-in function whose code, compiled from `entry_ir`, is at `address`. See `supported`.

    It keeps `owner` alive, which must keep the kernels' code alive. `large` computes batches without the interpreter
    lock: it is called with the address of a `Batch` and `threads=`, and gives status bits. Without a `place` the slow
    path is what is pickled. `routes`: those that are there, or will be, for arrays on a GPU.
    """
    found = probe()
    assert found is not None
    interpreter, _ = found
    routes = Routes() if routes is None else routes
    descriptor = Descriptor(
        interpreter=ctypes.addressof(interpreter),
        routes=ctypes.addressof(routes),
        slow=id(slow),
        large=None if large is None else id(large),
        result=None if result is None else id(result),
        inputs=len(inputs),
        outputs=len(outputs),
        packs=result is not None or len(outputs) != 1,
        loop_rows=1,
        batch_rows=1,
        shared_rows=1,
        largest=max(port.size for port in outputs),
    )
    for slot, kind in ((descriptor.float64, np.float64), (descriptor.float32, np.float32)):
        dtype = np.dtype(kind)
        slot.dtype, slot.type_number, slot.item_size = id(dtype), dtype.num, dtype.itemsize
    for number, port in enumerate(inputs + outputs):
        shape = (ctypes.c_int64 * MAX_AXES)(*port.shape)
        descriptor.ports[number] = PortSlot(axes=len(port.shape), size=port.size, shape=shape)
    usage = None if place is None else place.usage
    if usage is None:
        usage = f"({', '.join([port.name for port in inputs] + ['*', 'out=None', 'threads=None'])})"
    text = f"{name}{usage}\n--\n\n{doc}"
    descriptor.again = (_itself, (slow,)) if place is None else place.again
    return Binding(
        built_in(name, address, text, descriptor, [slow, large, result, owner, interpreter, routes]), descriptor
    )


def _itself(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def built_in(name: str, address: int, text: str, descriptor: Known, keep: list[Any]) -> Callable[..., Any]:
    """A built-in function whose `self` is a structure, with what that refers to."""
    definition = _MethodDefinition(name.encode(), address, METH_FASTCALL | METH_KEYWORDS, text.encode())
    keep.append(definition)
    descriptor.keep = keep  # CPython releases `self` after its last use of the rest
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.py_object, ctypes.py_object)
    function: Callable[..., Any] = make(ctypes.addressof(definition), descriptor, "floatbase")
    return function
