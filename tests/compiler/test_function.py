import gc
import inspect
import pickle
import weakref
from dataclasses import dataclass

import numpy as np
import pytest
from tests.compiler.functions import SCALED, pair, scaled, scaled_program

from floatbase.compiler.function import Function
from floatbase.errors import ArgumentError, ProgramError, ShapeError, StateError

TOLERANCE = {np.float64: 1e-14, np.float32: 1e-6}


@pytest.fixture(scope="module")
def function():
    return scaled()


@pytest.fixture(scope="module")
def two():
    return pair()


def expected(a, b, c):
    return np.asarray(a) * b + np.asarray(c)[..., None]


def test_one_state(function):
    y = function([1.0, 2.0, 3.0], np.array([4.0, 5.0, 6.0]), 0.5)
    np.testing.assert_allclose(y, [4.5, 10.5, 18.5])
    assert y.dtype == np.float64 and y.shape == (3,)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("batch", [(), (1,), (2,), (3,), (8,), (13,), (0,), (4, 5), (2, 0, 3), (100,)])
def test_batches(function, rng, batch, dtype):
    a, b = (rng.normal(size=(*batch, 3)).astype(dtype) for _ in range(2))
    c = rng.uniform(1, 2, size=batch).astype(dtype) if batch else np.asarray(1.25, dtype)
    y = function(a, b, c)
    assert y.shape == (*batch, 3) and y.dtype == dtype
    np.testing.assert_allclose(y, expected(a, b, c), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    out = np.full((*batch, 3), np.nan, dtype)
    assert function(a, b, c, out=out) is out
    np.testing.assert_array_equal(out, y)


def test_a_row_does_not_depend_on_its_batch(function, rng):
    a, b, c = rng.normal(size=(1000, 3)), rng.normal(size=(1000, 3)), rng.uniform(1, 2, 1000)
    whole = function(a, b, c)
    for rows in (slice(0, 1), slice(5, 7), slice(3, 6), slice(2, 19), slice(1, 900)):
        np.testing.assert_array_equal(function(a[rows], b[rows], c[rows]), whole[rows])
    np.testing.assert_array_equal(np.stack([function(a[k], b[k], c[k]) for k in range(50)]), whole[:50])
    for threads in (1, 2, 3):
        np.testing.assert_array_equal(function(a, b, c, threads=threads), whole)


def layouts(rng, rows):
    base = rng.normal(size=(rows, 3))
    padded = rng.normal(size=(rows, 5))[:, 1:4]
    record = np.zeros(rows, [("pad", "u1"), ("x", "f8", 3)])
    record["x"] = base
    unaligned = record["x"]
    return {
        "contiguous": base,
        "padded rows": padded,
        "every other row": rng.normal(size=(2 * rows, 3))[::2],
        "reversed": rng.normal(size=(rows, 3))[::-1],
        "Fortran": np.asfortranarray(rng.normal(size=(rows, 3))),
        "strided elements": rng.normal(size=(rows, 6))[:, ::2],
        "big-endian": base.astype(">f8"),
        "integers": rng.integers(-9, 9, size=(rows, 3)),
        "shared": rng.normal(size=3),
        "one row": rng.normal(size=(1, 3)),
        "broadcast": np.broadcast_to(rng.normal(size=3), (rows, 3)),
        "unaligned": unaligned,
        "list": base.tolist(),
        "subclass": base.view(np.recarray),
        "read-only": np.frombuffer(base.tobytes()).reshape(rows, 3),
    }


@pytest.mark.parametrize("rows", [1, 2, 11])
def test_any_layout_of_the_inputs(function, rng, rows):
    b, c = rng.normal(size=(rows, 3)), rng.uniform(1, 2, rows)
    for name, a in layouts(rng, rows).items():
        plain = np.array(np.broadcast_to(np.asarray(a, float), (rows, 3)))
        np.testing.assert_array_equal(function(a, b, c), function(plain, b, c), err_msg=name)
        np.testing.assert_array_equal(function(b, a, 1.5), function(b, plain, 1.5), err_msg=name)


def test_batch_axes_broadcast(function, rng):
    a, b, c = rng.normal(size=(4, 1, 3)), rng.normal(size=(5, 3)), rng.uniform(1, 2, size=(2, 1, 1))
    y = function(a, b, c)
    assert y.shape == (2, 4, 5, 3)
    np.testing.assert_allclose(y, expected(a, b, c), atol=1e-14)


def test_irregular_and_overlapping_outputs(function, rng):
    a, b, c = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), rng.uniform(1, 2, 7)
    y = function(a, b, c)
    for out in (np.zeros((7, 6))[:, ::2], np.zeros((7, 5))[:, 2:], np.zeros((14, 3))[::-2], np.zeros((3, 7)).T):
        assert function(a, b, c, out=out) is out
        np.testing.assert_array_equal(out, y)
    store = np.zeros((8, 3))
    store[:7] = a
    function(store[:7], b, c, out=store[1:])
    np.testing.assert_array_equal(store[1:], y)
    assert function(a, b, c, out=a) is a
    np.testing.assert_array_equal(a, y)


