r"""Moving-base systems as Bos 2019 describes them: coordinate transforms, motion subspaces, 6x6 inertias.

Plain matrices, so that everything in the thesis can be expressed, what no rigid-body system can be included: its
example moves the origins of sliding joints the wrong way (table B.1) and takes inertias printed angular-first as
linear-first (table D.3). Twists and wrenches are linear first. Leading axes of states are batch axes.

$$ {}^{i}X_{\lambda(i)} = X_J(s_i)\, {}^{\lambda(i)|i}X_{\lambda(i)}, \quad
   X_J = \begin{bmatrix} R & \hat o R \\ 0 & R \end{bmatrix} = e^{-s\, \Gamma\times}, \quad
   R = e^{-s\hat w},\ o = -s\, l, \quad \Gamma = (l, w) . $$

The printed origins $o = +s\, l$ are those of $(-l, w)$, while velocities across the joint stay $\Gamma \dot s$.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple, cast

import numpy as np

from floatbase.model import Model
from floatbase.model.description import Inertia
from floatbase.model.library.nine_joints import PARENTS, nine_joint_tree, printed_matrices
from floatbase.model.poses import axis_rotation
from floatbase.spatial import (
    adjoint,
    hat,
    invert_pose,
    joint_transform,
    joint_transform_derivative,
    motion_subspace,
    pose_exponential,
    pose_from,
    pose_logarithm,
    rotation_from_quaternion,
)
from floatbase.spatial.arrays import Array, apply_matrix
from floatbase.spatial.inertias import inertia_matrix, parameters_from_center  # unchecked: printed ones are no body's
from floatbase.spatial.kinds import JointKind

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
        joints = zip(self._screws, self.fixed, strict=True)
        return [np.eye(6), *(joint_transform(G, s[..., i]) @ XT for i, (G, XT) in enumerate(joints))]

    def transform_derivatives(self, s: Array) -> list[Array]:
        """Of `transforms` by the joint's own position: of the printed transforms, too."""
        joints = zip(self._screws, self.fixed, strict=True)
        return [
            np.zeros((6, 6)),
            *(joint_transform_derivative(G, s[..., i]) @ XT for i, (G, XT) in enumerate(joints)),
        ]

    @property
    def _screws(self) -> Array:
        """Of which the transforms are exponentials (n, 6): the subspaces, or their mirrored form of the print."""
        return self.subspaces * ([-1.0] * 3 + [1.0] * 3) if self.printed_origins else self.subspaces


def system_of(model: Model) -> System:
    """A model of joints of one coordinate, each link's frame at its joint, links in the order of the joints."""
    numbers = {str(model.root): 0} | {joint.child: i for i, joint in enumerate(model.joints, 1)}
    inertias = {link.name: _inertia(link.inertia) for link in model.links}
    return System(
        tuple(numbers[joint.parent] for joint in model.joints),
        np.array([motion_subspace(cast(JointKind, joint.kind), joint.axis, joint.pitch) for joint in model.joints]),
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
