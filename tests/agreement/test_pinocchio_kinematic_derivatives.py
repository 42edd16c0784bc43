"""Derivatives of frames' motion, of the centre of mass and of momentum against Pinocchio, in body representation."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import floatbase as fb
from floatbase import algorithms

pin = pytest.importorskip("pinocchio")

from tests.agreement.pinocchio_peer import make_peer

ROBOTS = ("panda", "anymal_c", "g1", "talos", "icub")
STATES = 5
TOLERANCE = 1e-10
ROUNDING = 1e-14  # where nothing changes, such as the base's twist


@cache
def load(name):
    robot = fb.load(name, representation="body", free_mimic=True)
    peer = make_peer(name, robot.floating, robot.joint_names)
    q, v = robot.random(11, n=STATES)
    a = np.random.default_rng(12).standard_normal((STATES, robot.nv))
    return robot.tree, peer, q, v, a


@pytest.fixture(params=ROBOTS)
def case(request):
    return load(request.param)


def states(peer, q, v, a):
    return zip(map(peer.q, q), map(peer.v, v), map(peer.v, a), strict=True)


def assert_same(ours, theirs):
    for mine, other in zip(ours, zip(*theirs, strict=True), strict=True):
        for x, y in zip(mine, other, strict=True):
            assert np.linalg.norm(x - y) <= TOLERANCE * np.linalg.norm(y) + ROUNDING


def frames(tree):
    """Three links from which nothing hangs, and the base."""
    parents = {body.parent for body in tree.bodies}
    tips = [body.name for k, body in enumerate(tree.bodies) if k not in parents]
    return [*tips[:3], tree.base]


def test_velocities_of_frames(case):
    tree, peer, q, v, a = case
    for frame in frames(tree):
        number, theirs = peer.model.getFrameId(frame), []
        for x, y, _ in states(peer, q, v, a):
            pin.computeForwardKinematicsDerivatives(peer.model, peer.data, x, y, 0 * y)
            found = pin.getFrameVelocityDerivatives(peer.model, peer.data, number, pin.LOCAL)
            theirs.append([part[:, peer.order].copy() for part in found])
        assert_same(algorithms.velocity_derivatives(tree, q, v, frame), theirs)


def test_accelerations_of_frames(case):
    tree, peer, q, v, a = case
    for frame in frames(tree):
        number, theirs = peer.model.getFrameId(frame), []
        for x, y, z in states(peer, q, v, a):
            pin.computeForwardKinematicsDerivatives(peer.model, peer.data, x, y, z)
            _, *found = pin.getFrameAccelerationDerivatives(peer.model, peer.data, number, pin.LOCAL)
            theirs.append([part[:, peer.order].copy() for part in found])
        assert_same(algorithms.acceleration_derivatives(tree, q, v, a, frame), theirs)


def test_velocity_of_the_centre_of_mass(case):
    tree, peer, q, v, a = case
    mass = algorithms.total_mass(tree)
    share = (mass - peer.model.inertias[0].mass) / mass  # Pinocchio leaves out what is fixed to the world
    theirs = []
    for x, y, _ in states(peer, q, v, a):
        pin.centerOfMass(peer.model, peer.data, x, y)
        change = pin.getCenterOfMassVelocityDerivatives(peer.model, peer.data)
        jacobian = pin.jacobianCenterOfMass(peer.model, peer.data, x)
        theirs.append([share * part[:, peer.order] for part in (change, jacobian)])
    assert_same(algorithms.com_velocity_derivatives(tree, q, v), theirs)


def test_centroidal_momentum_and_its_rate(case):
    tree, peer, q, v, a = case
    momenta, rates = [], []
    for x, y, z in states(peer, q, v, a):
        found = pin.computeCentroidalDynamicsDerivatives(peer.model, peer.data, x, y, z)
        dh, *drates = (part[:, peer.order].copy() for part in found)
        linear, force = peer.data.hg.linear.copy(), peer.data.dhg.linear.copy()
        dcom = pin.jacobianCenterOfMass(peer.model, peer.data, x)[:, peer.order]
        away, daway = to_our_centre(tree, peer, peer.data.com[0].copy(), dcom)
        momenta.append([about(dh, linear, away, daway), about(drates[2], 0 * linear, away, daway)])
        rates.append([about(part, force if k == 0 else 0 * force, away, daway) for k, part in enumerate(drates)])
    assert_same(algorithms.centroidal_momentum_derivatives(tree, q, v), momenta)
    assert_same(algorithms.centroidal_momentum_rate_derivatives(tree, q, v, a), rates)


def to_our_centre(tree, peer, com, dcom):
    """From Pinocchio's centre of mass, without what is fixed to the world, to that of the whole, and the derivative."""
    base = peer.model.inertias[0]
    share = base.mass / algorithms.total_mass(tree)
    return share * (base.lever - com), -share * dcom


def about(change, total, away, daway):
    """The derivative of a wrench about a point `away` from the one it was about; `total` is the force."""
    result = change.copy()
    result[3:] -= np.cross(away, change[:3].T).T + np.cross(daway.T, total).T
    return result
