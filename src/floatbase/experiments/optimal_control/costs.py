r"""Residuals $r(q, \nu, u)$ whose weighted squares are the cost, $l = \tfrac12 \sum_k r_k^\top W_k r_k$.

They are on the manifold, whatever coordinates a solver works in; their derivatives are along velocities of the robot.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from floatbase.experiments.optimal_control.dynamics import Standing
from floatbase.experiments.optimal_control.systems import Slopes
from floatbase.robot import Robot
from floatbase.spatial.arrays import Array


class Term(Protocol):
    """A residual and the diagonals of its weights, (k,) or one for each state."""

    @property
    def weights(self) -> Array:
        """W."""
        ...

    @property
    def of_inputs(self) -> bool:
        """Whether it depends on inputs, which the last state has none of."""
        ...

    def value(self, q: Array, v: Array, u: Array) -> Array:
        """The residual (N, k)."""
        ...

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """With derivatives."""
        ...


@dataclass(frozen=True)
class Near:
    """The difference (2 nv,) to a configuration, and to a velocity."""

    robot: Robot
    q: Array
    v: Array
    weights: Array
    of_inputs: bool = False

    def value(self, q: Array, v: Array, u: Array) -> Array:
        """The residual."""
        return np.concatenate([self.robot.difference(self.q, q), v - self.v], axis=-1)

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """With derivatives."""
        zero, one = (
            np.broadcast_to(M, (len(q), *M.shape)) for M in (np.zeros((v.shape[-1],) * 2), np.eye(v.shape[-1]))
        )
        by_q = self.robot.difference_derivatives(np.broadcast_to(self.q, q.shape).copy(), q).dq_end
        dq, dv = np.concatenate([by_q, zero], axis=-2), np.concatenate([zero, one], axis=-2)
        return Slopes(self.value(q, v, u), dq, dv, np.zeros((*dq.shape[:-1], u.shape[-1])))


@dataclass(frozen=True)
class PointAt:
    """The way of the origin of a frame from a point of the world (3,), for a robot in mixed representation."""

    robot: Robot
    frame: str
    p_world: Array
    weights: Array
    of_inputs: bool = False

    def value(self, q: Array, v: Array, u: Array) -> Array:
        """The residual."""
        return np.asarray(self.robot.pose(q, self.frame)[..., :3, 3] - self.p_world)

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """With derivatives."""
        J = self.robot.jacobian(q, self.frame)[..., :3, :]
        return Slopes(self.value(q, v, u), J, np.zeros_like(J), np.zeros((*J.shape[:-1], u.shape[-1])))


@dataclass(frozen=True)
class WithinLimits:
    """How far joints of one coordinate are beyond their limits (joints,)."""

    robot: Robot
    weights: Array
    of_inputs: bool = False

    def value(self, q: Array, v: Array, u: Array) -> Array:
        """The residual."""
        lower, upper = self.robot.position_limits
        s = q[..., 7:]
        return np.maximum(s - upper, 0.0) + np.minimum(s - lower, 0.0)

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """With derivatives."""
        beyond = self.value(q, v, u)
        joints = beyond.shape[-1]
        dq = np.concatenate([np.zeros((*beyond.shape, 6)), np.eye(joints) * (beyond != 0.0)[..., None]], axis=-1)
        return Slopes(beyond, dq, np.zeros_like(dq), np.zeros((*dq.shape[:-1], u.shape[-1])))


@dataclass(frozen=True)
class FootMoments:
    """Moments about the origins of the feet in world axes (3 feet,): small if centres of pressure are near them."""

    dynamics: Standing
    weights: Array
    of_inputs: bool = True

    def value(self, q: Array, v: Array, u: Array) -> Array:
        """The residual."""
        return self.dynamics.motion(q, v, u)[1][..., self._rows]

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """With derivatives."""
        wrenches = self.dynamics.motion_slopes(q, v, u)[1]
        return Slopes(wrenches.value[..., self._rows], *(slope[..., self._rows, :] for slope in wrenches[1:]))

    @property
    def _rows(self) -> list[int]:
        return [6 * k + axis for k in range(len(self.dynamics.world_H_feet)) for axis in (3, 4, 5)]


@dataclass(frozen=True)
class InputsNear:
    """The difference to inputs (m,)."""

    u: Array
    weights: Array
    of_inputs: bool = True

    def value(self, q: Array, v: Array, u: Array) -> Array:
        """The residual."""
        return u - self.u

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """With derivatives."""
        zero = np.zeros((*u.shape, v.shape[-1]))
        return Slopes(u - self.u, zero, zero, np.broadcast_to(np.eye(u.shape[-1]), (*u.shape, u.shape[-1])))
