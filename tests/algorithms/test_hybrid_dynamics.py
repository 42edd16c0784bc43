"""The base forward and the joints inverse, on robots with every kind of joint."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.algorithms.cases import error
from tests.algorithms.test_identities import case  # noqa: F401

from floatbase import algorithms
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.tracing import trace
from floatbase.errors import ArgumentError


def test_it_completes_forward_dynamics(case):  # noqa: F811
    """Given the joint accelerations of a motion, it finds the base's and the torques; wrenches included."""
    tree, q, v, rng = case
    frame = tree.bodies[-1].name
    if not tree.floating:
        with pytest.raises(ArgumentError, match="fixed base"):
            algorithms.hybrid_dynamics(tree, q, v, v)
        return
    tau = np.concatenate([np.zeros(6), rng.standard_normal(tree.nv - 6)])
    wrenches = {frame: rng.standard_normal(6)}
    a = algorithms.forward_dynamics(tree, q, v, tau, wrenches)
    found = algorithms.hybrid_dynamics(tree, q, v, a[6:], wrenches)
    assert error(found, np.concatenate([a[:6], tau[6:]])) < 1e-9
    balance = algorithms.base_balance(tree, q, v, a, wrenches)
    assert balance.holds() and np.linalg.norm(balance.residual) < 1e-9 * balance.scale
    a[0] += 1.0
    assert not algorithms.base_balance(tree, q, v, a, wrenches).holds()


def test_batches_and_symbols(case):  # noqa: F811
    tree, q, v, rng = case
    if not tree.floating:
        return
    s_ddot = rng.standard_normal((3, tree.joint_nv))
    batch = algorithms.hybrid_dynamics(tree, q, v, s_ddot)
    assert batch.shape == (3, tree.nv)
    assert error(batch[1], algorithms.hybrid_dynamics(tree, q, v, s_ddot[1])) < 1e-12
    sizes = {"q": tree.nq, "v": tree.nv, "s": tree.joint_nv}
    program = trace(lambda q, v, s: algorithms.hybrid_dynamics(tree, q, v, s), sizes)
    (interpreted,) = interpret(program, q, v, s_ddot)
    assert error(interpreted, batch) < 1e-9


def test_a_robot_that_floats_freely_falls(case):  # noqa: F811
    tree, q, v, _ = case
    if not tree.floating:
        return
    found = algorithms.hybrid_dynamics(tree, q, 0.0 * v, np.zeros(tree.joint_nv))
    force = algorithms.inverse_dynamics(tree, q, 0.0 * v, np.r_[found[:6], np.zeros(tree.joint_nv)])
    assert_allclose(force, np.r_[np.zeros(6), found[6:]], atol=1e-9)
    assert_allclose(found[6:], 0.0, atol=1e-9)
