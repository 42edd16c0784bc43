"""floatbase on a GPU: the time of a kernel and of the public call, and the error against float64 on the CPU."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from benchmarks.robots import Robot
from benchmarks.states import States, sample
from floatbase import load
from floatbase.compiler.gpu.driver import device
from floatbase.gpu import deferred

FUNCTIONS = {
    "inverse dynamics": ("inverse_dynamics", "qva"),
    "forward dynamics": ("forward_dynamics", "qvt"),
    "mass matrix": ("mass_matrix", "q"),
    "bias": ("bias", "qv"),
    "inverse dynamics derivatives": ("inverse_dynamics_derivatives", "qva"),
}
"""The method behind each function, and which arrays it takes."""
MEMORY = 12 << 30  # bytes of inputs and outputs at most
CHECKED = 64  # of the first and of the last states
STATES = 4096  # different ones; larger batches repeat them
LIMITS = {"float64": 1e-11, "float32": 3e-4}


def limit(function: str, dtype: str) -> float:
    """Errors beyond are failures."""
    return LIMITS[dtype] * (100 if "forward" in function else 1)


def inputs(states: States, function: str) -> list[Any]:
    """The arrays that floatbase's method takes."""
    of = {"q": states.q, "v": states.v, "a": states.a, "t": states.tau}
    return [of[letter] for letter in FUNCTIONS[function][1]]


def bandwidth(cupy: Any) -> float:
    """Bytes that a copy within the GPU's memory reads and writes in a nanosecond."""
    source = cupy.ones(1 << 28, cupy.float64)
    target = cupy.empty_like(source)
    return round(2 * source.nbytes / _shortest(cupy, lambda: cupy.copyto(target, source), 5) / 1e9)


def _shortest(cupy: Any, work: Callable[[], Any], rounds: int, inner: int = 1) -> float:
    work()
    times = []
    for _ in range(rounds):
        first, last = cupy.cuda.Event(), cupy.cuda.Event()
        first.record()
        for _ in range(inner):
            work()
        last.record()
        last.synchronize()
        times.append(cupy.cuda.get_elapsed_time(first, last) / inner * 1e-3)
    return float(np.median(times))


def kernel_time(cupy: Any, work: Callable[[], Any], inner: int) -> float:
    """The time of one kernel among several, started by the GPU itself (a captured graph): Python takes no part."""
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream, deferred():
        work()
        stream.synchronize()
        stream.begin_capture()
        for _ in range(inner):
            work()
        graph = stream.end_capture()
        times = []
        for _ in range(7):
            first, last = cupy.cuda.Event(), cupy.cuda.Event()
            first.record(stream)
            graph.launch(stream)
            last.record(stream)
            last.synchronize()
            times.append(cupy.cuda.get_elapsed_time(first, last) / inner * 1e-3)
    return float(np.median(times[1:]))


def measure(
    cupy: Any, plain: Robot, function: str, dtype: str, sizes: Sequence[int], copied: float
) -> list[dict[str, Any]]:
    """A record for each size of the batch. `copied`: bytes that a copy moves in a nanosecond."""
    robot = load(plain.path, floating=plain.floating, representation="body")
    compiled = robot.function(FUNCTIONS[function][0])
    rows = inputs(sample(plain, STATES), function)
    began = time.perf_counter()
    compiled.on_gpu.prepare(0, (dtype,))
    seconds = time.perf_counter() - began
    kernel = compiled.on_gpu.kernel(device(0), dtype)
    program = compiled.program
    item = np.dtype(dtype).itemsize
    row_bytes = (program.input_size + program.output_size) * item
    reference = compiled(*rows)
    reference = reference if isinstance(reference, tuple) else (reference,)
    found = []
    for size in sizes:
        if size * row_bytes > MEMORY:
            continue
        arrays = [cupy.asarray(np.resize(row.astype(dtype), (size, row.shape[1]))) for row in rows]
        out = compiled(*arrays)
        error = largest_error(out, reference, size)
        work = partial(compiled, *arrays, out=out)
        kernel_seconds = kernel_time(cupy, work, 20 if size <= 1 << 16 else 2)
        call = min(call_time(work) for _ in range(200 if size <= 1 << 16 else 7))
        with deferred():
            host = call_time(partial(_repeat, work, 1000)) / 1000 if size == min(sizes) else None
        error = max(error, largest_error(out, reference, size))
        processors, clock = device(0).processors, 1.98e9
        rate = processors * (128 if dtype == "float32" else 64) * clock
        found.append(
            {
                "peer": "floatbase", "robot": plain.name, "function": function, "dtype": dtype, "batch": size,
                "kernel": kernel_seconds, "call": call, "host": host, "per second": size / kernel_seconds,
                "error": error, "agrees": bool(error <= limit(function, dtype)), "prepare": seconds,
                **kernel.describe(), "operations": program.operation_count, "bytes": row_bytes,
                "arithmetic floor": size * program.operation_count / rate,
                "memory floor": size * row_bytes / (copied * 1e9),
            }
        )  # fmt: skip
        del arrays, out, work
        cupy.get_default_memory_pool().free_all_blocks()
    return found


def _repeat(work: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        work()


def call_time(call: Callable[[], Any]) -> float:
    """Seconds that a call takes."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def largest_error(results: Any, reference: tuple[Any, ...], size: int) -> float:
    """The largest norm-wise error of the first and the last states; absolute where the exact result is zero."""
    worst = 0.0
    for result, expected in zip(results if isinstance(results, tuple) else (results,), reference, strict=True):
        for rows in (np.arange(min(CHECKED, size)), np.arange(max(size - CHECKED, 0), size)):
            exact = expected[rows % len(expected)].reshape(len(rows), -1)
            ours = result[rows[0] : rows[-1] + 1].get().astype(np.float64).reshape(len(rows), -1)
            if not np.isfinite(ours).all():
                return float("inf")
            scale = np.linalg.norm(exact, axis=1)
            error = np.linalg.norm(ours - exact, axis=1) / np.where(scale == 0.0, 1.0, scale)
            worst = max(worst, float(np.max(error)))
    return worst
