"""A Pinocchio model of the same URDF file, and the change of order between its coordinates and ours."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pinocchio as pin

import floatbase as fb


@dataclass(frozen=True, eq=False)
class Peer:
    """`joint_q[k]` and `joint_v[k]` say where our joint coordinate `k` stands in Pinocchio's `q` and `v`."""

    model: Any
    data: Any
    floating: bool
    joint_q: np.ndarray
    joint_v: np.ndarray

    def q(self, q: np.ndarray) -> np.ndarray:
        """Our configuration in Pinocchio's order, quaternion x y z w."""
        result = pin.neutral(self.model)
        offset = 7 * self.floating
        if self.floating:
            result[:3], result[3:6], result[6] = q[:3], q[4:7], q[3]
        for value, place in zip(q[offset:], self.joint_q, strict=True):
            if self.model.nq - self.model.nv == 0 or not self._is_circle(place):
                result[place] = value
            else:
                result[place : place + 2] = np.cos(value), np.sin(value)
        return result

    def _is_circle(self, place: int) -> bool:
        return any(joint.nq == 2 and joint.idx_q == place for joint in self.model.joints)

    @property
    def order(self) -> np.ndarray:
        """Where our velocity coordinates stand in Pinocchio's."""
        return np.concatenate([np.arange(6), self.joint_v]) if self.floating else self.joint_v

    def v(self, v: np.ndarray) -> np.ndarray:
        """Our velocity, acceleration or force in Pinocchio's order."""
        result = np.zeros(self.model.nv)
        result[self.order] = v
        return result

    def forces(self, wrenches: dict[str, np.ndarray]) -> Any:
        """External wrenches at frames, in the frames, as Pinocchio takes them: at the joints, in the joints' frames."""
        found = pin.StdVec_Force(self.model.njoints, pin.Force.Zero())
        for name, wrench in wrenches.items():
            frame = self.model.frames[self.model.getFrameId(name)]
            found[frame.parentJoint] += frame.placement.act(pin.Force(wrench))
        return found


@cache
def make_peer(name: str, floating: bool, joint_names: tuple[str, ...]) -> Peer:
    """The peer of a named robot with the joints named."""
    path = str(fb.model.find(name))
    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(path, *root)
    joints = [model.joints[model.getJointId(joint)] for joint in joint_names]
    return Peer(
        model,
        model.createData(),
        floating,
        np.array([joint.idx_q for joint in joints]),
        np.array([joint.idx_v for joint in joints]),
    )
