"""Keys of kernels: equal for equal code, different for anything that could change the result."""

from __future__ import annotations

import threading
import types

import numpy as np
import pytest

from floatbase.fingerprint import fingerprint

GAIN = 3.0


def helper(x):
    return GAIN * x


def kernel(robot, q, *, n=2):
    return np.sin(helper(q)) + n


def test_it_does_not_change_by_itself():
    assert fingerprint(kernel) == fingerprint(kernel) is not None


def test_values_that_the_code_names_count(monkeypatch):
    before = fingerprint(kernel)
    monkeypatch.setitem(globals(), "GAIN", 4.0)
    assert fingerprint(kernel) != before


def test_functions_that_the_code_calls_count(monkeypatch):
    before = fingerprint(kernel)
    monkeypatch.setitem(globals(), "helper", lambda x: GAIN * x + 1)
    assert fingerprint(kernel) != before


def test_members_of_the_users_modules_count():
    module = types.ModuleType("users_module")
    module.__file__ = "/somewhere/users_module.py"
    module.scale = lambda x: 2 * x
    module.unused = threading.Lock()

    def reaching(robot, q):
        return module.scale(q)

    before = fingerprint(reaching)
    module.scale = lambda x: 3 * x
    assert before is not None and fingerprint(reaching) != before


@pytest.mark.parametrize("values", [(1.0, 2.0), (np.zeros(2), np.ones(2)), ("a", "b"), ({"k": 1}, {"k": 2})])
def test_closures_count(values):
    def make(value):
        return lambda robot, q: q * value

    first, second = (fingerprint(make(value)) for value in values)
    assert first != second
    assert first == fingerprint(make(values[0]))


def test_what_cannot_be_told_has_no_key():
    lock = threading.Lock()
    assert fingerprint(lambda robot, q: lock and q) is None
