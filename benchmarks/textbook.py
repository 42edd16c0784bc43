"""Inverse dynamics as textbooks have it, on CasADi's expressions: 6 by 6 matrices over the links of a description.

What a tool that differentiates automatically is given: the recursion of R. Featherstone, "Rigid body dynamics
algorithms", 2008, table 5.1, in the frames and with the axes of the robot's file; only fixed joints are merged. Twists
are linear first.
"""

from __future__ import annotations

from collections.abc import Iterator

import casadi as cs
import numpy as np

import floatbase as fb
from floatbase import spatial


def cross(v: cs.SX) -> cs.SX:
    """The matrix of the product with a twist."""
    return cs.blockcat([[cs.skew(v[3:]), cs.skew(v[:3])], [cs.SX(3, 3), cs.skew(v[3:])]])


def adjoint_inverse(R: cs.SX, p: cs.SX) -> cs.SX:
    """Twists of the parent in the child's frame."""
    return cs.blockcat([[R.T, -R.T @ cs.skew(p)], [cs.SX(3, 3), R.T]])


def turn(axis: np.ndarray, angle: cs.SX) -> cs.SX:
    K = cs.skew(cs.SX(axis))
    return cs.SX.eye(3) + cs.sin(angle) * K + (1 - cs.cos(angle)) * K @ K


def turn_of(quaternion: cs.SX) -> cs.SX:
    w, K = quaternion[0], cs.skew(quaternion[1:])
    return cs.SX.eye(3) + 2 * w * K + 2 * K @ K


def inverse_dynamics(robot: fb.Robot, q: cs.SX, v: cs.SX, a: cs.SX) -> cs.SX:
    """Of a robot with a floating base in body representation and joints that turn, from its root."""
    X, S, parent, inertia, place = [adjoint_inverse(turn_of(q[3:7]), q[:3])], [cs.SX.eye(6)], [-1], [], [slice(0, 6)]
    for own, joint, mother, H in _merged(robot.model):
        inertia.append(own)
        if joint is not None:
            k = robot.joint_names.index(joint.name)
            X.append(adjoint_inverse(cs.SX(H[:3, :3]) @ turn(joint.axis, q[7 + k]), cs.SX(H[:3, 3])))
            S.append(cs.SX(np.concatenate([np.zeros(3), joint.axis])))
            parent.append(mother)
            place.append(slice(6 + k, 7 + k))
    motions, forces = [], []
    for Xi, Si, mother, Mi, rows in zip(X, S, parent, inertia, place, strict=True):
        vi, ai = Si @ v[rows], Si @ a[rows]
        if mother < 0:
            ai += Xi @ cs.SX([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
        else:
            up, acceleration = motions[mother]
            ai += Xi @ acceleration + cross(Xi @ up) @ vi
            vi += Xi @ up
        motions.append((vi, ai))
        forces.append(cs.SX(Mi) @ ai - cross(vi).T @ (cs.SX(Mi) @ vi))
    tau = [cs.SX(1, 1)] * robot.nv
    for i in reversed(range(len(X))):
        tau[place[i]] = cs.vertsplit(S[i].T @ forces[i])
        if parent[i] >= 0:
            forces[parent[i]] += X[i].T @ forces[i]
    return cs.vertcat(*tau)


def _merged(model: fb.Model) -> Iterator[tuple[np.ndarray, object, int, np.ndarray]]:
    """Inertia (6, 6), joint, number of the parent and pose in it, of every body that moves, parents first."""
    bodies, children, inertias = [], {}, {link.name: link.inertia for link in model.links}
    for joint in model.joints:
        children.setdefault(joint.parent, []).append(joint)

    def visit(link: str, number: int, H: np.ndarray) -> None:
        own = inertias[link]
        if own is not None:
            about = spatial.parameters_from_center(own.mass, own.center, own.tensor)
            bodies[number][0] += spatial.inertia_matrix(spatial.transform_parameters(H, about))
        for joint in children.get(link, []):
            place, target = H @ joint.parent_H_joint, number
            if joint.kind != "fixed":
                bodies.append([np.zeros((6, 6)), joint, number, place])
                place, target = np.eye(4), len(bodies) - 1
            visit(joint.child, target, place)

    bodies.append([np.zeros((6, 6)), None, -1, np.eye(4)])
    visit(model.root, 0, np.eye(4))
    return iter(bodies)
