r"""Moving-base systems as Bos 2019 describes them: coordinate transforms, motion subspaces, 6x6 inertias.

Plain matrices, so that everything in the thesis can be expressed, what no rigid-body system can be included: its
example moves the origins of sliding joints the wrong way (table B.1) and takes inertias printed angular-first as
linear-first (table D.3). Twists and wrenches are linear first. Leading axes of states are batch axes.

$$ {}^{i}X_{\lambda(i)} = X_J(s_i)\, {}^{\lambda(i)|i}X_{\lambda(i)}, \quad
   X_J = \begin{bmatrix} R & \hat o R \\ 0 & R \end{bmatrix}, \quad R = e^{-s\hat w},\ o = \mp s\, l, \quad
   \Gamma = (l, w) . $$
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from floatbase.model import Model
from floatbase.model.description import Inertia
from floatbase.model.library.nine_joints import PARENTS, nine_joint_tree, printed_matrices
from floatbase.model.poses import axis_rotation
from floatbase.spatial import (
    adjoint,
    hat,
    inertia_matrix,
    invert_pose,
    parameters_from_center,
    pose_exponential,
    pose_from,
    pose_logarithm,
    rotation_from_quaternion,
)
from floatbase.spatial.arrays import Array, apply_matrix

BASE = 6  # velocities of the base
GRAVITY = np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])


class State(NamedTuple):
    """Base pose `H: (..., 4, 4)`, joint positions `s: (..., n)`, base twist `v: (..., 6)` in the base, rates `r`."""

    H: Array
    s: Array
    v: Array
    r: Array

    def moved(self, z: Array) -> State:
        """Along (z_H, z_s, z_v, z_r) `z: (..., 12 + 2 n)`: the pose becomes H exp(z_H), the others are added to."""
        n = self.s.shape[-1]
        z_H, z_s, z_v, z_r = np.split(z, [BASE, BASE + n, 2 * BASE + n], axis=-1)
        return State(self.H @ pose_exponential(z_H), self.s + z_s, self.v + z_v, self.r + z_r)

    def to(self, other: State) -> Array:
        """The inverse of `moved`: what leads to another state."""
        z_H = pose_logarithm(invert_pose(self.H) @ other.H)
        return np.concatenate([z_H, other.s - self.s, other.v - self.v, other.r - self.r], axis=-1)


@dataclass(frozen=True, eq=False)
class System:
    """Body 0 is the base; body i = 1 .. n hangs on body `parents[i - 1]` < i by joint i of one coordinate."""

    parents: tuple[int, ...]
    subspaces: Array  # (n, 6), constant
    fixed: Array  # (n, 6, 6): from the parent's frame to the joint's
    inertias: Array  # (n + 1, 6, 6)
    gravity: Array  # (6,), the acceleration
    printed_origins: bool = False  # sign of the joints' origins as in tables B.1 and B.2

    @property
    def joints(self) -> int:
        """Their number n."""
        return len(self.parents)

    def below(self, i: int) -> list[int]:
        """Joint i and those that it carries."""
        found = [i]
        for j in range(i + 1, self.joints + 1):
            if self.parents[j - 1] in found:
                found.append(j)
        return found

    def transforms(self, s: Array) -> list[Array]:
        """Of each body, from its parent's frame to its own (..., 6, 6); that of the base is not used."""
        joints = [_transform(*self._joint(i, s[..., i - 1])) for i in range(1, self.joints + 1)]
        return [np.eye(6), *(X @ XT for X, XT in zip(joints, self.fixed, strict=True))]

    def transform_derivatives(self, s: Array) -> list[Array]:
        """Of `transforms` by the joint's own position: of the printed transforms, too."""
        found = [np.zeros((6, 6))]
        for i in range(1, self.joints + 1):
            slide, w = self.subspaces[i - 1, :3], hat(self.subspaces[i - 1, 3:])
            R, o = self._joint(i, s[..., i - 1])
            R_rate = -w @ R
            X = _transform(R_rate, o)
            X[..., :3, 3:] += self._sign() * hat(slide) @ R
            found.append(X @ self.fixed[i - 1])
        return found

    def _sign(self) -> float:
        return 1.0 if self.printed_origins else -1.0

    def _joint(self, i: int, s: Array) -> tuple[Array, Array]:
        """R and o of joint i."""
        slide, w = self.subspaces[i - 1, :3], hat(self.subspaces[i - 1, 3:])
        angle = np.asarray(s)[..., None, None]
        R = np.eye(3) - np.sin(angle) * w + (1.0 - np.cos(angle)) * (w @ w)
        return R, self._sign() * np.asarray(s)[..., None] * slide


