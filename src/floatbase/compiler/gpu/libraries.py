"""Arrays on a GPU, of the libraries that people use there; results are arrays of the caller's library.

A kernel reads and writes memory where it is. Work is put on the caller's current stream of that library, so that it
comes after what the caller has asked for before, and before what is asked for after.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from floatbase.compiler.target import DType
from floatbase.errors import ArgumentError

Shape = tuple[int, ...]

ITEM_BYTES = {"float64": 8, "float32": 4}
_CUDA = 2  # the number of NVIDIA's GPUs in DLPack
_CHARACTERS = {"d": "float64", "f": "float32"}
_NAMES = {np.dtype(name): name for name in ITEM_BYTES}


class View(NamedTuple):
    """An array as a kernel sees it; strides in bytes, None if there are no gaps."""

    pointer: int
    shape: Shape
    strides: Shape | None
    dtype: str
    device: int

    def steps(self) -> Shape:
        """Strides in bytes."""
        if self.strides is not None:
            return self.strides
        item = ITEM_BYTES.get(self.dtype, 1)
        return tuple(prod(self.shape[axis + 1 :]) * item for axis in range(len(self.shape)))


_new_view = tuple.__new__  # without the Python function of named tuples


@dataclass(frozen=True)
class Look:
    """How to learn something of an array: an attribute, called if it is a method, or an attribute of that."""

    name: str
    second: str | None = None
    calls: bool = False

    def __call__(self, array: Any) -> Any:
        """What is learnt."""
        found = getattr(array, self.name)
        if self.calls:
            return found()
        return found if self.second is None else getattr(found, self.second)


@dataclass(frozen=True)
class Looks:
    """How to learn where an array is, and the rest of its view: what calls of one form have in common."""

    address: Look
    form: tuple[Look, ...]


class Library(Protocol):
    """What is needed of a library of arrays."""

    name: str
    looks: Looks | None
    """How the built-in function looks at arrays by itself; None if calls always go through Python."""
    waits: bool
    """Whether every call waits for its result, since the library does not tell what stream it works on."""

    def owns(self, array: Any) -> bool:
        """Whether an array of this library's type is on a GPU."""

    def view(self, array: Any) -> View:
        """What a kernel needs to know of an array."""

    def empty(self, shape: Shape, dtype: DType, device: int) -> Any:
        """A new array on a GPU, of any content."""

    def stream(self, device: int) -> int:
        """The caller's current stream."""

    def maker(self, shape: Shape, dtype: DType, device: int) -> Callable[[], Any]:
        """A function that makes what `empty` does, for callers on that GPU."""

    def stream_of(self, device: int) -> Callable[[], int]:
        """A function that does what `stream` does."""


class _Plain:
    """What libraries do that say nothing else."""

    looks: Looks | None = None

    def maker(self, shape: Shape, dtype: DType, device: int) -> Callable[[], Any]:
        """A function that makes a new array."""
        return partial(self.empty, shape, dtype, device)  # type: ignore[attr-defined]

    def stream_of(self, device: int) -> Callable[[], int]:
        """A function that gives the caller's stream."""
        return partial(self.stream, device)  # type: ignore[attr-defined]


def _name(dtype: Any) -> str:
    """The name of a dtype of NumPy's, which takes NumPy long to say."""
    return _NAMES.get(dtype) or str(dtype)


