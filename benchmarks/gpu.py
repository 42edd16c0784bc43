"""Throughput on a GPU against the size of the batch: `python -m benchmarks.gpu`, on a machine that has one.

Arrays are CuPy's and stay on the GPU. `kernel` is the time of one of several kernels that the public call inside
`floatbase.gpu.deferred` has put into a graph, writing to memory that is used again; `call` is the public call with its
checks, waiting for the result; `host` is how long the call takes where it need not wait. Results are compared with
float64 on the CPU before and after timing, for the first and the last states of the batch, norm-wise for each state.
The arithmetic floor is the program's operations over the
processors' rate of fused operations, the memory floor its inputs and outputs over the bandwidth of a copy measured in
the same run; the larger of both is what no kernel of this program could undercut.

frax and adam, if they are installed, run on the same GPU through `jax.jit(jax.vmap(...))`, timed with the arrays there
and the results waited for. Written to `benchmarks/results/gpu.json`, `gpu.md` and plots.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks import gpu_report, machine, robots
from benchmarks.states import sample
from floatbase import load
from floatbase.compiler.gpu.driver import device
from floatbase.gpu import deferred

HERE = Path(__file__).resolve().parent
FUNCTIONS = {
    "inverse dynamics": ("inverse_dynamics", "qva"),
    "forward dynamics": ("forward_dynamics", "qvt"),
    "mass matrix": ("mass_matrix", "q"),
    "inverse dynamics derivatives": ("inverse_dynamics_derivatives", "qva"),
}
SIZES = tuple(4**power for power in range(4, 12))  # 256 to 4 M
MEMORY = 12 << 30  # bytes of inputs and outputs at most
CHECKED = 64
PEER_SIZES = (1024, 16384, 1 << 20)
LIMITS = {"float64": 1e-11, "float32": 3e-4}  # errors beyond are failures; forward dynamics has a hundred times as much


def main() -> None:
    """Measure, print, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__.splitlines()[0])
    parser.add_argument("--robots", nargs="+", default=["icub", "g1", "talos", "anymal_c", "panda"])
    parser.add_argument("--quick", action="store_true", help="two sizes, no peers")
    parser.add_argument("--peers", nargs="*", default=["frax"], choices=["frax", "adam"])
    parser.add_argument("--results", type=Path, default=HERE / "results")
    options = parser.parse_args()
    import cupy

    console = Console(width=150)
    gpu = device(0)
    about = {**machine.describe(), "gpu": repr(gpu), "driver": gpu.driver_version, "copy GB/s": _bandwidth(cupy)}
    console.print(about)
    records: list[dict[str, Any]] = []
    options.results.mkdir(parents=True, exist_ok=True)

    def save() -> None:
        content = {"machine": about, "records": records}
        (options.results / "gpu.json").write_text(json.dumps(content, indent=1) + "\n")

    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("FLOATBASE_CACHE", str(Path(folder) / "cache"))
        for name in options.robots:
            plain = robots.prepare(name, Path(folder))
            for function in FUNCTIONS:
                for dtype in ("float32", "float64"):
                    sizes = (1024, 16384) if options.quick else SIZES
                    found = _measure(cupy, plain, function, dtype, sizes, about["copy GB/s"])
                    records += found
                    gpu_report.show(console, found)
                    save()
            for peer in [] if options.quick or name != "icub" else options.peers:
                found = _peer(peer, plain, console)
                records += found
                gpu_report.show(console, found)
                save()
    (options.results / "gpu.md").write_text(gpu_report.markdown(about, records))
    gpu_report.plot(records, options.results / "gpu-batch")


def _bandwidth(cupy: Any) -> float:
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


def _kernel_time(cupy: Any, work: Callable[[], Any], inner: int) -> float:
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


