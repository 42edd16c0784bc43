"""iDynTree's numbers, in its own representations and from its own floating base, of joints of one coordinate.

A description is written as URDF first, with every other joint made of several: helical as a slide and a hinge, planar
as two slides and a hinge, spherical as three hinges (about z, y, x in turn) and floating as three slides and those.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import idyntree.bindings as idyn
import numpy as np
from tests.agreement.layout import JointState, joint_states
from tests.agreement.reference import Reference, pulled_back

from floatbase import spatial
from floatbase.model import Joint, Link, Model, to_urdf
from floatbase.model.poses import rotation_to_axis

FORMS = {
    "mixed": idyn.MIXED_REPRESENTATION,
    "body": idyn.BODY_FIXED_REPRESENTATION,
    "inertial": idyn.INERTIAL_FIXED_REPRESENTATION,
}
STEP = 1e-20


class IdyntreePeer:
    def __init__(self, model: Model, file: str | None = None, gravity: tuple[float, ...] = (0.0, 0.0, -9.81)) -> None:
        self.description, self.gravity = model, np.array(gravity)
        names = [name for joint in model.joints if joint.kind != "fixed" for name, _, _ in _parts(joint)]
        loader = idyn.ModelLoader()
        if file:
            assert loader.loadModelFromFile(file)
        else:
            assert loader.loadModelFromString(to_urdf(_of_single_joints(model)))
        self.loader, their = loader, loader.model()
        self.place = {name: 6 + their.getJoint(their.getJointIndex(name)).getDOFsOffset() for name in names}
        self.nv = 6 + their.getNrOfDOFs()

    def at(self, base: str, form: str, q: np.ndarray, v: np.ndarray, a: np.ndarray, frames: list[str]) -> Reference:
        """For a state of the robot seen from `base`, in the representation `form`."""
        k, nv = idyn.KinDynComputations(), self.nv  # a new one: matrices of another base leave traces
        assert (
            k.loadRobotModel(self.loader.model())
            and k.setFloatingBase(base)
            and k.setFrameVelocityRepresentation(FORMS[form])
        )
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = spatial.rotation_from_quaternion(q[3:7]), q[:3]
        s, P, P_rate = self._state(q, v)
        rates = P @ v
        assert k.setRobotState(H, s, 0.0 * rates[:6], 0.0 * rates[6:], self.gravity)
        gravity = self._bias(k)
        assert k.setRobotState(H, s, rates[:6], rates[6:], self.gravity)
        bias = self._bias(k)
        M, J, A = (idyn.MatrixDynSize(rows, nv) for rows in (nv, 6, 6))
        assert k.getFreeFloatingMassMatrix(M) and k.getLinearAngularMomentumJacobian(A)
        poses, jacobians, drifts = {}, {}, {}
        for name in frames:
            poses[name] = k.getWorldTransform(name).asHomogeneousTransform().toNumPy().copy()
            assert k.getFrameFreeFloatingJacobian(name, J)
            jacobians[name] = J.toNumPy().copy()
            drifts[name] = k.getFrameBiasAcc(name).toNumPy().copy()
        com = k.getCenterOfMassPosition().toNumPy().copy()
        needed = spatial.change_wrench((bias - gravity)[:6], form, "inertial", H)  # about the world's origin
        drift = np.r_[needed[:3], needed[3:] - np.cross(com, needed[:3])]
        maps = spatial.change_wrench(A.toNumPy().T, form, "inertial", H).T
        maps[3:] -= spatial.hat(com) @ maps[:3]
        raw = Reference(v, a, poses, jacobians, drifts, M.toNumPy().copy(), bias, gravity, com, maps, drift)
        return pulled_back(raw, P, P_rate, v, a)

    def _bias(self, k: Any) -> np.ndarray:
        result = idyn.FreeFloatingGeneralizedTorques(k.model())
        assert k.generalizedBiasForces(result)
        return np.concatenate([result.baseWrench().toNumPy(), result.jointTorques().toNumPy()])

    def _state(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        s, P, P_rate = np.zeros(self.nv - 6), np.zeros((self.nv, len(v))), np.zeros((self.nv, len(v)))
        P[:6, :6] = np.eye(6)
        for state in joint_states(self.description, q):
            values, block, block_rate = _coordinates(state, v)
            to = [self.place[name] for name, _, _ in _parts(state.joint)]
            s[np.array(to) - 6] = values
            P[to], P_rate[to] = block @ state.rows, block_rate @ state.rows
        return s, P, P_rate


def _parts(joint: Joint) -> list[tuple[str, str, Any]]:
    """Names, kinds and axes of the joints of one coordinate that stand for a joint."""
    x, y, z = rotation_to_axis(joint.axis).T if joint.kind == "planar" else np.eye(3)
    slides, hinges = [("prismatic", axis) for axis in (x, y, z)], [("revolute", axis) for axis in (z, y, x)]
    parts = {
        "helical": [("prismatic", joint.axis), ("revolute", joint.axis)],
        "universal": [("revolute", joint.axis), ("revolute", joint.second_axis)],
        "planar": [*slides[:2], ("revolute", joint.axis)],
        "spherical": hinges,
        "floating": [*slides, *hinges],
    }.get(joint.kind)
    if parts is None:
        return [(joint.name, joint.kind, joint.axis)]
    return [(f"{joint.name}_part{k}", kind, axis) for k, (kind, axis) in enumerate(parts)]


def _of_single_joints(model: Model) -> Model:
    links, joints = list(model.links), []
    for joint in model.joints:
        parts, parent, H = _parts(joint), joint.parent, joint.parent_H_joint
        for k, (name, kind, axis) in enumerate(parts, 1):
            child = joint.child if k == len(parts) else f"{name}_end"
            if child != joint.child:
                links.append(Link(child))
            joints.append(Joint(name, kind, parent, child, H, axis))  # type: ignore[arg-type]
            parent, H = child, np.eye(4)
    return replace(model, links=tuple(links), joints=tuple(joints))


def _coordinates(state: JointState, v: np.ndarray) -> tuple[Any, Any, Any]:
    """Their coordinates, and the matrix from the joint's velocities to theirs with its derivative."""
    s, kind, rate = state.position, state.joint.kind, state.rows @ v
    if kind == "helical":
        pitch = np.array([[state.joint.pitch], [1.0]])
        return pitch[:, 0] * s, pitch, 0.0 * pitch
    if kind not in ("spherical", "floating"):
        return s, np.eye(len(rate)), np.zeros((len(rate), len(rate)))
    R = spatial.rotation_from_quaternion(s[-4:])
    angles = spatial.rpy_from_rotation(R)[::-1]
    block = np.linalg.inv(_angular(angles))
    slope = _angular(angles + 1j * STEP * (block @ rate[-3:])).imag / STEP
    block_rate = -block @ slope @ block
    if kind == "spherical":
        return angles, block, block_rate
    whole, whole_rate = np.zeros((6, 6)), np.zeros((6, 6))
    whole[:3, :3], whole_rate[:3, :3] = R, R @ spatial.hat(rate[3:])
    whole[3:, 3:], whole_rate[3:, 3:] = block, block_rate
    return np.concatenate([s[:3], angles]), whole, whole_rate


def _angular(angles: Any) -> Any:
    """Angular velocity in axes of the moved side from the rates of three turns about z, y, x in turn."""
    x, y, z = np.eye(3)
    about_x = spatial.rotation_exponential(-angles[2] * x)
    about_y = spatial.rotation_exponential(-angles[1] * y)
    return np.stack([about_x @ about_y @ z, about_x @ y, x + 0.0 * angles[0]], axis=-1)
