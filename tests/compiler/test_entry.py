"""The built-in entry: what it serves itself, what it hands to the slow path, and what it owns."""

import contextlib
import ctypes
import gc
import inspect
import pickle
import subprocess
import sys
import tracemalloc
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from tests.compiler.functions import A, B, C, pair, sample, scaled

from floatbase.compiler import Port
from floatbase.compiler.entry import Batch, bind, entry_address, interpreter, supported
from floatbase.compiler.function import batch_lanes

Y, TOTAL, DOT = Port("y", (3,)), Port("total", (3,)), Port("dot")


class Slow:
    """A slow path that notes its calls."""

    def __init__(self):
        self.calls = []

    def __call__(self, *args, **kwargs):
        self.calls.append((args, kwargs))
        return "slow"


def bound(function, inputs, outputs, result=None, dtypes=("float64", "float32"), large=None):
    slow = Slow()
    name, address = function.signature.name, entry_address(None)
    binding = bind(address, name, "Doc.", inputs, outputs, slow, result, large=large)
    for dtype, lanes in function.variants(dtypes, True):
        kernel = function.kernel(dtype, lanes)
        binding.set_kernel(dtype, lanes, kernel.address, kernel.scratch)
    binding.set_limits(2, 100, 10)
    return binding.function, slow


@pytest.fixture(scope="module")
def one():
    return scaled()


@pytest.fixture(scope="module")
def two():
    return pair()


@pytest.fixture
def fast(one):
    return bound(one, (A, B, C), (Y,))


def test_this_interpreter_is_known():
    assert supported((A, B, C), (Y,))
    assert not supported((), (Y,))
    assert not supported((A,) * 40, (Y,))
    assert not supported((Port("a", (1,) * 9),), (Y,))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [None, 1, 2, 3, 17, 100])
def test_plain_arrays_are_served_here(fast, one, rng, rows, dtype):
    call, slow = fast
    a, b, c = sample(rng, rows, dtype)
    c = np.asarray(c)
    y = call(a, b, c)
    assert not slow.calls and type(y) is np.ndarray and y.dtype == dtype and y.flags.owndata
    np.testing.assert_array_equal(y, one.general(a, b, c))
    out = np.zeros_like(a)
    assert call(a, b, c, out=out) is out and call(a, b, c, out=None) is not out
    np.testing.assert_array_equal(out, y)
    shared = call(a, b[0] if rows else b, c)
    np.testing.assert_array_equal(shared, one.general(a, b[0] if rows else b, c))
    assert not slow.calls


def test_numbers_are_served_where_a_port_is_a_scalar(fast):
    call, slow = fast
    ones, singles = np.ones(3), np.ones(3, np.float32)
    np.testing.assert_array_equal(call(ones, ones, 2.0), [3.0, 3.0, 3.0])
    np.testing.assert_array_equal(call(ones, ones, np.float64(2.0)), [3.0, 3.0, 3.0])
    assert call(singles, singles, 0.1).dtype == np.float32
    np.testing.assert_array_equal(call(singles, singles, 0.1), np.float32(1) + np.float32([0.1] * 3))
    np.testing.assert_array_equal(call(np.ones((4, 3)), ones, 2.0), np.full((4, 3), 3.0))
    assert not slow.calls
    assert call(singles, singles, np.float64(2.0)) == "slow"
    assert call(ones, 1.0, 2.0) == "slow"


def test_an_equal_dtype_that_is_another_object(fast):
    call, slow = fast
    array = pickle.loads(pickle.dumps(np.ones(3)))
    assert call(array, array, 1.0)[0] == 2.0
    assert call(array.astype(np.dtype("f8", metadata={"unit": "m"})), array, 1.0)[0] == 2.0
    assert not slow.calls


