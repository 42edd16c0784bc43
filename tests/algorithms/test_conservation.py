"""Without gravity or contact momentum is conserved, and energy changes by the work of the joints."""

from dataclasses import replace

import numpy as np
import pytest
from tests.algorithms.test_identities import case  # noqa: F401
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
    tree = replace(random_tree(rng, 6, True, "mixed"), gravity=(0.0, 0.0, 0.0))
    q, v = random_state(rng, tree)
    v *= 0.3
    tau = np.concatenate([np.zeros(6), 0.1 * rng.standard_normal(tree.nv - 6)])
    start = algorithms.centroidal_momentum(tree, q, v), algorithms.kinetic_energy(tree, q, v)
    step, work = 2e-3, 0.0

    def rates(place, velocity):
        return algorithms.forward_dynamics(tree, place, velocity, tau)

    for _ in range(1000):  # fourth-order Runge-Kutta in exponential coordinates, which are short
        k1 = rates(q, v)
        v2 = v + 0.5 * step * k1
        k2 = rates(algorithms.integrate(tree, q, 0.5 * step * v), v2)
        v3 = v + 0.5 * step * k2
        k3 = rates(algorithms.integrate(tree, q, 0.5 * step * v2), v3)
        v4 = v + step * k3
        k4 = rates(algorithms.integrate(tree, q, step * v3), v4)
        after = v + step / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        mean = (v + 2.0 * v2 + 2.0 * v3 + v4) / 6.0
        work += step * tau @ mean
        q, v = algorithms.integrate(tree, q, step * mean), after
    np.testing.assert_allclose(algorithms.centroidal_momentum(tree, q, v), start[0], atol=2e-5)
    assert algorithms.kinetic_energy(tree, q, v) - start[1] == pytest.approx(work, abs=2e-5)
