r"""Accelerations by inputs, and their exact derivatives: a robot that flies, and one that stands on its feet.

**Flying.** $\dot\nu = \mathrm{FD}(q, \nu, S u)$ with a constant allocation $S$ of inputs to forces on the base and the
joints. Steps and their derivatives are the robot's own; those by all forces, times $S$, are those by inputs.

**Standing.** Feet that are at rest where they were at the end of a step of length $h$ take wrenches $\mathrm f$ with

$$ \mathrm{ID}(q, \nu, \dot\nu, \mathrm f) = S u, \qquad
   J(q)\, (\nu + h \dot\nu) + \frac{\gamma}{h}\, e(q) = 0, \qquad e = (o - o_0,\ \log(R R_0^\top)), $$

where $\gamma$ is how much of the drift $e$ of the feet a step takes back. The system is linear in $\dot\nu$ and
$\mathrm f$; differentiated, with $\nu^+ = \nu + h \dot\nu$,

$$ \begin{bmatrix} M & -J^\top \\ h J & 0 \end{bmatrix} \begin{bmatrix} d\dot\nu \\ d\mathrm f \end{bmatrix} =
   \begin{bmatrix} S\, du - \mathrm{ID}_q\, \delta - \mathrm{ID}_\nu\, \epsilon \\
   -\bigl(\partial_q (J \nu^+) + \tfrac\gamma h e_q\bigr) \delta - J \epsilon \end{bmatrix}, $$

with `inverse_dynamics_derivatives` and `velocity_derivatives`, which hold components of wrenches and velocities fixed.
Bos 2019, (4.45)-(4.50) with errata; Romualdi 2022, (3.3.3) and (3.3.7), for the constraint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from floatbase.experiments.optimal_control.systems import Slopes, semi_implicit
from floatbase.robot import Robot
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.rotations import rotation_logarithm
from floatbase.spatial.tangents import rotation_left_jacobian_inverse

TAKEN_BACK = 0.3  # of the drift of feet, in each step


@dataclass(frozen=True)
class Flying:
    """Forces S u on base and joints, with the allocation S (nv, m)."""

    robot: Robot
    step_size: float
    allocation: Array
    method: str = "rk4"

    def step(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """The next state."""
        return self.robot.step(q, v, u @ self.allocation.T, self.step_size, method=self.method)

    def sensitivities(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps from N states."""
        tau = u @ self.allocation.T
        by = self.robot.step_derivatives(q, v, tau, self.step_size, method=self.method, inputs="all")
        return by.A, by.B @ self.allocation

    def acceleration(self, q: Array, v: Array, u: Array) -> Array:
        """Of one state, or of N."""
        return np.asarray(self.robot.forward_dynamics(q, v, u @ self.allocation.T))

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """The accelerations of N states."""
        tau = u @ self.allocation.T
        by = self.robot.forward_dynamics_derivatives(q, v, tau)
        return Slopes(self.robot.forward_dynamics(q, v, tau), by.dq, by.dv, by.dtau @ self.allocation)