def unusual():
    ones = np.ones(3)
    two = np.ones((2, 3))
    yield (), {}
    yield (ones, ones), {}
    yield (ones, ones, 1.0, 1.0), {}
    yield (ones, ones), {"c": 1.0}
    yield (ones, ones, 1.0), {"threads": 0}
    yield (ones, ones, 1.0), {"out": ones.copy(), "threads": True}
    for other in (
        [1.0, 1.0, 1.0],
        None,
        1.0,
        np.ones(4),
        np.ones((1, 1, 3)),
        np.ones((0, 3)),
        np.ones((101, 3)),
        np.ones((3, 3)),
        np.ones(6)[::2],
        np.ones(3, int),
        np.ones(3, ">f8"),
        np.ones(3, np.float32),
        np.ones(3, complex),
        np.ones(3).view(np.recarray),
        np.ma.ones(3),
        np.frombuffer(bytes(25), np.uint8)[1:].view(np.float64),
        np.float64(1),
    ):
        yield (two if other is not None and np.shape(other) == (3, 3) else ones, other, 1.0), {}
    for out in (
        np.ones(4),
        np.ones((1, 3)),
        np.ones(6)[::2],
        np.ones(3, np.float32),
        np.broadcast_to(1.0, 3),
        [0, 0, 0],
        (np.ones(3),),
        ones,
    ):
        yield (ones, ones, 1.0), {"out": out}
    yield (ones, ones, np.nan), {}
    yield (ones, ones, -1.0), {}
    yield (ones, ones, -1.0), {"out": np.zeros(3)}
    yield (two, two, np.array([1.0, np.inf])), {}


@pytest.mark.parametrize("number", range(len(list(unusual()))))
def test_everything_else_goes_to_the_slow_path(fast, number):
    call, slow = fast
    arguments, named = list(unusual())[number]
    watched = [item for item in (*arguments, *named.values()) if item is not None]
    counts = [sys.getrefcount(item) for item in watched]
    for _ in range(10):
        assert call(*arguments, **named) == "slow"
    for given, keywords in slow.calls:
        assert len(given) == len(arguments) and all(x is y for x, y in zip(given, arguments, strict=True))
        assert keywords.keys() == named.keys() and all(keywords[key] is named[key] for key in named)
    slow.calls.clear()
    del given, keywords
    assert [sys.getrefcount(item) for item in watched] == counts


def test_memory_shared_with_an_output(fast):
    call, slow = fast
    store = np.ones(9)
    assert call(store[:3], np.ones(3), 1.0, out=store[2:5]) == "slow"
    assert call(store[:3], np.ones(3), 1.0, out=store[3:6])[0] == 2.0
    assert len(slow.calls) == 1


def test_kernels_that_are_missing(one):
    call, slow = bound(one, (A, B, C), (Y,), dtypes=("float64",))
    singles = np.ones(3, np.float32)
    assert call(singles, singles, 1.0) == "slow"
    assert call(np.ones(3), np.ones(3), 1.0) is not slow


def test_several_outputs(two, rng):
    call, slow = bound(two, (A, B), (TOTAL, DOT))
    a, b = rng.normal(size=3), rng.normal(size=3)
    total, dot = call(a, b)
    assert type(dot) is np.float64
    np.testing.assert_array_equal(total, a + b)
    out = (np.zeros(3), np.zeros(()))
    assert call(a, b, out=out) is out
    assert out[1] == dot
    assert not slow.calls
    for bad in (np.zeros(3), [np.zeros(3), np.zeros(())], (np.zeros(3),), (np.zeros(3), np.zeros(3))):
        assert call(a, b, out=bad) == "slow"
    store = np.zeros(4)
    assert call(a, b, out=(store[:3], store[2:].reshape(2)[:1].reshape(()))) == "slow"


def test_a_named_tuple_of_outputs_is_a_tuple(two, rng):
    results = namedtuple("results", "total dot")
    call, slow = bound(two, (A, B), (TOTAL, DOT))
    a, b = rng.standard_normal((2, 3))
    out = results(np.empty(3), np.empty(()))
    assert call(a, b, out=out) is out and not slow.calls
    assert (out.total == call(a, b)[0]).all()
    assert call(a, b, out=[*out]) == "slow"


