"""Every quantity that a robot can be asked for, on a GPU in float32: throughput, registers, memory, error, compiling.

Processes trace and compile the functions side by side, and interpret them in float64 on the CPU for the states that
are checked. This process times each as soon as it is there: kernels are started by the GPU itself (a captured graph),
so that work on the CPU does not matter.
"""

from __future__ import annotations

import multiprocessing
import os
import time
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numpy as np

from benchmarks.gpu_measure import CHECKED, kernel_time, largest_error
from benchmarks.gpu_report import machine, rate
from floatbase import load
from floatbase.compiler import interpret
from floatbase.compiler.function import Function
from floatbase.compiler.gpu.driver import device
from floatbase.robot import Robot
from floatbase.robot.quantities import CHOICES, QUANTITIES, SELECTIONS, SEVERAL

Record = dict[str, Any]
Request = tuple[str | int, ...]

DTYPE = "float32"
LARGEST, SMALLEST = 1 << 18, 1 << 12  # states in a batch
MEMORY = 8 << 30  # bytes of inputs and outputs at most
LIMIT = 3e-2  # errors beyond are failures; some quantities solve with mass matrices that are badly conditioned


def requests(robot: Robot, frames: Sequence[str]) -> list[Request]:
    """Every quantity once, asked for two of the robot's frames, its first joint, and so on."""
    found = []
    for name, quantity in QUANTITIES.items():
        if name == "stacked_submodel_regressor":
            found.append((name, *(submodel.links[0] for submodel in robot.tree.submodels)))
        else:
            kinds = frames if quantity.static == (SEVERAL,) else quantity.static
            found.append((name, *(_choice(robot, kind, frames) for kind in kinds if kind not in CHOICES)))
    return found


def _choice(robot: Robot, kind: str, frames: Sequence[str]) -> str | int:
    if kind in SELECTIONS:
        choices = SELECTIONS[kind](robot.tree)
        if not choices:
            raise ValueError(f"{robot.name} has no {kind}")
        return "body" if kind == "representation" else choices[0]
    if kind == "link":
        return frames[0]
    return kind if kind in frames else frames[1 if kind in ("reference", "axes") else 0]


def function(robot: Robot, request: Request, frames: Sequence[str]) -> Function:
    """The compiled function of a request."""
    wrenches = frames[:1] if request[0] == "generalized_forces" else ()  # it needs some
    return robot.function(request if len(request) > 1 else str(request[0]), wrenches)


def arrays(robot: Robot, inputs: Sequence[Any], count: int, seed: int = 7) -> list[Any]:
    """Random states for the inputs of a function."""
    random = np.random.default_rng(seed)
    found = []
    for port in inputs:
        if port.name in ("q", "q_end", "s"):
            q, _ = robot.random(random, n=count)
            found.append(q[:, q.shape[1] - port.shape[0] :])
        elif port.name == "dt":
            found.append(np.full(count, 1e-3))
        else:
            found.append(random.normal(size=(count, *port.shape)))
    return found


def measure(cupy: Any, name: str, frames: Sequence[str], seconds: float, gpu: int = 0) -> Iterator[Record]:
    """A record of each quantity, when it is there; with the reason, if it cannot be measured."""
    deadline = time.monotonic() + seconds
    robot = _load(name)
    threads = ThreadPoolExecutor(os.cpu_count())
    left: dict[Future[Record], Request] = {
        threads.submit(_apart, name, request, frames, gpu): request for request in requests(robot, frames)
    }
    try:
        while left and time.monotonic() < deadline:
            done, _ = wait(left, deadline - time.monotonic(), FIRST_COMPLETED)
            for future in done:
                request = left.pop(future)
                record = {"peer": "floatbase", "robot": name, "function": _label(request), "dtype": DTYPE}
                try:
                    yield {**record, **_time(cupy, robot, request, frames, future.result(), gpu)}
                except Exception as error:
                    yield {**record, "reason": traceback.format_exception_only(error)[0].strip()[:300]}
        for request in left.values():
            record = {"peer": "floatbase", "robot": name, "function": _label(request), "dtype": DTYPE}
            yield {**record, "reason": f"not reached within {seconds:.0f} s"}
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for worker in multiprocessing.active_children():
            worker.kill()


