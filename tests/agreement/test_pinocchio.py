"""Compiled functions against Pinocchio: body representation, 100 random states of seven robots."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import floatbase as fb

pin = pytest.importorskip("pinocchio")

from tests.agreement.pinocchio_peer import make_peer

ROBOTS = ("panda", "anymal_c", "solo12", "g1", "talos", "icub2.5", "icub")
STATES = 100
TOLERANCE = {"float64": 1e-11, "float32": 1e-4}
FORWARD_TOLERANCE = {"float64": 1e-9, "float32": 1e-4}


@cache
def load(name):
    robot = fb.load(name, representation="body", free_mimic=True)
    return robot, make_peer(name, robot.floating, robot.joint_names)


@cache
def states(name):
    robot, peer = load(name)
    rng = np.random.default_rng(7)
    q, v = robot.random(rng, n=STATES)
    a = rng.standard_normal((STATES, robot.nv))
    tau = 10.0 * rng.standard_normal((STATES, robot.nv))
    return q, v, a, tau, [peer.q(row) for row in q]


def norm_wise(ours, theirs):
    """Largest over the states of |ours - theirs| / |theirs|."""
    ours, theirs = (np.reshape(x, (STATES, -1)).astype(np.float64) for x in (ours, np.array(theirs)))
    return np.max(np.linalg.norm(ours - theirs, axis=1) / np.linalg.norm(theirs, axis=1))


@pytest.fixture(params=ROBOTS)
def name(request):
    return request.param


@pytest.fixture(params=["float64", "float32"])
def dtype(request):
    return request.param


def test_inverse_dynamics(name, dtype):
    robot, peer = load(name)
    q, v, a, _, pin_q = states(name)
    theirs = [pin.rnea(peer.model, peer.data, *x)[peer.order] for x in zip(pin_q, map(peer.v, v), map(peer.v, a))]
    ours = robot.inverse_dynamics(*(x.astype(dtype) for x in (q, v, a)))
    assert ours.dtype == dtype
    assert norm_wise(ours, theirs) < TOLERANCE[dtype]


def test_forward_dynamics(name, dtype):
    robot, peer = load(name)
    q, v, _, tau, pin_q = states(name)
    theirs = [pin.aba(peer.model, peer.data, *x)[peer.order] for x in zip(pin_q, map(peer.v, v), map(peer.v, tau))]
    ours = robot.forward_dynamics(*(x.astype(dtype) for x in (q, v, tau)))
    assert ours.dtype == dtype
    assert norm_wise(ours, theirs) < FORWARD_TOLERANCE[dtype]


def test_mass_matrix(name, dtype):
    robot, peer = load(name)
    q, _, _, _, pin_q = states(name)
    theirs = []
    for row in pin_q:
        upper = np.triu(pin.crba(peer.model, peer.data, row))
        full = upper + np.triu(upper, 1).T
        theirs.append(full[np.ix_(peer.order, peer.order)])
    assert norm_wise(robot.mass_matrix(q.astype(dtype)), theirs) < TOLERANCE[dtype]


def test_bias_and_gravity(name):
    robot, peer = load(name)
    q, v, _, _, pin_q = states(name)
    bias = [pin.nonLinearEffects(peer.model, peer.data, x, peer.v(y))[peer.order] for x, y in zip(pin_q, v)]
    gravity = [pin.computeGeneralizedGravity(peer.model, peer.data, x)[peer.order] for x in pin_q]
    assert norm_wise(robot.bias(q, v), bias) < TOLERANCE["float64"]
    assert norm_wise(robot.gravity(q), gravity) < TOLERANCE["float64"]


def test_jacobian_pose_and_velocity_of_every_tip(name, dtype):
    robot, peer = load(name)
    q, v, _, _, pin_q = states(name)
    parents = {body.parent for body in robot.tree.bodies}
    tips = [body.name for k, body in enumerate(robot.tree.bodies) if k not in parents][:3]
    for frame in tips:
        number = peer.model.getFrameId(frame)
        poses, jacobians, twists = [], [], []
        for x, y in zip(pin_q, v):
            pin.computeJointJacobians(peer.model, peer.data, x)
            pin.updateFramePlacements(peer.model, peer.data)
            poses.append(peer.data.oMf[number].homogeneous)
            jacobians.append(pin.getFrameJacobian(peer.model, peer.data, number, pin.LOCAL)[:, peer.order])
            twists.append(jacobians[-1] @ y)
        x, y = q.astype(dtype), v.astype(dtype)
        assert norm_wise(robot.pose(x, frame), poses) < TOLERANCE[dtype]
        assert norm_wise(robot.jacobian(x, frame), jacobians) < TOLERANCE[dtype]
        assert norm_wise(robot.velocity(x, y, frame), twists) < TOLERANCE[dtype]


def test_centre_of_mass(name, dtype):
    robot, peer = load(name)
    q, v, _, _, pin_q = states(name)
    base = peer.model.inertias[0]  # what is fixed to the world: Pinocchio leaves it out
    moving = (robot.mass - base.mass) / robot.mass
    com = [moving * pin.centerOfMass(peer.model, peer.data, x) + (1 - moving) * base.lever for x in pin_q]
    jacobian = [moving * pin.jacobianCenterOfMass(peer.model, peer.data, x)[:, peer.order] for x in pin_q]
    x, y = q.astype(dtype), v.astype(dtype)
    assert norm_wise(robot.com(x), com) < TOLERANCE[dtype]
    assert norm_wise(robot.com_jacobian(x), jacobian) < TOLERANCE[dtype]
    assert norm_wise(robot.com_velocity(x, y), [J @ row for J, row in zip(jacobian, v)]) < TOLERANCE[dtype]


def test_energies(name):
    robot, peer = load(name)
    q, v, _, _, pin_q = states(name)
    kinetic = [pin.computeKineticEnergy(peer.model, peer.data, x, peer.v(y)) for x, y in zip(pin_q, v)]
    base = peer.model.inertias[0]  # Pinocchio leaves it out
    fixed = 9.81 * base.mass * base.lever[2]
    potential = [fixed + pin.computePotentialEnergy(peer.model, peer.data, x) for x in pin_q]
    assert np.allclose(robot.kinetic_energy(q, v), kinetic, rtol=1e-11)
    assert np.allclose(robot.potential_energy(q), potential, rtol=1e-11, atol=1e-11 * robot.mass * 9.81)


def test_external_wrenches(name):
    robot, peer = load(name)
    q, v, a, tau, pin_q = states(name)
    rng = np.random.default_rng(8)
    frame = robot.tree.bodies[-1].name
    f = rng.standard_normal((STATES, 6))
    number = peer.model.getFrameId(frame)
    joint, placement = peer.model.frames[number].parentJoint, peer.model.frames[number].placement
    inverse, forward = [], []
    for row, (x, y, z, w) in enumerate(zip(pin_q, map(peer.v, v), map(peer.v, a), map(peer.v, tau))):
        forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(peer.model.njoints)])
        forces[joint] = placement.act(pin.Force(f[row]))
        inverse.append(pin.rnea(peer.model, peer.data, x, y, z, forces)[peer.order])
        forward.append(pin.aba(peer.model, peer.data, x, y, w, forces)[peer.order])
    assert norm_wise(robot.inverse_dynamics(q, v, a, {frame: f}), inverse) < TOLERANCE["float64"]
    assert norm_wise(robot.forward_dynamics(q, v, tau, {frame: f}), forward) < FORWARD_TOLERANCE["float64"]