def test_no_reference_is_lost_or_kept(one, two, rng):
    a, b = rng.normal(size=3), rng.normal(size=3)
    out, outs = np.zeros(3), (np.zeros(3), np.zeros(()))
    single, _ = bound(one, (A, B, C), (Y,))
    double, _ = bound(two, (A, B), (TOTAL, DOT))
    wrapped, _ = bound(two, (A, B), (TOTAL, DOT), result=lambda parts: parts[0])
    failing, _ = bound(two, (A, B), (TOTAL, DOT), result=lambda parts: 1 / 0)
    batch = np.ones((5, 3))
    watched = (a, b, out, outs, *outs, batch, np.dtype("f8"), np.dtype("f4"), None)

    def work(times):
        for _ in range(times):
            single(a, b, 1.0)
            single(a, b, 1.0, out=out)
            single(batch, b, 1.0)
            single(a, b, -1.0)
            double(a, b)
            double(a, b, out=outs)
            wrapped(a, b)
            wrapped(a, b, out=outs)
            for arguments in ((a, b), (a, batch)):
                with contextlib.suppress(ZeroDivisionError):
                    failing(*arguments)

    for slow in (single, double, wrapped, failing):
        slow.__self__.keep[0].calls = type("Forget", (), {"append": lambda self, call: None})()
    work(10)
    before = [sys.getrefcount(item) for item in watched]
    tracemalloc.start()
    work(100)
    start = tracemalloc.get_traced_memory()[0]
    work(20000)
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    after = [sys.getrefcount(item) for item in watched]
    assert grown < 10000
    assert max(abs(x - y) for x, y in zip(after, before, strict=True)) < 100


def test_an_allocation_that_fails(two):
    call, slow = bound(two, (A, B), (TOTAL, Port("huge", (1 << 61,))))
    ones = np.ones(3)
    before = sys.getrefcount(np.dtype("f8"))
    for _ in range(1000):
        with pytest.raises((MemoryError, ValueError)):
            call(ones, ones)
    assert abs(sys.getrefcount(np.dtype("f8")) - before) < 10
    assert not slow.calls


def test_it_looks_like_a_function(fast):
    call, _ = fast
    assert call.__name__ == "scaled"
    assert call.__doc__ == "Doc."
    assert str(inspect.signature(call)) == "(a, b, c, *, out=None, threads=None)"
    assert call.__module__ == "floatbase"


def test_errors_of_the_slow_path_pass(one):
    def slow(*args, **kwargs):
        raise KeyError("no")

    call = bind(entry_address(None), "f", "", (A, B, C), (Y,), slow).function
    with pytest.raises(KeyError):
        call(np.ones(3), np.ones(3), 1.0)


def test_an_unknown_interpreter_takes_the_slow_path(monkeypatch, one):
    monkeypatch.setattr(interpreter, "_layouts_hold", lambda: False)
    interpreter.probe.cache_clear()
    try:
        assert not supported((A, B, C), (Y,))
        assert entry_address(None) is None
        function = scaled()
        assert function.fast == function.answer
        np.testing.assert_array_equal(function(np.ones(3), np.ones(3), 1.0), [2.0, 2.0, 2.0])
    finally:
        interpreter.probe.cache_clear()


def test_large_batches_need_somebody_to_compute_them(one):
    rows = 40 * batch_lanes("float64")
    call, slow = bound(one, (A, B, C), (Y,))
    assert call(np.ones((rows, 3)), np.ones(3), 1.0) == "slow"
    assert call(np.ones((rows, 3)), np.ones(3), 1.0, threads=2) == "slow"
    assert len(slow.calls) == 2


