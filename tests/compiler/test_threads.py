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
from floatbase.errors import ArgumentError

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


def test_an_error_of_a_helper_reaches_the_caller():
    caller = threading.current_thread()
    helping = threading.Event()

    def work():
        if threading.current_thread() is caller:
            helping.wait(10)
        else:
            helping.set()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        threads.share(work, lambda: None, 2)


def test_nobody_waits_for_a_helper_that_has_not_begun():
    release = threading.Event()
    busy = [threading.Event() for _ in range(2)]
    before = threading.active_count()
    holders = []
    for event in busy:

        def hold(event=event):
            event.set()
            release.wait(20)

        holders.append(threading.Thread(target=threads.share, args=(hold, lambda: None, 2)))
        holders[-1].start()
    for event in busy:
        assert event.wait(10)
    ran = []
    started = time.monotonic()
    threads.share(lambda: ran.append(1), lambda: None, 2)
    assert time.monotonic() - started < 5 and ran
    release.set()
    for holder in holders:
        holder.join()
    assert threading.active_count() <= before + 4


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
