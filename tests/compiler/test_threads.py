"""Threads that share a batch."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.compiler.functions import scaled

from floatbase.compiler import Port, threads, trace
from floatbase.compiler.function import Function
from floatbase.errors import ArgumentError, StateError

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def slow():
    """A function that takes a while per row."""

    def waves(x):
        for _ in range(60):
            x = np.sin(x) + 0.5
        return x

    return Function(None, lambda: trace(waves, (Port("x", (4,)),), "waves"), cache=None).prepare()


def test_the_result_does_not_depend_on_the_threads(slow, rng):
    x = rng.normal(size=(10_007, 4))
    alone = slow(x)
    for count in (1, 2, 3, 5):
        np.testing.assert_array_equal(slow(x, threads=count), alone)
        out = np.empty_like(x)
        slow(x, threads=count, out=out)
        np.testing.assert_array_equal(out, alone)


def test_the_default(slow, rng):
    x = rng.normal(size=(5000, 4))
    expected = slow(x)
    assert threads.get_threads() == 1
    try:
        threads.set_threads(3)
        assert threads.get_threads() == 3
        np.testing.assert_array_equal(slow(x), expected)
    finally:
        threads.set_threads(1)
    with pytest.raises(ArgumentError, match="threads must be a whole number from 1"):
        threads.set_threads(0)
    code = "from floatbase.compiler.threads import get_threads; print(get_threads())"
    for text, count in (("7", "7"), ("x", "1"), ("", "1")):
        environment = {**os.environ, "FLOATBASE_THREADS": text}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == count


def test_calls_from_several_threads(slow, rng):
    x = rng.normal(size=(16, 700, 4))
    expected = [slow(part) for part in x]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            for found, wanted in zip(pool.map(lambda part: slow(part, threads=2), x), expected, strict=True):
                np.testing.assert_array_equal(found, wanted)
            for found, wanted in zip(pool.map(slow.fast, [part[0] for part in x]), expected, strict=True):
                np.testing.assert_array_equal(found, wanted[0])


def test_first_calls_from_several_threads(rng):
    function = scaled()
    arguments = rng.normal(size=3), rng.normal(size=3), 1.5
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: function(*arguments), range(32)))
    for result in results:
        np.testing.assert_array_equal(result, results[0])


def test_other_threads_run_meanwhile(slow, rng):
    x = rng.normal(size=(200_000, 4))
    counted = []
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counted.append(None)
            time.sleep(0.0005)

    counter = threading.Thread(target=count)
    counter.start()
    slow(x)
    stop.set()
    counter.join()
    assert len(counted) > 5


def test_bad_states_are_reported_by_whoever_meets_them(slow, rng):
    x = rng.normal(size=(20_000, 4))
    expected = slow(x)
    for row in (0, 11_000, 19_999):
        bad = x.copy()
        bad[row, 2] = np.nan
        for _ in range(5):
            with pytest.raises(StateError, match=rf"x\[2\] is nan in row {row}"):
                slow(bad, threads=3)
    np.testing.assert_array_equal(slow(x, threads=3), expected)


def test_repeated_calls_of_changing_size(slow, rng):
    """Helpers are awake after one call, asleep after another, and never leave or touch a row too many."""
    x = rng.normal(size=(30_000, 4))
    expected = slow(x)
    for turn in range(200):
        rows = int(rng.integers(3, 3000 if turn % 10 else len(x)))
        out = np.full((rows + 1, 4), 7.0)
        slow(x[:rows], out=out[:rows], threads=2 + turn % 2)
        np.testing.assert_array_equal(out[:rows], expected[:rows])
        assert (out[rows] == 7.0).all()
        if turn % 3 == 0:
            time.sleep(0.001)


def test_more_scratch_memory_for_a_larger_program(slow, rng):
    slow(rng.normal(size=(20_000, 4)), threads=2)

    def wide(x):
        return np.sin(x) @ np.sin(x.T)

    function = Function(None, lambda: trace(wide, (Port("x", (40, 40)),), "wide"), cache=None)
    x = rng.normal(size=(1500, 40, 40))
    np.testing.assert_array_equal(function(x, threads=2), function(x, threads=1))


def helpers():
    return [thread for thread in threading.enumerate() if thread.name == "floatbase"]


def test_one_thread_starts_none():
    code = """
import threading, numpy as np
from tests.compiler.functions import scaled
scaled()(np.ones((100_000, 3)), np.ones((100_000, 3)), 1.0, threads=1)
assert threading.active_count() == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_helpers_are_reused(slow, rng):
    x = rng.normal(size=(5000, 4))
    slow(x, threads=3)
    before = len(helpers())
    for _ in range(20):
        slow(x, threads=3)
    assert len(helpers()) == before


def test_idle_helpers_sleep(slow, rng):
    slow(rng.normal(size=(5000, 4)), threads=3)
    time.sleep(10 * threads.BLOCK_SECONDS)
    before = time.process_time()
    time.sleep(0.2)
    assert time.process_time() - before < 0.05


def test_nobody_waits_for_a_helper_that_is_busy(slow, rng):
    """Callers compete for the helpers; each finishes on its own if it gets none."""
    x = rng.normal(size=(3000, 4))
    expected = slow(x)
    stop = threading.Event()

    def keep_busy():
        large = np.zeros((300_000, 4))
        while not stop.is_set():
            slow(large, threads=2)

    busy = [threading.Thread(target=keep_busy) for _ in range(2)]
    for thread in busy:
        thread.start()
    try:
        for _ in range(5):
            np.testing.assert_array_equal(slow(x, threads=2), expected)
    finally:
        stop.set()
        for thread in busy:
            thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_threads_after_a_fork(slow, rng):
    x = rng.normal(size=(20_000, 4))
    expected = slow(x, threads=2)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(slow(x, threads=2), expected) else 1)
    assert os.waitpid(child, 0)[1] == 0


INTERRUPTED = """
import signal, threading, time, os, numpy as np
from floatbase.compiler import Port, trace
from floatbase.compiler.function import Function
def waves(x):
    for _ in range(60):
        x = np.sin(x) + 0.5
    return x
f = Function(None, lambda: trace(waves, (Port("x", (4,)),), "waves"), cache=None).prepare()
x = np.zeros((4_000_000, 4)); out = np.zeros_like(x)
for threads in (1, 2):
    threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
    began = time.perf_counter()
    try:
        f(x, out=out, threads=threads)
        print("finished")
    except KeyboardInterrupt:
        print("interrupted", time.perf_counter() - began < 1.0)
    last = out[-1].copy()
    time.sleep(0.05)
    print(np.array_equal(out[-1], last))
"""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_interrupts_are_noticed():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60, cwd=ROOT)
    assert done.stdout == "interrupted True\nTrue\n" * 2, done.stdout + done.stderr