def _measure(
    cupy: Any, plain: robots.Robot, function: str, dtype: str, sizes: tuple[int, ...], bandwidth: float
) -> list[dict[str, Any]]:
    method, letters = FUNCTIONS[function]
    robot = load(plain.path, floating=plain.floating, representation="body")
    compiled = robot.function(method)
    states = sample(plain, 4096)
    of = {"q": states.q, "v": states.v, "a": states.a, "t": states.tau}
    began = time.perf_counter()
    compiled.on_gpu.prepare(0, (dtype,))
    seconds = time.perf_counter() - began
    kernel = compiled.on_gpu.kernel(device(0), dtype)
    program = compiled.program
    item = np.dtype(dtype).itemsize
    row_bytes = (program.input_size + program.output_size) * item
    reference = compiled(*(of[letter] for letter in letters))
    reference = reference if isinstance(reference, tuple) else (reference,)
    found = []
    for size in sizes:
        if size * row_bytes > MEMORY:
            continue
        arrays = [cupy.asarray(np.resize(of[letter].astype(dtype), (size, of[letter].shape[1]))) for letter in letters]
        out = compiled(*arrays)
        error = _error(out, reference, size)
        work = partial(compiled, *arrays, out=out)
        kernel_time = _kernel_time(cupy, work, 20 if size <= 1 << 16 else 2)
        call = min(_call_time(work) for _ in range(7))
        with deferred():
            host = _call_time(partial(_repeat, work, 1000)) / 1000 if size == min(sizes) else None
        error = max(error, _error(out, reference, size))
        limit = LIMITS[dtype] * (100 if "forward" in function else 1)
        processors, clock = device(0).processors, 1.98e9
        rate = processors * (128 if dtype == "float32" else 64) * clock
        found.append(
            {
                "peer": "floatbase", "robot": plain.name, "function": function, "dtype": dtype, "batch": size,
                "kernel": kernel_time, "call": call, "host": host, "per second": size / kernel_time, "error": error,
                "agrees": bool(error <= limit), "prepare": seconds, **kernel.describe(),
                "operations": program.operation_count, "bytes": row_bytes,
                "arithmetic floor": size * program.operation_count / rate,
                "memory floor": size * row_bytes / (bandwidth * 1e9),
            }
        )  # fmt: skip
        del arrays, out, work
        cupy.get_default_memory_pool().free_all_blocks()
    return found


def _repeat(work: Callable[[], Any], times: int) -> None:
    for _ in range(times):
        work()


def _call_time(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def _error(results: Any, reference: tuple[Any, ...], size: int) -> float:
    """The largest norm-wise error of the first and the last states."""
    worst = 0.0
    for result, expected in zip(results if isinstance(results, tuple) else (results,), reference, strict=True):
        for rows in (np.arange(min(CHECKED, size)), np.arange(max(size - CHECKED, 0), size)):
            exact = expected[rows % len(expected)].reshape(len(rows), -1)
            ours = result[rows[0] : rows[-1] + 1].get().astype(np.float64).reshape(len(rows), -1)
            if not np.isfinite(ours).all():
                return float("inf")
            worst = max(worst, float(np.max(np.linalg.norm(ours - exact, axis=1) / np.linalg.norm(exact, axis=1))))
    return worst


def _peer(name: str, plain: robots.Robot, console: Console) -> list[dict[str, Any]]:
    """The same robot's dynamics by a library on JAX, in float32."""
    os.environ["JAX_PLATFORMS"] = "cuda"
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax

    from benchmarks.options import Options

    try:
        if name == "frax":
            from benchmarks.peers import frax as adapter
        else:
            from benchmarks.peers import adam as adapter
    except ImportError as reason:
        console.print(f"{name}: not measured: {reason}")
        return []
    found = []
    states = sample(plain, 4096)
    contenders = adapter.contenders(plain, states.first(0), states, Options(long_compilations=True))
    for entry in contenders:
        if entry.function not in FUNCTIONS:
            continue
        robot = load(plain.path, floating=plain.floating, representation="body")
        method, letters = FUNCTIONS[entry.function]
        of = {"q": states.q, "v": states.v, "a": states.a, "t": states.tau}
        exact = robot.function(method)(*(of[letter] for letter in letters)).reshape(len(states), -1)
        names = [key for key in entry.namespace if key != "f"]
        for size in PEER_SIZES:
            arrays = [
                jax.device_put(
                    np.resize(entry.namespace[key], (size, *np.shape(entry.namespace[key])[1:])).astype("f4")
                )
                for key in names
            ]
            began = time.perf_counter()
            result = entry.namespace["f"](*arrays).block_until_ready()
            compile_time = time.perf_counter() - began
            times = [_call_time(lambda: entry.namespace["f"](*arrays).block_until_ready()) for _ in range(7)]  # noqa: B023
            ours = entry.convert(np.resize(np.asarray(result[: len(states)], float), (len(states), *result.shape[1:])))
            rows = min(size, len(states))
            difference = np.linalg.norm((ours.reshape(len(states), -1) - exact)[:rows], axis=1)
            error = float(np.max(difference / np.linalg.norm(exact[:rows], axis=1)))
            best = min(times)
            found.append(
                {
                    "peer": adapter.NAME, "robot": plain.name, "function": entry.function, "dtype": "float32",
                    "batch": size, "kernel": best, "call": best, "per second": size / best, "error": error,
                    "agrees": bool(error <= 3e-2), "prepare": compile_time,
                }
            )  # fmt: skip
    return found


def _wait_for(function: Callable[..., Any], arrays: list[Any]) -> Any:
    return function(*arrays).block_until_ready()


if __name__ == "__main__":
    main()
