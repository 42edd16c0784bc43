"""Compiling in worker processes."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from tests.compiler.functions import pair, scaled

from floatbase.compiler import Port, parallel, trace
from floatbase.compiler.cache import Cache
from floatbase.compiler.function import Function
from floatbase.compiler.parallel import compile_all
from floatbase.errors import CompilationError

ROOT = Path(__file__).parents[2]


def never():
    raise AssertionError("the program was asked for")


def polynomial(degree, cache=None):
    def source():
        return trace(lambda x: sum(x**n for n in range(degree + 1)), (Port("x"),), f"polynomial{degree}")

    return Function(None, source, key=f"polynomial {degree}", cache=cache)


@pytest.mark.parametrize("cached", [True, False])
def test_workers_compile_what_is_missing(tmp_path, cached, monkeypatch):
    cache = Cache(tmp_path) if cached else None
    functions = [polynomial(degree, cache) for degree in range(1, 4)]
    seen = []
    compile_all(functions, processes=2, progress=lambda *event: seen.append(event))
    assert seen[0] == (0, 6, "") and [done for done, _, _ in seen] == list(range(7))
    assert sorted(name for _, _, name in seen[1:]) == sorted([f.signature.name for f in functions] * 2)
    monkeypatch.setattr("floatbase.compiler.function.compile_artifact", never)
    for degree, function in enumerate(functions, 1):
        np.testing.assert_allclose(function(np.full(9, 2.0)), 2.0 ** (degree + 1) - 1)
        assert function(2.0) == 2.0 ** (degree + 1) - 1
    if cached:
        monkeypatch.setattr(parallel.subprocess, "Popen", never)
        warm = [Function(None, never, key=f"polynomial {degree}", cache=cache) for degree in range(1, 4)]
        compile_all(warm, processes=2)
        assert warm[1](2.0) == 7.0


def test_one_process_compiles_here(monkeypatch):
    monkeypatch.setattr(parallel.subprocess, "Popen", never)
    function = scaled()
    seen = []
    compile_all([function], batch=False, processes=1, progress=lambda *event: seen.append(event))
    assert seen == [(0, 1, ""), (1, 1, "scaled")]
    compile_all([])


def test_a_script_without_a_main_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\n"
        "from tests.compiler.functions import pair, scaled\n"
        "from floatbase.compiler.parallel import compile_all\n"
        "functions = [scaled(), pair()]\n"
        "compile_all(functions, processes=2)\n"
        "print(functions[1](np.ones(3), np.ones(3))[1])\n"
    )
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, env=environment)
    assert (done.stdout, done.stderr, done.returncode) == ("3.0\n", "", 0)


def test_a_worker_that_dies_is_replaced(monkeypatch):
    begin = parallel.send
    killed = []

    def kill_once(stream, header, body=b""):
        if not killed:
            killed.append(True)
            stream.write(b"\xff" * 12)  # an absurd length: the worker fails on it
            stream.flush()
            stream.close()
        else:
            begin(stream, header, body)

    monkeypatch.setattr(parallel, "send", kill_once)
    functions = [scaled(), pair()]
    compile_all(functions, processes=2)
    assert killed and functions[0](np.ones(3), np.ones(3), 1.0)[0] == 2.0


def test_workers_that_always_die_are_reported(monkeypatch):
    streams = []

    def greeting_only(stream):
        streams.append(stream)
        return None if streams.count(stream) > 1 else (parallel.GREETING, b"")

    monkeypatch.setattr(parallel, "_START", "import os; os._exit(3)")
    monkeypatch.setattr(parallel, "receive", greeting_only)
    with pytest.raises(CompilationError, match=r"scaled \(float64, \d+ lanes\): .* ended with exit status 3"):
        compile_all([scaled()], processes=2)


def test_without_worker_processes_it_compiles_here(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    functions = [scaled(), pair()]
    compile_all(functions, processes=2)
    assert functions[1](np.ones(3), np.ones(3))[1] == 3.0


def test_errors_of_workers_name_the_function(monkeypatch):
    def refuse(data, *rest):
        raise CompilationError("no")

    monkeypatch.setattr(parallel._Worker, "compile", lambda self, *rest: refuse(*rest))
    with pytest.raises(CompilationError, match=r"scaled \(float64, \d+ lanes\): no"):
        compile_all([scaled()], processes=2)


def test_errors_of_the_source_pass():
    def source():
        raise ZeroDivisionError("in the algorithm")

    with pytest.raises(ZeroDivisionError, match="in the algorithm"):
        compile_all([Function(None, source, key="bad", cache=None)], processes=2)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_interrupt_ends_the_workers_and_leaves_the_cache_sound(tmp_path):
    code = (
        "import sys; from floatbase.compiler.cache import Cache; from floatbase.compiler.parallel import compile_all\n"
        "from tests.compiler.test_parallel import polynomial\n"
        "cache = Cache(sys.argv[1])\n"
        "functions = [polynomial(degree, cache) for degree in range(2, 200)]\n"
        "def progress(done, total, name):\n"
        "    if done == 2: print('two', flush=True)\n"
        "try:\n"
        "    compile_all(functions, processes=2, progress=progress)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted', flush=True)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    )
    assert process.stdout.readline() == "two\n"
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (output, errors) == ("interrupted\n", "")
    assert not list(tmp_path.glob("*.part"))
    assert polynomial(2, Cache(tmp_path))(2.0) == 7.0


def test_functions_can_be_called_while_others_compile():
    """Compilation happens elsewhere: this thread goes on."""
    functions = [polynomial(degree) for degree in range(5, 8)]
    done = threading.Event()
    thread = threading.Thread(target=lambda: (compile_all(functions, processes=2), done.set()))
    thread.start()
    ready = pair().prepare(batch=False)
    until = time.monotonic() + 30
    while not done.is_set() and time.monotonic() < until:
        assert ready(np.ones(3), np.ones(3))[1] == 3.0
    thread.join()
    assert done.is_set()
