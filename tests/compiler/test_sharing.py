"""The machine code that shares batches: without Python's help, and for other processors."""

import ctypes
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from floatbase.compiler.execution import BATCH_PROTOTYPE
from floatbase.compiler.machine import compile_object
from floatbase.compiler.sharing import ASLEEP, AWAKE, BUSY, Job, Mailbox, sharing_code
from floatbase.compiler.sharing.code import sharing_ir
from floatbase.compiler.target import Target


class Batch:
    """A job of `rows` rows whose kernel notes the pieces it is given."""

    def __init__(self, rows, parts=4, smallest=8, largest=1 << 40, budget=1 << 40, bad=None):
        self.data = np.zeros(rows)
        self.pieces = []
        self.kernel = BATCH_PROTOTYPE(self.run)
        self.bad = bad
        self.addresses = (ctypes.c_int64 * 2)(self.data.ctypes.data, self.data.ctypes.data)
        self.strides = (ctypes.c_int64 * 2)(0, 8)
        self.job = Job(
            rows=rows,
            lanes=8,
            parts=parts,
            smallest=smallest,
            largest=largest,
            budget=budget,
            kernel=ctypes.cast(self.kernel, ctypes.c_void_p).value,
            addresses=ctypes.addressof(self.addresses),
            strides=ctypes.addressof(self.strides),
            inputs=1,
            ports=2,
            patience=1000,
        )

    def run(self, inputs, input_strides, outputs, output_strides, rows, whole, scratch):
        base = ctypes.c_int64.from_address(inputs).value
        start = (ctypes.c_int64.from_address(outputs).value - base) // 8
        assert ctypes.c_int64.from_address(output_strides).value == 8
        assert whole == len(self.data)
        self.pieces.append((start, rows))
        self.data[start : start + rows] += 1
        return 0 if self.bad is None or not start <= self.bad < start + rows else -(1 << 31)

    def share(self):
        return sharing_code().share(ctypes.addressof(self.job))


def test_pieces_cover_the_batch_and_shrink():
    batch = Batch(1003)
    assert batch.share() == 0
    assert (batch.data == 1).all()
    starts = [start for start, _ in batch.pieces]
    sizes = [size for _, size in batch.pieces]
    assert starts == [sum(sizes[:k]) for k in range(len(sizes))]
    assert sizes[0] == 256 and all(size % 8 == 0 for size in sizes[:-1])
    assert sizes == sorted(sizes, reverse=True) and sizes[-2] == 8 and sizes[-1] == 3


def test_one_thread_takes_all_at_once():
    batch = Batch(1003, parts=1)
    assert batch.share() == 0
    assert batch.pieces == [(0, 1003)]


def test_the_caller_comes_back_when_its_budget_is_used_up():
    batch = Batch(1000, largest=100, budget=200)
    assert batch.share() == 1
    assert sum(size for _, size in batch.pieces) == batch.job.done == batch.job.next == 208
    batch.job.budget = 1 << 40
    assert batch.share() == 0
    assert (batch.data == 1).all()


def test_nothing_is_begun_after_a_bad_state():
    batch = Batch(1000, bad=300)
    assert batch.share() == 0
    assert batch.job.status == 1 << 31
    start, rows = batch.pieces[-1]
    assert start <= 300 < start + rows < 1000


def test_a_job_is_taken_back_from_a_helper_that_has_not_begun():
    """Mailboxes whose helpers never look: one said to be awake, one busy, one on another job."""
    batch = Batch(1000)
    other = ctypes.addressof(batch.addresses)
    mailboxes = [Mailbox(job=says) for says in (AWAKE, BUSY, other)]
    table = (ctypes.c_void_p * 3)(*(ctypes.addressof(mailbox) for mailbox in mailboxes))
    batch.job.mailboxes, batch.job.mailbox_count, batch.job.wanted = ctypes.addressof(table), 3, 3
    seen = []
    run = batch.run

    def look(*arguments):
        seen.append((mailboxes[0].job == ctypes.addressof(batch.job), batch.job.active))
        return run(*arguments)

    batch.kernel = BATCH_PROTOTYPE(look)
    batch.job.kernel = ctypes.cast(batch.kernel, ctypes.c_void_p).value
    assert batch.share() == 0
    assert (batch.data == 1).all()
    assert set(seen) == {(True, 1)}
    assert [mailbox.job for mailbox in mailboxes] == [AWAKE, BUSY, other]
    assert batch.job.active == 0


def test_a_helper_serves_sleeps_and_wakes():
    python = ctypes.pythonapi
    python.PyThread_allocate_lock.restype = ctypes.c_void_p
    lock = python.PyThread_allocate_lock()
    python.PyThread_acquire_lock(ctypes.c_void_p(lock), 1)
    acquire, release = (
        ctypes.cast(getattr(python, f"PyThread_{name}_lock"), ctypes.c_void_p).value for name in ("acquire", "release")
    )
    mailbox = Mailbox(job=AWAKE, turns=10, lock=lock, sleep=acquire)
    python.Py_IncRef(ctypes.py_object(mailbox))  # the helper lives as long as the process
    address = ctypes.addressof(mailbox)
    threading.Thread(target=sharing_code().serve, args=(address,), daemon=True).start()
    table = (ctypes.c_void_p * 1)(address)
    callers = set()
    for _ in range(20):
        deadline = time.monotonic() + 10
        while mailbox.job != ASLEEP:
            assert time.monotonic() < deadline
            time.sleep(0.001)
        batch = Batch(4000, smallest=400)
        run = batch.run

        def slowly(*arguments, run=run):
            callers.add(threading.get_ident())
            time.sleep(0.001)  # lets the other one run
            return run(*arguments)

        batch.kernel = BATCH_PROTOTYPE(slowly)
        job = batch.job
        job.kernel = ctypes.cast(batch.kernel, ctypes.c_void_p).value
        job.mailboxes, job.mailbox_count, job.wanted, job.wake = ctypes.addressof(table), 1, 1, release
        batch.share()
        while job.active:
            sharing_code().finish(ctypes.addressof(job))
        assert (batch.data == 1).all()
    assert len(callers) == 2


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "arm64-apple-darwin"])
def test_code_for_other_processors(triple):
    from llvmlite import binding

    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    assert compile_object(sharing_ir(triple), Target(triple, "", "", 128), 1)


def test_the_process_ends_while_helpers_are_awake():
    code = """
import threading, numpy as np
from floatbase.compiler import Port, trace
from floatbase.compiler.function import Function
f = Function(None, lambda: trace(lambda x: np.sin(np.sin(np.sin(x))), (Port("x", (40,)),), "f"), cache=None)
for _ in range(20):
    f(np.ones((50_000, 40)), threads=3)
assert any(thread.name == "floatbase" for thread in threading.enumerate())
"""
    for _ in range(3):
        subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=Path(__file__).parents[2])
