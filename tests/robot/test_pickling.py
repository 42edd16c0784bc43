"""Methods that became built-in functions are pickled, copied and shown as those that they stand for."""

from __future__ import annotations

import copy
import inspect
import pickle

import numpy as np
import pytest

import floatbase as fb

COPIES = {
    "pickled": lambda item: pickle.loads(pickle.dumps(item)),
    "copied": copy.copy,
    "deeply copied": copy.deepcopy,
}


@fb.kernel
def height(robot, q, *, frame="r_foot"):
    return robot.pose(q, frame)[2, 3]


@pytest.fixture
def robot():
    return fb.load("double_pendulum")


@pytest.mark.parametrize("way", COPIES)
def test_methods(robot, way):
    q, v = robot.random(0)
    frame = robot.frame_names[-1]
    for name, arguments in (("com", (q,)), ("inverse_dynamics", (q, v, v)), ("velocity", (q, v, frame))):
        expected = getattr(robot, name)(*arguments)
        method = getattr(robot, name)
        assert type(method).__name__ == "builtin_function_or_method"
        again = COPIES[way](method)
        np.testing.assert_array_equal(again(*arguments), expected)
        assert inspect.signature(again) == inspect.signature(method) or way == "pickled"


@pytest.mark.parametrize("way", COPIES)
def test_functions(robot, way):
    q, v = robot.random(0)
    function = robot.function(["com", "bias"])
    expected = function(q, v)
    for item in (function, function.fast, COPIES[way](function).fast):
        for value, right in zip(COPIES[way](item)(q, v), expected, strict=True):
            np.testing.assert_array_equal(value, right)


def test_a_function_and_its_fast_form_stay_one(robot):
    function = robot.function("com")
    first, second = pickle.loads(pickle.dumps((function, function.fast)))
    assert second is first.fast


def test_what_stands_behind_kernels_and_wrenches(robot):
    q, v = robot.random(0)
    frame = robot.frame_names[-1]
    expected = height(robot, q, frame=frame)
    robot.bias(q, v, {frame: np.zeros(6)})
    for entry in robot.kernel_entries.values():
        assert pickle.loads(pickle.dumps(entry))(q) == expected
    for entry in robot._entries.values():
        assert callable(pickle.loads(pickle.dumps(entry)))


def test_signatures_do_not_change_with_the_first_call(robot):
    q, v = robot.random(0)
    frame = robot.frame_names[-1]
    for name, arguments in (("com", (q,)), ("step", (q, v, v, 0.1)), ("bias", (q, v)), ("pose", (q, frame))):
        method = getattr(robot, name)
        before, doc = inspect.signature(method), method.__doc__
        method(*arguments)
        after = inspect.signature(getattr(robot, name))
        assert list(after.parameters) == list(before.parameters)
        for parameter in before.parameters.values():
            found = after.parameters[parameter.name]
            assert (found.kind, found.default) == (parameter.kind, parameter.default)
        assert doc in getattr(robot, name).__doc__
