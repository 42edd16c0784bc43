"""Compiled functions against iDynTree in the three representations."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import floatbase as fb

idyn = pytest.importorskip("idyntree.bindings")

STATES = 10
NAMES = ("icub", "anymal_c", "g1")
REPRESENTATIONS = ("mixed", "body", "inertial")


@cache
def peer(name, representation):
    robot = fb.load(name, representation=representation)
    loader = idyn.ModelLoader()
    assert loader.loadReducedModelFromFile(str(fb.model.find(name)), list(robot.joint_names))
    kindyn = idyn.KinDynComputations()
    assert kindyn.loadRobotModel(loader.model())
    kindyn.setFloatingBase(robot.base)
    kinds = {
        "mixed": idyn.MIXED_REPRESENTATION,
        "body": idyn.BODY_FIXED_REPRESENTATION,
        "inertial": idyn.INERTIAL_FIXED_REPRESENTATION,
    }
    kindyn.setFrameVelocityRepresentation(kinds[representation])
    return robot, kindyn


def base_pose(q):
    H = np.eye(4)
    H[:3, :3] = Rotation.from_quat(q[3:7], scalar_first=True).as_matrix()
    H[:3, 3] = q[:3]
    return H


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture(params=REPRESENTATIONS)
def representation(request):
    return request.param


def close(ours, theirs, tolerance=1e-11):
    assert np.linalg.norm(ours - theirs) <= tolerance * np.linalg.norm(theirs)


def test_dynamics_and_kinematics(name, representation):
    robot, kindyn = peer(name, representation)
    rng = np.random.default_rng(5)
    gravity = np.array([0, 0, -9.81])
    n = robot.nv
    parents = {body.parent for body in robot.tree.bodies}
    frame = next(body.name for k, body in enumerate(robot.tree.bodies) if k not in parents)
    for _ in range(STATES):
        q, v = robot.random(rng)
        assert kindyn.setRobotState(base_pose(q), q[7:], v[:6], v[6:], gravity)
        M = idyn.MatrixDynSize(n, n)
        assert kindyn.getFreeFloatingMassMatrix(M)
        close(robot.mass_matrix(q), M.toNumPy())
        jacobian = idyn.MatrixDynSize(6, n)
        assert kindyn.getFrameFreeFloatingJacobian(frame, jacobian)
        J = jacobian.toNumPy()
        close(robot.jacobian(q, frame), J)
        close(robot.velocity(q, v, frame), J @ v)
        com = np.array([kindyn.getCenterOfMassPosition().getVal(k) for k in range(3)])
        close(robot.com(q), com)
        h = idyn.FreeFloatingGeneralizedTorques(kindyn.model())
        assert kindyn.generalizedBiasForces(h)
        close(robot.bias(q, v), np.concatenate([h.baseWrench().toNumPy(), h.jointTorques().toNumPy()]), 1e-10)
        assert kindyn.generalizedGravityForces(h)
        close(robot.gravity(q), np.concatenate([h.baseWrench().toNumPy(), h.jointTorques().toNumPy()]))