@pytest.mark.parametrize("strides", [(8, 8), (0, 8), (24, 0), (-8, 8), (16, 8)])
def test_outputs_that_overwrite_themselves(function, rng, strides):
    store = np.zeros(100)
    out = np.lib.stride_tricks.as_strided(store[50:], (7, 3), strides)
    with pytest.raises(ArgumentError, match="out for 'y' has elements that share memory"):
        function(rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), 1.0, out=out)


def test_outputs_that_overwrite_one_another(two, rng):
    a, b = rng.normal(size=(5, 3)), rng.normal(size=(5, 3))
    total, dot = two(a, b)
    store = np.zeros((5, 4))
    for call in (two, two.fast):
        call(a, b, out=(store[:, :3], store[:, 3]))
        np.testing.assert_array_equal(store, np.column_stack([total, dot]))
        with pytest.raises(ArgumentError, match="out for 'dot' shares memory with another output"):
            call(a, b, out=(store[:, :3], store[:, 2]))
        with pytest.raises(ArgumentError, match="out for 'dot' shares memory with another output"):
            call(a[0], b[0], out=(store[0, :3], store[0, 2:3].reshape(())))


def test_float32_only_if_every_array_is(function):
    single, double = np.ones(3, np.float32), np.ones(3)
    assert function(single, single, 1.0).dtype == np.float32
    assert function(single, [1, 2, 3], 1).dtype == np.float32
    assert function(single, single, np.float32(1)).dtype == np.float32
    assert function(single, single, np.float64(1)).dtype == np.float64
    assert function(single, double, 1.0).dtype == np.float64
    assert function(single, np.ones(3, int), 1.0).dtype == np.float64
    assert function([1, 2, 3], [1, 2, 3], 1).dtype == np.float64


