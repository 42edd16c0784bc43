"""Trajectory optimisation on the manifold and on Euler angles: its parts, and the experiment in a quick setting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import floatbase as fb
from floatbase import experiments
from floatbase.errors import ArgumentError
from floatbase.experiments.optimal_control.box_ddp import Expansion, solve
from floatbase.experiments.optimal_control.box_qp import box_minimum
from floatbase.experiments.optimal_control.dynamics import Flying
from floatbase.experiments.optimal_control.euler_angles import OnEulerAngles
from floatbase.experiments.optimal_control.flip import AXES, first_guess, flip
from floatbase.experiments.optimal_control.pictures import plots
from floatbase.experiments.optimal_control.rows import flip_rows, reach_rows
from floatbase.experiments.optimal_control.steps import KINDS, flip_over, reach_out, sensitivity_errors
from floatbase.experiments.optimal_control.systems import OnManifold
from floatbase.report import draw_png


class Double:
    """A point mass in one dimension, cost quadratic: what the solver finds is known."""

    start, lower, upper = np.array([1.0, 0.0]), np.array([-2.0]), np.array([2.0])
    A, B = np.array([[1.0, 0.1], [0.0, 1.0]]), np.array([[0.0], [0.1]])
    Q, R = np.diag([1.0, 0.1]), np.array([[1e-3]])

    def step(self, x, u):
        return self.A @ x + self.B @ u

    def sensitivities(self, X, U):
        return np.tile(self.A, (len(X), 1, 1)), np.tile(self.B, (len(X), 1, 1))

    def difference(self, x, x_other):
        return x_other - x

    def cost(self, X, U):
        return 0.5 * float(np.sum(X @ self.Q * X) + np.sum(U @ self.R * U))

    def expansion(self, X, U):
        N = len(X)
        return Expansion(
            X @ self.Q, U @ self.R, np.tile(self.Q, (N, 1, 1)), np.zeros((N, 1, 2)), np.tile(self.R, (N, 1, 1))
        )


LIMITS = {"manifold": 70, "angles": 5}  # iterations; the experiment itself is run by `make experiments`
ROLL = {"manifold": 70, "angles": 40}  # where angles converge


@pytest.fixture(scope="module")
def flips():
    limits = {"pitch": LIMITS, "roll": ROLL}
    return {axis: {kind: [flip_over(axis, kind, 0, 60, limits[axis][kind])] for kind in KINDS} for axis in AXES}


@pytest.fixture(scope="module")
def reaches():
    return {kind: [reach_out("root_link", kind, 50, LIMITS[kind])] for kind in KINDS}


def test_the_flip_holds(flips):
    for axis, solved in flips.items():
        rows = flip_rows(axis, solved)
        assert [row for row in rows if row.holds is False] == []
        assert sum(row.holds is True for row in rows) == 8


def test_the_reach_holds(reaches):
    rows = reach_rows(["root_link"], {"manifold": reaches["manifold"]})
    assert [row for row in rows if row.holds is False] == []
    assert sum(row.holds is True for row in rows) == 9


def test_everything_can_be_drawn(flips, reaches):
    for plot in plots(flips, reaches, ["root_link"]):
        light, dark = draw_png(plot.draw, plot.size)
        assert light[:4] == dark[:4] == b"\x89PNG"


def test_the_experiment_is_listed():
    assert "optimal-control" in experiments.names()


@pytest.mark.parametrize("n", [1, 4, 9])
def test_a_box_minimum_obeys_its_conditions(n, rng):
    for _ in range(50):
        A = rng.standard_normal((n, n))
        H, g = A @ A.T + 0.1 * np.eye(n), 3.0 * rng.standard_normal(n)
        lower, upper = -rng.uniform(0.1, 1.0, n), rng.uniform(0.1, 1.0, n)
        found = box_minimum(H, g, lower, upper, rng.standard_normal(n))
        gradient = g + H @ found.x
        assert found.converged
        assert_allclose(gradient[found.free], 0.0, atol=1e-7)
        assert np.all(gradient[~found.free & (found.x == lower)] >= 0.0)
        assert np.all(gradient[~found.free & (found.x == upper)] <= 0.0)


def test_a_linear_system_without_active_bounds_takes_one_step():
    problem = Double()
    problem.lower, problem.upper = -100.0 * np.ones(1), 100.0 * np.ones(1)
    solution = solve(problem, np.zeros((30, 1)))
    V = problem.Q
    for _ in range(30):
        K = np.linalg.solve(problem.R + problem.B.T @ V @ problem.B, problem.B.T @ V @ problem.A)
        V = problem.Q + problem.A.T @ V @ (problem.A - problem.B @ K)
    assert solution.cost == pytest.approx(0.5 * problem.start @ V @ problem.start, rel=1e-6)
    assert solution.iterations <= 3


def test_bounds_are_kept_and_reached():
    solution = solve(Double(), np.zeros((30, 1)))
    assert solution.converged
    assert np.abs(solution.U).max() == 2.0
    assert np.all(np.diff(solution.costs) < 0.0)
    X = [Double.start]
    for u in solution.U:
        X.append(Double().step(X[-1], u))
    assert_allclose(solution.X, X)


@pytest.mark.parametrize("guess", [0, 3])
@pytest.mark.parametrize("axis", AXES)
def test_first_guesses_obey_bounds_and_turn_the_right_way(axis, guess):
    problem = flip(OnManifold, axis, 40)
    U = first_guess(problem, 40, guess)
    assert np.all((problem.task.lower <= U) & (problem.task.upper >= U))
    x = problem.task.start
    for u in U[:4]:
        x = problem.task.step(x, u)
    turning = problem.task.system.parts(x)[1][3:6] @ AXES[axis][1:]
    assert turning > 0.1


def test_sensitivities_are_those_of_the_step():
    assert max(sensitivity_errors(1).values()) < 1e-6


@pytest.mark.parametrize(("method", "order", "step_size"), [("rk4", 4, 4e-3), ("semi-implicit", 1, 1e-4)])
def test_both_kinds_of_states_hold_the_same_motion(method, order, step_size, rng):
    """Steps on the manifold and on Euler angles differ by an error of their own order."""
    robot = fb.load("quadrotor_with_arm", representation="mixed")
    q, v = robot.random(rng, n=5)
    u = rng.standard_normal(robot.nv)
    apart = []
    for h in (step_size, 0.5 * step_size):
        dynamics = Flying(robot, h, np.eye(robot.nv), method)
        manifold, angles = OnManifold(dynamics), OnEulerAngles(dynamics)
        there, back = angles.parts(angles.state(q, v))
        assert_allclose(robot.difference(q, there), 0.0, atol=1e-12)
        assert_allclose(back, v)
        one = [manifold.parts(manifold.step(manifold.state(q[k], v[k]), u)) for k in range(5)]
        other = [angles.parts(angles.step(angles.state(q[k], v[k]), u)) for k in range(5)]
        apart.append(np.linalg.norm([robot.difference(x[0], y[0]) for x, y in zip(one, other)]))
    assert np.log2(apart[0] / apart[1]) == pytest.approx(order + 1, abs=0.3)


def test_euler_angles_are_refused_where_they_mean_nothing():
    robot = fb.load("quadrotor_with_arm", representation="inertial")
    with pytest.raises(ArgumentError, match="body or mixed"):
        OnEulerAngles(Flying(robot, 1e-3, np.eye(robot.nv)))
