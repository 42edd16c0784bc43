"""Threads that share the rows of a batch.

A batch is cut into pieces; the calling thread and helpers take the next piece until none is left, so that a busy
processor does not hold up the rest. The caller never waits for a helper that has not begun. All of it happens in
machine code (`sharing`) without the interpreter lock. Helpers are started when first needed, live as long as the
process, and are made again in a forked child.

A helper that has finished looks for another job for `BLOCK_SECONDS` before it sleeps, so that the next of a series of
calls finds it awake; it does not where there are fewer processors than threads. A sleeping helper costs nothing.
"""

from __future__ import annotations

import ctypes
import os
import threading
import time
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from floatbase.compiler.entry.layout import MAX_THREADS
from floatbase.compiler.environment import whole_number
from floatbase.compiler.memory import aligned
from floatbase.compiler.sharing import AWAKE, Job, Mailbox, sharing_code
from floatbase.errors import ArgumentError

BLOCK_SECONDS: Final = 2e-4  # that a helper stays awake without work
LONGEST_SECONDS: Final = 0.02  # of a piece: interrupts are noticed after it
_PATIENCE_SECONDS = 1e-4  # that the caller waits for the last helpers before giving its processor away


def _from_environment() -> int:
    return min(max(whole_number("FLOATBASE_THREADS", 1), 1), MAX_THREADS)


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
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MAX_THREADS:
        raise ArgumentError(f"threads must be a whole number from 1 to {MAX_THREADS}, got {count!r}")
    return int(count)


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _function(name: str) -> int:
    """Address of a function of the interpreter's library."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


@dataclass(frozen=True)
class _Crew:
    """Helpers to choose from."""

    count: int
    scratch: int  # bytes that each has
    mailboxes: Any  # array of addresses
    wake: int  # address of the function that releases a lock


class _Pool:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._mailboxes: list[Mailbox] = []
        self._kept: list[Any] = []  # areas that a helper may still be using
        self._crew = _Crew(0, 0, None, 0)

    def crew(self, helpers: int, scratch: int) -> _Crew:
        """At least so many helpers with at least so much scratch memory each."""
        crew = self._crew
        if crew.count >= helpers and crew.scratch >= scratch:
            return crew
        with self._lock:
            crew = self._crew
            size = crew.scratch if crew.scratch >= scratch else max(scratch, 2 * crew.scratch, 1 << 16)
            if size > crew.scratch:
                for mailbox in self._mailboxes:
                    self._furnish(mailbox, size)
            while len(self._mailboxes) < helpers:
                self._start(size)
            addresses = [ctypes.addressof(mailbox) for mailbox in self._mailboxes]
            table = (ctypes.c_void_p * len(addresses))(*addresses)
            self._crew = _Crew(len(addresses), size, table, _function("PyThread_release_lock"))
            return self._crew

    def _furnish(self, mailbox: Mailbox, size: int) -> None:
        area = aligned(size)
        self._kept.append(area)
        mailbox.scratch = area.ctypes.data

    def _start(self, size: int) -> None:
        code, python = sharing_code(), ctypes.pythonapi
        python.PyThread_allocate_lock.restype = ctypes.c_void_p
        lock = python.PyThread_allocate_lock()
        python.PyThread_acquire_lock(ctypes.c_void_p(lock), 1)
        waits = len(self._mailboxes) + 1 < _processors()
        turns = int(BLOCK_SECONDS * code.turns_per_second) if waits else 0
        acquire = _function("PyThread_acquire_lock")
        mailbox = Mailbox(job=AWAKE, turns=turns, lock=lock, sleep=acquire, cede=code.cede_address)
        self._furnish(mailbox, size)
        # the helper may look into it until the very end of the process, when everything else has been freed
        python.Py_IncRef(ctypes.py_object(mailbox))
        address = ctypes.addressof(mailbox)
        threading.Thread(target=code.serve, args=(address,), name="floatbase", daemon=True).start()
        self._mailboxes.append(mailbox)


_pool = _Pool()


def _renew() -> None:
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def share(job: Job, threads: int, scratch: int) -> None:
    """Compute a job's rows on this thread and, if there are more, others at once.

    Nobody works on it any more when this returns or raises an error.

    job: all but what concerns helpers. Its `largest` and `budget` follow the speed that is measured.
    scratch: bytes of scratch memory that the kernel needs.
    """
    code = sharing_code()
    if threads == 1:
        job.parts = 1
    else:
        crew = _pool.crew(threads - 1, scratch)
        job.parts, job.wanted = 2 * threads, threads - 1
        job.mailboxes, job.mailbox_count = ctypes.addressof(crew.mailboxes), crew.count
        job.wake, job.patience = crew.wake, int(_PATIENCE_SECONDS * code.turns_per_second)
        job.cede = code.cede_address
    address = ctypes.addressof(job)
    interrupt: BaseException | None = None
    try:
        while True:
            before = time.perf_counter()
            code.share(address)
            if job.next >= job.rows:
                break
            seconds = max(time.perf_counter() - before, 1e-9)
            job.largest = job.budget = max(int(LONGEST_SECONDS / seconds * job.done), job.lanes)
    finally:
        while job.active:  # even through interrupts: helpers write into the caller's arrays
            try:
                if code.finish(address):
                    time.sleep(_PATIENCE_SECONDS)
            except BaseException as error:
                interrupt = error
    if interrupt is not None:
        raise interrupt
