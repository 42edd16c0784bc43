r"""Robots in discrete time, their states on the manifold.

States are moved by changes $z = (\delta, \epsilon)$, of the configuration as `integrate` moves it and of the velocity,
and a step takes them to $A z + B\, du$. A robot that flies is moved by `Robot.step`, by Runge and Kutta's method of
fourth order on the group, with the exact $A$ and $B$ of `Robot.step_derivatives`. Where the acceleration depends on
the step, as that of a robot on its feet does, a step is semi-implicit,
$\nu_{k+1} = \nu_k + h\, \dot\nu(q_k, \nu_k, u_k)$ and then $q_{k+1} = q_k \oplus h\, \nu_{k+1}$; with the
derivatives $D_q$, $D_v$ of `integrate`,

$$ A = \begin{bmatrix} D_q + D_v\, h \dot\nu_q & D_v\, (1 + h \dot\nu_\nu) \\ h \dot\nu_q & 1 + h \dot\nu_\nu
   \end{bmatrix}, \qquad B = \begin{bmatrix} D_v\, h \dot\nu_u \\ h \dot\nu_u \end{bmatrix} . $$

Both are derivatives of the step, not steps of the linearised motion.
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
    """How inputs accelerate and move a robot, in its representation."""

    @property
    def robot(self) -> Robot:
        """The robot."""
        ...

    @property
    def step_size(self) -> float:
        """In s."""
        ...

    @property
    def method(self) -> str:
        """How steps are made, as in `Robot.step`: "rk4" or "semi-implicit"."""
        ...

    def acceleration(self, q: Array, v: Array, u: Array) -> Array:
        """Of one state, or of N."""
        ...

    def slopes(self, q: Array, v: Array, u: Array) -> Slopes:
        """The accelerations of N states."""
        ...

    def step(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """The next state."""
        ...

    def sensitivities(self, q: Array, v: Array, u: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps from N states."""
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
        return self.state(*self.dynamics.step(*self.parts(x), u))

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
        return self.dynamics.sensitivities(*self.parts(X), U)

    def tangent_map(self, X: Array) -> Array:
        """They are changes on the manifold already."""
        n = 2 * self.dynamics.robot.nv
        return np.broadcast_to(np.eye(n), (len(X), n, n))


def semi_implicit(by: Slopes, h: float, start: Array, moving: Array) -> tuple[Array, Array]:
    """`A` and `B` of a step from the derivatives of where it leads, by where it starts and by the velocity."""
    v_q, v_v, v_u = h * by.dq, np.eye(by.dv.shape[-1]) + h * by.dv, h * by.du
    upper = np.concatenate([start + moving @ v_q, moving @ v_v], axis=-1)
    A = np.concatenate([upper, np.concatenate([v_q, v_v], axis=-1)], axis=-2)
    return A, np.concatenate([moving @ v_u, v_u], axis=-2)
