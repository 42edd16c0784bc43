"""Calls on a GPU that the built-in function makes by itself, once a call of the same form has been made in Python.

A `Route` holds what machine code compares and hands on, see `floatbase.compiler.entry.device_ir`. It is made from a
call that went well: its arrays are what the arrays of later calls must look like.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.entry.layout import Probe, Route, Routes
from floatbase.compiler.gpu.checking import PENDING, StatusWord
from floatbase.compiler.gpu.driver import Device
from floatbase.compiler.gpu.kernels import DeviceKernel, Way
from floatbase.compiler.gpu.layout import Layout
from floatbase.compiler.gpu.libraries import ITEM_BYTES, Library, Look

_KEPT = 16


@dataclass(frozen=True)
class Shown:
    """A call that went well: its arrays, how it was started, and what is applied to the tuple of results."""

    library: Library
    inputs: Sequence[Any]
    outputs: Sequence[Any]
    layout: Layout
    kernel: DeviceKernel
    way: Way
    packs: bool
    result: Callable[[tuple[Any, ...]], Any] | None


class RouteTable:
    """The routes of a function, as the built-in function finds them: the newest first."""

    def __init__(self, structure: Routes) -> None:
        self._structure = structure
        self._routes: list[Route] = []  # the oldest first

    def add(self, shown: Shown, status: StatusWord) -> Route:
        """A route for calls that look like this one, with a status word of its own."""
        if len(self._routes) >= _KEPT:
            self._forget()
        route = _route(shown, status)
        if self._routes:
            route.next = ctypes.addressof(self._routes[-1])
        self._routes.append(route)
        self._structure.first = ctypes.addressof(route)
        return route

    def _forget(self) -> None:
        """Leave out the oldest route that no call is inside of."""
        for number, route in enumerate(self._routes):
            if not route.users and number + 1 < len(self._routes):
                self._routes[number + 1].next = route.next
                del self._routes[number]
                return


def is_possible(shown: Shown) -> bool:
    """Whether such calls can be made without Python: all arrays are of one type, which says what is needed."""
    kind = type(shown.inputs[0])
    return shown.library.looks is not None and all(type(array) is kind for array in (*shown.inputs, *shown.outputs))


def note_deferred(route: Route, pending: object, stream: int, status: StatusWord) -> None:
    """Let the route serve further calls inside the same `deferred`."""
    route.pending_kept = pending  # so that its address stays its own
    route.pending, route.pending_stream, route.pending_status = id(pending), stream, status.address


def _route(shown: Shown, status: StatusWord) -> Route:
    library, layout, kernel, way = shown.library, shown.layout, shown.kernel, shown.way
    device: Device = kernel.device
    looks = library.looks
    assert looks is not None
    arrays = (*shown.inputs, *shown.outputs)
    expected = [look(array) for array in arrays for look in looks.form]
    makers = [library.maker(shape, layout.dtype, layout.device) for shape in layout.outputs]
    stream = library.stream_of(layout.device)
    direct = device.direct()
    item = ITEM_BYTES[layout.dtype]
    words = {
        "probes": (Probe * len(looks.form))(*map(_probe, looks.form)),
        "expected": _objects(expected),
        "masks": _words([item - 1] * len(shown.inputs) + [step - 1 for step in layout.alignments]),
        "near": _words([near for near, _ in layout.extents] + [0] * len(layout.sizes)),
        "far": _words([far for _, far in layout.extents] + list(layout.sizes)),
        "makers": _objects(makers),
        "strides": _words(layout.strides),
    }
    route = Route(
        kind=id(type(arrays[0])),
        address=_probe(looks.address),
        probe_count=len(looks.form),
        inputs=len(shown.inputs),
        outputs=len(shown.outputs),
        packs=shown.packs,
        result=None if shown.result is None else id(shown.result),
        stream=id(stream),
        pending_variable=id(PENDING),
        context=direct.context,
        rows=layout.rows,
        function=kernel.address(way.registers),
        grid_x=-(-layout.rows // way.block),
        grid_y=kernel.code.groups,
        block=way.block,
        shared=way.warps * kernel.code.shared,
        word=ctypes.addressof(status.word),
        status=status.address,
        current=direct.current,
        launch=direct.launch,
        wait=direct.wait,
        **{name: ctypes.addressof(area) for name, area in words.items()},
    )
    route.keep = [type(arrays[0]), looks, expected, makers, stream, shown.result, words, status, kernel, direct]
    return route


def _probe(look: Look) -> Probe:
    return Probe(name=id(look.name), second=None if look.second is None else id(look.second), calls=look.calls)


def _objects(items: Sequence[Any]) -> Any:
    """An array of the addresses of objects, which somebody else keeps."""
    return (ctypes.c_void_p * max(len(items), 1))(*[id(item) for item in items])


def _words(numbers: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(numbers), 1))(*numbers)
