"""Constrained forward dynamics beside Pinocchio's: feet that are held, and a hand joined to the other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.agreement.pinocchio_peer import make_peer

from floatbase.simulation.constraints import FrameConstraint, Place, constrained_acceleration, project_velocity

pin = pytest.importorskip("pinocchio")


def theirs(peer, q, v, tau, pairs):
    """Accelerations in Pinocchio's order; pairs: frames that are joined, the second None for the world."""
    model, data = peer.model, peer.data
    x = peer.q(q)
    pin.framesForwardKinematics(model, data, x)
    contacts, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for first, second in pairs:
        one = model.frames[model.getFrameId(first)]
        place = data.oMf[model.getFrameId(first)]
        if second is None:
            contact = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_6D, model, one.parentJoint, one.placement, 0, place, pin.ReferenceFrame.LOCAL
            )
        else:
            two = model.frames[model.getFrameId(second)]
            gap = data.oMf[model.getFrameId(second)].inverse() * place
            contact = pin.RigidConstraintModel(
                pin.ContactType.CONTACT_6D,
                model,
                one.parentJoint,
                one.placement,
                two.parentJoint,
                two.placement * gap,
                pin.ReferenceFrame.LOCAL,
            )
        contacts.append(contact)
        datas.append(contact.createData())
    pin.initConstraintDynamics(model, data, contacts, datas)
    settings = pin.ProximalSettings(1e-12, 1e-10, 20)
    return np.array(pin.constraintDynamics(model, data, x, peer.v(v), peer.v(tau), contacts, datas, settings))


@pytest.mark.parametrize("pairs", [[("l_sole", None), ("r_sole", None)], [("l_sole", None), ("l_hand", "r_hand")]])
def test_accelerations_agree_with_pinocchio(pairs, load_robot, rng):
    robot = load_robot("icub", "body")
    peer = make_peer("icub", True, robot.joint_names)
    q, v = robot.random(rng)
    tau = rng.standard_normal(robot.nv)
    items = []
    for first, second in pairs:
        H = robot.pose(q, first)
        gap = H if second is None else np.linalg.inv(robot.pose(q, second)) @ H
        items.append(FrameConstraint("weld", Place(second, gap), first))
    v = project_velocity(robot, q, v, items)
    ours = constrained_acceleration(robot, q, v, tau, items).acceleration
    found = theirs(peer, q, v, tau, pairs)
    assert_allclose(peer.v(ours), found, atol=1e-6 * np.linalg.norm(found))
