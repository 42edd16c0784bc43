"""Memory of large results."""

import gc
import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest
from tests.compiler.functions import sample, scaled

from floatbase.compiler import recycling
from floatbase.compiler.recycling import LARGE_BYTES, Store, empty

SIZE = LARGE_BYTES // 8


@pytest.fixture
def store():
    return Store(10 * LARGE_BYTES)


def test_memory_is_used_again_when_the_last_array_on_it_is_gone(store):
    first = empty((SIZE,), np.float64, store)
    address, part = first.ctypes.data, first[5:10]
    del first
    assert store.kept == 0  # `part` is on it
    other = empty((SIZE,), np.float64, store)
    assert other.ctypes.data != address
    del part
    assert store.kept == LARGE_BYTES
    again = empty((2, SIZE // 2), np.float64, store)
    assert again.ctypes.data == address and store.kept == 0
    single = empty((SIZE,), np.float32, store)  # not large
    assert single.base is None


def test_arrays_are_as_others(store):
    array = empty((3, SIZE), np.float32, store)
    assert array.shape == (3, SIZE) and array.dtype == np.float32 and type(array) is np.ndarray
    assert array.flags.c_contiguous and array.flags.writeable and array.flags.aligned
    array[:] = 2.0
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(array[:, :4])), np.full((3, 4), 2.0))


def test_no_more_is_kept_than_allowed(store):
    arrays = [empty((k * SIZE,), np.float64, store) for k in (1, 2, 3, 4, 5, 11)]
    arrays.reverse()
    while arrays:
        arrays.pop()
    assert store.kept <= store.capacity
    assert store.take(11 * LARGE_BYTES).base is None  # too large to be kept
    assert store.kept == 9 * LARGE_BYTES  # 4 and 5, the last that came back
    store.take(int(4.5 * LARGE_BYTES))
    assert store.kept == 4 * LARGE_BYTES


def test_large_results_do_not_share_memory_while_they_live(rng):
    function = scaled()
    rows = LARGE_BYTES // 24 + 1
    a, b, c = sample(rng, rows, np.float64)
    first = function(a, b, c)
    second = function(b, a, c)
    assert not np.shares_memory(first, second)
    np.testing.assert_allclose(first, a * b + c[:, None], atol=1e-12)
    np.testing.assert_array_equal(first, second)
    expected = second.copy()
    address = first.ctypes.data
    del first
    gc.collect()
    assert function(a, b, c).ctypes.data == address
    np.testing.assert_array_equal(second, expected)


def test_several_threads(store):
    failures = []

    def work(value):
        for _ in range(20):
            array = empty((SIZE,), np.float64, store)
            array[:] = value
            if not (array[::4096] == value).all():
                failures.append(value)

    threads = [threading.Thread(target=work, args=(float(k),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_the_process_ends_cleanly():
    code = f"from floatbase.compiler.recycling import empty; import builtins; builtins.keep = empty(({SIZE},), float)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
    assert recycling._store.capacity > 0
