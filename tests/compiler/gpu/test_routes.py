"""Calls on a GPU that the built-in function makes without Python, on a GPU that is not there."""

import collections
import gc
import sys
import threading

import numpy as np
import pytest
from tests.compiler.functions import pair, scaled
from tests.compiler.gpu.fake import Array, Library

import floatbase as fb
from floatbase.compiler import Function
from floatbase.compiler.gpu import libraries
from floatbase.compiler.gpu.checking import check, deferred
from floatbase.compiler.gpu.function import DeviceFunction
from floatbase.errors import ArgumentError, GpuError, ShapeError, StateError


@pytest.fixture
def python(monkeypatch):
    """How many calls went through Python."""
    calls, call = [], DeviceFunction.call

    def counted(self, values, out=None):
        calls.append(values)
        return call(self, values, out)

    monkeypatch.setattr(DeviceFunction, "call", counted)
    return calls


@pytest.fixture
def one(gpus):
    function = scaled()
    for gpu in gpus.values():
        gpu.program = function.program
    return function


@pytest.fixture
def two(gpus):
    function = pair()
    gpus[0].program = function.program
    return function


def arguments(rng, *batch):
    return rng.standard_normal((*batch, 3)), rng.standard_normal((*batch, 3)), rng.uniform(1, 2, batch)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("batch", [(), (5,), (2, 3)])
def test_the_second_call_of_a_form_needs_no_python(one, gpus, rng, python, batch, dtype):
    gpus[0].dtype = dtype
    for number in range(4):
        values = [np.asarray(value, dtype) for value in arguments(rng, *batch)]
        result = one(*map(Array, values))
        np.testing.assert_allclose(result.memory, one(*values), rtol=1e-6)
        assert len(python) == 1 and gpus[0].direct_launches == number


def test_results_are_written_where_they_are_wanted(one, two, gpus, rng, python):
    values = arguments(rng, 4)
    out = Array(np.zeros((4, 3)))
    gpus[0].program = one.program
    for _ in range(3):
        out.memory[...] = 0
        assert one(*map(Array, values), out=out) is out
        np.testing.assert_allclose(out.memory, one(*values))
    assert len(python) == 1
    np.testing.assert_allclose(one(*map(Array, values), out=None, threads=None).memory, out.memory)
    assert len(python) == 1  # whether there is an `out` makes no difference
    gpus[0].program = two.program
    targets = (Array(np.zeros((4, 3))), Array(np.zeros(4)))
    for _ in range(3):
        assert two(*map(Array, values[:2]), out=targets) is targets
    total, dot = two(*map(Array, values[:2]))
    np.testing.assert_allclose(total.memory, targets[0].memory)
    np.testing.assert_allclose(dot.memory, targets[1].memory)
    assert len(python) == 2
    pairs = collections.namedtuple("Pairs", "total dot")(*targets)
    assert two(*map(Array, values[:2]), out=pairs) is pairs and len(python) == 2
    with pytest.raises(ArgumentError, match="tuple of 2 arrays"):
        two(*map(Array, values[:2]), out=targets[0])


def test_results_are_handed_to_what_they_are_wanted_for(gpus, rng, python):
    plain = pair()
    gpus[0].program = plain.program
    function = Function(None, lambda: plain.program, result=lambda values: {"total": values[0], "dot": values[1]})
    values = arguments(rng, 4)[:2]
    for _ in range(2):
        assert set(function(*map(Array, values))) == {"total", "dot"}
    assert len(python) == 1


def test_other_forms_have_routes_of_their_own(one, gpus, rng, python):
    forms = [arguments(rng, rows) for rows in range(1, 30)]
    for values in (*forms, *forms[::-1]):
        np.testing.assert_allclose(one(*map(Array, values)).memory, one(*values))
    assert len(forms) < len(python) < 2 * len(forms)  # the newest are kept
    values = arguments(rng, 12)
    for _ in range(2):
        strided = [Array(value[::2]) for value in values]
        np.testing.assert_allclose(one(*strided).memory, one(*(value[::2] for value in values)))
    called = len(python)
    one(*(Array(value[::2]) for value in values))
    assert len(python) == called
    one(*(Array(value, 1) for value in values))  # GPU 1
    assert len(python) == called + 1


def test_what_does_not_fit_is_refused_as_before(one, gpus, rng, library, monkeypatch):
    values = arguments(rng, 4)
    arrays = [Array(value) for value in values]
    one(*arrays)
    with pytest.raises(ShapeError, match="'b'"):
        one(arrays[0], Array(np.zeros((4, 2))), arrays[2])
    with pytest.raises(GpuError, match="on GPU 1"):
        one(arrays[0], Array(values[1], 1), arrays[2])
    with pytest.raises(ArgumentError, match="shares memory"):
        one(*arrays, out=Array(values[0]))
    with pytest.raises(ShapeError, match="must be"):
        one(*arrays, out=Array(np.zeros((4, 2))))
    with pytest.raises(ArgumentError, match=r"unexpected|nothing"):
        one(*arrays, nothing=1)
    odd = np.zeros(4 * 3 * 8 + 8, np.uint8)[4:-4].view(np.float64).reshape(4, 3)
    with pytest.raises(ArgumentError, match="multiple of 8"):
        one(Array(odd), arrays[1], arrays[2])
    with pytest.raises(GpuError, match="not on the GPU"):
        one(values[0], arrays[1], arrays[2])
    library.full = True
    with pytest.raises(GpuError, match="no memory left"):
        one(*arrays)
    monkeypatch.setitem(libraries._libraries, Array, Library("Waiting", waits=True))
    assert one(*arrays).shape == (4, 3)


