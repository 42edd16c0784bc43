r"""Bodies in minimal coordinates: direct modelling and Lagrange's equations, from forward kinematics alone.

With coordinates q (d,), poses $H(q)$ and body twists $V = J_S(q)\, \dot q$, both forms lead to
$J_S^\top \Lambda J_S\, \ddot q = \ldots$:

* *direct*: Newton's and Euler's equations of all bodies, $\Lambda (J_S \ddot q + \dot J_S \dot q) = b + f_{sys}$, are
  6 n equations for d unknowns in which reactions appear. Their projection on the motions that are possible is free of
  them, $J_S^\top \Lambda J_S\, \ddot q = J_S^\top (b - \Lambda \dot J_S \dot q)$;
* *Lagrange*: $\frac{d}{dt} \frac{\partial E}{\partial \dot q} - \frac{\partial E}{\partial q} +
  \frac{\partial U}{\partial q} = Q$ with the ordinary derivatives, $E = \tfrac12 V^\top \Lambda V$ and $Q = J_S^\top
  f$.

All derivatives are those of programs, exact. A spring is part of U or of Q, not of both.
Rothammer 2021, chapter 2; its (2.16) is replaced by the equation above, and derivatives with respect to a moving frame,
which cancel there, do not appear.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from floatbase.compiler.dense import solve
from floatbase.compiler.differentiate import gradient, hessian, jvp
from floatbase.compiler.interpreter import interpret
from floatbase.compiler.program import Program
from floatbase.compiler.symbol_arrays import as_symbols, is_symbolic
from floatbase.compiler.tracing import trace
from floatbase.errors import ArgumentError, ShapeError, SimulationError
from floatbase.simulation.constraints.bodies.pfaffian import BodySystem
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import position_of, rotation_of
from floatbase.spatial.rigid_body import GRAVITY


@dataclass(frozen=True, eq=False)
class GeneralizedModel:
    """Bodies whose poses (n, 4, 4) are a function of d coordinates, written for symbols.

    inertial_parameters: (n, 10), in the bodies' frames. potential: an energy besides that of gravity, of the
    coordinates; None for none.
    """

    kinematics: Callable[[Array], Array]
    size: int
    inertial_parameters: Array
    gravity: tuple[float, float, float] = GRAVITY
    potential: Callable[[Array], Any] | None = None

    @cached_property
    def bodies(self) -> BodySystem:
        """The bodies without constraints."""
        return BodySystem(self.inertial_parameters, (), self.gravity)

    @cached_property
    def motion_program(self) -> Program:
        """Program of q, qd (d,): poses, the Jacobian (6 n, d) of the body twists, and its rate times qd (6 n,)."""
        return trace(self._motion, {"q": self.size, "qd": self.size}, "motion")

    @cached_property
    def lagrange_program(self) -> Program:
        r"""Program of q, qd (d,): $\partial^2 E / \partial\dot q^2$ (d, d) and what is left of the equations (d,)."""
        return trace(self._lagrange, {"q": self.size, "qd": self.size}, "lagrange")

    def motion(self, q: Any, qd: Any) -> tuple[Array, Array, Array]:
        """Poses (..., n, 4, 4), Jacobian (..., 6 n, d) and bent acceleration (..., 6 n) at q, qd (..., d)."""
        q, qd = self._checked(q, qd)
        if is_symbolic(q, qd):
            return self._motion(q, qd)
        poses, J, bent = interpret(self.motion_program, *np.broadcast_arrays(q, qd))
        return poses, J, bent

    def direct_acceleration(self, q: Any, qd: Any, wrenches: Any) -> Array:
        """Second derivatives (..., d) of the coordinates under wrenches (..., 6 n) on the bodies, in their frames."""
        poses, J, bent = self.motion(q, qd)
        V = apply_matrix(J, np.asanyarray(qd))
        b = self.bodies.forces(poses, V, np.asanyarray(wrenches))
        M = transpose(J) @ self.bodies.inertia @ J
        right = apply_matrix(transpose(J), b - apply_matrix(self.bodies.inertia, bent))
        return self._solved(M, right - self._slope(q))

    def lagrange_acceleration(self, q: Any, qd: Any, forces: Any) -> Array:
        """The same (..., d) by Lagrange's equations, under generalised forces (..., d)."""
        q, qd = self._checked(q, qd)
        if is_symbolic(q, qd):
            M, rest = self._lagrange(q, qd)
        else:
            M, rest = interpret(self.lagrange_program, *np.broadcast_arrays(q, qd))
        return self._solved(M, np.asanyarray(forces) - rest)

    def generalized_forces(self, q: Any, wrenches: Any) -> Array:
        r"""$Q = J_S^\top f$ (..., d) of wrenches (..., 6 n) on the bodies."""
        q = np.asanyarray(q)
        J = self._jacobian(self._poses(q), q) if is_symbolic(q) else self.motion(q, 0.0 * q)[1]
        return apply_matrix(transpose(J), np.asanyarray(wrenches))

    def _twists(self, H: Array, rate: Array) -> Array:
        """Body twists (6 n,) of poses (n, 4, 4) that change at a rate (n, 4, 4)."""
        parts = []
        for k in range(len(H)):
            back = transpose(rotation_of(H[k]))
            turn = back @ rate[k, :3, :3]
            parts += [*apply_matrix(back, position_of(rate[k])), turn[2, 1], turn[0, 2], turn[1, 0]]
        return as_symbols(parts)

    def _poses(self, q: Array) -> Array:
        H = as_symbols(self.kinematics(q))
        if H.shape != (self.bodies.n, 4, 4):
            raise ArgumentError(
                f"kinematics gives an array of shape {H.shape}; for {self.bodies.n} bodies it must be "
                f"({self.bodies.n}, 4, 4)"
            )
        return H

    def _jacobian(self, H: Array, q: Array) -> Array:
        columns = [self._twists(H, jvp(H, q, unit)) for unit in np.eye(self.size)]
        return as_symbols(np.stack(columns, axis=-1))

    def _motion(self, q: Array, qd: Array) -> tuple[Array, Array, Array]:
        H = self._poses(q)
        J = self._jacobian(H, q)
        return H, J, jvp(J @ qd, q, qd)

    def _lagrange(self, q: Array, qd: Array) -> tuple[Array, Array]:
        H = self._poses(q)
        energy = self.bodies.kinetic_energy(self._twists(H, jvp(H, q, qd)))
        potential = self.bodies.potential_energy(H)
        if self.potential is not None:
            potential = potential + self.potential(q)
        momentum = gradient(energy, qd)
        rest = jvp(momentum, q, qd) - gradient(energy, q) + gradient(potential, q)
        return hessian(energy, qd), rest

    @cached_property
    def _slope_program(self) -> Program:
        return trace(lambda q: gradient(self.potential(q), q), {"q": self.size}, "slope")  # type: ignore[misc]

    def _slope(self, q: Any) -> Array:
        """The derivative (..., d) of the energy besides that of gravity."""
        if self.potential is None:
            return np.zeros(self.size)
        q = np.asanyarray(q)
        return gradient(self.potential(q), q) if is_symbolic(q) else interpret(self._slope_program, q)[0]

    def _checked(self, q: Any, qd: Any) -> tuple[Array, Array]:
        q, qd = np.asanyarray(q), np.asanyarray(qd)
        for name, x in (("q", q), ("qd", qd)):
            if x.shape[-1:] != (self.size,):
                raise ShapeError(
                    f"{name} has shape {x.shape}; the model has {self.size} coordinates: (..., {self.size})"
                )
        return q, qd

    def _solved(self, M: Array, right: Array) -> Array:
        if is_symbolic(M, right):
            return solve(M, right)
        s = np.linalg.svd(M, compute_uv=False)
        if not np.all(s[..., -1] > 1e-14 * s[..., 0]):
            raise SimulationError(
                "the coordinates are singular in this configuration: some of their rates move no body, or the same "
                f"bodies in the same way (singular values of the mass matrix: {np.array2string(s, precision=3)}); "
                "choose other coordinates, or use the bodies' poses and constraints"
            )
        return np.linalg.solve(M, right[..., None])[..., 0]
