r"""Constrained bodies: explicit constraint wrenches, the projector, and what keeps drift away.

With $b = F^\top \Lambda V + f$ (`BodySystem.forces`),

$$ \lambda = -(A \Lambda^{-1} A^\top)^{+} (A \Lambda^{-1} b + \dot A V - \dot w + 2 \alpha (A V - w) + \beta^2 \phi),
   \qquad \dot V = \Lambda^{-1} (b + A^\top \lambda), \qquad
   P = 1 - \Lambda^{-1} A^\top (A \Lambda^{-1} A^\top)^{+} A . $$

The system is solved through the singular values of $S A L^{-\top}$, with $\Lambda = L L^\top$ and rows scaled by S to
unit length, so that ranks do not depend on units: those below 1e-9 of the largest belong to redundant rows. The motion
is unique then, the multipliers are those of least norm (of the scaled rows), and a warning says so. In a program
rows are solved by the proximal iteration of `solvers`. $V \leftarrow P V$ is the velocity nearest in kinetic energy;
poses go back by steps of Gauss and Newton on the group, $H_i \leftarrow H_i \exp(\delta_i)$ with
$\delta = -\Lambda^{-1} A^\top (A \Lambda^{-1} A^\top)^{+} \phi$.

Rothammer 2021, (2.25)-(2.27).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.errors import StateError, warn
from floatbase.simulation.constraints.bodies.pfaffian import BodySystem
from floatbase.simulation.constraints.descent import until_small, worst_row
from floatbase.simulation.constraints.motion import Baumgarte, ConstrainedMotion
from floatbase.simulation.constraints.projections import TOLERANCE, ConstraintErrors
from floatbase.simulation.constraints.solvers import ZERO, solve_rows
from floatbase.simulation.laws import require_not_negative
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.groups import Element
from floatbase.spatial.poses import pose_exponential

RANK_TOLERANCE = 1e-9  # of singular values, relative to the largest


class RedundantConstraintWarning(UserWarning):
    """Rows of constraints depend on one another: their multipliers are not unique."""


def explicit_motion(
    system: BodySystem,
    world_H_bodies: Array,
    twists: Array,
    wrenches: Array,
    baumgarte: Baumgarte | tuple[Any, Any] | None = None,
    time: Any = 0.0,
) -> ConstrainedMotion:
    """Accelerations (..., 6 n) and multipliers (..., c) under wrenches (..., 6 n) on the bodies, in their frames."""
    b = system.forces(world_H_bodies, twists, wrenches)
    A = system.matrix(world_H_bodies)
    bent = apply_matrix(system.rate(world_H_bodies, twists), twists)
    missing = apply_matrix(A, apply_matrix(system.inverse_inertia, b)) + bent
    speed, speed_rate = system.drive(time)
    missing = missing - speed_rate
    if baumgarte is not None:
        alpha, beta = baumgarte
        require_not_negative(alpha=alpha, beta=beta)
        missing = missing + 2.0 * alpha * (apply_matrix(A, twists) - speed)
        missing = missing + beta * beta * system.residual(world_H_bodies)
    multipliers = -solve_mobility(system, A, missing, tell=True)
    pushed = b + apply_matrix(transpose(A), multipliers)
    return ConstrainedMotion(apply_matrix(system.inverse_inertia, pushed), multipliers)


def constraint_wrenches(system: BodySystem, world_H_bodies: Array, multipliers: Array) -> Array:
    r"""$A^\top \lambda$ (..., 6 n): with which wrenches the constraints act on the bodies."""
    return apply_matrix(transpose(system.matrix(world_H_bodies)), multipliers)


def projector(system: BodySystem, world_H_bodies: Array) -> Array:
    """`P` (..., 6 n, 6 n), with P P = P and A P = 0, for states of numbers."""
    A = system.matrix(world_H_bodies)
    columns = [solve_mobility(system, A, A[..., :, k]) for k in range(6 * system.n)]
    return np.eye(6 * system.n) - system.inverse_inertia @ transpose(A) @ np.stack(columns, axis=-1)


def project_twists(system: BodySystem, world_H_bodies: Array, twists: Array, time: Any = 0.0) -> Array:
    """The twists (..., 6 n) that satisfy the constraints and differ from these by the least kinetic energy."""
    A = system.matrix(world_H_bodies)
    impulse = solve_mobility(system, A, apply_matrix(A, twists) - system.drive(time)[0])
    return twists - apply_matrix(system.inverse_inertia @ transpose(A), impulse)


def project_poses(
    system: BodySystem, world_H_bodies: Array, iterations: int | None = None, tolerance: float = 1e-12
) -> Array:
    """Poses (..., n, 4, 4) near these at which all residuals vanish.

    iterations: how many steps are taken; None for as many as residuals below `tolerance` (m, rad) need, at most 30.
    """

    def step(H: Array) -> Array:
        A = system.matrix(H)
        rows = solve_mobility(system, A, system.residual(H))
        return -apply_matrix(system.inverse_inertia @ transpose(A), rows)

    def move(H: Array, change: Array) -> Array:
        moves = [pose_exponential(change[..., 6 * k : 6 * k + 6]) for k in range(system.n)]
        return H @ np.stack(moves, axis=-3)

    if iterations is None:
        return until_small(world_H_bodies, step, move, system.residual, tolerance, system.row_names)
    for _ in range(iterations):
        world_H_bodies = move(world_H_bodies, step(world_H_bodies))
    return world_H_bodies


def body_constraint_errors(
    system: BodySystem, world_H_bodies: Array, twists: Array, time: Any = 0.0
) -> ConstraintErrors:
    """Residuals (..., c) of the poses, and by how much the twists (..., c) violate the rows."""
    speeds = apply_matrix(system.matrix(world_H_bodies), twists) - system.drive(time)[0]
    return ConstraintErrors(system.residual(world_H_bodies), speeds)


def require_consistent_bodies(
    system: BodySystem, world_H_bodies: Array, twists: Array, tolerance: float = TOLERANCE, time: Any = 0.0
) -> None:
    """Raise an error that names the row which a state of numbers violates most, and the residual."""
    errors = body_constraint_errors(system, world_H_bodies, twists, time)
    for what, found, remedy in (
        ("poses", errors.configuration, "project_poses"),
        ("twists", errors.velocity, "project_twists"),
    ):
        row, size = worst_row(found)
        if not size <= tolerance:
            residual = np.array2string(found, precision=6, separator=", ")
            raise StateError(
                f"the {what} violate the constraints: {system.row_names[row]} is off by {size:.6g}, at most "
                f"{tolerance:g} is accepted; all rows: {residual}; {remedy} finds some that satisfy them"
            )


def explicit_velocity(
    system: BodySystem,
    wrenches: Callable[[float, Array, Array], Array],
    baumgarte: Baumgarte | tuple[float, float] | None = None,
) -> Callable[[float, Element], Array]:
    """The velocity (12 n,) of the state (H_1, ..., H_n, V), for steps of integration on `spatial.stacked_group`."""

    def velocity(time: float, g: Element) -> Array:
        H, V = np.array(g[:-1]), g[-1]
        motion = explicit_motion(system, H, V, wrenches(time, H, V), baumgarte, time)
        return np.concatenate([V, motion.acceleration])

    return velocity


def solve_mobility(system: BodySystem, A: Array, right: Array, tell: bool = False) -> Array:
    r"""$(A \Lambda^{-1} A^\top)^{+}$ times a right side (..., c); `tell`: warn where rows are redundant."""
    if A.shape[-2] == 0:
        return right
    if is_symbolic(A, right):
        return solve_rows(A @ system.inverse_inertia @ transpose(A), right)
    G = A @ system.inverse_root
    scales = row_scales(G)
    U, s, _ = np.linalg.svd(scales[..., None] * G, full_matrices=False)
    kept = s > RANK_TOLERANCE * s[..., :1]
    if tell and (A.shape[-2] > s.shape[-1] or not kept.all()):
        rank = int(np.min(np.count_nonzero(kept, axis=-1)))
        warn(
            f"{A.shape[-2] - rank} of {A.shape[-2]} rows of the constraints are redundant: the motion is unique, the "
            "multipliers are those of least norm (diagnose tells which rows depend on one another)",
            RedundantConstraintWarning,
        )
    inverse = np.where(kept, 1.0 / np.where(kept, s, 1.0), 0.0)
    turned = inverse * inverse * apply_matrix(transpose(U), scales * right)
    return scales * apply_matrix(U, turned)


def row_scales(rows: Array) -> Array:
    """The inverse lengths (..., c) of rows (..., c, m); zero for those that are zero but for rounding."""
    lengths = np.sqrt(np.sum(rows * rows, axis=-1))
    moves = lengths > ZERO * np.finfo(rows.dtype).eps * lengths.max(axis=-1, keepdims=True, initial=0.0)
    return np.where(moves, 1.0 / np.where(moves, lengths, 1.0), 0.0)
