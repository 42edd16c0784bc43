"""The calls of NVIDIA's driver that are needed, every one of them checked.

`cuda.bindings` is imported when the first of them is made. Contexts are the devices' primary ones, which CuPy, PyTorch
and JAX use too, so that memory and streams are shared with them.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache as memoize
from functools import cached_property
from typing import Any

from floatbase.errors import ArgumentError, GpuError, missing_dependency

LOWEST = (8, 0)
"""The oldest compute capability that programs are compiled for."""


@memoize
def _bindings() -> Any:
    try:
        from cuda.bindings import driver
    except ImportError:
        raise missing_dependency("cuda-bindings", "gpu", "computing on a GPU") from None
    return driver


def _call(function: str, *arguments: Any, doing: str) -> Any:
    """Call the driver by name; the result, or None, or a tuple of results."""
    driver = _bindings()
    try:
        status, *results = getattr(driver, function)(*arguments)
    except (RuntimeError, OSError) as error:  # the library of the driver itself is missing
        raise GpuError(f"cannot {doing}: {error}; is an NVIDIA driver installed?") from None
    if status != driver.CUresult.CUDA_SUCCESS:
        raise GpuError(f"cannot {doing}: {_reason(driver, status)}")
    return results[0] if len(results) == 1 else tuple(results) or None


def _reason(driver: Any, status: Any) -> str:
    name = getattr(status, "name", str(status))
    if name == "CUDA_ERROR_OUT_OF_MEMORY":
        return "the GPU has no memory left (CUDA_ERROR_OUT_OF_MEMORY); compute fewer states at a time"
    _, text = driver.cuGetErrorString(status)
    return f"{text.decode() if text else 'unknown error'} ({name})"


def _attribute(handle: Any, name: str) -> int:
    key = getattr(_bindings().CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
    return int(_call("cuDeviceGetAttribute", key, handle, doing="read a property of the GPU"))


def _capability(handle: Any) -> tuple[int, int]:
    return _attribute(handle, "COMPUTE_CAPABILITY_MAJOR"), _attribute(handle, "COMPUTE_CAPABILITY_MINOR")


@dataclass(frozen=True)
class Direct:
    """The context of a GPU, and addresses of the driver's functions that every call needs."""

    context: int
    current: int
    launch: int
    wait: int


_local = threading.local()


