"""States that a robot cannot be in are refused everywhere, also where algorithms are evaluated without compiling."""

from __future__ import annotations

import numpy as np
import pytest

import floatbase as fb
from floatbase.errors import ArgumentError, StateError

METHODS = {
    "integrate_derivatives": (("q", "v"), ()),
    "difference_derivatives": (("q", "q"), ()),
    "change_of_base": (("q", "v"), ("LF_FOOT",)),
    "change_to_compound_frame": (("q", "v"), ("LF_FOOT", "base")),
    "change_to_center_of_mass": (("q", "v"), ()),
    "change_to_average_velocity": (("q", "v"), ()),
    "centroidal_momentum_matrix_rate": (("q", "v"), ()),
}


@pytest.fixture
def robot(load_robot):
    return load_robot("anymal_c", "mixed")


@pytest.mark.parametrize("name", METHODS)
def test_states_are_checked(robot, rng, name):
    arrays, settings = METHODS[name]
    q, v = robot.random(rng, n=2)
    state = {"q": q, "v": v}
    method = getattr(robot, name)
    method(*(state[key] for key in arrays), *settings)
    unknown, long = q.copy(), q.copy()
    unknown[1, 9] = np.nan
    long[1, 3:7] *= 2.0
    with pytest.raises(StateError, match=f"{name}.*: argument 'q' must be finite"):
        method(*({**state, "q": unknown}[key] for key in arrays), *settings)
    with pytest.raises(StateError, match=r"base quaternion q\[3:7\].*unit length"):
        method(*({**state, "q": long}[key] for key in arrays), *settings)
    with pytest.raises(ArgumentError, match="it must be an array of real numbers"):
        method(*({**state, "q": np.array("state")}[key] for key in arrays), *settings)


def test_states_of_what_is_not_one_function_are_checked(robot, rng):
    q, v = robot.random(rng)
    tau = np.zeros((3, robot.nv))
    with pytest.raises(StateError, match="trajectory_sensitivities: argument 'q' must be finite"):
        robot.trajectory_sensitivities(np.nan * q, v, tau, 0.01)
    with pytest.raises(ArgumentError, match="must be an array of numbers, got dtype"):
        robot.trajectory_sensitivities(np.array("state"), v, tau, 0.01)
    with pytest.raises(StateError, match=r"base quaternion q\[3:7\].*unit length"):
        robot.trajectory_sensitivities(2.0 * q, v, tau, 0.01)


def test_both_ends_of_a_difference_are_configurations(robot, rng):
    q, _ = robot.random(rng)
    for method in (robot.difference, robot.difference_derivatives):
        with pytest.raises(StateError, match=r"base quaternion q_end\[3:7\].*unit length"):
            method(q, 2.0 * q)


def test_steps_keep_single_precision(robot, rng):
    q, v = (x.astype(np.float32) for x in robot.random(rng, n=3))
    for dt in (0.01, 1, 1.0, np.full(3, 0.01, np.float32)):
        assert robot.integrate(q, v, dt).dtype == np.float32
    assert np.allclose(robot.integrate(q, v, 0.5), robot.integrate(q, v, np.full(3, 0.5)), atol=1e-5)


@pytest.mark.parametrize("dt", ["x", None, np.zeros(4), {}])
def test_steps_that_are_none(robot, rng, dt):
    q, v = robot.random(rng, n=3)
    with pytest.raises(ArgumentError, match="integrate: v and dt must be numbers"):
        robot.integrate(q, v, dt)


def test_times_that_are_not_finite_are_named(robot, rng):
    q, v = robot.random(rng, n=3)
    for method in (robot.integrate, robot.integrate_derivatives):
        for dt in (np.nan, np.inf, np.array([0.1, np.nan, 0.1])):
            with pytest.raises(StateError, match=r"argument 'dt' must be finite, (got|but) .*(nan|inf)"):
                method(q, v, dt)
        with np.errstate(over="ignore"), pytest.raises(StateError, match=r"the product of v and dt.* overflows"):
            method(q, 1e10 * v, 1e300)
    v[1, 2] = np.nan
    with pytest.raises(StateError, match=r"argument 'v' must be finite, but v\[2\] is nan in row 1"):
        robot.integrate(q, v, 0.1)


def test_steps_of_expressions(robot, rng):
    casadi = pytest.importorskip("casadi")
    (q, v), dt = robot.random(rng), 0.3
    expected = robot.integrate(q, v, dt)
    assert robot.integrate(fb.symbols("q", robot.nq), v, fb.symbols("dt")).shape == (robot.nq,)
    program = fb.trace(robot.integrate, {"q": robot.nq, "v": robot.nv, "dt": ()})
    np.testing.assert_allclose(fb.interpret(program, q, v, dt)[0], expected, atol=1e-14)
    symbols = [casadi.SX.sym(name, size) for name, size in (("q", robot.nq), ("v", robot.nv), ("dt", 1))]
    function = casadi.Function("f", symbols, [robot.integrate(*symbols)])
    np.testing.assert_allclose(np.array(function(q, v, dt)).ravel(), expected, atol=1e-14)
    np.testing.assert_allclose(np.array(robot.integrate(q, casadi.DM(v), dt)).ravel(), expected, atol=1e-14)
