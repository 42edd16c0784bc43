r"""The same robots with a state that is a vector: base position, roll, pitch and yaw, joint positions, velocity.

The velocity $\nu$ stays what it is, $\dot y = G(y)^{-1} \nu$ with $\omega = E(\phi)\, \dot\phi$ in the axes of the base
and $|\det E| = |\cos \mathrm{pitch}|$. A step of fourth order is Runge and Kutta's for $\dot x = (\dot y, \dot\nu)$, a
semi-implicit one $y_{k+1} = y_k + h\, G(y_k)^{-1} \nu_{k+1}$. By the chain rule

$$ \dot\nu_y = \dot\nu_q\, G, \qquad
   \frac{\partial}{\partial\phi_j}\, E^{-1} \omega = -E^{-1} \frac{\partial E}{\partial\phi_j}\, E^{-1} \omega . $$

Nothing is left out or approximated; where the pitch is a quarter turn $G$ has no inverse, and near it steps are wrong.
Bos 2019, table 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.experiments.optimal_control.runge_kutta import runge_kutta, runge_kutta_slopes
from floatbase.experiments.optimal_control.systems import Dynamics, semi_implicit
from floatbase.spatial import (
    hat,
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
    rpy_from_rotation,
    rpy_rate_matrix,
)
from floatbase.spatial.arrays import Array, apply_matrix, transpose


@dataclass(frozen=True)
class OnEulerAngles:
    """States (base position, roll, pitch, yaw, joint positions, v) of a robot in "body" or "mixed" representation."""

    dynamics: Dynamics

    def __post_init__(self) -> None:
        robot = self.dynamics.robot
        if robot.representation == "inertial" or robot.nq != robot.nv + 1:
            raise ArgumentError("Euler angles are for floating bases, body or mixed representation, joints of one dof")

    def state(self, q: Array, v: Array) -> Array:
        """From a configuration and a velocity."""
        angles = rpy_from_rotation(rotation_from_quaternion(q[..., 3:7]))
        return np.concatenate([q[..., :3], angles, q[..., 7:], v], axis=-1)

    def parts(self, x: Array) -> tuple[Array, Array]:
        """The configuration and the velocity."""
        nv = self.dynamics.robot.nv
        quaternion = quaternion_from_rotation(rotation_from_rpy(x[..., 3:6]))
        return np.concatenate([x[..., :3], quaternion, x[..., 6:nv]], axis=-1), x[..., nv:]

    def step(self, x: Array, u: Array) -> Array:
        """The next state."""
        h, nv = self.dynamics.step_size, self.dynamics.robot.nv
        if self.dynamics.method == "rk4":
            return runge_kutta(lambda x: self._rate(x, u), x, h)
        v = x[..., nv:] + h * self._rate(x, u)[..., nv:]
        return np.concatenate([x[..., :nv] + h * apply_matrix(self._rate_map(x), v), v], axis=-1)

    def move(self, x: Array, z: Array) -> Array:
        """A state changed by z (..., 2 nv)."""
        return x + z

    def difference(self, x: Array, x_other: Array) -> Array:
        """The change that leads from `x` to the other."""
        return x_other - x

    def sensitivities(self, X: Array, U: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps."""
        h = self.dynamics.step_size
        if self.dynamics.method == "rk4":
            return runge_kutta_slopes(lambda X: self._rate_slopes(X, U), X, h)
        q, v = self.parts(X)
        by = self.dynamics.slopes(q, v, U)
        start = np.eye(v.shape[-1]) + h * self._rate_map_slopes(X, v + h * by.value)
        return semi_implicit(by._replace(dq=by.dq @ self._velocity_map(X)), h, start, h * self._rate_map(X))

    def tangent_map(self, X: Array) -> Array:
        """From changes of these states to changes on the manifold (N, 2 nv, 2 nv)."""
        nv = self.dynamics.robot.nv
        found = np.broadcast_to(np.eye(2 * nv), (len(X), 2 * nv, 2 * nv)).copy()
        found[..., :nv, :nv] = self._velocity_map(X)
        return found

    def _rate(self, x: Array, u: Array) -> Array:
        """The derivative of the state by time."""
        q, v = self.parts(x)
        return np.concatenate([apply_matrix(self._rate_map(x), v), self.dynamics.acceleration(q, v, u)], axis=-1)

    def _rate_slopes(self, X: Array, U: Array) -> tuple[Array, Array, Array]:
        """... with its derivatives by states and inputs."""
        q, v = self.parts(X)
        by, moving = self.dynamics.slopes(q, v, U), self._rate_map(X)
        above = np.concatenate([self._rate_map_slopes(X, v), moving], axis=-1)
        below = np.concatenate([by.dq @ self._velocity_map(X), by.dv], axis=-1)
        inputs = np.concatenate([np.zeros_like(by.du), by.du], axis=-2)
        value = np.concatenate([apply_matrix(moving, v), by.value], axis=-1)
        return value, np.concatenate([above, below], axis=-2), inputs

    def _rate_map_slopes(self, X: Array, v: Array) -> Array:
        """The derivative of `G(y)^-1 v` by y (..., nv, nv)."""
        R, E, E_inverse = rotation_from_rpy(X[..., 3:6]), rpy_rate_matrix(X[..., 3:6]), inverse_rate_matrix(X[..., 3:6])
        found = np.zeros((*v.shape, v.shape[-1]))
        omega = v[..., 3:6]
        if self.dynamics.robot.representation == "body":
            found[..., :3, 3:6] = -R @ hat(v[..., :3]) @ E  # the direction of its velocity turns with the base
        else:
            omega = apply_matrix(transpose(R), omega)
            found[..., 3:6, 3:6] = E_inverse @ hat(omega) @ E  # ... that of a fixed angular velocity against it
        rates = apply_matrix(E_inverse, omega)
        for k, slope in enumerate(_rate_matrix_slopes(X[..., 3:6])):
            found[..., 3:6, 3 + k] -= apply_matrix(E_inverse @ slope, rates)
        return found

    def _velocity_map(self, X: Array) -> Array:
        """G (..., nv, nv): from rates of coordinates to velocities."""
        R, E = rotation_from_rpy(X[..., 3:6]), rpy_rate_matrix(X[..., 3:6])
        return self._map(transpose(R), E) if self.dynamics.robot.representation == "body" else self._map(None, R @ E)

    def _rate_map(self, X: Array) -> Array:
        """Its inverse."""
        R, E_inverse = rotation_from_rpy(X[..., 3:6]), inverse_rate_matrix(X[..., 3:6])
        if self.dynamics.robot.representation == "body":
            return self._map(R, E_inverse)
        return self._map(None, E_inverse @ transpose(R))

    def _map(self, linear: Array | None, angular: Array) -> Array:
        nv = self.dynamics.robot.nv
        found = np.broadcast_to(np.eye(nv), (*angular.shape[:-2], nv, nv)).copy()
        if linear is not None:
            found[..., :3, :3] = linear
        found[..., 3:6, 3:6] = angular
        return found


