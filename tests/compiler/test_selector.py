"""A built-in function that selects others by one of its arguments."""

import copy
import gc
import inspect
import pickle
import sys

import numpy as np
import pytest
from tests.compiler.functions import pair, sample, scaled

from floatbase.compiler.entry import Place, Selection, select_address
from floatbase.compiler.entry.layout import MAX_CHOICES, MAX_PORTS


class Slow:
    def __init__(self):
        self.calls = []

    def __call__(self, *args, **kwargs):
        self.calls.append((args, kwargs))
        return "slow"


@pytest.fixture(params=[0, 1, 2])
def selection(request):
    slow = Slow()
    chosen = Selection(select_address(None), "choose", "Doc.", request.param, slow, Place(slow, "calls", "(...)"))
    return chosen, slow, request.param


def call(function, position, key, arrays, **named):
    return function(*arrays[:position], key, *arrays[position:], **named)


def test_the_entry_that_goes_with_an_object_is_called(selection, rng):
    chosen, slow, position = selection
    one, two = scaled(), pair()
    chosen.add("one", one.fast)
    chosen.add("two", two.fast)
    for rows in (None, 5):
        arrays = sample(rng, rows, np.float64)
        np.testing.assert_array_equal(call(chosen.function, position, "one", arrays), one(*arrays))
        out = np.zeros_like(arrays[0])
        assert call(chosen.function, position, "one", arrays, out=out, threads=1) is out
        np.testing.assert_array_equal(out, one(*arrays))
        for given, expected in zip(call(chosen.function, position, "two", arrays[:2]), two(*arrays[:2]), strict=True):
            np.testing.assert_array_equal(given, expected)
    assert not slow.calls


def test_everything_else_goes_to_the_slow_path(selection, rng):
    chosen, slow, position = selection
    chosen.add("one", scaled().fast)
    arrays = sample(rng, None, np.float64)
    other = "".join(["o", "ne"])  # equal, but another object
    assert call(chosen.function, position, other, arrays, out=None) == "slow"
    assert chosen.function() == chosen.function(*arrays[:position]) == "slow"
    assert call(chosen.function, position, "one", [*arrays, *range(MAX_PORTS)]) == "slow"
    given, named = slow.calls[0]
    assert given[position] is other and len(given) == 4 and named == {"out": None}
    assert [len(given) for given, _ in slow.calls] == [4, 0, position, 4 + MAX_PORTS]


def test_there_is_room_for_so_many(rng):
    slow, one = Slow(), scaled()
    chosen = Selection(select_address(None), "choose", "", 0, slow, Place(slow, "calls", "()"))
    keys = [object() for _ in range(MAX_CHOICES + 1)]
    for key in keys:
        chosen.add(key, one.fast)
    arrays = sample(rng, None, np.float64)
    expected = one(*arrays)
    for key in keys[:-1]:
        np.testing.assert_array_equal(chosen.function(key, *arrays), expected)
    assert chosen.function(keys[-1], *arrays) == "slow"


def test_no_reference_is_lost_or_kept(rng):
    chosen = Selection(select_address(None), "choose", "", 0, Slow(), Place(None, "calls", "()"))
    one, key = scaled(), object()
    chosen.add(key, one.fast)
    arrays = sample(rng, None, np.float64)
    out = np.zeros(3)
    watched = (key, out, *arrays[:2])
    gc.collect()
    before = [sys.getrefcount(item) for item in watched]
    for _ in range(100):
        chosen.function(key, *arrays, out=out)
        chosen.function(key, *arrays)
    assert [sys.getrefcount(item) for item in watched] == before


def test_it_is_pickled_as_what_is_found_in_its_place():
    slow = Slow()
    function = Selection(
        select_address(None), "choose", "Doc.", 0, slow, Place(slow, "calls", "(key, *, a=1)")
    ).function
    slow.calls.append("a call")
    assert pickle.loads(pickle.dumps(function)) == ["a call"]
    assert str(inspect.signature(function)) == "(key, *, a=1)" and function.__doc__ == "Doc."
    assert copy.copy(function) is copy.deepcopy(function) is function