def _direct() -> tuple[Any, Any, Any]:
    """The two functions that every call needs, without what the bindings add, and room for what the first finds."""
    try:
        found: tuple[Any, Any, Any] = _local.direct
        return found
    except AttributeError:
        library = ctypes.CDLL("libcuda.so.1")
        current, launch = library.cuCtxGetCurrent, library.cuLaunchKernel
        current.argtypes = (ctypes.POINTER(ctypes.c_void_p),)
        words = [ctypes.c_uint] * 7
        launch.argtypes = (ctypes.c_void_p, *words, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
        _local.direct = current, launch, ctypes.pointer(ctypes.c_void_p())
        return _local.direct  # type: ignore[no-any-return]


class Device:
    """One GPU, and what is loaded on it."""

    def __init__(self, number: int) -> None:
        self.number = number
        handle = _call("cuDeviceGet", number, doing=f"use GPU {number}")
        self.name: str = _call("cuDeviceGetName", 128, handle, doing="read the GPU's name").split(b"\0")[0].decode()
        self.capability = _capability(handle)
        self.processors = _attribute(handle, "MULTIPROCESSOR_COUNT")
        self.registers = _attribute(handle, "MAX_REGISTERS_PER_BLOCK")
        if self.capability < LOWEST:
            have, need = (".".join(map(str, version)) for version in (self.capability, LOWEST))
            raise GpuError(f"GPU {number} ({self.name}) has compute capability {have}; programs need {need} or later")
        self._handle = handle
        self.driver_version = int(_call("cuDriverGetVersion", doing="read the driver's version"))

    @cached_property
    def _context(self) -> Any:
        """The context, which takes memory: opened when it is needed."""
        return _call("cuDevicePrimaryCtxRetain", self._handle, doing=f"open GPU {self.number}")

    @cached_property
    def _address(self) -> int:
        return int(self._context)

    def __repr__(self) -> str:
        return f"<GPU {self.number}: {self.name}, compute capability {self.capability[0]}.{self.capability[1]}>"

    def direct(self) -> Direct:
        """For machine code that calls the driver by itself."""
        library = ctypes.CDLL("libcuda.so.1")
        names = ("cuCtxGetCurrent", "cuLaunchKernel", "cuStreamSynchronize")
        return Direct(self._address, *(ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in names))

    def enter(self) -> bool:
        """Make this the GPU that the thread works on; says whether it was another before, for `leave`."""
        current, _, found = _direct()
        if current(found) == 0 and found.contents.value == self._address:
            return False
        _call("cuCtxPushCurrent", self._context, doing=f"use GPU {self.number}")
        return True

    def leave(self, entered: bool) -> None:
        """Go back to the GPU used before."""
        if entered:
            _call("cuCtxPopCurrent", doing="go back to the GPU used before")

    @contextmanager
    def current(self) -> Iterator[None]:
        """Make this the GPU that the thread works on, for a while."""
        entered = self.enter()
        try:
            yield
        finally:
            self.leave(entered)

    def link(self, ptx: bytes, registers: int) -> bytes:
        """Machine code of PTX for this GPU, of at most so many registers for each thread."""
        driver = _bindings()
        option = driver.CUjit_option
        log = bytes(4096)  # the driver writes into it
        options = [option.CU_JIT_MAX_REGISTERS, option.CU_JIT_ERROR_LOG_BUFFER]
        options.append(option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        values = [registers, log, len(log)]
        with self.current():
            state = _call("cuLinkCreate", len(options), options, values, doing="assemble a program for the GPU")
            try:
                kind = driver.CUjitInputType.CU_JIT_INPUT_PTX
                data = ptx + b"\0"
                try:
                    _call(
                        "cuLinkAddData", state, kind, data, len(data), b"floatbase", 0, [], [],
                        doing="assemble a program for the GPU",
                    )  # fmt: skip
                except GpuError as error:
                    raise GpuError(f"{error}: {log.rstrip(bytes(1)).decode(errors='replace').strip()}") from None
                address, size = _call("cuLinkComplete", state, doing="assemble a program for the GPU")
                return ctypes.string_at(int(address), int(size))
            finally:
                driver.cuLinkDestroy(state)

    def load(self, code: bytes, name: str) -> tuple[Any, Any]:
        """Machine code on this GPU: its module, which stays as long as this process, and a function of it."""
        with self.current():
            module = _call("cuModuleLoadData", code, doing="load a program onto the GPU")
            function = _call("cuModuleGetFunction", module, name.encode(), doing="find a program on the GPU")
        return module, function

    def allow_shared(self, function: Any, size: int) -> None:
        """Let a program use so many bytes of shared memory for a block, which may be more than it gets unasked."""
        name = _bindings().CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        with self.current():
            _call("cuFuncSetAttribute", function, name, size, doing="give a program shared memory")

    def attributes(self, function: Any) -> dict[str, int]:
        """Registers of each thread, and bytes of its local memory."""
        names = _bindings().CUfunction_attribute
        wanted = {"registers": names.CU_FUNC_ATTRIBUTE_NUM_REGS, "local": names.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES}
        with self.current():
            return {
                key: int(_call("cuFuncGetAttribute", name, function, doing="read what a program needs"))
                for key, name in wanted.items()
            }

    def host_word(self) -> tuple[Any, int]:
        """A word of memory of this computer that the GPU can write: as ctypes sees it, and its address on the GPU."""
        with self.current():
            flags = _bindings().CU_MEMHOSTALLOC_DEVICEMAP | _bindings().CU_MEMHOSTALLOC_PORTABLE
            host = _call("cuMemHostAlloc", 64, flags, doing="get memory for status words")
            address = _call("cuMemHostGetDevicePointer", host, 0, doing="get memory for status words")
        word = ctypes.c_uint32.from_address(int(host))
        word.value = 0
        return word, int(address)

    def launch(
        self, function: int, grid: tuple[int, int], block: int, shared: int, stream: int, arguments: int
    ) -> None:
        """Start a program, by its address, on a stream; `arguments` is the address of an array of their addresses."""
        status = _direct()[1](function, grid[0], grid[1], 1, block, 1, 1, shared, stream, arguments, None)
        if status:
            reason = _reason(_bindings(), _bindings().CUresult(status))
            raise GpuError(f"cannot start a program on GPU {self.number}: {reason}")

    def synchronize(self, stream: int) -> None:
        """Wait for everything that was started on a stream."""
        _call("cuStreamSynchronize", _bindings().CUstream(stream), doing="wait for the GPU")

    def write(self, address: int, data: bytes, stream: int) -> None:
        """Copy bytes to the GPU."""
        driver = _bindings()
        _call("cuMemcpyHtoDAsync", address, data, len(data), driver.CUstream(stream), doing="copy to the GPU")

    def read(self, address: int, size: int) -> bytes:
        """Copy bytes from the GPU."""
        data = bytearray(size)
        if size:
            _call("cuMemcpyDtoH", data, address, size, doing="copy from the GPU")
        return bytes(data)

    def seconds(self, stream: int, work: Any) -> float:
        """How long work takes that is started on a stream."""
        driver = _bindings()
        events = [_call("cuEventCreate", 0, doing="measure time on the GPU") for _ in range(2)]
        try:
            _call("cuEventRecord", events[0], driver.CUstream(stream), doing="measure time on the GPU")
            work()
            _call("cuEventRecord", events[1], driver.CUstream(stream), doing="measure time on the GPU")
            _call("cuEventSynchronize", events[1], doing="measure time on the GPU")
            return 1e-3 * float(_call("cuEventElapsedTime", *events, doing="measure time on the GPU"))
        finally:
            for event in events:
                driver.cuEventDestroy(event)


_devices: dict[int, Device] = {}
_opening = threading.Lock()


def count() -> int:
    """How many GPUs there are; an error if there is no driver."""
    _call("cuInit", 0, doing="use the GPU")
    return int(_call("cuDeviceGetCount", doing="count the GPUs"))


def devices() -> list[Device]:
    """The GPUs that programs can run on, which leaves out those that are too old.

    Nothing is opened on them yet. Without an NVIDIA driver, or with a driver that finds no GPU, this is a `GpuError`
    that says so; without the package `cuda-bindings` a `MissingDependencyError`.
    """
    handles = [_call("cuDeviceGet", number, doing=f"use GPU {number}") for number in range(count())]
    return [device(number) for number, handle in enumerate(handles) if _capability(handle) >= LOWEST]


def device(number: int) -> Device:
    """A GPU by its number."""
    if isinstance(number, bool) or not isinstance(number, int):
        raise ArgumentError(f"a GPU is chosen by its number, 0 or more, got {number!r}")
    found = _devices.get(number)
    if found is None:
        with _opening:
            found = _devices.get(number)
            if found is None:
                known = count()
                if not 0 <= number < known:
                    raise GpuError(f"there is no GPU {number}; the GPUs are numbered from 0 to {known - 1}")
                found = _devices[number] = Device(number)
    return found


def pointer_device(pointer: int) -> int:
    """The GPU whose memory an address is in."""
    count()
    attribute = _bindings().CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
    return int(_call("cuPointerGetAttribute", attribute, pointer, doing="find the GPU that an array is on"))