def inverse_rate_matrix(angles: Array) -> Array:
    """The inverse of `rpy_rate_matrix`: infinite entries where the pitch is a quarter turn."""
    roll, pitch = angles[..., 0], angles[..., 1]
    cr, sr = np.cos(roll), np.sin(roll)
    with np.errstate(divide="ignore", invalid="ignore"):
        steep, tangent = 1.0 / np.cos(pitch), np.tan(pitch)
        rows = [
            [1.0 + 0.0 * roll, sr * tangent, cr * tangent],
            [0.0 * roll, cr, -sr],
            [0.0 * roll, sr * steep, cr * steep],
        ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _rate_matrix_slopes(angles: Array) -> tuple[Array, Array]:
    """Derivatives of `rpy_rate_matrix` by roll and by pitch; yaw has no part in it."""
    roll, pitch = angles[..., 0], angles[..., 1]
    cr, sr, cp, sp = np.cos(roll), np.sin(roll), np.cos(pitch), np.sin(pitch)
    by_roll, by_pitch = np.zeros((2, *roll.shape, 3, 3))
    by_roll[..., 1, 1], by_roll[..., 1, 2], by_roll[..., 2, 1], by_roll[..., 2, 2] = -sr, cr * cp, -cr, -sr * cp
    by_pitch[..., 0, 2], by_pitch[..., 1, 2], by_pitch[..., 2, 2] = -cp, -sr * sp, -cr * sp
    return by_roll, by_pitch
