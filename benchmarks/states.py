r"""The states all libraries are given, and how each library writes them.

The reference convention is floatbase's body representation with joints in the order of the file:
$q = (p, \text{quaternion } w x y z, s)$, $\nu = ({}^B v_B, {}^B \omega_B, \dot s)$, and $\dot\nu$ is the derivative of
these components. Another library writes the base twist as $\nu' $ with $\nu = T(q)\, \nu'$. Then forces are
$\tau' = T^\top \tau$, the mass matrix is $M' = T^\top M T$, and only a linear velocity in world axes changes the
meaning of an acceleration: ${}^W\dot v = R\, ({}^B\dot v + {}^B\omega \times {}^B v)$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.robots import Robot

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class States:
    """N random states and what is done to them, in the reference convention."""

    q: Array  # (N, nq)
    v: Array  # (N, nv)
    a: Array  # (N, nv)
    tau: Array  # (N, nv); no wrench on the base, since some libraries take joint torques alone

    def first(self, n: int) -> States:
        """The first `n` states."""
        return States(self.q[:n], self.v[:n], self.a[:n], self.tau[:n])

    def __len__(self) -> int:
        return len(self.q)


def sample(robot: Robot, n: int, seed: int = 7) -> States:
    """Random states within the joint limits; joint torques of the order of what the robot's mass calls for."""
    random = np.random.default_rng(seed)
    joints = len(robot.joints)
    lower, upper = np.clip(robot.limits, -2.0, 2.0).T
    s = random.uniform(lower, upper, (n, joints))
    v = random.normal(size=(n, robot.nv))
    a = random.normal(size=(n, robot.nv))
    tau = np.zeros((n, robot.nv))
    tau[:, robot.nv - joints :] = random.normal(size=(n, joints))
    if not robot.floating:
        return States(s, v, a, tau)
    quaternion = random.normal(size=(n, 4))
    quaternion /= np.linalg.norm(quaternion, axis=1, keepdims=True)
    return States(np.hstack([random.normal(size=(n, 3)), quaternion, s]), v, a, tau)


def rotations(q: Array) -> Array:
    """`world_R_base` (N, 3, 3) of reference configurations of a floating robot."""
    w, x, y, z = q[:, 3:7].T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