@dataclass(frozen=True)
class Standing:
    """A robot in "mixed" representation, moved by torques of all its joints, whose feet stay at their poses."""

    robot: Robot
    step_size: float
    world_H_feet: dict[str, Array]
    method: str = field(default="semi-implicit", init=False)
    _terms: Any = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        frames = [(kind, foot) for kind in ("jacobian", "pose") for foot in self.world_H_feet]
        object.__setattr__(self, "_terms", self.robot.function(["mass_matrix", "bias", *frames]))

    def acceleration(self, q: Array, v: Array, u: Array) -> Array:
        """Of one state, or of N."""
        return self.motion(q, v, u)[0]

    def step(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """The next state."""
        v = v + self.step_size * self.acceleration(q, v, u)
        return self.robot.integrate(q, v, self.step_size), v

    def sensitivities(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps from N states."""
        h, by = self.step_size, self.slopes(q, v, u)
        moved = self.robot.integrate_derivatives(q, v + h * by.value, h)
        return semi_implicit(by, h, moved.dq, moved.dv)

    def motion(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """Accelerations (..., nv), and the wrenches of all feet on the robot (..., 6 feet)."""
        M, h, *frames = self._terms(q, v)
        return self._solve(M, h, *self._constraint(frames), v, u)

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """The accelerations of N states."""
        return self.motion_slopes(q, v, u)[0]

    def motion_slopes(self, q: Array, v: Array, u: Array) -> tuple[Slopes, Slopes]:
        """Accelerations and wrenches of N states."""
        n, m = self.robot.nv, u.shape[-1]
        M, h, *frames = self._terms(q, v)
        J, drift = self._constraint(frames)
        a, wrenches = self._solve(M, h, J, drift, v, u)
        acting = {foot: wrenches[..., 6 * k : 6 * k + 6] for k, foot in enumerate(self.world_H_feet)}
        force = self.robot.inverse_dynamics_derivatives(q, v, a, acting)
        v_next = v + self.step_size * a
        by_q = np.concatenate([self.robot.velocity_derivatives(q, v_next, foot).dq for foot in acting], axis=-2)
        by_q = by_q + TAKEN_BACK / self.step_size * self._drift_slopes(J, drift)
        given = np.zeros((*a.shape[:-1], n + J.shape[-2], m))
        given[..., n - m : n, :] = np.eye(m)
        by_state = [-np.concatenate(pair, axis=-2) for pair in ((force.dq, by_q), (force.dv, J))]
        found = np.linalg.solve(self._matrix(M, J), np.concatenate([*by_state, given], axis=-1))
        above, below = (np.split(part, [n, 2 * n], axis=-1) for part in (found[..., :n, :], found[..., n:, :]))
        return Slopes(a, *above), Slopes(wrenches, *below)

    def drifts(self, q: Array) -> Array:
        """How far the feet are from where they should be (..., 6 feet)."""
        return self._constraint(self._terms(q, np.zeros((*q.shape[:-1], self.robot.nv)))[2:])[1]

    def _constraint(self, frames: Any) -> tuple[Array, Array]:
        """J and e."""
        feet = len(self.world_H_feet)
        drifts = []
        for world_H_foot, start in zip(frames[feet:], self.world_H_feet.values(), strict=True):
            turned = rotation_logarithm(rotation_of(world_H_foot) @ transpose(rotation_of(start)))
            drifts += [position_of(world_H_foot) - position_of(start), turned]
        return np.concatenate(frames[:feet], axis=-2), np.concatenate(drifts, axis=-1)

    def _drift_slopes(self, J: Array, drift: Array) -> Array:
        """The derivative of e by the configuration."""
        found = J.copy()
        for k in range(3, drift.shape[-1], 6):
            rows = slice(k, k + 3)
            found[..., rows, :] = rotation_left_jacobian_inverse(drift[..., rows]) @ J[..., rows, :]
        return found

    def _solve(self, M: Array, h: Array, J: Array, drift: Array, v: Array, u: Array) -> tuple[Array, Array]:
        n = self.robot.nv
        force = np.concatenate([np.zeros((*u.shape[:-1], n - u.shape[-1])), u], axis=-1) - h
        wanted = -apply_matrix(J, v) - TAKEN_BACK / self.step_size * drift
        found = np.linalg.solve(self._matrix(M, J), np.concatenate([force, wanted], axis=-1)[..., None])[..., 0]
        return found[..., :n], found[..., n:]

    def _matrix(self, M: Array, J: Array) -> Array:
        zero = np.zeros((*J.shape[:-1], J.shape[-2]))
        upper = np.concatenate([M, -transpose(J)], axis=-1)
        return np.concatenate([upper, np.concatenate([self.step_size * J, zero], axis=-1)], axis=-2)
