"""Compiling several functions at once, in worker processes.

LLVM does not run in two threads of one process at once, so that each worker is a process of its own. Workers are
started only if the cache lacks something, get programs, and return object code; this process alone writes the cache.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from queue import SimpleQueue

from floatbase.compiler import format as program_format
from floatbase.compiler.artifact import Artifact
from floatbase.compiler.function import Function
from floatbase.compiler.target import DType
from floatbase.compiler.worker import GREETING, receive, send
from floatbase.errors import CompilationError

Progress = Callable[[int, int, str], None]

_START = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from floatbase.compiler.worker import main; main()"
_ATTEMPTS = 2

_Job = tuple[Function, DType, int]


class _WorkerLostError(Exception):
    """A worker ended without a reply."""


class _Worker:
    """A process that compiles, started when it gets its first program."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._ended = False

    def compile(self, data: bytes, dtype: DType, lanes: int) -> Artifact:
        """Object code of a program; `OSError` if there can be no worker, `_WorkerLostError` if it dies."""
        process = self._started()
        assert process.stdin is not None and process.stdout is not None
        try:
            send(process.stdin, {"dtype": dtype, "lanes": lanes}, data)
            message = receive(process.stdout)
        except (OSError, ValueError):
            message = None
        if message is None:
            code = process.wait()
            self._process = None
            raise _WorkerLostError(f"signal {-code}" if code < 0 else f"exit status {code}")
        header, body = message
        if "error" in header:
            raise CompilationError(header["error"])
        return Artifact(body, int(header["scratch"]))

    def _started(self) -> subprocess.Popen[bytes]:
        if self._ended:
            raise _WorkerLostError("compilation was stopped")
        if self._process is None:
            process = subprocess.Popen(
                [sys.executable, "-c", _START, json.dumps(sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # an interrupt at the terminal is for this process, which ends the workers
            )
            assert process.stdout is not None
            self._process = process
            message = receive(process.stdout)
            if message is None or message[0] != GREETING:
                self._process = None
                process.kill()
                process.wait()
                raise OSError("the worker process did not start")
        return self._process

    def end(self) -> None:
        """Kill the process; a compilation under way fails."""
        self._ended = True
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()


def compile_all(
    functions: Iterable[Function],
    *,
    dtypes: Sequence[str] = ("float64",),
    batch: bool = True,
    processes: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Make several functions ready to be called, compiling in parallel what the cache lacks.

    processes: how many compile at once; by default as many as there are processors.
    progress: called as `progress(done, total, name of the function just finished)`, at first with `(0, total, "")`.
    """
    functions = list(functions)
    jobs = [(function, *variant) for function in functions for variant in function.variants(dtypes, batch)]
    count = min(processes if processes is not None else _processors(), len(jobs))
    report = progress if progress is not None else lambda done, total, name: None
    report(0, len(jobs), "")
    if count <= 1:
        for done, (function, dtype, lanes) in enumerate(jobs, 1):
            function.kernel(dtype, lanes)
            report(done, len(jobs), function.signature.name)
    else:
        _compile_in_workers(jobs, count, report)
    for function in functions:
        function.prepare(dtypes, batch)


def _compile_in_workers(jobs: list[tuple[Function, DType, int]], count: int, report: Progress) -> None:
    workers = [_Worker() for _ in range(count)]
    events: SimpleQueue[str | BaseException] = SimpleQueue()
    pending = deque(jobs)
    lock = threading.Lock()
    drivers = [
        threading.Thread(target=_drive, args=(worker, pending, lock, events), name="floatbase compiler", daemon=True)
        for worker in workers
    ]
    try:
        for driver in drivers:
            driver.start()
        for done in range(1, len(jobs) + 1):
            event = events.get()
            if isinstance(event, BaseException):
                raise event
            report(done, len(jobs), event)
    finally:
        pending.clear()
        for worker in workers:
            worker.end()


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _drive(
    worker: _Worker, pending: deque[_Job], lock: threading.Lock, events: SimpleQueue[str | BaseException]
) -> None:
    """Take jobs until none is left; one worker compiles for one thread."""
    try:
        while True:
            with lock:  # tracing is Python code and would not run faster side by side
                if not pending:
                    return
                function, dtype, lanes = pending.popleft()
                data = None
                if not function.load(dtype, lanes):
                    data = program_format.dumps(function.program)
            if data is not None:
                _compile(worker, function, dtype, lanes, data)
            events.put(function.signature.name)
    except BaseException as error:  # raised again by the thread that waits
        events.put(error)


def _compile(worker: _Worker, function: Function, dtype: DType, lanes: int, data: bytes) -> None:
    name = function.signature.name
    reason = ""
    for _ in range(_ATTEMPTS):
        try:
            function.adopt(dtype, lanes, worker.compile(data, dtype, lanes))
            return
        except OSError:  # processes cannot be started here
            function.kernel(dtype, lanes)
            return
        except _WorkerLostError as error:
            reason = str(error)
        except CompilationError as error:
            raise CompilationError(f"{name} ({dtype}, {lanes} lanes): {error}") from None
    raise CompilationError(f"{name} ({dtype}, {lanes} lanes): the process that compiled it ended with {reason}")
