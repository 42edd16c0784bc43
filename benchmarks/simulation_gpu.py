"""Steps of a humanoid on a GPU: `python -m benchmarks.simulation --gpu`, or from a program file on a bare machine.

The step of `benchmarks.standing` (iCub, two visco-elastic soles, linearly implicit, joints held) in float32, with
arrays of CuPy that stay on the GPU and outputs that are used again. `kernel` is the time of one of several kernels in a
CUDA graph; `call` that of a public call that waits for its result. A program file, written by `--export FILE` where the
robot is installed, makes NumPy, llvmlite, CuPy, defusedxml and platformdirs enough on the machine with the GPU:
`python -m benchmarks.simulation_gpu FILE`.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.gpu_measure import call_time, kernel_time
from floatbase.compiler import compile_program, load, save

SIZES = (1024, 16384, 262144, 1 << 20, 1 << 21)
CHECKED = 256
HERE = Path(__file__).resolve().parent


def export(path: Path) -> None:
    """Write the program, and beside it one row of its inputs."""
    from benchmarks import standing

    robot = standing.humanoid()
    simulator = standing.simulator(robot, held=True)
    state = simulator.init(standing.start(robot))
    arrays = simulator.arrays(state, simulator.rest(state))
    save(simulator.function.program, path)
    names = [port.name for port in simulator.function.signature.inputs]
    np.savez(path.with_suffix(".npz"), **dict(zip(names, arrays, strict=True)))


def main(program: Path | None = None, results: Path = HERE / "results") -> None:
    """Measure, print, and write the results."""
    import cupy

    from floatbase.compiler.gpu.driver import device

    if program is None:
        program = results / "simulation.program"
        export(program)
    function = compile_program(load(program))
    row = dict(np.load(program.with_suffix(".npz")))
    began = perf_counter()
    function.on_gpu.prepare(0, ("float32",))
    seconds = perf_counter() - began
    records = []
    for size in SIZES:
        arrays, host = _arrays(cupy, row, size)
        out = function(*arrays)
        error = _error(function, host, out)
        work = partial(function, *arrays, out=out)
        kernel = kernel_time(cupy, work, 20 if size <= 1 << 16 else 4)
        call = min(call_time(work) for _ in range(7))
        records.append(
            {
                "batch": size, "dtype": "float32", "kernel": kernel, "call": call, "per second": size / kernel,
                "error": error, "prepare": seconds, "operations": function.program.operation_count,
            }
        )  # fmt: skip
        print(records[-1], flush=True)
    gpu = device(0)
    about = {"date": datetime.now(tz=UTC).date().isoformat(), "gpu": repr(gpu), "driver": gpu.driver_version}
    results.mkdir(parents=True, exist_ok=True)
    content = {"machine": about, "records": records}
    (results / "simulation-gpu.json").write_text(json.dumps(content, indent=1) + "\n")
    lines = ["# Steps of a standing humanoid on a GPU", "", *(f"* {key}: {value}" for key, value in about.items()), ""]
    lines += ["| batch | kernel us | call us | steps per second | error |", "|---:|---:|---:|---:|---:|"]
    lines += [
        f"| {r['batch']} | {1e6 * r['kernel']:.1f} | {1e6 * r['call']:.1f} | {r['per second']:.3g} | {r['error']:.1g} |"
        for r in records
    ]
    (results / "simulation-gpu.md").write_text("\n".join([*lines, ""]))
    print("\n".join(lines))


def _arrays(cupy: Any, row: dict[str, np.ndarray], size: int) -> tuple[list[Any], list[np.ndarray]]:
    """Inputs on the GPU, states a little different from row to row, and the first rows of them here."""
    rng = np.random.default_rng(0)
    arrays, host = [], []
    for name, values in row.items():
        values = np.asarray(values, dtype=np.float32)
        if name in ("q", "v", "memory"):
            values = np.tile(values, (size, 1))
        if name == "v":
            values = (
                values
                + 0.01 * rng.standard_normal((CHECKED, values.shape[-1])).astype(np.float32)[np.arange(size) % CHECKED]
            )
        host.append(values[:CHECKED] if values.ndim > 1 else values)
        arrays.append(cupy.asarray(values))
    return arrays, host


def _error(function: Any, host: list[np.ndarray], out: Any) -> float:
    """The largest norm-wise error of the states against float64 on the CPU."""
    exact = function(*(array.astype(np.float64) for array in host))
    worst = 0.0
    for ours, theirs in zip(out[:2], exact[:2], strict=True):
        difference = np.linalg.norm(ours[:CHECKED].get() - theirs, axis=-1) / np.linalg.norm(theirs, axis=-1)
        worst = max(worst, float(np.max(difference)))
    return worst


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