class Large:
    """Notes the batches it is given, and writes a number into their first output."""

    def __init__(self, status=0):
        self.calls, self.status = [], status

    def __call__(self, address, threads):
        batch = Batch.from_address(address)
        self.calls.append((batch.rows, batch.single, threads))
        addresses = (ctypes.c_void_p * 4).from_address(batch.addresses)
        strides = (ctypes.c_int64 * 4).from_address(batch.strides)
        kind = ctypes.c_float if batch.single else ctypes.c_double
        kind.from_address(addresses[3] + (batch.rows - 1) * strides[3]).value = 7.0
        return self.status


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_large_batches_and_threads_are_handed_on(one, dtype):
    large = Large()
    call, slow = bound(one, (A, B, C), (Y,), large=large)
    many, few, b = np.ones((101, 3), dtype), np.ones((3, 3), dtype), np.ones(3, dtype)
    out = np.zeros((101, 3), dtype)
    assert call(many, b, 1.0)[100, 0] == 7.0
    assert call(many, b, 1.0, out=out, threads=2) is out and out[100, 0] == 7.0
    assert call(many[:11], b, 1.0, threads=3, out=None)[10, 0] == 7.0
    assert call(few, b, 1.0, threads=None, out=out[:3])[2, 0] == 2.0
    single = dtype == np.float32
    assert large.calls == [(101, single, None), (101, single, 2), (11, single, 3)]
    assert not slow.calls
    assert call(many, b, 1.0, threads=2, other=1) == "slow"
    assert call(many, b, 1.0, other=1) == "slow"


def test_batches_too_small_to_share_stay_on_this_thread(one):
    large = Large()
    call, slow = bound(one, (A, B, C), (Y,), large=large)
    many, b = np.ones((100, 3)), np.ones(3)
    for rows, count in ((100, 1), (10, 2), (10, 1024), (2, 2), (1, 2)):
        np.testing.assert_array_equal(call(many[:rows], b, 1.0, threads=count), 2.0 * many[:rows])
    np.testing.assert_array_equal(call(b, b, 1.0, threads=2), 2.0 * b)
    assert not slow.calls and not large.calls
    for count in (0, -1, 1025, 2**63, 2**200, True, 2.0, "2"):  # to be explained by others
        assert call(many[:10], b, 1.0, threads=count)[9, 0] == 7.0
        assert call(b, b, 1.0, threads=count) == "slow"
    assert [threads for *_, threads in large.calls] == [0, -1, 1025, 2**63, 2**200, True, 2.0, "2"]


def test_a_bad_state_in_a_large_batch_takes_the_slow_path(one):
    call, slow = bound(one, (A, B, C), (Y,), large=Large(status=1 << 31))
    assert call(np.ones((101, 3)), np.ones(3), 1.0) == "slow"
    assert slow.calls[0][0][0].shape == (101, 3)


def test_an_error_in_a_large_batch_leaves_nothing_behind(one):
    def large(address, threads):
        raise KeyError(threads)

    call, slow = bound(one, (A, B, C), (Y,), large=large)
    many, b = np.ones((1000, 3)), np.ones(3)
    out = np.zeros_like(many)

    def work(times):
        for _ in range(times):
            for options in ({}, {"threads": 2}, {"out": out, "threads": 1000}):
                with pytest.raises(KeyError):
                    call(many, b, 1.0, **options)

    work(10)
    gc.collect()
    watched = (many, b, out, np.dtype("f8"), None)
    before = [sys.getrefcount(item) for item in watched]
    tracemalloc.start()
    work(10)
    start = tracemalloc.get_traced_memory()[0]
    work(200)
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    assert grown < 10 * many.nbytes
    after = [sys.getrefcount(item) for item in watched]
    assert max(abs(x - y) for x, y in zip(after, before, strict=True)) < 100
    assert not slow.calls


def test_the_process_ends_cleanly():
    """Built-ins alive when the interpreter ends do no harm."""
    code = (
        "from tests.compiler.functions import *\n"
        "f = scaled(); fast = f.fast; import builtins; builtins.keep = fast\n"
        "assert fast(np.ones(3), np.ones(3), 1.0)[0] == 2.0\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=Path(__file__).parents[2])
