"""A process forked while another thread compiles can compile and call everything itself."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from floatbase.compiler import Port, trace
from floatbase.compiler import function as function_module
from floatbase.compiler.function import Function


def waves(x):
    for _ in range(100):
        x = np.sin(x) + x[::-1] * np.cos(x)
    return x


def make(scale):
    return Function(None, lambda: trace(lambda x: scale * waves(x), (Port("x", (4,)),), "waves"), cache=None)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of POSIX")
def test_a_fork_waits_until_no_code_is_made(monkeypatch):
    begun = threading.Event()
    compile_artifact = function_module.compile_artifact

    def compile_slowly(*arguments):
        begun.set()
        time.sleep(0.1)
        return compile_artifact(*arguments)

    first, second = make(1.0), make(2.0)
    monkeypatch.setattr(function_module, "compile_artifact", compile_slowly)
    thread = threading.Thread(target=first, args=(np.ones(4),))
    thread.start()
    assert begun.wait(60)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(second(np.ones(4)), 2.0 * first(np.ones(4))) else 1)
    until, ended, status = time.monotonic() + 60, 0, 0
    while not ended and time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        time.sleep(0.01)
    if not ended:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    thread.join()
    assert ended and status == 0
