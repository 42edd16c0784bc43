"""A library on JAX in a process of its own, started by `benchmarks.gpu_peers`: `python -m benchmarks.gpu_peer`.

`compile` writes compiled functions to files, so that many processes can compile at once and be stopped when they take
too long. `measure` loads them, waits for its turn, and times them one after another on arrays that stay on the device,
waiting for the results. Its records are lines of JSON.
"""

from __future__ import annotations

import importlib
import json
import pickle
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import robots
from benchmarks.gpu_measure import call_time, limit
from benchmarks.options import Options
from benchmarks.states import sample

STATES = 1024  # different ones, or as many as the smallest batch has; larger batches repeat them
PEERS = ("frax", "jaxsim", "mjx", "adam")
COMPARED = ("inverse dynamics", "forward dynamics", "mass matrix", "bias")
"""adam has no inverse dynamics with accelerations; the bias takes its place."""


@dataclass(frozen=True)
class Task:
    """What one process does; `folder` is where it finds and leaves its files."""

    peer: str
    robot: str
    dtype: str
    functions: tuple[str, ...]
    sizes: tuple[int, ...]
    folder: str

    @property
    def text(self) -> str:
        """For the command line."""
        return json.dumps(asdict(self))

    def path(self, *names: object, suffix: str) -> Path:
        """A file of this peer, robot and dtype."""
        stem = "-".join(str(name) for name in (self.peer, self.robot, self.dtype, *names)).replace(" ", "_")
        return Path(self.folder) / f"{stem}{suffix}"

    def record(self, function: str, size: int, **fields: Any) -> dict[str, Any]:
        """A measurement, or the reason why there is none."""
        names = {"peer": self.peer, "robot": self.robot, "function": function, "dtype": self.dtype, "batch": size}
        return {**names, **fields}


@dataclass(frozen=True)
class Entry:
    """A function of a batch, some states for it, and the results that floatbase has for these on a CPU."""

    call: Any  # jax.jit(jax.vmap(...))
    rows: list[Any]
    convert: Callable[[Any], Any]
    reference: Any


def main() -> None:
    """Compile or measure, as the command line says."""
    mode, text = sys.argv[1:]
    task = Task(**json.loads(text))
    from benchmarks.jax_settings import jax

    jax.config.update("jax_compilation_cache_dir", str(Path(task.folder) / "jax"))
    entries = _entries(task)
    if mode == "compile":
        for function in task.functions:
            if function in entries:
                _compile(jax, task, function, entries[function])
            else:
                task.path(function, suffix=".none").write_text("its adapter has no such function for this robot")
    else:
        _measure(jax, task, entries)


def _entries(task: Task) -> dict[str, Entry]:
    adapter = importlib.import_module(f"benchmarks.peers.{task.peer}")
    notes = {"name": adapter.NAME, "version": adapter.version(), "calls": adapter.CALLS}
    (Path(task.folder) / f"{task.peer}.about").write_text(json.dumps(notes))
    with tempfile.TemporaryDirectory() as folder:
        plain = robots.prepare(task.robot, Path(folder))
        states = sample(plain, min(STATES, *task.sizes))
        found = adapter.contenders(plain, states.first(0), states, Options(long_compilations=True))
    entries = {}
    for contender in found:
        if contender.mode == "batch" and contender.function in task.functions:
            rows = [array for name, array in contender.namespace.items() if name != "f"]
            reference = np.load(Path(task.folder) / reference_name(task.robot, contender.function))[: len(states)]
            call = contender.namespace["f"]
            entries[contender.function] = Entry(call, rows, contender.convert, reference)
    return entries


def reference_name(robot: str, function: str) -> str:
    """The file of floatbase's results for the first states of a sample."""
    return f"reference-{robot}-{function.replace(' ', '_')}.npy"


def _compile(jax: Any, task: Task, function: str, entry: Entry) -> None:
    """All sizes of a batch at once; a file each."""
    with ThreadPoolExecutor(len(task.sizes)) as pool:
        for size in task.sizes:
            try:
                began = time.perf_counter()
                lowered = _lower(jax, task, entry, size)
                traced = time.perf_counter() - began
            except Exception as error:
                task.path(function, size, suffix=".none").write_text(_reason(error))
                continue
            pool.submit(_store, task, function, size, lowered, traced)


def _lower(jax: Any, task: Task, entry: Entry, size: int) -> Any:
    shapes = [jax.ShapeDtypeStruct((size, *np.shape(row)[1:]), task.dtype) for row in entry.rows]
    return entry.call.lower(*shapes)