def test_bad_states_are_explained_and_the_next_call_is_served(one, rng, python):
    values = arguments(rng, 6)
    good = [Array(value) for value in values]
    one(*good)
    bad = values[1].copy()
    bad[4, 2] = np.nan
    for _ in range(2):
        with pytest.raises(StateError, match=r"'b'.*4"):
            one(good[0], Array(bad), good[2])
    called = len(python)
    np.testing.assert_allclose(one(*good).memory, one(*values))
    assert len(python) == called


def test_deferred_calls_are_checked_in_the_end(one, gpus, rng, python):
    values = arguments(rng, 6)
    good = [Array(value) for value in values]
    bad = values[1].copy()
    bad[4, 2] = np.nan
    for _ in range(2):
        with deferred():
            for _ in range(5):
                one(*good)
            check()
        with pytest.raises(StateError, match="since the last check"), deferred():
            for _ in range(5):
                one(*good)
            one(good[0], Array(bad), good[2])
    assert len(python) <= 2 + 4  # the first in all, and at most the first in each block
    one(*good)
    assert gpus[0].direct_launches >= 16


def test_a_kernel_that_cannot_be_started_is_reported_by_python(one, gpus, rng, monkeypatch):
    arrays = [Array(value) for value in arguments(rng, 6)]
    one(*arrays)

    def refuse(*_):
        raise GpuError("cannot start a program")

    monkeypatch.setattr(gpus[0], "launch", refuse)
    with pytest.raises(GpuError, match="cannot start"):
        one(*arrays)


def test_another_current_gpu_is_left_to_python(one, gpus, rng, python, monkeypatch):
    arrays = [Array(value) for value in arguments(rng, 6)]
    one(*arrays)
    gpus[0].context += 1
    one(*arrays)
    assert len(python) == 2


def test_several_threads_call_at_once(one, rng):
    values = [arguments(rng, 6) for _ in range(4)]
    expected = [one(*each) for each in values]
    one(*map(Array, values[0]))
    wrong = []

    def work(number):
        arrays = [Array(value) for value in values[number]]
        for _ in range(100):
            if not np.allclose(one(*arrays).memory, expected[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_nothing_is_kept_or_lost(one, two, gpus, rng):
    values = arguments(rng, 4)
    arrays, out = [Array(value) for value in values], Array(np.zeros((4, 3)))
    bad = Array(np.full((4, 3), np.nan))
    gpus[0].program = one.program

    def counts():
        watched = (*arrays, out, bad, None, (4, 3), np.dtype(float))
        return [sys.getrefcount(item) for item in watched]

    def calls():
        for _ in range(50):
            one(*arrays)
            one(*arrays, out=out)
            with pytest.raises(StateError):
                one(arrays[0], bad, arrays[2])
            with pytest.raises(ArgumentError):
                one(*arrays, out=arrays[0])

    calls()
    gc.collect()
    before = counts()
    calls()
    gc.collect()
    changes = [now - then for now, then in zip(counts(), before, strict=True)]
    assert all(abs(change) < 40 for change in changes), f"{changes}"


def test_methods_and_kernels_of_a_robot_take_them_too(gpus, python):
    robot = fb.load("panda")
    q, _ = robot.random(0, n=5)

    @fb.kernel
    def double(robot, q):
        return 2.0 * q

    calls = {
        "mass_matrix": (lambda q, **more: robot.mass_matrix(q, **more), robot.function("mass_matrix")),
        "com": (lambda q, **more: robot.com(q, **more), robot.function("com")),
        "pose": (lambda q, **more: robot.pose(q, "panda_link7", **more), robot.function(("pose", "panda_link7"))),
        "kernel": (lambda q, **more: double(robot, q, **more), double.compiled(robot)),
    }
    for call, function in calls.values():
        gpus[0].program = function.program
        expected = call(q)
        python.clear()
        for _ in range(3):
            np.testing.assert_allclose(call(Array(q)).memory, expected, atol=1e-14)
        assert len(python) == 1
        out = Array(np.zeros_like(expected))
        assert call(Array(q), out=out) is out
        assert len(python) == 1


def test_a_robot_that_was_never_called_on_a_cpu(gpus, python):
    robot = fb.load("panda")
    gpus[0].program = robot.function("mass_matrix").program
    q, _ = robot.random(0, n=5)
    for _ in range(3):
        robot.mass_matrix(Array(q))
    assert len(python) == 1
