"""A tree in Pinocchio, whose joints of several velocities are its own."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin

from floatbase.model.tree import Tree, TreeJoint


class Seen(NamedTuple):
    """A state as Pinocchio has it, `v_theirs = P v` and `a_theirs = P a + p`, and what changes of ours change in it.

    `P_rates[k]` and `p_rates[k]` are the derivatives of P and p along velocity k, `p_slopes` is that of p by v.
    """

    q: np.ndarray
    P: np.ndarray
    p: np.ndarray
    P_rates: np.ndarray
    p_rates: np.ndarray
    p_slopes: np.ndarray


class PinocchioTwin:
    """The same tree in Pinocchio, in body representation; no joint mimics another or is reversed."""

    def __init__(self, tree: Tree) -> None:
        joints = [body.joint for body in tree.bodies if body.joint]
        assert tree.representation == "body"
        assert len({joint.index for joint in joints}) == len(joints)
        assert not any(joint.reversed for joint in joints)
        self.tree, self.model = tree, pin.Model()
        self.model.gravity.linear = np.array(tree.gravity)
        base = pin.JointModelFreeFlyer()
        numbers = {0: self.model.addJoint(0, base, pin.SE3.Identity(), "base") if tree.floating else 0}
        for i in depth_first(tree)[1:]:  # Pinocchio's mass matrix needs this order
            body = tree.bodies[i]
            place = pin.SE3(body.joint.parent_H_joint)
            numbers[i] = self.model.addJoint(numbers[body.parent], _kind(body.joint), place, body.joint.name)
        for i, body in enumerate(tree.bodies):
            m, hx, hy, hz, xx, xy, xz, yy, yz, zz = body.parameters
            inertia = pin.Inertia.FromDynamicParameters(np.array([m, hx, hy, hz, xx, xy, yy, xz, yz, zz]))
            self.model.appendBodyToJoint(numbers[i], inertia, pin.SE3.Identity())
        for name, (i, H) in tree.frames.items():
            self.model.addFrame(pin.Frame(name, numbers[i], 0, pin.SE3(H), pin.FrameType.OP_FRAME))
        self.numbers, self.data = numbers, self.model.createData()

    def state(self, q: np.ndarray, v: np.ndarray) -> Seen:
        """A state, which Pinocchio writes differently where planar joints are: their velocities are in the body."""
        n, head = self.tree.nv, 6 * self.tree.floating
        theirs, P, p = pin.neutral(self.model), np.zeros((n, n)), np.zeros(n)
        P_rates, p_rates, p_slopes = np.zeros((n, n, n)), np.zeros((n, n)), np.zeros((n, n))
        if self.tree.floating:
            theirs[:7], P[:6, :6] = q[[0, 1, 2, 4, 5, 6, 3]], np.eye(6)
        for i, body in enumerate(self.tree.bodies[1:], start=1):
            joint, their = body.joint, self.model.joints[self.numbers[i]]
            start = 7 * self.tree.floating + joint.q_index
            s, here = q[start : start + joint.nq], slice(their.idx_v, their.idx_v + their.nv)
            k = head + joint.index
            P[here, k : k + joint.nv] = np.eye(joint.nv)
            if joint.kind in ("spherical", "floating"):
                s = np.concatenate([s[:-4], s[-3:], s[-4:-3]])
            if joint.kind == "planar":
                c, d = np.cos(s[2]), np.sin(s[2])
                rows, columns, turn = slice(their.idx_v, their.idx_v + 2), slice(k, k + 2), k + 2
                block, rate = np.array([[c, d], [-d, c]]), np.array([[-d, c], [-c, -d]])
                P[rows, columns], P_rates[turn, rows, columns] = block, rate
                p[rows], p_rates[turn, rows] = v[turn] * rate @ v[columns], -v[turn] * block @ v[columns]
                p_slopes[rows, columns], p_slopes[rows, turn] = v[turn] * rate, rate @ v[columns]
                s = np.array([*s[:2], c, d])
            theirs[their.idx_q : their.idx_q + their.nq] = s
        return Seen(theirs, P, p, P_rates, p_rates, p_slopes)

    def forces(self, wrenches: dict[str, np.ndarray]) -> Any:
        """External wrenches as Pinocchio takes them: about the joints' frames."""
        found = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for name, wrench in wrenches.items():
            i, H = self.tree.frames[name]
            found[self.numbers[i]] += pin.SE3(H).act(pin.Force(wrench))
        return found


def depth_first(tree: Tree, i: int = 0) -> list[int]:
    children = [k for k, body in enumerate(tree.bodies) if body.parent == i]
    return [i] + [k for child in children for k in depth_first(tree, child)]


def _kind(joint: TreeJoint) -> Any:
    if joint.kind == "helical":
        return pin.JointModelHelicalUnaligned(np.array([0.0, 0.0, 1.0]), joint.pitch)
    return {
        "revolute": pin.JointModelRZ,
        "prismatic": pin.JointModelPZ,
        "spherical": pin.JointModelSpherical,
        "planar": pin.JointModelPlanar,
        "floating": pin.JointModelFreeFlyer,
    }[joint.kind]()
