"""Steps done one after another, or side by side in worker processes.

Workers end with the process that started them, even if that is killed: each holds one end of a pipe whose other end
only the parent has, and leaves when that closes. An interrupt at the terminal is for the parent: workers are started
with that signal blocked.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from typing import Any

import numpy.typing as npt

from floatbase.errors import ArgumentError, FloatbaseError
from floatbase.experiments.plan import Step

Found = tuple[Step, dict[str, npt.NDArray[Any]], float]


class Workers:
    """A context in which steps are done by `jobs` processes; by this one if `jobs` is 1."""

    def __init__(self, jobs: int) -> None:
        if jobs < 1:
            raise ArgumentError(f"jobs is {jobs}; it must be at least 1")
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._ends: tuple[Connection, Connection] | None = None

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None and self._ends is not None:
            self._ends[1].close()  # ends the workers, whatever they are at
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._ends[0].close()

    def results(self, steps: Sequence[Step]) -> Iterator[Found]:
        """Each step with what it found and how many seconds it took, in the order in which they finish."""
        if self.jobs == 1 or len(steps) < 2:
            yield from map(_perform, steps)
            return
        allowed = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            waiting: set[Future[Found]] = {self._started().submit(_perform, step) for step in steps}
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, allowed)
        while waiting:
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                try:
                    yield future.result()
                except BrokenProcessPool:
                    raise FloatbaseError("a worker process was killed, perhaps for want of memory") from None

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._ends = context.Pipe(duplex=False)
            self._pool = ProcessPoolExecutor(self.jobs, context, initializer=_begin, initargs=(self._ends[0],))
        return self._pool


def _perform(step: Step) -> Found:
    start = time.perf_counter()
    return step, step.perform(), time.perf_counter() - start


def _begin(end: Connection) -> None:
    """End this worker process when the other end of the pipe closes."""

    def leave() -> None:
        try:
            end.recv()
        except (EOFError, OSError):
            os._exit(1)

    threading.Thread(target=leave, name="end with the parent", daemon=True).start()
