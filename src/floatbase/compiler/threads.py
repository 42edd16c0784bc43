"""Threads that share the rows of a batch.

A batch is cut into pieces; the calling thread and helpers take the next piece until none is left, so that a busy
processor does not hold up the rest. The caller never waits for a helper that has not begun. Kernels run without the
interpreter lock. Helpers are started when first needed, live as long as the process, and are made again in a forked
child.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

from floatbase.errors import ArgumentError

MAX_THREADS = 1024


def _from_environment() -> int:
    text = os.environ.get("FLOATBASE_THREADS", "")
    return min(max(int(text), 1), MAX_THREADS) if text.isdigit() else 1


_default = _from_environment()


def set_threads(count: int) -> None:
    """How many threads share a batch when a call does not say; 1 at first, or `FLOATBASE_THREADS`."""
    global _default
    _default = check_threads(count)


def get_threads() -> int:
    """How many threads share a batch when a call does not say."""
    return _default


def check_threads(count: object) -> int:
    """A number of threads, checked."""
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MAX_THREADS:
        raise ArgumentError(f"threads must be a whole number from 1 to {MAX_THREADS}, got {count!r}")
    return count


class _Job:
    """Work offered to helpers; it can be closed, after which nobody begins it."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._active = 0
        self._closed = False
        self._finished = threading.Event()
        self.error: BaseException | None = None

    def help(self) -> None:
        with self._lock:
            if self._closed:
                return
            self._active += 1
        try:
            self._work()
        except BaseException as error:  # handed to the calling thread
            self.error = error
        with self._lock:
            self._active -= 1
            if self._closed and self._active == 0:
                self._finished.set()

    def close(self) -> None:
        """Wait for the helpers at work, even through interrupts: they write into the caller's arrays."""
        with self._lock:
            self._closed = True
            if self._active == 0:
                return
        interrupt: BaseException | None = None
        while not self._finished.is_set():
            try:
                self._finished.wait()
            except BaseException as error:
                interrupt = error
        if interrupt is not None:
            raise interrupt


class _Pool:
    def __init__(self) -> None:
        self._queue: SimpleQueue[_Job] = SimpleQueue()
        self._lock = threading.Lock()
        self._count = 0

    def offer(self, job: _Job, helpers: int) -> None:
        with self._lock:
            while self._count < helpers:
                threading.Thread(target=self._serve, name="floatbase", daemon=True).start()
                self._count += 1
        for _ in range(helpers):
            self._queue.put(job)

    def _serve(self) -> None:
        while True:
            job = self._queue.get()
            job.help()
            del job  # the arrays it holds must not live until the next one comes


_pool = _Pool()


def _renew() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def share(work: Callable[[], None], stop: Callable[[], None], threads: int) -> None:
    """Run `work`, which returns when nothing is left to do, on this thread and others at once.

    `stop` makes the others' `work` return soon; it is called if this thread's is interrupted.
    """
    job = _Job(work)
    try:
        _pool.offer(job, threads - 1)
        work()
    except BaseException:
        stop()
        raise
    finally:
        job.close()
    if job.error is not None:
        raise job.error