def _store(task: Task, function: str, size: int, lowered: Any, traced: float) -> None:
    from jax.experimental.serialize_executable import serialize

    try:
        began = time.perf_counter()
        compiled = lowered.compile()
        seconds = time.perf_counter() - began
        try:
            code = serialize(compiled)
        except Exception:  # compiled again then, from JAX's own cache where that has it
            code = None
        content = pickle.dumps({"code": code, "trace": traced, "compile": seconds})
        partial = task.path(function, size, suffix=".part")
        partial.write_bytes(content)
        partial.rename(task.path(function, size, suffix=".code"))
    except Exception as error:
        task.path(function, size, suffix=".none").write_text(_reason(error))


def _measure(jax: Any, task: Task, entries: dict[str, Entry]) -> None:
    jax.numpy.linalg.cholesky(jax.numpy.eye(2))  # on CPUs, JAX looks for LAPACK when it first compiles a call of it
    loaded: dict[tuple[str, int], Any] = {}
    for function, entry in entries.items():
        for size in task.sizes:
            failed = task.path(function, size, suffix=".none")
            if task.path(function, size, suffix=".code").exists():
                loaded[function, size] = _load(jax, task, function, entry, size)
            elif failed.exists() and _is_memory(failed.read_text()):  # there may be enough for one process
                loaded[function, size] = None
    task.path(suffix=".ready").touch()
    while not task.path(suffix=".go").exists():
        time.sleep(0.01)
    with task.path(suffix=".jsonl").open("a") as lines:
        for function, entry in entries.items():
            sizes = [size for size in task.sizes if (function, size) in loaded]
            for size in sizes:  # grows where the memory is too small
                try:
                    call, about = loaded.get((function, size)) or _anew(jax, task, entry, size)
                    record = task.record(function, size, **_time(jax, task, function, entry, size, call), **about)
                except Exception as error:
                    record = task.record(function, size, reason=_reason(error))
                    if _is_memory(record["reason"]) and size // 4 not in (*sizes, *task.sizes):
                        sizes.append(size // 4)
                lines.write(json.dumps(record) + "\n")
                lines.flush()


def _load(jax: Any, task: Task, function: str, entry: Entry, size: int) -> tuple[Any, dict[str, Any]]:
    from jax.experimental.serialize_executable import deserialize_and_load

    stored = pickle.loads(task.path(function, size, suffix=".code").read_bytes())
    about = {"trace": stored["trace"], "compile": stored["compile"]}
    try:
        return deserialize_and_load(*stored["code"]), about
    except Exception:  # the same
        return _anew(jax, task, entry, size)[0], about


def _anew(jax: Any, task: Task, entry: Entry, size: int) -> tuple[Any, dict[str, Any]]:
    began = time.perf_counter()
    lowered = _lower(jax, task, entry, size)
    traced = time.perf_counter()
    return lowered.compile(), {"trace": traced - began, "compile": time.perf_counter() - traced}


def _time(jax: Any, task: Task, function: str, entry: Entry, size: int, call: Any) -> dict[str, Any]:
    """Seconds of a call that waits, and of one of several that are asked for before waiting."""
    rows = [jax.device_put(row.astype(task.dtype)) for row in entry.rows]
    arrays = [jax.numpy.tile(row, (size // len(row), *[1] * (row.ndim - 1))) for row in rows]
    result: Any = None

    def once() -> None:
        nonlocal result
        result = jax.block_until_ready(call(*arrays))

    def several() -> None:
        nonlocal result
        for _ in range(inner):
            result = call(*arrays)
        jax.block_until_ready(result)

    once()
    error = _error(entry, result)
    times: list[float] = []
    while len(times) < 20 and (len(times) < 3 or sum(times) < 0.5):
        times.append(call_time(once))
    each, inner = min(times), min(50, int(0.2 / min(times)))
    if inner > 1:  # otherwise waiting makes no difference
        each = min(call_time(several) for _ in range(3)) / inner
    error = max(error, _error(entry, result))
    agrees = bool(error <= limit(function, task.dtype))
    return {"call": min(times), "kernel": each, "per second": size / each, "error": error, "agrees": agrees}


def _error(entry: Entry, result: Any) -> float:
    """The largest norm-wise error of the first and the last states."""
    count = len(entry.reference)
    exact = entry.reference.reshape(count, -1)
    worst = 0.0
    for block in (result[:count], result[-count:]):
        theirs = np.asarray(entry.convert(np.asarray(block, np.float64))).reshape(count, -1)
        if not np.isfinite(theirs).all():
            return float("inf")
        worst = max(worst, float(np.max(np.linalg.norm(theirs - exact, axis=1) / np.linalg.norm(exact, axis=1))))
    return worst


def _is_memory(reason: str) -> bool:
    return "RESOURCE_EXHAUSTED" in reason or "out of memory" in reason.lower()


def _reason(error: Exception) -> str:
    lines = traceback.format_exception_only(error)[0].strip().splitlines()
    return lines[0][:200] if lines else type(error).__name__


if __name__ == "__main__":
    main()
