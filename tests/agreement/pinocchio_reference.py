"""Pinocchio's numbers: its own joints for every kind, built from a description or read from a URDF file."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from tests.agreement.layout import from_root, joint_states
from tests.agreement.reference import Reference, pulled_back

from floatbase import spatial
from floatbase.model import Model
from floatbase.model.poses import rotation_to_axis

ORDER = [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]  # our parameters in Pinocchio's: xx, xy, yy, xz, yz, zz there


class PinocchioPeer:
    """`files` are read by Pinocchio itself; otherwise its model is built from ours, joint by joint."""

    def __init__(self, model: Model, file: str | None = None, gravity: tuple[float, ...] = (0.0, 0.0, -9.81)) -> None:
        self.description = model
        self.joints: dict[str, int] = {}
        self.model = pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()) if file else self._build(model)
        if file:
            self.joints = {joint.name: self.model.getJointId(joint.name) for joint in model.joints}
        self.model.gravity.linear = np.array(gravity)
        self.data = self.model.createData()
        self.frames = {link.name: self.model.getFrameId(link.name, pin.FrameType.BODY) for link in model.links}

    def _build(self, model: Model) -> Any:
        result = pin.Model()
        number = result.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "root_joint")
        homes = {model.root: (number, np.eye(4))}  # link -> joint it is on, and its pose there
        for joint in from_root(model):
            number, H = homes[joint.parent]
            H = H @ joint.parent_H_joint
            if joint.kind == "fixed":
                homes[joint.child] = (number, H)
                continue
            turn = np.eye(4)
            if joint.kind in ("planar", "continuous"):  # theirs are about z
                turn[:3, :3] = rotation_to_axis(joint.axis)
            number = result.addJoint(number, _kind(joint), pin.SE3(H @ turn), joint.name)
            self.joints[joint.name] = number
            if joint.kind == "universal":  # the derivatives of their own leave out that its second axis turns
                second = pin.JointModelRevoluteUnaligned(joint.second_axis)
                number = result.addJoint(number, second, pin.SE3.Identity(), f"{joint.name}_2")
            homes[joint.child] = (number, turn.T)
        for link in model.links:
            number, H = homes[link.name]
            result.addBodyFrame(link.name, number, pin.SE3(H), 0)
            body = link.inertia
            result.appendBodyToJoint(number, pin.Inertia(body.mass, body.center, body.tensor), pin.SE3(H))
        return result

    def at(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Reference:
        """For a state of the robot from its root link in body representation."""
        model, data = self.model, self.data
        theirs, P, P_rate = self.state(q, v)
        rates = P @ v
        pin.computeAllTerms(model, data, theirs, rates)
        pin.computeJointJacobiansTimeVariation(model, data, theirs, rates)
        pin.updateFramePlacements(model, data)
        poses, jacobians, jacobian_rates, drifts = {}, {}, {}, {}
        for name, frame in self.frames.items():
            poses[name] = data.oMf[frame].homogeneous.copy()
            jacobians[name] = pin.getFrameJacobian(model, data, frame, pin.LOCAL).copy()
            jacobian_rates[name] = pin.getFrameJacobianTimeVariation(model, data, frame, pin.LOCAL).copy()
            drifts[name] = jacobian_rates[name] @ rates
        energies = pin.computeKineticEnergy(model, data, theirs, rates), pin.computePotentialEnergy(model, data, theirs)
        com = pin.centerOfMass(model, data, theirs).copy()
        upper = np.triu(pin.crba(model, data, theirs))
        bias = pin.nonLinearEffects(model, data, theirs, rates).copy()
        gravity = pin.computeGeneralizedGravity(model, data, theirs).copy()
        pin.dccrba(model, data, theirs, rates)
        maps, map_drift = data.Ag.copy(), data.dAg @ rates
        mass_matrix, accelerations = upper + np.triu(upper, 1).T, P @ a + P_rate @ v
        solved = pin.aba(model, data, theirs, rates, mass_matrix @ accelerations + bias).copy()
        inverse = np.triu(pin.computeMinverse(model, data, theirs))
        Y = pin.computeJointTorqueRegressor(model, data, theirs, rates, accelerations).copy()
        raw = Reference(
            v,
            a,
            poses,
            jacobians,
            drifts,
            mass_matrix,
            bias,
            gravity,
            com,
            maps,
            map_drift,
            jacobian_rates,
            {name: self._regressor(Y, frame) for name, frame in self.frames.items()},
            energies,
            solved,
            inverse + np.triu(inverse, 1).T,
        )
        return pulled_back(raw, P, P_rate, v, a)

    def _regressor(self, Y: np.ndarray, frame: int) -> np.ndarray:
        """Columns of the parameters, about its own frame, of whatever moves with a link."""
        item = self.model.frames[frame]
        start = 10 * (item.parentJoint - 1)
        units = spatial.transform_parameters(item.placement.homogeneous, np.eye(10))
        return Y[:, start : start + 10] @ units.T[ORDER]

    def state(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Their configuration, the matrix P with `v_theirs = P v`, and its derivative."""
        theirs = pin.neutral(self.model)
        P, P_rate = np.zeros((self.model.nv, len(v))), np.zeros((self.model.nv, len(v)))
        theirs[:7], P[:6, :6] = q[[0, 1, 2, 4, 5, 6, 3]], np.eye(6)
        for state in joint_states(self.description, q):
            their = self.model.joints[self.joints[state.joint.name]]
            s, rows, row_rates = state.position, state.rows, 0.0 * state.rows
            if state.joint.kind in ("spherical", "floating"):
                s = np.concatenate([s[:-4], s[-3:], s[-4:-3]])
            elif state.joint.kind == "planar":  # their velocities are in the axes of the moved side
                rate = (rows @ v)[2]
                c, d = np.cos(s[2]), np.sin(s[2])
                block, block_rate = np.eye(3), np.zeros((3, 3))
                block[:2, :2], block_rate[:2, :2] = [[c, d], [-d, c]], rate * np.array([[-d, c], [-c, -d]])
                s, rows, row_rates = np.array([s[0], s[1], c, d]), block @ rows, block_rate @ rows
            elif their.nq == 2 and their.nv == 1:
                s = np.array([np.cos(s[0]), np.sin(s[0])])
            theirs[their.idx_q : their.idx_q + len(s)] = s
            P[their.idx_v : their.idx_v + len(rows)] = rows
            P_rate[their.idx_v : their.idx_v + len(rows)] = row_rates
        return theirs, P, P_rate


def _kind(joint: Any) -> Any:
    if joint.kind == "helical":
        return pin.JointModelHelicalUnaligned(joint.axis, joint.pitch)
    along = {
        "revolute": pin.JointModelRevoluteUnaligned,
        "universal": pin.JointModelRevoluteUnaligned,
        "prismatic": pin.JointModelPrismaticUnaligned,
    }
    if joint.kind in along:
        return along[joint.kind](joint.axis)
    several = {
        "continuous": pin.JointModelRUBZ,
        "spherical": pin.JointModelSpherical,
        "planar": pin.JointModelPlanar,
        "floating": pin.JointModelFreeFlyer,
    }
    return several[joint.kind]()
