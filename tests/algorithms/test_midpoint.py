"""The equation of the implicit midpoint step, solved where plain Newton steps would lead astray."""

from __future__ import annotations

import pytest
from tests.algorithms.cases import REPRESENTATIONS, error, trees
from tests.algorithms.test_inverse_dynamics_derivatives import KINDS
from tests.random_trees import random_state, with_representation

from floatbase.algorithms import forward_dynamics, integrate, step
from floatbase.compiler import interpret, trace

CASES = [*trees(2, kinds=KINDS, backwards=0.5, armature=True), *trees(2, seed=3)]
LONG = 0.15  # s


@pytest.mark.parametrize("representation", REPRESENTATIONS)
@pytest.mark.parametrize("tree", CASES)
def test_long_steps(tree, representation, rng):
    tree = with_representation(tree, representation)
    q, v = random_state(rng, tree, (3,))
    tau = rng.standard_normal(v.shape)
    sizes = {"q": tree.nq, "v": tree.nv, "tau": tree.nv}
    program = trace(lambda q, v, tau: step(tree, q, v, tau, LONG, method="midpoint")._asdict(), sizes)
    q_end, v_end = interpret(program, q, v, tau)
    middle = 0.5 * (v + v_end)
    at_middle = forward_dynamics(tree, integrate(tree, q, 0.5 * LONG * middle), middle, tau)
    assert error((v_end - v) / LONG, at_middle) < 1e-9
    assert error(q_end, integrate(tree, q, LONG * middle)) < 1e-12
    for k in range(3):
        single = step(tree, q[k], v[k], tau[k], LONG, method="midpoint")
        assert error(single.v, v_end[k]) < 1e-9