def _load(name: str) -> Robot:
    return load(name, keep_force_sensors=True)


def _label(request: Request) -> str:
    return ", ".join(map(str, request))


def _apart(*arguments: Any) -> Record:
    """`_prepare` in a process of its own, so that one that ends badly takes no other with it."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_prepare, *arguments).result()


def _prepare(name: str, request: Request, frames: Sequence[str], gpu: int) -> Record:
    """Compile a function into the cache on disk, and interpret it."""
    robot = _load(name)
    began = time.perf_counter()
    compiled = function(robot, request, frames)
    program = compiled.program
    traced = time.perf_counter()
    compiled.on_gpu.prepare(gpu, (DTYPE,))
    prepared = time.perf_counter()
    inputs = arrays(robot, compiled.signature.inputs, CHECKED)
    return {
        "trace": traced - began,
        "compile": prepared - traced,
        "operations": program.operation_count,
        "inputs": inputs,
        "reference": interpret(program, *inputs),
    }


def _time(cupy: Any, robot: Robot, request: Request, frames: Sequence[str], made: Record, gpu: int) -> Record:
    compiled = function(robot, request, frames)
    signature = compiled.signature
    row_bytes = np.dtype(DTYPE).itemsize * sum(port.size for port in (*signature.inputs, *signature.outputs))
    size = LARGEST
    while size > SMALLEST and size * row_bytes > MEMORY:
        size //= 2
    rows = [np.resize(row.astype(DTYPE), (size, *row.shape[1:])) for row in made["inputs"]]
    given = [cupy.asarray(row) for row in rows]
    results = tuple(flat(compiled(*given)))
    out = results if len(results) > 1 else results[0]
    error = largest_error(results, made["reference"], size)
    seconds = kernel_time(cupy, partial(compiled, *given, out=out), 2)
    error = max(error, largest_error(results, made["reference"], size))
    described = compiled.on_gpu.kernel(device(gpu), DTYPE).describe()
    del given, results, out
    cupy.get_default_memory_pool().free_all_blocks()
    return {
        "batch": size, "kernel": seconds, "call": seconds, "per second": size / seconds, "error": error,
        "agrees": bool(error <= LIMIT), "trace": made["trace"], "compile": made["compile"],
        "operations": made["operations"], "bytes": row_bytes, **described,
    }  # fmt: skip


def flat(result: Any) -> Iterator[Any]:
    """The arrays of a result, as `out=` takes them."""
    if isinstance(result, tuple | dict):
        for part in result.values() if isinstance(result, dict) else result:
            yield from flat(part)
    else:
        yield result


def markdown(about: Record, records: Sequence[Record]) -> str:
    """The results as a page."""
    robot = records[0]["robot"] if records else ""
    lines = [f"# Every quantity on a GPU: {robot}, {DTYPE}", ""]
    lines += [
        "States per second by the time of the kernel on arrays that stay on the GPU. Errors are norm-wise for each "
        "state against float64, before and after timing. Local memory is what a thread keeps outside of registers. "
        "'compile' is tracing, lowering, LLVM and the driver's assembler, from nothing, with as many processes at work "
        "as there are cores.",
        "", "## Machine", "", *machine({key: value for key, value in about.items() if key != "libraries"}), "",
    ]  # fmt: skip
    columns = ("batch", "states/s", "operations", "registers", "local memory, bytes", "block", "error", "compile, s")
    lines += [f"| quantity | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    for record in sorted(records, key=lambda record: str(record["function"])):
        if "reason" not in record:
            lines.append(
                f"| {record['function']} | {record['batch']} | {rate(record['per second'])} | {record['operations']} | "
                f"{record['registers']} | {record['local']} | {record['block']} | "
                f"{record['error']:.0e}{'' if record['agrees'] else ' (disagrees)'} | "
                f"{record['trace'] + record['compile']:.1f} |"
            )
    missing = [record for record in records if "reason" in record]
    lines += ["", "## Not measured", ""]
    lines += [f"* {record['function']}: {record['reason']}" for record in missing] or ["Everything was."]
    return "\n".join([*lines, ""])
