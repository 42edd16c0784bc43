r"""Motion of a robot under constraints, and the forces with which they act.

With the rows J of all constraints, free acceleration $\dot\nu_0 = M^{-1} (\tau - h)$ and what Baumgarte adds against
drift,

$$ \begin{bmatrix} M & -J^\top \\ J & 0 \end{bmatrix} \begin{bmatrix} \dot\nu \\ \lambda \end{bmatrix} =
   \begin{bmatrix} \tau - h \\ \gamma \end{bmatrix}, \qquad
   \gamma = \dot w - \dot J \nu - 2 \alpha (J \nu - w) - \beta^2 \phi . $$

In the form of multipliers $\lambda = (J M^{-1} J^\top)^{+} (\gamma - J \dot\nu_0)$ and $\dot\nu = \dot\nu_0 + M^{-1}
J^\top \lambda$, with $M^{-1}$ through the factors of M along the branches. In the null-space form, with the projector
$P = 1 - J^{+} J$ on the velocities that are free and $\mu$ of the size of M,

$$ \dot\nu = \dot\nu_p + P y, \quad \dot\nu_p = J^{+} \gamma, \quad
   (P M P + \mu (1 - P))\, y = P (\tau - h - M \dot\nu_p), \quad
   \lambda = (J^{+})^\top (M \dot\nu + h - \tau) . $$

Both are of fixed size, so that they can be traced, and serve rows that depend on one another: the motion is unique
then, the multipliers are those of least norm, row by row scaled with $J M^{-1} J^\top$ or $J J^\top$ (`solvers`).
Rothammer 2021, (2.25), (2.26), (2.33); F. Aghili, "A unified approach for inverse and direct dynamics of constrained
multibody systems based on linear projection operator", IEEE Transactions on Robotics 21(5), 2005; J. Baumgarte,
"Stabilization of constraints and integrals of motion in dynamical systems", 1972.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.bias import bias
from floatbase.algorithms.definiteness import require_definite
from floatbase.algorithms.factorization import Factors, elimination_order, factorize, solve
from floatbase.algorithms.inverse_mass_matrix import mobility_rows
from floatbase.algorithms.mass_matrix import mass_matrix, mass_matrix_rows
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.compiler.dense import cholesky_solve
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import (
    Constraint,
    checked_constraints,
    require_rows,
    stacked_drive,
    stacked_jacobian,
    stacked_rate,
    stacked_residual,
    tree_of,
)
from floatbase.simulation.constraints.solvers import Solver, check_solver, solve_rows
from floatbase.simulation.laws import require_not_negative
from floatbase.spatial.arrays import Array, apply_matrix, components, matrix, transpose, vector


class Baumgarte(NamedTuple):
    """How drift is pulled back [1/s]: `alpha` damps velocities along the constraints, `beta` is the spring's rate."""

    alpha: Any
    beta: Any


class ConstrainedMotion(NamedTuple):
    """Accelerations (..., nv) and multipliers (..., c), in the order of the constraints and their rows."""

    acceleration: Any
    multipliers: Any


@dataclass(frozen=True, eq=False)
class Mobility:
    """How constraints move when they are pushed: J (..., c, nv), the factors of M, and J M^-1 J^T (..., c, c)."""

    jacobian: Array
    factors: Factors
    matrix: Array
    like: tuple[Array, ...]

    def apply_inverse(self, force: Array) -> Array:
        """`M^-1 force` (..., nv)."""
        return vector(solve(self.factors, components(force)), *self.like, force)

    def pushed(self, multipliers: Array) -> Array:
        """`M^-1 J^T multipliers` (..., nv)."""
        return self.apply_inverse(apply_matrix(transpose(self.jacobian), multipliers))


def mobility_of(tree: Tree, q: Array, constraints: Sequence[Constraint], parameters: Any = None) -> Mobility:
    """Jacobian, factors of the mass matrix and mobility of constraints at a configuration q (..., nq)."""
    if not is_symbolic(q):
        require_rows(tree, q, constraints)
    J = stacked_jacobian(tree, q, constraints)
    factors = factorize(mass_matrix_rows(tree, q, parameters), elimination_order(tree))
    require_definite(factors.inverses, parameters)
    like = tuple(x for x in (q, J[..., 0, :], parameters) if x is not None)
    return Mobility(J, factors, matrix(mobility_rows(factors, J), *like), like)


