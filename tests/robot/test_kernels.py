"""Users' kernels: shapes, settings, results, errors."""

from __future__ import annotations

import gc
import pickle
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, StateError, TraceError, UnknownNameError


@dataclass(frozen=True)
class Reach:
    error: Any
    distance: Any


class Pair(NamedTuple):
    first: Any
    second: Any


@fb.kernel
def foot_height(robot, q):
    return robot.pose(q, "LF_FOOT")[2, 3]


@fb.kernel(target=(3,))
def reach(robot, q, target, *, frame="LF_FOOT"):
    error = robot.pose(q, frame)[:3, 3] - target
    return Reach(error, np.linalg.norm(error))


@fb.kernel(gain=())
def damped(robot, q, v, gain):
    return robot.bias(q, v) - gain * v


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


def test_one_state_and_batch(robot, rng):
    q, _ = robot.random(rng, n=7)
    heights = foot_height(robot, q)
    assert heights.shape == (7,)
    assert np.allclose(heights, robot.pose(q, "LF_FOOT")[:, 2, 3], atol=1e-14)
    assert foot_height(robot, q[2]) == heights[2]


def test_dataclass_result_and_static_setting(robot, rng):
    q, _ = robot.random(rng, n=4)
    target = np.array([0.1, 0.2, 0.3])
    result = reach(robot, q, target, frame="RH_FOOT")
    assert isinstance(result, Reach) and result.error.shape == (4, 3)
    assert np.allclose(result.error, robot.pose(q, "RH_FOOT")[:, :3, 3] - target, atol=1e-14)
    assert np.allclose(result.distance, np.linalg.norm(result.error, axis=1))
    assert not np.allclose(result.distance, reach(robot, q, target).distance)


def test_scalars_and_arguments_by_name(robot, rng):
    q, v = robot.random(rng)
    assert np.allclose(damped(robot, q, v, gain=0.5), robot.bias(q, v) - 0.5 * v, atol=1e-12)
    with pytest.raises(ArgumentError, match="missing gain"):
        damped(robot, q, v)


@pytest.mark.parametrize("kind", ["tuple", "dict", "namedtuple"])
def test_kinds_of_results(robot, rng, kind):
    make = {"tuple": lambda a, b: (a, b), "dict": lambda a, b: {"first": a, "second": b}, "namedtuple": Pair}[kind]

    @fb.kernel
    def two(robot, q):
        return make(robot.com(q), robot.mass_matrix(q)[0, 0])

    q, _ = robot.random(rng)
    for _ in range(2):  # the second time from the cache
        result = two(robot, q)
        assert type(result) is type(make(1, 2))
        first, second = result.values() if kind == "dict" else result
        assert first.shape == (3,) and second == pytest.approx(robot.mass)


def test_symbols_pass_through(robot):
    q = fb.symbols("q", robot.nq)
    assert foot_height(robot, q).shape == ()

    @fb.kernel
    def twice(robot, q):
        return 2.0 * foot_height(robot, q)

    state = robot.neutral()
    assert twice(robot, state) == pytest.approx(2 * foot_height(robot, state))


def test_a_kernel_that_changes_is_compiled_anew(robot, rng):
    q, _ = robot.random(rng)
    values = []
    for factor in (1.0, 2.0):

        @fb.kernel
        def scaled(robot, q):
            return factor * robot.com(q)  # noqa: B023

        values.append(scaled(robot, q))
    assert np.allclose(values[1], 2 * values[0])


def test_guards(robot, rng):
    @fb.kernel
    def above_ground(robot, q):
        z = robot.com(q)[2]
        fb.guard(z > 0, "the robot is under the ground")
        return z

    q, _ = robot.random(rng, n=20)
    q[:, 2] = 3.0
    above_ground(robot, q)
    q[11, 2] = -5.0
    with pytest.raises(StateError, match=r"under the ground.*11|11.*under the ground"):
        above_ground(robot, q)
    with pytest.raises(StateError, match="under the ground"):
        above_ground(robot, q[11])


def test_pickling():
    assert pickle.loads(pickle.dumps(Reach)) is Reach


def test_bad_definitions():
    with pytest.raises(UnknownNameError, match="target"):
        fb.kernel(targt=(3,))(lambda robot, q, target: q)
    with pytest.raises(ArgumentError, match="kwargs"):
        fb.kernel(lambda robot, **settings: 0)
    with pytest.raises(ArgumentError, match="out"):
        fb.kernel(lambda robot, q, out: 0)
    with pytest.raises(ArgumentError, match="not a method"):
        fb.kernel(lambda self, robot, q: q)
    with pytest.raises(ArgumentError, match="must take the robot"):
        fb.kernel(int)


