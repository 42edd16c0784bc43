r"""Robots in discrete time, their states on the manifold.

A step of length $h$ is semi-implicit Euler, $\nu_{k+1} = \nu_k + h\, \dot\nu(q_k, \nu_k, u_k)$ and then
$q_{k+1} = q_k \oplus h\, \nu_{k+1}$ with $\oplus$ as `integrate` moves configurations. With the derivatives $D_q$,
$D_v$ of `integrate`, a change $z = (\delta, \epsilon)$ of a state becomes $A z + B\, du$,

$$ A = \begin{bmatrix} D_q + D_v\, h \dot\nu_q & D_v\, (1 + h \dot\nu_\nu) \\ h \dot\nu_q & 1 + h \dot\nu_\nu
   \end{bmatrix}, \qquad B = \begin{bmatrix} D_v\, h \dot\nu_u \\ h \dot\nu_u \end{bmatrix}, $$

which is exact: it is the derivative of the step, not a step of the linearised motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from floatbase.robot import Robot
from floatbase.spatial.arrays import Array


class Slopes(NamedTuple):
    """Values (N, k) and their derivatives by changes of configuration, velocity and inputs (N, k, ...)."""

    value: Array
    dq: Array
    dv: Array
    du: Array


class Dynamics(Protocol):
    """How inputs accelerate a robot, in its representation, and the length of a step."""

    @property
    def robot(self) -> Robot:
        """The robot."""
        ...

    @property
    def step_size(self) -> float:
        """In s."""
        ...

    def acceleration(self, q: Array, v: Array, u: Array) -> Array:
        """Of one state, or of N."""
        ...

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """The accelerations of N states."""
        ...


class System(Protocol):
    """States (..., n) of some kind, and how they move."""

    @property
    def dynamics(self) -> Dynamics:
        """What accelerates the robot."""
        ...

    def state(self, q: Array, v: Array) -> Array:
        """From a configuration and a velocity."""
        ...

    def parts(self, x: Array) -> tuple[Array, Array]:
        """The configuration and the velocity."""
        ...

    def step(self, x: Array, u: Array) -> Array:
        """The next state."""
        ...

    def move(self, x: Array, z: Array) -> Array:
        """A state changed by z (..., 2 nv)."""
        ...

    def difference(self, x: Array, x_other: Array) -> Array:
        """The change that leads from `x` to the other."""
        ...

    def sensitivities(self, X: Array, U: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps from states (N, ...) with inputs (N, m)."""
        ...

    def tangent_map(self, X: Array) -> Array:
        """From changes of these states to changes on the manifold (N, 2 nv, 2 nv)."""
        ...


@dataclass(frozen=True)
class OnManifold:
    """States (q, v)."""

    dynamics: Dynamics

    def state(self, q: Array, v: Array) -> Array:
        """From a configuration and a velocity."""
        return np.concatenate([q, v], axis=-1)

    def parts(self, x: Array) -> tuple[Array, Array]:
        """The configuration and the velocity."""
        nq = self.dynamics.robot.nq
        return x[..., :nq], x[..., nq:]

    def step(self, x: Array, u: Array) -> Array:
        """The next state."""
        q, v = self.parts(x)
        v = v + self.dynamics.step_size * self.dynamics.acceleration(q, v, u)
        return self.state(self.dynamics.robot.integrate(q, v, self.dynamics.step_size), v)

    def move(self, x: Array, z: Array) -> Array:
        """A state changed by z (..., 2 nv)."""
        q, v = self.parts(x)
        nv = self.dynamics.robot.nv
        return self.state(self.dynamics.robot.integrate(q, z[..., :nv]), v + z[..., nv:])

    def difference(self, x: Array, x_other: Array) -> Array:
        """The change that leads from `x` to the other."""
        (q, v), (q_other, v_other) = self.parts(x), self.parts(x_other)
        return np.concatenate([self.dynamics.robot.difference(q, q_other), v_other - v], axis=-1)

    def sensitivities(self, X: Array, U: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps."""
        q, v = self.parts(X)
        h, by = self.dynamics.step_size, self.dynamics.slopes(q, v, U)
        moved = self.dynamics.robot.integrate_derivatives(q, v + h * by.value, h)
        return semi_implicit(by, h, moved.dq, moved.dv)

    def tangent_map(self, X: Array) -> Array:
        """They are changes on the manifold already."""
        n = 2 * self.dynamics.robot.nv
        return np.broadcast_to(np.eye(n), (len(X), n, n))


def semi_implicit(by: Slopes, h: float, start: Array, moving: Array) -> tuple[Array, Array]:
    """`A` and `B` from the derivatives of the configuration reached by where it starts and by the velocity."""
    v_q, v_v, v_u = h * by.dq, np.eye(by.dv.shape[-1]) + h * by.dv, h * by.du
    upper = np.concatenate([start + moving @ v_q, moving @ v_v], axis=-1)
    A = np.concatenate([upper, np.concatenate([v_q, v_v], axis=-1)], axis=-2)
    return A, np.concatenate([moving @ v_u, v_u], axis=-2)