def test_arguments_by_name(function):
    ones = np.ones(3)
    np.testing.assert_array_equal(function(ones, c=2.0, b=ones), [3.0, 3.0, 3.0])
    with pytest.raises(ArgumentError, match=r"scaled\(a, b, c\) has no argument 'd'"):
        function(ones, ones, d=1.0)
    with pytest.raises(ArgumentError, match="'a' twice"):
        function(ones, ones, 1.0, a=ones)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ((np.ones(3), np.ones(3)), ArgumentError, r"scaled\(a, b, c\) takes 3 arguments, got 2: missing c"),
        ((np.ones(3),) * 4, ArgumentError, "takes 3 arguments, got 4"),
        ((np.ones(4), np.ones(3), 1.0), ShapeError, r"'a' has shape \(4,\); it must be \(\.\.\., 3\).* \(3,\) for one"),
        ((1.0, np.ones(3), 1.0), ShapeError, r"'a' has shape \(\)"),
        ((np.ones((2, 3)), np.ones((4, 3)), 1.0), ShapeError, r"do not broadcast .*: a \(2,\), b \(4,\)"),
        ((np.ones(3) + 1j, np.ones(3), 1.0), ArgumentError, "'a' is of dtype complex128"),
        ((np.array([1, None, 2]), np.ones(3), 1.0), ArgumentError, "'a' is of dtype object"),
        ((None, np.ones(3), 1.0), ArgumentError, "'a' is a NoneType"),
        (("abc", np.ones(3), 1.0), ArgumentError, "'a' is of dtype <U3"),
        (([[1, 2], [3]], np.ones(3), 1.0), ArgumentError, "'a' is not an array of numbers"),
        ((np.ones(3), [1, np.nan, 1], 1.0), StateError, r"'b' must be finite, but b\[1\] is nan$"),
        ((np.ones(3), np.ones(3), np.inf), StateError, "'c' must be finite, but c is inf"),
        ((np.ones(3), np.ones(3), -1.0), StateError, "scaled: c must be positive$"),
        ((np.ma.array(np.ones(3), mask=[0, 1, 0]), np.ones(3), 1.0), ArgumentError, "'a' has masked elements"),
    ],
)
def test_bad_arguments_are_named(function, arguments, kind, message):
    for call in (function, function.fast):
        with pytest.raises(kind, match=message):
            call(*arguments)


@pytest.mark.parametrize("rows", [2, 9, 700])
@pytest.mark.parametrize("threads", [None, 2])
def test_bad_rows_are_named(function, rng, rows, threads):
    a, b, c = rng.normal(size=(rows, 3)), rng.normal(size=(rows, 3)), rng.uniform(1, 2, rows)
    bad = a.copy()
    bad[rows - 1, 2] = -np.inf
    with pytest.raises(StateError, match=rf"a\[2\] is -inf in row {rows - 1}"):
        function(bad, b, c, threads=threads)
    c[rows // 2 :] = -1
    with pytest.raises(StateError, match=rf"c must be positive \(row {rows // 2}\)"):
        function(a, b, c, threads=threads)
    with pytest.raises(StateError, match=rf"c must be positive \(row \(0, {rows // 2}\)\)"):
        function(a[None], b[None], c[None], threads=threads)


@pytest.mark.parametrize(
    ("out", "kind", "message"),
    [
        (np.zeros(4), ShapeError, r"out for 'y' has shape \(4,\); it must be \(3,\)"),
        (np.zeros((1, 3)), ShapeError, r"out for 'y' has shape \(1, 3\)"),
        (np.zeros(3, np.float32), ArgumentError, "dtype float32; it must be float64"),
        ([0, 0, 0], ArgumentError, "must be a NumPy array"),
        (np.broadcast_to(0.0, 3), ArgumentError, "read-only"),
    ],
)
def test_bad_outputs_are_named(function, out, kind, message):
    with pytest.raises(kind, match=message):
        function(np.ones(3), np.ones(3), 1.0, out=out)


def test_bad_thread_counts(function):
    for threads in (0, -1, 1.5, True, "2"):
        with pytest.raises(ArgumentError, match="threads must be"):
            function(np.ones(3), np.ones(3), 1.0, threads=threads)
    assert function(np.ones(3), np.ones(3), 1.0, threads=np.int64(2)) is not None


def test_several_outputs(two, rng):
    for batch in ((), (2,), (9,)):
        a, b = rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 3))
        total, dot = two(a, b)
        np.testing.assert_array_equal(total, a + b)
        np.testing.assert_allclose(dot, (a * b).sum(-1), atol=1e-14)
        out = (np.zeros((*batch, 3)), np.zeros(batch))
        assert two(a, b, out=out) is out
        np.testing.assert_array_equal(out[0], total)
        np.testing.assert_array_equal(out[1], dot)
    assert isinstance(two(np.ones(3), [1, 1, 1])[1], np.float64)
    assert isinstance(two(np.ones(3), np.ones(3))[1], np.float64)
    with pytest.raises(ArgumentError, match=r"out must be a tuple of 2 arrays \(total, dot\)"):
        two(a, b, out=np.zeros(3))


