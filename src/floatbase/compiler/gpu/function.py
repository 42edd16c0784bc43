"""A compiled function called with arrays on a GPU."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from floatbase.compiler.artifact import Signature
from floatbase.compiler.execution import NON_FINITE
from floatbase.compiler.explanation import first_bad_row, non_finite, refusal
from floatbase.compiler.gpu.checking import PENDING, StatusWord, StatusWords, deferred_word, is_deferred
from floatbase.compiler.gpu.driver import Device, device
from floatbase.compiler.gpu.kernels import SMALL, DeviceKernel, Launch, Way, moved
from floatbase.compiler.gpu.layout import Layout, check_apart, check_inputs, check_output, common_library, lay_out
from floatbase.compiler.gpu.libraries import ITEM_BYTES, Library, View, library_of
from floatbase.compiler.gpu.routes import RouteTable, Shown, is_possible, note_deferred
from floatbase.compiler.locking import making_code
from floatbase.compiler.target import DType, known_dtypes
from floatbase.errors import ArgumentError, GpuError, StateError

if TYPE_CHECKING:
    from floatbase.compiler.entry.layout import Route
    from floatbase.compiler.function import Function

_KEPT_FORMS = 64
_NUMBERS = (int, float)


class _Form:
    """What calls with arrays of one form have in common; `forms` is that of each argument."""

    __slots__ = ("apart", "forms", "gpu", "kernel", "layout", "outputs", "route")

    def __init__(self, forms: list[Any], layout: Layout, gpu: Device, kernel: DeviceKernel) -> None:
        self.forms, self.layout, self.gpu, self.kernel = forms, layout, gpu, kernel
        self.outputs: list[Any] = []  # the forms of arrays that results were last found to fit into
        self.apart: list[int] = []  # addresses of arguments and results that were last seen not to overlap
        self.route: Route | None = None  # by which the built-in function serves further calls


class _Nothing:
    forms = None


class DeviceFunction:
    """What `Function` is on a CPU: the same arguments and results, for arrays on a GPU."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._signature = function.signature
        self._forms: dict[Any, _Form] = {}
        self._last: Any = _Nothing
        self._kernels: dict[tuple[int, DType], DeviceKernel] = {}
        self._words: dict[int, StatusWords] = {}
        self._routes = RouteTable(function.routes)

    def prepare(self, number: int = 0, dtypes: Iterable[str] = ("float32",)) -> None:
        """Compile ahead for a GPU."""
        for dtype in known_dtypes(dtypes):
            self.kernel(device(number), dtype).describe()

    def kernel(self, gpu: Device, dtype: DType) -> DeviceKernel:
        """The program on a GPU."""
        found = self._kernels.get((gpu.number, dtype))
        if found is None:
            with making_code:
                found = self._kernels.get((gpu.number, dtype))
                if found is None:
                    found = self._kernels[gpu.number, dtype] = DeviceKernel(self._function, dtype, gpu)
        return found

    def call(self, values: Sequence[Any], out: Any = None) -> Any:
        """Compute; arguments in the order of the inputs."""
        library = common_library(self._signature, values)
        view = library.view
        views = [None if type(value) in _NUMBERS else view(value) for value in values]
        forms = [None if item is None else item[1:] for item in views]
        form = self._last
        if form.forms != forms:
            form = self._last = self._form(forms, views)
        layout, gpu = form.layout, form.gpu
        check_inputs(self._signature, layout, views)
        arrays, targets = self._outputs(library, out, views, form)
        if layout.rows:
            before = gpu.enter()
            try:
                stream = library.stream(layout.device)
                numbers: list[Any] = []  # their memory is needed until the kernel has been started
                addresses = [
                    item[0] if item is not None else self._number(gpu, library, value, layout, stream, numbers)
                    for item, value in zip(views, values, strict=True)
                ]
                addresses += [item[0] for item in targets]
                way = self._run(form, addresses, stream, library.waits)
                if form.route is None and len(numbers) == 0 and library.looks is not None:
                    self._open_route(library, form, values, arrays, way)
            finally:
                gpu.leave(before)
        return self._deliver(arrays, out)

    def _form(self, forms: list[Any], views: Sequence[View | None]) -> _Form:
        key = tuple(forms)
        found = self._forms.get(key)
        if found is None:
            layout = lay_out(self._signature, views)
            gpu = device(layout.device)
            kernel = self.kernel(gpu, layout.dtype)
            if len(self._forms) >= _KEPT_FORMS:
                self._forms.clear()
            found = self._forms[key] = _Form(forms, layout, gpu, kernel)
        return found

    def _outputs(
        self, library: Library, out: Any, inputs: Sequence[View | None], form: _Form
    ) -> tuple[list[Any], list[View]]:
        signature, layout = self._signature, form.layout
        if out is None:
            arrays = [_new_array(signature, library, shape, layout) for shape in layout.outputs]
            return arrays, [library.view(array) for array in arrays]
        packs = self._function.result is not None or len(signature.outputs) != 1
        if packs and (not isinstance(out, tuple) or len(out) != len(signature.outputs)):
            names = ", ".join(port.name for port in signature.outputs)
            raise ArgumentError(f"{signature.name}: out must be a tuple of {len(signature.outputs)} arrays ({names})")
        arrays = list(out) if packs else [out]
        views = []
        for number, array in enumerate(arrays):
            owner = library_of(array)
            if owner is None or owner.name == "JAX":
                raise self._no_place(number, array)
            views.append(owner.view(array))
        forms = [item[1:] for item in views]
        if forms != form.outputs:
            for port, item, shape in zip(signature.outputs, views, layout.outputs, strict=True):
                check_output(signature, port.name, item, shape, layout)
            form.outputs = forms
        addresses = [item[0] for item in (*inputs, *views) if item is not None]
        if addresses != form.apart:
            check_apart(signature, layout, inputs, views)
            form.apart = addresses
        return arrays, views

    def _no_place(self, number: int, array: Any) -> ArgumentError:
        """The error for an array that results cannot be written to."""
        signature = self._signature
        if library_of(array) is not None:
            return ArgumentError(f"{signature.name}: arrays of JAX cannot be written to; leave out the argument out")
        return ArgumentError(
            f"{signature.name}: out for {signature.outputs[number].name!r} must be an array on the GPU, "
            f"got {type(array).__name__}"
        )

    def _number(
        self, gpu: Device, library: Library, value: float, layout: Layout, stream: int, numbers: list[Any]
    ) -> int:
        """The address of one of Python's numbers, copied to the GPU."""
        numbers.append(library.empty((), layout.dtype, gpu.number))
        place = library.view(numbers[-1]).pointer
        gpu.write(place, struct.pack("<f" if layout.dtype == "float32" else "<d", value), stream)
        return place

    def _open_route(
        self, library: Library, form: _Form, inputs: Sequence[Any], outputs: Sequence[Any], way: Way
    ) -> None:
        """Let the built-in function serve further calls that look like this one."""
        result = self._function.result
        packs = result is not None or len(self._signature.outputs) != 1
        shown = Shown(library, inputs, outputs, form.layout, form.kernel, way, packs, result)
        if is_possible(shown) and form.kernel.is_settled(form.layout.rows):
            with making_code:
                form.route = self._routes.add(shown, self._status_words(form.gpu).get())

    def _status_words(self, gpu: Device) -> StatusWords:
        words = self._words.get(gpu.number)
        return self._words.setdefault(gpu.number, StatusWords(gpu)) if words is None else words

    def _run(self, form: _Form, addresses: list[int], stream: int, waits: bool) -> Way:
        gpu, layout, kernel = form.gpu, form.layout, form.kernel
        words = self._status_words(gpu)
        later = is_deferred() and not waits
        status = deferred_word(gpu, stream, words, self._signature) if later else words.get()
        launch = Launch(layout.rows, addresses, layout.strides, status.address, stream)
        if later:
            way = kernel.way(launch, measure=False)
            kernel.run(launch, way)
            if form.route is not None:
                note_deferred(form.route, PENDING.get(), stream, status)
            return way
        try:
            way = kernel.way(launch, measure=True)
            kernel.run(launch, way)
            gpu.synchronize(stream)
            if status.take():
                raise self._explain(kernel, layout, launch, status)
            return way
        finally:
            words.put(status)

    def _explain(self, kernel: DeviceKernel, layout: Layout, launch: Launch, status: StatusWord) -> StateError:
        signature, gpu = self._signature, kernel.device
        item = ITEM_BYTES[layout.dtype]
        outputs = [port.size * item for port in signature.outputs]

        def run(first: int, stop: int) -> int:
            kernel.run(moved(launch, outputs, first, stop), SMALL)
            gpu.synchronize(launch.stream)
            return status.take()

        row, bits = first_bad_row(run, layout.rows)
        index = tuple(int(axis) for axis in np.unravel_index(row, layout.batch)) if layout.batch else ()
        arrays = []
        for port, address, stride in zip(signature.inputs, launch.addresses, layout.strides, strict=False):
            data = gpu.read(address + row * stride, port.size * item)
            arrays.append(np.frombuffer(data, layout.dtype).reshape(port.shape))
        if bits & NON_FINITE:
            error = non_finite(signature, arrays, index)
            if error is not None:
                return error
        said = [text for bit, text in enumerate(signature.guards) if bits >> bit & 1]
        return refusal(signature, arrays, said, (), (), index)

    def _deliver(self, arrays: list[Any], out: Any) -> Any:
        result = self._function.result
        if out is not None:
            return out if result is None else result(out)
        if result is None and len(arrays) == 1:
            return arrays[0]
        return tuple(arrays) if result is None else result(tuple(arrays))


def _new_array(signature: Signature, library: Library, shape: tuple[int, ...], layout: Layout) -> Any:
    try:
        return library.empty(shape, layout.dtype, layout.device)
    except Exception as error:  # each library has an error of its own for this
        if not any(word in f"{type(error).__name__} {error}" for word in ("OutOfMemory", "out of memory", "EXHAUSTED")):
            raise
        raise GpuError(
            f"{signature.name}: GPU {layout.device} has no memory left for a result of shape {shape} and dtype "
            f"{layout.dtype} ({error}); compute fewer states at a time, or give memory as out"
        ) from None