def constrained_acceleration(
    robot: Robot | Tree,
    q: Any,
    v: Any,
    tau: Any,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[Any, Any] | None = None,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    solver: Solver = "proximal",
) -> ConstrainedMotion:
    """Forward dynamics in the form of multipliers, for numbers with leading batch axes or symbols.

    q: (..., nq) configuration; v: (..., nv) velocity; tau: (..., nv) generalised forces; wrenches: frame -> (..., 6),
    from outside; parameters: (..., 10 n_bodies) inertial parameters instead of the robot's; solver: see `solvers`.
    """
    tree, items = tree_of(robot), checked_constraints(constraints)
    q, v, tau, parameters = _arguments(tree, q, v, tau, parameters)
    m = mobility_of(tree, q, items, parameters)
    free = m.apply_inverse(tau - bias(tree, q, v, wrench_arrays(tree, wrenches), parameters))
    gamma = _demanded(tree, q, v, items, m.jacobian, baumgarte)
    multipliers = solve_rows(m.matrix, gamma - apply_matrix(m.jacobian, free), solver)
    return ConstrainedMotion(free + m.pushed(multipliers), multipliers)


def null_space_acceleration(
    robot: Robot | Tree,
    q: Any,
    v: Any,
    tau: Any,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[Any, Any] | None = None,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    solver: Solver = "proximal",
) -> ConstrainedMotion:
    """The same in the null-space form; arguments as for `constrained_acceleration`."""
    check_solver(solver)
    tree, items = tree_of(robot), checked_constraints(constraints)
    q, v, tau, parameters = _arguments(tree, q, v, tau, parameters)
    if not is_symbolic(q):
        require_rows(tree, q, items)
    J = stacked_jacobian(tree, q, items)
    M = mass_matrix(tree, q, parameters)
    force = tau - bias(tree, q, v, wrench_arrays(tree, wrenches), parameters)
    square = J @ transpose(J)
    gamma = _demanded(tree, q, v, items, J, baumgarte)
    particular = apply_matrix(transpose(J), solve_rows(square, gamma, solver))
    columns = [solve_rows(square, J[..., :, k], solver) for k in range(tree.nv)]
    P = np.eye(tree.nv) - transpose(J) @ np.stack(columns, axis=-1)
    size = sum(M[..., k, k] for k in range(tree.nv)) / tree.nv
    inner = P @ M @ P + np.asanyarray(size)[..., None, None] * (np.eye(tree.nv) - P)
    y = _definite_solution(inner, apply_matrix(P, force - apply_matrix(M, particular)))
    acceleration = particular + apply_matrix(P, y)
    missing = apply_matrix(M, acceleration) - force
    return ConstrainedMotion(acceleration, solve_rows(square, apply_matrix(J, missing), solver))


def _arguments(tree: Tree, q: Any, v: Any, tau: Any, parameters: Any) -> tuple[Array, Array, Array, Array | None]:
    found = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    return *found, optional_parameters(tree, parameters)


def _demanded(
    tree: Tree,
    q: Array,
    v: Array,
    constraints: Sequence[Constraint],
    J: Array,
    baumgarte: Baumgarte | tuple[Any, Any] | None,
) -> Array:
    """What J times the acceleration must be."""
    speed, speed_rate = stacked_drive(tree, q, constraints)
    gamma = speed_rate - stacked_rate(tree, q, v, constraints)
    if baumgarte is None:
        return gamma
    alpha, beta = baumgarte
    require_not_negative(alpha=alpha, beta=beta)
    alpha, beta = (np.asanyarray(x)[..., None] for x in (alpha, beta))
    return gamma - 2.0 * alpha * (apply_matrix(J, v) - speed) - beta * beta * stacked_residual(tree, q, constraints)


def _definite_solution(A: Array, b: Array) -> Array:
    if is_symbolic(A, b):
        return cholesky_solve(A, b)
    return np.linalg.solve(A, b[..., None])[..., 0]