@dataclass(frozen=True)
class Sums:
    total: np.ndarray
    dot: float


def sums(parts):
    return Sums(*parts)


def test_results_as_a_dataclass(rng):
    function = pair(result=sums)
    a, b = rng.normal(size=3), rng.normal(size=3)
    for value in (function(a, b), function.fast(a, b), function(list(a), list(b))):
        assert isinstance(value, Sums)
        np.testing.assert_array_equal(value.total, a + b)
    out = (np.zeros(3), np.zeros(()))
    assert function(a, b, out=out).total is out[0]
    assert function.fast(a, b, out=out).dot is out[1]


def test_pickling():
    function = pair(result=sums, doc="Sums.")
    copy = pickle.loads(pickle.dumps(function))
    assert copy.signature == function.signature and copy.__doc__ == "Sums."
    assert copy([1, 2, 3], [1, 1, 1]).dot == 6.0
    assert pickle.loads(pickle.dumps(copy)).signature == function.signature


def test_the_program_must_have_the_signature():
    function = Function(SCALED, pair().program.validate, cache=None)
    with pytest.raises(ProgramError, match="it must be"):
        function(np.ones(3), np.ones(3), 1.0)


def test_the_source_is_not_called_before_it_is_needed():
    calls = []

    def source():
        calls.append(1)
        return scaled_program()

    function = Function(SCALED, source, cache=None)
    assert function.signature is SCALED
    assert "scaled(a[3], b[3], c[])" in repr(function)
    assert not calls
    function.prepare(("float64", "float32"))
    function(np.ones((20, 3)), np.ones(3), 1.0)
    assert len(calls) == 1
    with pytest.raises(ArgumentError, match="unknown dtype 'float16'"):
        function.prepare(("float16",))


def test_functions_are_collected():
    function = scaled()
    function(np.ones(3), np.ones(3), 1.0)
    fast = function.fast
    alive = weakref.ref(function)
    del function
    gc.collect()
    assert alive() is not None  # the built-in needs it
    np.testing.assert_array_equal(fast(np.ones(3), np.ones(3), 1.0), [2.0, 2.0, 2.0])
    del fast
    gc.collect()
    assert alive() is None


def test_a_built_in_with_a_fallback_of_its_own():
    function = scaled()
    general = function.general
    calls = []

    def fallback(*arguments, **named):
        calls.append(named)
        return general(*arguments, **{key: value for key, value in named.items() if key != "wrenches"})

    call = function.entry(fallback)
    ones = np.ones(3)
    for _ in range(3):
        np.testing.assert_array_equal(call(ones, ones, 1.0), [2.0, 2.0, 2.0])
    assert calls == [{}]  # the first call compiled
    np.testing.assert_array_equal(call(ones, [1, 1, 1], 1.0, wrenches={}), [2.0, 2.0, 2.0])
    assert calls[1:] == [{"wrenches": {}}]


def test_a_built_in_keeps_its_kernels():
    function = scaled().prepare()
    call = function.entry(lambda *arguments: "fallback")
    alive = weakref.ref(function)
    del function
    gc.collect()
    ones = np.ones(3)
    np.testing.assert_array_equal(call(ones, ones, 1.0), [2.0, 2.0, 2.0])
    assert call(ones) == "fallback"
    del call
    gc.collect()
    assert alive() is None


def test_a_call_looks_like_one_of_a_function():
    function = scaled()
    assert callable(function)
    for _ in range(2):
        assert list(inspect.signature(function).parameters) == ["arrays", "out", "threads", "named"]
        function(np.ones(3), np.ones(3), 1.0)
    assert "signature" in inspect.signature(Function).parameters
