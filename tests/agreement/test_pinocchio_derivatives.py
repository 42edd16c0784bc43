"""Derivatives of inverse and forward dynamics against Pinocchio, in body representation, on the robots named.

With external wrenches, which move with their links there.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import floatbase as fb
from floatbase.compiler import interpret

pin = pytest.importorskip("pinocchio")

from tests.agreement.pinocchio_peer import make_peer

ROBOTS = ("panda", "anymal_c", "g1", "talos", "icub")
STATES = 10


@cache
def load(name):
    robot = fb.load(name, representation="body", free_mimic=True)
    peer = make_peer(name, robot.floating, robot.joint_names)
    q, v = robot.random(21, n=STATES)
    rng = np.random.default_rng(22)
    a = rng.standard_normal((STATES, robot.nv))
    parents = {body.parent for body in robot.tree.bodies}
    tips = [body.name for k, body in enumerate(robot.tree.bodies) if k not in parents]
    wrenches = {tip: 10.0 * rng.standard_normal((STATES, 6)) for tip in tips[:2]}
    return robot, peer, q, v, a, wrenches


def states(peer, q, v, a, wrenches):
    """As Pinocchio takes them."""
    for k in range(STATES):
        acting = {name: rows[k] for name, rows in wrenches.items()}
        yield peer.q(q[k]), peer.v(v[k]), peer.v(a[k]), peer.forces(acting)


@pytest.fixture(params=ROBOTS)
def case(request):
    return load(request.param)


def norm_wise(ours, theirs):
    ours, theirs = (np.reshape(x, (STATES, -1)) for x in (ours, np.array(theirs)))
    return np.max(np.linalg.norm(ours - theirs, axis=1) / np.linalg.norm(theirs, axis=1))


def rows_and_columns(peer, *matrices):
    return [matrix[np.ix_(peer.order, peer.order)].copy() for matrix in matrices]


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def test_inverse_dynamics_derivatives(case):
    robot, peer, *state, wrenches = case
    theirs = []
    for x, y, z, external in states(peer, *state, wrenches):
        pin.computeRNEADerivatives(peer.model, peer.data, x, y, z, external)
        theirs.append(rows_and_columns(peer, peer.data.dtau_dq, peer.data.dtau_dv, symmetric(peer.data.M)))
    program = robot.program("inverse_dynamics_derivatives", wrenches=list(wrenches))
    ours = interpret(program, *state, *wrenches.values())
    for mine, other in zip(ours, zip(*theirs)):
        assert norm_wise(mine, other) < 1e-10


def test_forward_dynamics_derivatives(case):
    robot, peer, *state, wrenches = case
    theirs = []
    for x, y, z, external in states(peer, *state, wrenches):
        pin.computeABADerivatives(peer.model, peer.data, x, y, z, external)
        theirs.append(rows_and_columns(peer, peer.data.ddq_dq, peer.data.ddq_dv, symmetric(peer.data.Minv)))
    program = robot.program("forward_dynamics_derivatives", wrenches=list(wrenches))
    ours = interpret(program, *state, *wrenches.values())
    for mine, other in zip(ours, zip(*theirs)):
        assert norm_wise(mine, other) < 1e-10


def test_public_methods_of_the_humanoid():
    robot, _, q, v, a, _ = load("icub")
    for method in (robot.inverse_dynamics_derivatives, robot.forward_dynamics_derivatives):
        batch = method(q, v, a)
        single = [method(*state) for state in zip(q, v, a)]
        for many, ones in zip(batch, zip(*single)):
            np.testing.assert_array_equal(many, np.array(ones))
