"""Keys of kernels: equal for equal code, different for anything that could change the result."""

from __future__ import annotations

import functools
import os
import threading
import types

import numpy as np
import pytest

import floatbase as fb
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


def reference(value):
    return fingerprint(lambda robot, q: value and q)


def test_every_entry_of_a_dictionary_counts():
    first = reference({"a": 1.0, "b": 1.0, "c": 1.0})
    assert first != reference({"a": 1.0, "b": 1.0, "c": 2.0})
    assert first == reference({"a": 1.0, "b": 1.0, "c": 1.0})


def test_types_and_signs_count():
    values = (1, 1.0, True, -0.0, 0.0, "1", b"1", np.float64(1.0), np.float32(1.0), (1,), [1])
    assert len({reference(value) for value in values}) == len(values)


def users_class(**members):
    base = type("Base", (), {"__module__": "__main__", "inherited": members.pop("inherited", None)})
    return type("Gains", (base,), {"__module__": "__main__", **members})


@pytest.mark.parametrize(
    "members",
    [
        ({"k": 1.0}, {"k": 2.0}),
        ({"k": property(lambda self: 1.0)}, {"k": property(lambda self: 2.0)}),
        ({"k": staticmethod(lambda: 1.0)}, {"k": staticmethod(lambda: 2.0)}),
        ({"k": classmethod(lambda cls: 1.0)}, {"k": classmethod(lambda cls: 2.0)}),
        ({"inherited": lambda self: 1.0}, {"inherited": lambda self: 2.0}),
    ],
)
def test_all_of_a_users_class_counts(members):
    classes = [users_class(**item) for item in members]
    assert reference(classes[0]) != reference(classes[1]) is not None
    assert reference(classes[0]()) != reference(classes[1]())


def test_attributes_of_objects_and_arguments_of_partials_count():
    def changed(kind, value):
        item = kind()
        item.gain = value
        return reference(item)

    kind = users_class(k=1.0)
    assert changed(kind, 1.0) != changed(kind, 2.0)
    assert reference(functools.partial(helper, 1.0)) != reference(functools.partial(helper, 2.0))
    assert reference(functools.partial(lambda x: x)) != reference(functools.partial(lambda x: 2 * x))


def test_settings_count():
    prints = [fingerprint(kernel, {"n": n}) for n in (2, 3, 2.0, True, (2,), "2")]
    assert len(set(prints)) == len(prints) and None not in prints


def test_code_that_looks_beyond_itself_has_no_key():
    assert fingerprint(lambda robot, q: q * float(os.environ["GAIN"])) is None
    assert fingerprint(lambda robot, q: getattr(robot, "com")(q)) is None  # noqa: B009


def test_robots_count_by_their_content():
    panda, moon = fb.load("panda"), fb.load("panda", gravity=(0, 0, -1.62))
    assert reference(panda) == reference(fb.load("panda")) != reference(moon)