def test_bad_calls(robot):
    q = robot.neutral()
    with pytest.raises(UnknownNameError, match="frame"):
        reach(robot, q, np.zeros(3), fram="LF_FOOT")
    with pytest.raises(ArgumentError, match="Robot"):
        foot_height(q, q)
    with pytest.raises(ArgumentError, match="hashable"):
        reach(robot, q, np.zeros(3), frame=["LF_FOOT"])
    with pytest.raises(ArgumentError, match="takes 1 arrays"):
        foot_height(robot, q, q)


def test_branching_on_a_symbol_is_explained(robot):
    @fb.kernel
    def branches(robot, q):
        return q[0] if q[0] > 0 else q[1]

    with pytest.raises(TraceError, match=r"np\.where"):
        branches(robot, robot.neutral())


def test_float_arrays_refuse_symbols_with_advice(robot):
    @fb.kernel
    def stores(robot, q):
        result = np.zeros(3)
        result[0] = q[0]
        return result

    with pytest.raises((TraceError, ValueError), match="like="):
        stores(robot, robot.neutral())


def test_values_of_a_setting_do_not_share_code(robot):
    @fb.kernel
    def typed(robot, q, *, n=1):
        return q[0] * 0.0 + (10.0 if isinstance(n, bool) else 20.0 if isinstance(n, float) else n)

    q = robot.neutral()
    assert [float(typed(robot, q, n=n)) for n in (1, True, 1.0, 2, 3)] == [1.0, 10.0, 20.0, 2.0, 3.0]


@pytest.mark.parametrize("shape", [(-3,), "a", 2.5, (2.5,), None])
def test_shapes_that_are_none(shape):
    with pytest.raises(ArgumentError, match="shape of 'x'"):
        fb.kernel(x=shape)(lambda robot, x: x)


def test_results_need_names_that_are_text(robot):
    @fb.kernel
    def numbered(robot, q):
        return {1: q}

    with pytest.raises(TraceError, match="strings"):
        numbered(robot, robot.neutral())


def test_defaults_of_arrays(robot):
    @fb.kernel
    def weighed(robot, q, weight=2.0):
        return weight * robot.com(q)

    q = robot.neutral()
    assert np.allclose(weighed(robot, q), 2.0 * robot.com(q)) and np.allclose(
        weighed(robot, q, 3.0), 3.0 * robot.com(q)
    )
    assert np.allclose(weighed(robot, weight=4.0, q=q), 4.0 * robot.com(q))
    with pytest.raises(ArgumentError, match="'q' twice"):
        weighed(robot, q, q=q)


def test_a_setting_without_a_default_is_needed(robot):
    scaled = fb.kernel(lambda robot, q, *, gain: gain * q)
    with pytest.raises(ArgumentError, match="missing the setting 'gain'"):
        scaled(robot, robot.neutral())


def test_mistakes_are_explained(robot):
    @fb.kernel
    def shifts(robot, q):
        q[2] += 1.0
        return robot.com(q)

    @fb.kernel
    def endless(robot, q):
        return endless(robot, q)

    for wrong, message in ((shifts, "'shifts' changes its argument 'q' in place"), (endless, "'endless' calls itself")):
        with pytest.raises(TraceError, match=message):
            wrong(robot, robot.neutral())


def test_expressions_are_not_written_into_arrays(robot):
    q = fb.symbols("q", robot.nq)
    for call in (foot_height, type(robot).potential_energy):
        with pytest.raises(ArgumentError, match="out is for calls with numbers"):
            call(robot, q, out=np.zeros(()))


def test_a_kernel_called_before_still_takes_everything(robot, rng):
    q, _ = robot.random(rng, n=3)
    target = np.array([0.1, 0.2, 0.3])

    @fb.kernel(target=(3,))
    def distance(robot, q, target, *, frame="LF_FOOT", scale=1):
        return scale * (robot.pose(q, frame)[:3, 3] - target)

    first = distance(robot, q, target)
    assert np.array_equal(first, distance(robot, q, target))
    assert np.array_equal(first, distance(robot, q=q, target=target, frame="LF_FOOT"))
    assert np.array_equal(first, distance(robot, list(q), target, threads=2, out=np.zeros((3, 3))))
    hind = distance(robot, q, target, frame="RH_FOOT")
    assert np.array_equal(hind, distance(robot, q, target, frame="RH_FOOT")) and not np.array_equal(hind, first)
    assert np.array_equal(distance(robot, q, target, scale=2), 2 * first)
    assert distance(robot, fb.symbols("q", robot.nq), target).shape == (3,)
    with pytest.raises(UnknownNameError, match="frame"):
        distance(robot, q, target, fram="RH_FOOT")
    with pytest.raises(ArgumentError, match="missing target"):
        distance(robot, q)
    with pytest.raises(StateError):
        distance(robot, np.full_like(q, np.nan), target)


def test_kernels_do_not_keep_robots_alive():
    robot = fb.load("double_pendulum")

    @fb.kernel
    def energy(robot, q):
        return robot.potential_energy(q)

    energy(robot, robot.neutral())
    gone = weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is None