def system_of(model: Model) -> System:
    """A model of joints of one coordinate, each link's frame at its joint, links in the order of the joints."""
    numbers = {str(model.root): 0} | {joint.child: i for i, joint in enumerate(model.joints, 1)}
    inertias = {link.name: _inertia(link.inertia) for link in model.links}
    subspaces = []
    for joint in model.joints:
        turns = np.zeros(3) if joint.kind == "prismatic" else joint.axis
        subspaces.append([*(joint.axis * (1.0 if joint.kind == "prismatic" else joint.pitch)), *turns])
    return System(
        tuple(numbers[joint.parent] for joint in model.joints),
        np.array(subspaces),
        np.array([adjoint(invert_pose(joint.parent_H_joint)) for joint in model.joints]),
        np.array([inertias[name] for name in numbers]),
        GRAVITY,
    )


def published_system() -> System:
    """The example of section 5.1 as the published numbers were computed: with both faults."""
    system = system_of(nine_joint_tree(printed_inertias=True))
    return replace(system, inertias=printed_matrices(), printed_origins=True)


def published_state(system: System) -> tuple[State, Array]:
    """The state of section 5.1, and the joint accelerations. The base's twist is given in world axes there."""
    rotations = [axis_rotation(np.eye(3)[axis], angle)[:3, :3] for axis, angle in ((2, 1.0), (1, 2.0), (0, 3.0))]
    # the product of the transposes of (B.2)-(B.4), whatever the text says: this is the printed matrix
    H = pose_from(rotations[0] @ rotations[1] @ rotations[2], np.array([4.0, 5.0, 6.0]))
    v_world = np.arange(7.0, 13.0)
    n = system.joints
    state = State(H, 13.0 + np.arange(n), apply_matrix(adjoint(invert_pose(H)), v_world), 21.0 + np.arange(n))
    return state, 30.0 + np.arange(n)


def random_model(rng: np.random.Generator) -> Model:
    """The joints of the example with other places, pitches and bodies: these exist."""
    model = nine_joint_tree()
    pitches = {"joint3": 0.4, "joint4": 0.5, "joint9": 0.3}
    joints = tuple(
        replace(
            joint,
            parent_H_joint=pose_from(_random_rotation(rng), rng.uniform(-1.0, 1.0, 3)),
            pitch=pitches.get(joint.name, 0.0),
        )
        for joint in model.joints
    )
    links = tuple(replace(link, inertia=_random_inertia(rng)) for link in model.links)
    return replace(model, joints=joints, links=links)


def random_state(rng: np.random.Generator, uniform: bool = False) -> State:
    """Joint positions and base position in a small box; velocities normal, or uniform between -1 and 1."""
    n = len(PARENTS)
    H = pose_from(_random_rotation(rng), rng.uniform(-2.0, 2.0, 3))
    s = rng.uniform(-1.0, 1.0, n)
    v, r = (rng.uniform(-1.0, 1.0, k) if uniform else rng.standard_normal(k) for k in (BASE, n))
    return State(H, s, v, r)


def _transform(R: Array, o: Array) -> Array:
    X = np.zeros((*R.shape[:-2], 6, 6), dtype=R.dtype)
    X[..., :3, :3] = X[..., 3:, 3:] = R
    X[..., :3, 3:] = hat(o) @ R
    return X


def _random_rotation(rng: np.random.Generator) -> Array:
    quaternion = rng.standard_normal(4)
    return rotation_from_quaternion(quaternion / np.linalg.norm(quaternion))


def _random_inertia(rng: np.random.Generator) -> Inertia:
    """Eight points of mass about a centre."""
    center, mass = rng.uniform(-0.5, 0.5, 3), rng.uniform(0.5, 5.0)
    points = rng.uniform(-0.3, 0.3, (8, 3))
    points -= points.mean(axis=0)
    return Inertia(mass, center, -mass / 8 * np.sum(hat(points) @ hat(points), axis=0))


def _inertia(inertia: Inertia | None) -> Array:
    if inertia is None:
        return np.zeros((6, 6))
    return inertia_matrix(parameters_from_center(np.float64(inertia.mass), inertia.center, inertia.tensor))