class CuPy(_Plain):
    """Arrays of CuPy."""

    name, waits = "CuPy", False
    looks: Looks | None = Looks(
        Look("data", "ptr"), (Look("shape"), Look("strides"), Look("dtype"), Look("data", "device_id"))
    )

    def owns(self, array: Any) -> bool:
        """Always: CuPy's arrays are on a GPU."""
        return True

    def view(self, array: Any) -> View:
        """What a kernel needs to know of an array."""
        data, dtype = array.data, array.dtype
        name = _CHARACTERS.get(dtype.char) or str(dtype)
        return _new_view(View, (data.ptr, array.shape, array.strides, name, data.device_id))

    def empty(self, shape: Shape, dtype: DType, device: int) -> Any:
        """A new array from CuPy's own pool of memory."""
        cupy = sys.modules["cupy"]
        if device == cupy.cuda.runtime.getDevice():
            return cupy.empty(shape, dtype)
        with cupy.cuda.Device(device):
            return cupy.empty(shape, dtype)

    def stream(self, device: int) -> int:
        """CuPy's current stream."""
        return int(sys.modules["cupy"].cuda.get_current_stream(device).ptr)

    def maker(self, shape: Shape, dtype: DType, device: int) -> Callable[[], Any]:
        """A function that makes a new array on the current GPU."""
        return partial(sys.modules["cupy"].empty, shape, np.dtype(dtype))

    def stream_of(self, device: int) -> Callable[[], int]:
        """A function that gives CuPy's current stream."""
        current = sys.modules["cupy"].cuda.get_current_stream

        def stream() -> int:
            return current(device).ptr  # type: ignore[no-any-return]

        return stream


class PyTorch(_Plain):
    """Tensors of PyTorch."""

    name, waits = "PyTorch", False
    looks: Looks | None = Looks(
        Look("data_ptr", calls=True),
        (
            Look("shape"),
            Look("stride", calls=True),
            Look("dtype"),
            Look("get_device", calls=True),
            Look("requires_grad"),
        ),
    )

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}

    def owns(self, array: Any) -> bool:
        """Whether a tensor is on an NVIDIA GPU."""
        return bool(array.is_cuda)

    def view(self, array: Any) -> View:
        """What a kernel needs to know of a tensor."""
        if array.requires_grad:
            raise ArgumentError(
                "a tensor that requires its gradient was passed, which PyTorch cannot follow through a compiled "
                "function: pass tensor.detach(), and compute derivatives with floatbase's functions"
            )
        dtype = self._names.get(array.dtype)
        if dtype is None:
            dtype = self._names[array.dtype] = str(array.dtype).removeprefix("torch.")
        strides = None
        if not array.is_contiguous():
            strides = tuple(step * array.element_size() for step in array.stride())
        return View(array.data_ptr(), tuple(array.shape), strides, dtype, array.get_device())

    def empty(self, shape: Shape, dtype: DType, device: int) -> Any:
        """A new tensor from PyTorch's own pool of memory."""
        torch = sys.modules["torch"]
        return torch.empty(shape, dtype=getattr(torch, dtype), device=torch.device("cuda", device))

    def stream(self, device: int) -> int:
        """PyTorch's current stream."""
        return int(sys.modules["torch"].cuda.current_stream(device).cuda_stream)

    def maker(self, shape: Shape, dtype: DType, device: int) -> Callable[[], Any]:
        """A function that makes a new tensor."""
        torch = sys.modules["torch"]
        return partial(torch.empty, shape, dtype=getattr(torch, dtype), device=torch.device("cuda", device))

    def stream_of(self, device: int) -> Callable[[], int]:
        """A function that gives PyTorch's current stream; PyTorch has one that makes no object of it."""
        direct = getattr(sys.modules["torch"]._C, "_cuda_getCurrentRawStream", None)
        return partial(self.stream, device) if direct is None else partial(direct, device)


class Jax(_Plain):
    """Arrays of JAX, which keeps its stream to itself: arguments are waited for, and so are results."""

    name, waits = "JAX", True

    def owns(self, array: Any) -> bool:
        """Whether an array is on a GPU."""
        return any(device.platform in ("gpu", "cuda") for device in array.devices())

    def view(self, array: Any) -> View:
        """What a kernel needs to know of an array."""
        devices = array.devices()
        if len(devices) != 1:
            raise ArgumentError(f"an array of JAX is spread over {len(devices)} devices; it must be on one")
        array.block_until_ready()
        (device,) = devices
        return View(array.unsafe_buffer_pointer(), array.shape, None, _name(array.dtype), device.local_hardware_id)

    def empty(self, shape: Shape, dtype: DType, device: int) -> Any:
        """A new array, which nobody else has seen before it is filled."""
        jax = sys.modules["jax"]
        (place,) = (found for found in jax.local_devices() if found.local_hardware_id == device)
        with jax.default_device(place):
            array = jax.numpy.empty(shape, dtype)
        if array.dtype.name != dtype:
            raise ArgumentError(f"JAX makes no arrays of {dtype}: set jax.config.update('jax_enable_x64', True)")
        return array.block_until_ready()

    def stream(self, device: int) -> int:
        """The default stream: JAX does not say which it uses."""
        return 0


