"""Compiled centroidal quantities, matrices and regressors against Pinocchio, in body representation."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import floatbase as fb

pin = pytest.importorskip("pinocchio")

from tests.agreement.comparison import ROUNDING, TOLERANCE
from tests.agreement.pinocchio_peer import make_peer

ROBOTS = ("icub", "g1", "panda")
STATES = 10


@cache
def load(name):
    robot = fb.load(name, representation="body", free_mimic=True)
    peer = make_peer(name, robot.floating, robot.joint_names)
    q, v = robot.random(11, n=STATES)
    a = np.random.default_rng(12).standard_normal((STATES, robot.nv))
    return robot, peer, q, v, a, [peer.q(row) for row in q]


def norm_wise(ours, theirs):
    ours, theirs = (np.reshape(x, (STATES, -1)) for x in (ours, np.array(theirs)))
    return np.max(np.linalg.norm(ours - theirs, axis=1) / np.linalg.norm(theirs, axis=1))


@pytest.fixture(params=ROBOTS)
def case(request):
    return load(request.param)


def test_inverse_mass_matrix(case):
    robot, peer, q, _, _, pin_q = case
    theirs = []
    for row in pin_q:
        upper = np.triu(pin.computeMinverse(peer.model, peer.data, row))
        theirs.append((upper + np.triu(upper, 1).T)[np.ix_(peer.order, peer.order)])
    largest = max(np.linalg.cond(X) for X in theirs)
    assert norm_wise(robot.inverse_mass_matrix(q), theirs) < max(TOLERANCE, ROUNDING * largest)


def test_centroidal_momentum(case):
    robot, peer, q, v, a, pin_q = case
    maps, momenta, rates = [], [], []
    for x, y, z in zip(pin_q, map(peer.v, v), map(peer.v, a)):
        maps.append(pin.computeCentroidalMap(peer.model, peer.data, x)[:, peer.order].copy())
        pin.computeCentroidalMomentumTimeVariation(peer.model, peer.data, x, y, z)
        momenta.append(peer.data.hg.vector.copy())
        rates.append(peer.data.dhg.vector.copy())
    if not robot.floating:
        pytest.skip("Pinocchio leaves out what is fixed to the world, so the centre of mass differs")
    assert norm_wise(robot.centroidal_momentum_matrix(q), maps) < 1e-11
    assert norm_wise(robot.centroidal_momentum(q, v), momenta) < 1e-11
    assert norm_wise(robot.centroidal_momentum_rate(q, v, a), rates) < 1e-11


def test_rate_of_a_jacobian(case):
    robot, peer, q, v, _, pin_q = case
    frame = robot.body_names[-1]
    number, theirs = peer.model.getFrameId(frame), []
    for x, y in zip(pin_q, map(peer.v, v)):
        pin.computeJointJacobiansTimeVariation(peer.model, peer.data, x, y)
        pin.updateFramePlacements(peer.model, peer.data)
        rate = pin.getFrameJacobianTimeVariation(peer.model, peer.data, number, pin.LOCAL)
        theirs.append(rate[:, peer.order].copy())
    assert norm_wise(robot.jacobian_rate(q, v, frame), theirs) < 1e-11
    drift = np.einsum("nij,nj->ni", np.array(theirs), v)
    assert norm_wise(robot.drift(q, v, frame), drift) < 1e-10


def test_regressor(case):
    robot, peer, q, v, a, pin_q = case
    phi, tau = robot.inertial_parameters, robot.inverse_dynamics(q, v, a)
    assert norm_wise(robot.regressor(q, v, a) @ phi, tau) < 1e-11
    theirs = []
    for x, y, z in zip(pin_q, map(peer.v, v), map(peer.v, a)):
        Y = pin.computeJointTorqueRegressor(peer.model, peer.data, x, y, z)
        parameters = np.concatenate([inertia.toDynamicParameters() for inertia in peer.model.inertias[1:]])
        theirs.append((Y @ parameters)[peer.order])
    assert norm_wise(robot.regressor(q, v, a) @ phi, theirs) < 1e-11


def test_coriolis_matrix(case):
    robot, peer, q, v, _, pin_q = case
    theirs = []
    for x, y in zip(pin_q, map(peer.v, v)):
        C = pin.computeCoriolisMatrix(peer.model, peer.data, x, y)
        theirs.append((C @ y)[peer.order])
    ours = np.einsum("nij,nj->ni", robot.coriolis_matrix(q, v), v)
    assert norm_wise(ours, theirs) < 1e-10


def test_moving_on_the_manifold(case):
    robot, peer, q, v, _, pin_q = case
    theirs = [pin.integrate(peer.model, x, 0.1 * y) for x, y in zip(pin_q, map(peer.v, v))]
    ours = [peer.q(row) for row in robot.integrate(q, v, 0.1)]
    for mine, other in zip(ours, theirs):
        if robot.floating and mine[3:7] @ other[3:7] < 0.0:
            other[3:7] *= -1.0
        np.testing.assert_allclose(mine, other, atol=1e-12)
