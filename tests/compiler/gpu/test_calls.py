"""Calls with arrays on a GPU: layouts, addresses, checks and errors, on a GPU that is not there."""

import subprocess
import sys

import numpy as np
import pytest
from tests.compiler.functions import A, pair, scaled
from tests.compiler.gpu.fake import Array, Library

from floatbase.compiler import Function, Port, trace
from floatbase.compiler.cache import Cache
from floatbase.compiler.gpu import libraries
from floatbase.compiler.gpu.checking import check, deferred
from floatbase.compiler.gpu.kernels import LARGE_ROWS, SMALL, WAYS
from floatbase.errors import ArgumentError, GpuError, ShapeError, StateError


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


@pytest.fixture
def one(gpus, dtype):
    function = scaled()
    for gpu in gpus.values():
        gpu.program, gpu.dtype = function.program, dtype
    return function


@pytest.fixture
def two(gpus):
    function = pair()
    gpus[0].program = function.program
    return function


def put(*arrays, dtype="float64", device=0):
    return [Array(np.asarray(array, dtype), device) for array in arrays]


@pytest.mark.parametrize("batch", [(), (1,), (5,), (2, 3), (70,)])
def test_results_are_those_of_the_cpu_in_arrays_of_the_caller(one, rng, dtype, batch):
    a, b, c = rng.standard_normal((*batch, 3)), rng.standard_normal((*batch, 3)), rng.uniform(1, 2, batch)
    result = one(*put(a, b, c, dtype=dtype))
    assert type(result) is Array and result.memory.dtype == dtype
    expected = one(*(np.asarray(x, dtype) for x in (a, b, c)))
    np.testing.assert_allclose(result.memory, expected, rtol=1e-6 if dtype == "float32" else 1e-13)


def test_rows_are_read_where_they_are(two, rng, gpus):
    a, b = rng.standard_normal((12, 3)), rng.standard_normal((12, 3))
    for x, y in ((a[::2], b[1::2]), (a[::-1], b), (a[0], b), (np.broadcast_to(a[1], (12, 3)), b)):
        total, dot = two(Array(x), Array(y))
        np.testing.assert_allclose(total.memory, np.broadcast_to(x, y.shape) + y)
        np.testing.assert_allclose(dot.memory, np.sum(x * y, axis=-1))
    assert all(stream == 7 for *_, stream in gpus[0].launches)


def test_results_are_written_where_it_is_said(two, rng):
    a, b = put(*rng.standard_normal((2, 4, 3)))
    out = (Array(np.empty((4, 3))), Array(np.empty(4)))
    assert two(a, b, out=out) is out
    np.testing.assert_allclose(out[0].memory, a.memory + b.memory)


def test_a_number_may_stand_for_a_scalar(one, rng, dtype):
    a, b = put(rng.standard_normal((4, 3)), rng.standard_normal((4, 3)), dtype=dtype)
    expected = one(a, b, Array(np.full(4, 1.5, dtype)))
    np.testing.assert_array_equal(one(a, b, 1.5).memory, expected.memory)


def test_no_states_give_no_results(one, dtype, gpus):
    assert one(*put(np.empty((0, 3)), np.empty((0, 3)), np.empty(0), dtype=dtype)).shape == (0, 3)
    assert not gpus[0].launches


def bad_arguments():
    a = np.ones((4, 3))
    yield "numpy", (Array(a), a, Array(np.ones(4))), GpuError, "argument 'b' is a NumPy array, which is not on the GPU"
    yield "list", (Array(a), [1.0, 2.0, 3.0], 1.0), GpuError, "argument 'b' is a list"
    yield "device", (Array(a), Array(a, 1), 1.0), GpuError, "argument 'a' is on GPU 0, 'b' on GPU 1"
    yield "shape", (Array(a), Array(np.ones((4, 2))), 1.0), ShapeError, r"argument 'b' has shape \(4, 2\)"
    yield "batch", (Array(a), Array(np.ones((3, 3))), 1.0), ShapeError, "do not broadcast"
    yield "integers", (Array(a.astype(int)), Array(a), 1.0), ArgumentError, "'a' is of dtype int64; on a GPU it must be"
    yield (
        "mixed types",
        (Array(a), Array(a.astype("f4")), 1.0),
        ArgumentError,
        "float64, 'b' of float32",
    )
    yield "gaps", (Array(np.ones((3, 4)).T), Array(a), 1.0), ShapeError, "'a' of shape .* has strides of"
    yield "scattered", (Array(np.ones((2, 4, 2, 3))[:, :3, 0]), Array(a[:3]), 1.0), ShapeError, "strides"
    yield "too many", (Array(a), Array(a), 1.0, 1.0), ArgumentError, "takes 3 arguments"


@pytest.mark.parametrize("case", list(bad_arguments()), ids=lambda case: case[0])
def test_bad_arguments_are_named(gpus, case):
    function = scaled()
    gpus[0].program = function.program
    _, arguments, kind, message = case
    with pytest.raises(kind, match=message):
        function(*arguments)
    assert not gpus[0].launches


def bad_outputs():
    yield "host", np.empty((4, 3)), ArgumentError, "must be an array on the GPU, got ndarray"
    yield "shape", Array(np.empty((4, 2))), ShapeError, r"has shape \(4, 2\); it must be \(4, 3\)"
    yield "type", Array(np.empty((4, 3), "f4")), ArgumentError, "has dtype float32; it must be float64"
    yield "device", Array(np.empty((4, 3)), 1), GpuError, "is on GPU 1, the arguments are on GPU 0"
    yield "gaps", Array(np.empty((4, 6))[:, ::2]), ShapeError, "it must be contiguous"


