"""Without gravity or contact momentum is conserved, and energy changes by the work of the joints."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.algorithms.test_identities import STEP, case  # noqa: F401
from tests.random_trees import random_state, random_tree

from floatbase import algorithms


def test_joint_torques_do_not_change_the_momentum(case):  # noqa: F811
    tree, q, v, rng = case
    if not tree.floating:
        return
    tree = replace(tree, gravity=(0.0, 0.0, 0.0))
    tau = np.concatenate([np.zeros(6), rng.standard_normal(tree.nv - 6)])
    a = algorithms.forward_dynamics(tree, q, v, tau)
    rate = algorithms.centroidal_momentum_rate(tree, q, v, a)
    np.testing.assert_allclose(rate, 0.0, atol=1e-9 * max(1.0, np.linalg.norm(a)))


def test_two_seconds_of_simulation(rng):
    """By an integrator of eighth order on coordinates and velocities, to their tolerance of 1e-12."""
    tree = replace(random_tree(rng, 6, True, "mixed"), gravity=(0.0, 0.0, 0.0))
    q, v = random_state(rng, tree)
    v *= 0.3
    tau = np.concatenate([np.zeros(6), 0.1 * rng.standard_normal(tree.nv - 6)])

    def slope(_time, x):
        place, velocity = x[: tree.nq], x[tree.nq : -1]
        rate = algorithms.integrate(tree, place, 1j * STEP * velocity).imag / STEP
        return np.r_[rate, algorithms.forward_dynamics(tree, place, velocity, tau), tau @ velocity]

    solution = solve_ivp(slope, (0.0, 2.0), np.r_[q, v, 0.0], "DOP853", rtol=1e-12, atol=1e-12)
    assert solution.success and solution.t[-1] == 2.0
    there, speed, work = solution.y[: tree.nq, -1], solution.y[tree.nq : -1, -1], solution.y[-1, -1]
    before, after = (algorithms.centroidal_momentum(tree, *state) for state in ((q, v), (there, speed)))
    np.testing.assert_allclose(after, before, atol=1e-8)
    gained = algorithms.kinetic_energy(tree, there, speed) - algorithms.kinetic_energy(tree, q, v)
    assert gained == pytest.approx(work, abs=1e-8)
    assert abs(work) > 1e-3
