r"""A system with a cost, as `box_ddp.solve` takes it.

With $z = T\, \delta x$ from changes of the system's states to changes on the manifold, and $r_z = (r_q, r_\nu)$, the
expansion of the cost is $l_x = T^\top r_z^\top W r$ and, after Gauss and Newton, $l_{xx} = T^\top r_z^\top W r_z T$.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from floatbase.experiments.optimal_control.box_ddp import Expansion
from floatbase.experiments.optimal_control.costs import Term
from floatbase.experiments.optimal_control.systems import System
from floatbase.spatial.arrays import Array, apply_matrix, transpose


@dataclass(frozen=True)
class Task:
    """From the state `start`, with inputs between `lower` and `upper` (m,)."""

    system: System
    terms: Sequence[Term]
    start: Array
    lower: Array
    upper: Array

    def step(self, x: Array, u: Array) -> Array:
        """The next state."""
        return self.system.step(x, u)

    def sensitivities(self, X: Array, U: Array) -> tuple[Array, Array]:
        """`A` and `B` of the steps from states (N, ...) with inputs (N, m)."""
        return self.system.sensitivities(X, U)

    def difference(self, x: Array, x_other: Array) -> Array:
        """The change that leads from `x` to the other."""
        return self.system.difference(x, x_other)

    def cost(self, X: Array, U: Array) -> float:
        """Of a trajectory."""
        found = 0.0
        for term in self.terms:
            r = term.value(*self._arguments(term, X, U))
            found += 0.5 * float(np.sum(term.weights * r**2))
        return found

    def expansion(self, X: Array, U: Array) -> Expansion:
        """Of the cost of a trajectory."""
        n, m = 2 * self.system.dynamics.robot.nv, U.shape[-1]
        x, u, xx, ux, uu = (np.zeros((len(X), *shape)) for shape in ((n,), (m,), (n, n), (m, n), (m, m)))
        for term in self.terms:
            by = term.slopes(*self._arguments(term, X, U))
            weights, rows = np.broadcast_to(term.weights, by.value.shape), slice(len(by.value))
            r_x, r_u = np.concatenate([by.dq, by.dv], axis=-1), by.du
            W_x, W_u = weights[..., None] * r_x, weights[..., None] * r_u
            x[rows] += apply_matrix(transpose(W_x), by.value)
            xx[rows] += transpose(W_x) @ r_x
            if term.of_inputs:
                u[rows] += apply_matrix(transpose(W_u), by.value)
                ux[rows] += transpose(W_u) @ r_x
                uu[rows] += transpose(W_u) @ r_u
        T = self.system.tangent_map(X)
        return Expansion(apply_matrix(transpose(T), x), u[:-1], transpose(T) @ xx @ T, (ux @ T)[:-1], uu[:-1])

    def _arguments(self, term: Term, X: Array, U: Array) -> tuple[Array, Array, Array]:
        return (*self.system.parts(X[:-1] if term.of_inputs else X), U)