@dataclass(frozen=True, eq=False)
class Layout:
    """How a library writes configurations and velocities, and the way there and back."""

    robot: Robot
    joints: npt.NDArray[np.int64]  # reference position of each of the library's joints
    xyzw: bool = False
    quaternion_first: bool = False
    angular_first: bool = False
    linear_in_world: bool = False
    angular_in_world: bool = False

    def configuration(self, states: States) -> Array:
        """The library's configurations (N, nq), contiguous."""
        if not self.robot.floating:
            return np.ascontiguousarray(states.q[:, self.joints])
        position, quaternion, s = states.q[:, :3], states.q[:, 3:7], states.q[:, 7:]
        if self.xyzw:
            quaternion = quaternion[:, [1, 2, 3, 0]]
        base = [quaternion, position] if self.quaternion_first else [position, quaternion]
        return np.hstack([*base, s[:, self.joints]])

    def velocity(self, states: States) -> Array:
        """The library's velocities (N, nv)."""
        return self._motion(states, states.v)

    def acceleration(self, states: States) -> Array:
        """The library's accelerations (N, nv)."""
        return self._motion(states, states.a + self._spin(states))

    def force(self, states: States) -> Array:
        """The library's generalised forces (N, nv)."""
        return np.einsum("nij,ni->nj", self.map(states), states.tau)

    def acceleration_back(self, states: States, a: Array) -> Array:
        """Reference accelerations from the library's."""
        return np.einsum("nij,nj->ni", self.map(states), a) - self._spin(states)

    def force_back(self, states: States, tau: Array) -> Array:
        """Reference generalised forces from the library's."""
        return np.einsum("nij,nj->ni", self.map(states), tau)  # T is orthogonal

    def matrix_back(self, states: States, matrix: Array) -> Array:
        """Reference mass matrices from the library's."""
        transform = self.map(states)
        return transform @ matrix @ np.swapaxes(transform, 1, 2)

    def derivatives_back(self, states: States, derivatives: Array) -> Array:
        """Reference derivatives from those of forces by q, v and a, or of accelerations by q, v and tau, packed.

        For libraries alone that write base twists in the base's axes: their derivatives by q are along them.
        """
        n, nv = len(states), self.robot.nv
        parts = np.split(derivatives.reshape(n, 3 * nv, nv), 3, axis=1)
        return np.stack([self.matrix_back(states, part) for part in parts], axis=1)

    def columns_back(self, states: States, jacobian: Array) -> Array:
        """Jacobians (N, m, nv) with respect to the reference velocity from those with respect to the library's."""
        return jacobian @ np.swapaxes(self.map(states), 1, 2)

    def regressor_back(self, states: States, regressor: Array, movers: Sequence[str], entries: Sequence[int]) -> Array:
        """Reference regressors: rows as forces, a floating base's columns first, then those of what each joint moves.

        movers: the joint that moves each of the library's bodies, "" for the base. entries: where the library has
        m, m c, I_xx, I_xy, I_xz, I_yy, I_yz, I_zz of a body.
        """
        bodies = [list(movers).index(name) for name in ([""] if self.robot.floating else []) + list(self.robot.joints)]
        columns = 10 * np.array(bodies)[:, None] + np.array(entries)
        return self.map(states) @ regressor[:, :, columns.ravel()]

    def tick_back(self, states: States, results: Array) -> Array:
        """The parts of a control tick (see `pack`), each in the reference convention."""
        n, nv = len(states), self.robot.nv
        jacobian = ((6, nv), self.columns_back)
        parts = [
            ((nv, nv), self.matrix_back), ((nv,), self.force_back), jacobian, jacobian,
            ((12,), lambda states, drifts: drifts), jacobian,
        ]  # fmt: skip
        converted, start = [], 0
        for shape, back in parts:
            size = int(np.prod(shape))
            converted.append(back(states, results[:, start : start + size].reshape(n, *shape)).reshape(n, -1))
            start += size
        return np.hstack(converted)

    def map(self, states: States) -> Array:
        r"""$T$ (N, nv, nv): reference velocity = T @ the library's velocity. It is orthogonal."""
        n, nv = len(states), self.robot.nv
        base = 6 * self.robot.floating
        transform = np.zeros((n, nv, nv))
        transform[:, base + self.joints, base + np.arange(len(self.joints))] = 1.0
        if self.robot.floating:
            base_R_world = np.swapaxes(rotations(states.q), 1, 2)
            identity = np.broadcast_to(np.eye(3), (n, 3, 3))
            linear = slice(3, 6) if self.angular_first else slice(0, 3)
            angular = slice(0, 3) if self.angular_first else slice(3, 6)
            transform[:, 0:3, linear] = base_R_world if self.linear_in_world else identity
            transform[:, 3:6, angular] = base_R_world if self.angular_in_world else identity
        return transform

    def _motion(self, states: States, v: Array) -> Array:
        return np.einsum("nij,ni->nj", self.map(states), v)

    def _spin(self, states: States) -> Array:
        r"""$\omega \times v$ of the base in the linear rows, where the library differentiates in world axes."""
        spin = np.zeros_like(states.v)
        if self.robot.floating and self.linear_in_world:
            spin[:, :3] = np.cross(states.v[:, 3:6], states.v[:, :3])
        return spin


def pack(batch: int, *parts: Array) -> Array:
    """Several results one after another, (..., size); `batch`: how many of their axes are batch axes."""
    return np.concatenate([np.reshape(part, (*np.shape(part)[:batch], -1)) for part in parts], axis=-1)


def joint_order(robot: Robot, names: Sequence[str]) -> npt.NDArray[np.int64]:
    """Reference positions of a library's joints, given by name; every joint must be there."""
    if sorted(names) != sorted(robot.joints):
        raise ValueError(f"{robot.name}: the joints are {sorted(robot.joints)}, the library has {sorted(names)}")
    return np.array([robot.joints.index(name) for name in names], dtype=np.int64)