class Numba(_Plain):
    """Arrays of Numba."""

    name, waits = "Numba", False

    def owns(self, array: Any) -> bool:
        """Whether an object says where on a GPU it is."""
        return hasattr(array, "__cuda_array_interface__")

    def view(self, array: Any) -> View:
        """What a kernel needs to know of an array."""
        return view_of_interface(array)

    def empty(self, shape: Shape, dtype: DType, device: int) -> Any:
        """A new array of Numba's."""
        cuda = sys.modules["numba.cuda"]
        with cuda.gpus[device]:
            return cuda.device_array(shape, dtype)

    def stream(self, device: int) -> int:
        """The default stream."""
        return 0


class Other(_Plain):
    """Objects that say where they are on a GPU, from libraries that are not known: `out` must be given."""

    name, waits = "an unknown library", False

    def owns(self, array: Any) -> bool:
        """Whether an object is on an NVIDIA GPU."""
        if hasattr(array, "__cuda_array_interface__"):
            return True
        return int(array.__dlpack_device__()[0]) == _CUDA

    def view(self, array: Any) -> View:
        """What a kernel needs to know of an object."""
        if not hasattr(array, "__cuda_array_interface__"):
            raise ArgumentError(
                f"a {type(array).__name__} on a GPU does not say where its memory is (__cuda_array_interface__); hand "
                "it to one of the libraries that are known, such as cupy.from_dlpack or torch.from_dlpack"
            )
        return view_of_interface(array)

    def empty(self, shape: Shape, dtype: DType, device: int) -> Any:
        """Refused: nothing is known about how such arrays are made."""
        known = ", ".join(library.name for library in KNOWN.values())
        raise ArgumentError(
            f"results are arrays of the caller's library, and how this one makes arrays is not known (known are: "
            f"{known}); give the array to write to as out, here one of shape {shape} and dtype {dtype}"
        )

    def stream(self, device: int) -> int:
        """The default stream."""
        return 0


KNOWN: dict[str, Library] = {"cupy": CuPy(), "torch": PyTorch(), "jaxlib": Jax(), "jax": Jax(), "numba": Numba()}
_OTHER = Other()
_libraries: dict[type, Library | None] = {}


def library_of(value: Any) -> Library | None:
    """The library of an array on a GPU; None for everything else."""
    kind = type(value)
    try:
        library = _libraries[kind]
    except KeyError:
        library = _libraries[kind] = _find(kind)
    return library if library is not None and library.owns(value) else None


def _find(kind: type) -> Library | None:
    root = kind.__module__.partition(".")[0]
    if root in ("builtins", "numpy", "floatbase", "casadi"):
        return None
    if root in KNOWN:
        wanted = {"torch": "is_cuda", "jax": "devices", "jaxlib": "devices"}.get(root, "__cuda_array_interface__")
        return KNOWN[root] if hasattr(kind, wanted) else None
    return _OTHER if any(hasattr(kind, name) for name in ("__cuda_array_interface__", "__dlpack_device__")) else None


def on_device(values: Sequence[Any]) -> bool:
    """Whether any of the values is an array on a GPU."""
    return any(library_of(value) is not None for value in values)


def view_of_interface(array: Any) -> View:
    """What `__cuda_array_interface__` says."""
    said = array.__cuda_array_interface__
    from floatbase.compiler.gpu.driver import pointer_device

    pointer, _ = said["data"]
    dtype = {"<f8": "float64", "<f4": "float32"}.get(said["typestr"], said["typestr"])
    strides = said.get("strides")
    shape = tuple(int(extent) for extent in said["shape"])
    steps = tuple(int(step) for step in strides) if strides is not None else None
    return View(int(pointer), shape, steps, dtype, pointer_device(int(pointer)) if prod(shape) else 0)
