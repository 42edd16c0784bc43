"""MuJoCo's numbers for a description written as MJCF: joints it has not are several of its own in one body.

A helical joint is a slide and a hinge, a planar one two slides and a hinge, a floating one within a robot three slides
and a ball, a universal one two hinges; what is fixed together is one body.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
from tests.agreement.layout import JointState, joint_states
from tests.agreement.reference import Reference, pulled_back

from floatbase import spatial
from floatbase.model import Joint, Model
from floatbase.model.inertia import link_parameters
from floatbase.model.poses import rotation_to_axis


class MujocoPeer:
    def __init__(self, model: Model, gravity: tuple[float, ...] = (0.0, 0.0, -9.81)) -> None:
        self.description = model
        self.homes: dict[str, tuple[str, np.ndarray]] = {}  # link -> body it is part of, and its pose there
        inner = self._body(model.root or "", "<freejoint name='root'/>", np.eye(4))
        text = (
            "<mujoco><compiler angle='radian' inertiagrouprange='0 0'/>"
            f"<option gravity='{_numbers(gravity)}'/><worldbody>{inner}</worldbody></mujoco>"
        )
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        self.root = self.model.body(model.root).id

    def _body(self, link: str, joints: str, H: np.ndarray) -> str:
        """The body that begins with a link, and all beyond it."""
        parts, ahead = [(link, np.eye(4))], []
        for name, pose in parts:
            self.homes[name] = (link, pose)
            for joint in self.description.joints:
                if joint.parent == name and joint.kind == "fixed":
                    parts.append((joint.child, pose @ joint.parent_H_joint))
                elif joint.parent == name:
                    ahead.append((joint, pose @ joint.parent_H_joint))
        inertias = {item.name: item.inertia for item in self.description.links}
        phi = sum(link_parameters(inertias[name], pose) for name, pose in parts if inertias[name] is not None)
        c = phi[1:4] / phi[0]
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = spatial.central_tensor(phi)
        inside = "".join(self._body(joint.child, _joints(joint), pose) for joint, pose in ahead)
        return (
            f"<body name='{link}' pos='{_numbers(H[:3, 3])}' "
            f"quat='{_numbers(spatial.quaternion_from_rotation(H[:3, :3]))}'>{joints}"
            f"<inertial mass='{float(phi[0])!r}' pos='{_numbers(c)}' "
            f"fullinertia='{_numbers((xx, yy, zz, xy, xz, yz))}'/>{inside}</body>"
        )

    def at(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Reference:
        """For a state of the robot from its root link in body representation."""
        m, d = self.model, self.data
        theirs, P, P_rate = self._state(q, v)
        d.qpos[:], d.qvel[:] = theirs, 0.0
        mujoco.mj_forward(m, d)
        gravity = d.qfrc_bias.copy()
        d.qvel[:] = P @ v
        mujoco.mj_forward(m, d)
        bias = d.qfrc_bias.copy()
        M, maps = np.zeros((m.nv, m.nv)), np.zeros((6, m.nv))
        for number in range(m.nv):
            mujoco.mj_mulM(m, d, M[number], np.eye(m.nv)[number])
        com = d.subtree_com[self.root].copy()
        linear, angular = np.zeros((3, m.nv)), np.zeros((3, m.nv))
        mujoco.mj_jacSubtreeCom(m, d, linear, self.root)
        mujoco.mj_angmomMat(m, d, angular, self.root)
        maps[:3], maps[3:] = m.body_subtreemass[self.root] * linear, angular
        R, o = d.xmat[self.root].reshape(3, 3), d.xpos[self.root]
        force, moment = (bias - gravity)[:3], R @ (bias - gravity)[3:6]  # what the base needs at zero acceleration
        drift = np.r_[force, moment + np.cross(o - com, force)]
        poses, jacobians, rates = {}, {}, {}
        for link in self.homes:
            poses[link], jacobians[link], rates[link] = self._frame(link)
        drifts = {link: rate @ d.qvel for link, rate in rates.items()}
        raw = Reference(v, a, poses, jacobians, drifts, M, bias, gravity, com, maps, drift, rates)
        return pulled_back(raw, P, P_rate, v, a)

    def _frame(self, link: str) -> tuple[Any, Any, Any]:
        m, d = self.model, self.data
        body, body_H_link = self.homes[link]
        number = m.body(body).id
        H = np.eye(4)
        H[:3, :3], H[:3, 3] = d.xmat[number].reshape(3, 3), d.xpos[number]
        H = H @ body_H_link
        J, rate = np.zeros((6, m.nv)), np.zeros((6, m.nv))
        mujoco.mj_jac(m, d, J[:3], J[3:], H[:3, 3], number)
        mujoco.mj_jacDot(m, d, rate[:3], rate[3:], H[:3, 3], number)
        back = np.kron(np.eye(2), H[:3, :3].T)
        J = back @ J
        return H, J, back @ rate - np.kron(np.eye(2), spatial.hat((J @ d.qvel)[3:])) @ J

    def _state(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        theirs = self.model.qpos0.copy()
        P, P_rate = np.zeros((self.model.nv, len(v))), np.zeros((self.model.nv, len(v)))
        R, turning = spatial.rotation_from_quaternion(q[3:7]), spatial.hat(v[3:6])
        theirs[:7], P[:6, :6] = q[:7], np.eye(6)
        P[:3, :3], P_rate[:3, :3] = R, R @ turning
        for state in joint_states(self.description, q):
            first = self.model.joint(f"{state.joint.name}:0").id
            at, to = self.model.jnt_qposadr[first], self.model.jnt_dofadr[first]
            s, block, block_rate = _coordinates(state, v)
            theirs[at : at + len(s)] = s
            P[to : to + len(block)] = block @ state.rows
            P_rate[to : to + len(block)] = block_rate @ state.rows
        return theirs, P, P_rate


def _joints(joint: Joint) -> str:
    x, y, z = rotation_to_axis(joint.axis).T if joint.kind == "planar" else np.eye(3)
    slides = [("slide", axis) for axis in (x, y, z)]
    parts = {
        "prismatic": [("slide", joint.axis)],
        "helical": [("slide", joint.axis), ("hinge", joint.axis)],
        "universal": [("hinge", joint.axis), ("hinge", joint.second_axis)],
        "planar": [*slides[:2], ("hinge", joint.axis)],
        "spherical": [("ball", z)],
        "floating": [*slides, ("ball", z)],
    }.get(joint.kind, [("hinge", joint.axis)])
    return "".join(
        f"<joint name='{joint.name}:{k}' type='{kind}' axis='{_numbers(axis)}'/>"
        for k, (kind, axis) in enumerate(parts)
    )


def _coordinates(state: JointState, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Their coordinates, and the matrix from the joint's velocities to theirs with its derivative."""
    s, n = state.position, len(state.rows)
    if state.joint.kind == "helical":
        pitch = np.array([[state.joint.pitch], [1.0]])
        return pitch[:, 0] * s, pitch, 0.0 * pitch
    block, block_rate = np.eye(n), np.zeros((n, n))
    if state.joint.kind == "floating":
        R, omega = spatial.rotation_from_quaternion(s[3:]), (state.rows @ v)[3:]
        block[:3, :3], block_rate[:3, :3] = R, R @ spatial.hat(omega)
    return s, block, block_rate


def _numbers(values: Any) -> str:
    return " ".join(repr(float(value)) for value in values)
