"""Libraries on JAX on the same GPU: each in processes of its own, compiled at the same time, timed one after another.

They are called as their documentation says, through `jax.jit(jax.vmap(...))` on arrays that stay on the GPU, in
float32 with JAX's 64-bit numbers switched off, and in float64. Matrix products are in full precision: by default JAX
rounds them to TF32 on such GPUs, with errors a thousand times as large. What cannot be measured is listed with the
reason.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import robots
from benchmarks.gpu_measure import FUNCTIONS, inputs
from benchmarks.gpu_peer import COMPARED, STATES, Task, reference_name
from benchmarks.states import sample
from floatbase import load

SIZES = (1024, 16384, 1 << 20)
DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class Limits:
    """How long it may take; what is not done by then is not measured."""

    compiling: float = 200.0  # seconds for all that is compiled, at the same time
    starting: float = 60.0  # for all processes to load what was compiled
    measuring: float = 60.0  # for one library, robot and dtype
    processes: int = max(4, 3 * (os.cpu_count() or 1) // 2)


def measure(
    peers: Sequence[str],
    names: Sequence[str],
    sizes: Sequence[int] = SIZES,
    dtypes: Sequence[str] = DTYPES,
    functions: Sequence[str] = COMPARED,
    platform: str = "cuda",
    limits: Limits = Limits(),
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Records of the libraries, with a reason where there is no time, and versions and remarks of each."""
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            _write_references(name, functions, Path(folder), min(STATES, *sizes))
        tasks = [
            Task(peer, name, dtype, tuple(functions), tuple(sizes), folder)
            for name, peer, dtype in product(names, peers, dtypes)
        ]
        single = [replace(task, functions=(function,)) for function in functions for task in tasks]
        _compile(single, platform, limits)
        _time(tasks, platform, limits)
        about = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.about"))]
        titles = {path.stem: json.loads(path.read_text())["name"] for path in Path(folder).glob("*.about")}
        records = [record for task in tasks for record in _records(task, limits)]
        return [{**record, "peer": titles.get(record["peer"], record["peer"])} for record in records], about


def _write_references(name: str, functions: Sequence[str], folder: Path, count: int) -> None:
    plain = robots.prepare(name, folder)
    states = sample(plain, count)
    robot = load(plain.path, floating=plain.floating, representation="body")
    for function in functions:
        result = robot.function(FUNCTIONS[function][0])(*inputs(states, function))
        np.save(folder / reference_name(name, function), result)


def _compile(tasks: Sequence[Task], platform: str, limits: Limits) -> None:
    deadline = time.monotonic() + limits.compiling
    waiting = list(tasks)
    running: list[tuple[Task, subprocess.Popen[bytes]]] = []
    try:
        while (waiting or running) and time.monotonic() < deadline:
            while waiting and len(running) < limits.processes:
                task = waiting.pop(0)
                running.append((task, _start("compile", task, platform)))
            running = [(task, process) for task, process in running if not _has_ended(task, process)]
            time.sleep(0.05)
    finally:
        for _, process in running:
            _stop(process)


def _time(tasks: Sequence[Task], platform: str, limits: Limits) -> None:
    able = [task for task in tasks if list(Path(task.folder).glob(task.path("*", suffix=".code").name))]
    with _started(able, platform) as processes:
        deadline = time.monotonic() + limits.starting
        while time.monotonic() < deadline and any(
            process.poll() is None and not task.path(suffix=".ready").exists()
            for task, process in zip(able, processes, strict=True)
        ):
            time.sleep(0.05)
        for task, process in zip(able, processes, strict=True):
            task.path(suffix=".go").touch()
            deadline = time.monotonic() + limits.measuring
            while time.monotonic() < deadline and not _has_ended(task, process):
                time.sleep(0.02)
            _stop(process)


@contextmanager
def _started(tasks: Sequence[Task], platform: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []
    try:
        for task in tasks:
            processes.append(_start("measure", task, platform))
        yield processes
    finally:
        for process in processes:
            _stop(process)


def _start(mode: str, task: Task, platform: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "JAX_PLATFORMS": platform,
        "JAX_ENABLE_X64": str(int(task.dtype == "float64")),
        "JAX_DEFAULT_MATMUL_PRECISION": "highest",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
        "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.9",
        "JAXSIM_LOGGING_LEVEL": "WARNING",
    }
    command = [sys.executable, "-m", "benchmarks.gpu_peer", mode, task.text]
    with _told(task, mode == "compile", ".log").open("wb") as output:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, env=environment
        )


def _told(task: Task, compiling: bool, suffix: str) -> Path:
    """A file about the process that compiles one function, or about the one that measures them all."""
    return task.path(*(task.functions if compiling else ()), suffix=suffix)


def _has_ended(task: Task, process: subprocess.Popen[bytes]) -> bool:
    code = process.poll()
    if code:
        compiling = "compile" in process.args
        _told(task, compiling, ".end").write_text(f"its process ended with {code}")
    return code is not None


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()


def _records(task: Task, limits: Limits) -> list[dict[str, Any]]:
    path = task.path(suffix=".jsonl")
    found = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    done = {(record["function"], record["batch"]) for record in found}
    for function, size in product(task.functions, task.sizes):
        if (function, size) not in done:
            found.append(task.record(function, size, reason=_reason(task, function, size, limits)))
    return found


def _reason(task: Task, function: str, size: int, limits: Limits) -> str:
    for path in (task.path(function, size, suffix=".none"), task.path(function, suffix=".none")):
        if path.exists():
            return path.read_text()
    compiled = task.path(function, size, suffix=".code").exists()
    log, end = (
        _told(task if compiled else replace(task, functions=(function,)), not compiled, suffix)
        for suffix in (".log", ".end")
    )
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    raised = [line for line in lines if line and not line[0].isspace() and "Error" in line.split(":")[0]]
    if end.exists():
        return raised[-1][:200] if raised else end.read_text()
    if compiled:
        return f"not measured within {limits.measuring:.0f} s"
    return f"not compiled within {limits.compiling:.0f} s, in which the others were compiled too"