@pytest.mark.parametrize("case", list(bad_outputs()), ids=lambda case: case[0])
def test_bad_outputs_are_named(gpus, case):
    function = scaled()
    gpus[0].program = function.program
    _, out, kind, message = case
    with pytest.raises(kind, match=message):
        function(*put(np.ones((4, 3)), np.ones((4, 3)), np.ones(4)), out=out)
    assert not gpus[0].launches


def test_outputs_need_memory_of_their_own(two):
    store = np.ones((8, 3))
    with pytest.raises(ArgumentError, match="shares memory with argument 'a'"):
        two(Array(store[:4]), Array(store[4:]), out=(Array(store[1:5]), Array(np.empty(4))))
    flat = np.ones(20)
    with pytest.raises(ArgumentError, match="shares memory with out for 'total'"):
        two(*put(store[:4], store[4:]), out=(Array(flat[:12].reshape(4, 3)), Array(flat[11:15])))


def test_memory_begins_where_a_gpu_can_read_and_write(gpus):
    function = Function(None, lambda: trace(lambda x: 2.0 * x, (Port("x", (8,)),), "twice"))
    gpus[0].program = function.program
    store = np.zeros(41)
    store = store[(16 - store.ctypes.data % 16) // 8 % 2 :]  # begins at a multiple of 16 bytes
    with pytest.raises(ArgumentError, match=r"out for 'result' begins at .* must be a multiple of 16 bytes"):
        function(Array(np.ones((4, 8))), out=Array(store[1:33].reshape(4, 8)))
    function(Array(np.ones((4, 8))), out=Array(store[:32].reshape(4, 8)))
    odd = np.zeros(8 * 33, np.uint8)[4:-4].view(np.float64).reshape(4, 8)
    with pytest.raises(ArgumentError, match=r"argument 'x' begins at .* must be a multiple of 8 bytes"):
        function(Array(odd))


def test_two_libraries_do_not_mix(two, monkeypatch):
    class Other(Array):
        pass

    monkeypatch.setitem(libraries._libraries, Other, Library("Other"))
    with pytest.raises(GpuError, match="arrays of Fake and Other"):
        two(Array(np.ones((4, 3))), Other(np.ones((4, 3))))


def test_full_memory_is_reported(two, library):
    library.full = True
    with pytest.raises(GpuError, match=r"GPU 0 has no memory left for a result of shape \(4, 3\)"):
        two(*put(np.ones((4, 3)), np.ones((4, 3))))


@pytest.mark.parametrize("row", [0, 3, 69])
def test_bad_states_are_found(gpus, row):
    function = scaled()
    gpus[0].program = function.program
    a, b, c = np.ones((70, 3)), np.ones((70, 3)), np.ones(70)
    b[row, 1] = np.nan
    with pytest.raises(StateError, match=rf"argument 'b' must be finite, but b\[1\] is nan in row {row}"):
        function(*put(a, b, c))
    b[row, 1], c[row] = 1.0, -1.0
    with pytest.raises(StateError, match=rf"\(row {row}\)"):
        function(*put(a, b, c))
    c[row] = 1.0
    function(*put(a, b, c))


def test_deferred_calls_are_checked_in_the_end(gpus):
    function = scaled()
    gpus[0].program = function.program
    good, bad = put(np.ones((4, 3)), np.full((4, 3), np.nan))
    with deferred():
        function(good, good, 1.0)
        check()
        function(good, bad, 1.0)
        with pytest.raises(StateError, match=r"the arguments \(a, b, c\) must be finite"):
            check()
        check()
    with pytest.raises(StateError, match="must be finite"), deferred():
        function(bad, good, 1.0)
    with pytest.raises(ZeroDivisionError), deferred():  # an error of the caller's is the caller's
        function(bad, good, 1.0)
        raise ZeroDivisionError
    with pytest.raises(GpuError, match="outside"):
        check()


def test_libraries_that_keep_their_stream_wait(gpus, library):
    function = scaled()
    gpus[0].program = function.program
    library.waits = True
    with deferred(), pytest.raises(StateError, match="in row 0"):
        function(*put(np.full((4, 3), np.inf), np.ones((4, 3)), np.ones(4)))


def test_the_fastest_way_is_measured_once(gpus, tmp_path):
    states = LARGE_ROWS
    a = Array(np.ones((states, 3)))
    cache = Cache(tmp_path / "cache")

    def call(gpu):
        function = Function(None, lambda: trace(lambda a: 2.0 * a, (A,), "twice"), cache=cache, key="twice")
        gpu.program = function.program
        function(a)
        return gpu

    first = call(gpus[0])
    assert first.timed == 3 * len(WAYS)
    chosen = WAYS[-1]  # the last was the fastest
    assert first.launches[-1][1] == chosen.block and set(first.linked) == {way.registers for way in WAYS}
    gpus[0].launches.clear()
    gpus[0].linked.clear()
    gpus[0].timed = 0
    again = call(gpus[0])
    assert again.timed == 0 and not again.linked, "found in the cache"
    assert again.launches[0][1] == chosen.block


def test_small_batches_take_small_blocks(gpus):
    function = Function(None, lambda: trace(lambda x: 2.0 * x, (Port("x", (7,)),), "twice"))
    gpus[0].program = function.program
    function(*put(np.ones((100, 7))))
    ((grid, block, shared, _),) = gpus[0].launches
    assert block == SMALL.block and grid[0] == 2 and shared > 0


def test_without_a_driver_a_gpu_is_refused_clearly():
    code = (
        "from floatbase.compiler.gpu import driver\n"
        "from floatbase.errors import FloatbaseError\n"
        "try:\n    print(driver.count())\nexcept FloatbaseError as error:\n    print(type(error).__name__, error)\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split()[0] in ("GpuError", "MissingDependencyError") or said.strip().isdigit()
