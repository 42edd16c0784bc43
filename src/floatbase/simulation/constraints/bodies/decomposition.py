r"""Constrained bodies in as many coordinates as they have freedoms: the decomposition of velocities.

Columns of $D_\parallel = A^\top H_\parallel$ are an orthonormal basis of the image of $A^\top$, those of $D_\perp$ of
the kernel of A. On the constraint $V = D_\perp \nu$, and

$$ \lambda = (D_\parallel^\top \Lambda^{-1} A^\top)^{+} (-D_\parallel^\top \Lambda^{-1} b - H_\parallel^\top \dot A V),
   \qquad D_\perp^\top \Lambda D_\perp\, \dot\nu = D_\perp^\top (b - \Lambda \dot D_\perp \nu) . $$

A basis of the kernel is defined up to a rotation, and so is its rate. The one that is transported parallel,

$$ \dot D_\perp = -A^{+} \dot A D_\perp, \qquad D_\perp^\top \dot D_\perp = 0, $$

gives $\dot D_\perp^\top V = 0$ and $\dot\nu = D_\perp^\top \dot V$. From one state to the next a new basis is turned
towards the last one (`aligned_basis`), or the last one is transported and made orthonormal again.

Rothammer 2021, (2.33)-(2.39), whose choice of the rate is completed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError, SimulationError
from floatbase.simulation.constraints.bodies.motion import RANK_TOLERANCE, row_scales
from floatbase.simulation.constraints.bodies.pfaffian import BodySystem
from floatbase.spatial.arrays import Array
from floatbase.spatial.groups import Element, LieGroup, poses, product, vectors


class Decomposition(NamedTuple):
    """`D_parallel` (6 n, r), `D_perp` (6 n, 6 n - r), and `H_parallel` (c, r) with D_parallel = A^T H_parallel."""

    parallel: Array
    perpendicular: Array
    rows: Array


class ReducedMotion(NamedTuple):
    """Rates of the velocities along the basis (d,), accelerations of the bodies (6 n,), and multipliers (c,)."""

    rate: Array
    acceleration: Array
    multipliers: Array


def decompose(A: Array) -> Decomposition:
    """Bases of the image of A^T and of the kernel of A (c, 6 n), rows scaled to unit length for the rank."""
    if A.ndim != 2:
        raise ShapeError(f"A has shape {A.shape}; it must be (c, 6 n)")
    scales = row_scales(A)
    if not scales.any():
        return Decomposition(np.zeros((A.shape[1], 0)), np.eye(A.shape[1]), np.zeros((len(A), 0)))
    U, s, W = np.linalg.svd(scales[:, None] * A)
    r = int(np.count_nonzero(s > RANK_TOLERANCE * s[0]))
    return Decomposition(W[:r].T, W[r:].T, scales[:, None] * U[:, :r] / s[:r])


def aligned_basis(A: Array, previous: Array) -> Array:
    """The basis (6 n, d) of the kernel of A that is nearest to an earlier one (6 n, d), in the sense of Procrustes."""
    D = decompose(A).perpendicular
    if D.shape != previous.shape:
        raise ArgumentError(
            f"previous has shape {previous.shape}; the kernel of A has a basis of shape {D.shape}: the number of "
            "freedoms has changed"
        )
    U, _, W = np.linalg.svd(D.T @ previous)
    return np.asarray(D @ U @ W)


def basis_rate(A: Array, A_rate: Array, basis: Array) -> Array:
    r"""$\dot D_\perp$ (6 n, d) of a basis that is transported parallel, from A, its rate (c, 6 n) and the basis."""
    return np.asarray(-np.linalg.pinv(A, rcond=RANK_TOLERANCE) @ A_rate @ basis)


def reduced_motion(
    system: BodySystem, world_H_bodies: Array, nu: Array, wrenches: Array, basis: Array
) -> ReducedMotion:
    """The motion at the velocities V = D nu along a basis D (6 n, d) of the kernel of A, transported parallel."""
    A = system.matrix(world_H_bodies)
    V = basis @ nu
    A_rate = system.rate(world_H_bodies, V)
    b = system.forces(world_H_bodies, V, wrenches)
    bent = basis_rate(A, A_rate, basis) @ nu
    rate = np.linalg.solve(basis.T @ system.inertia @ basis, basis.T @ (b - system.inertia @ bent))
    parts = decompose(A)
    left = parts.parallel.T @ system.inverse_inertia
    missing = -left @ b - parts.rows.T @ (A_rate @ V)
    multipliers = np.linalg.pinv(left @ A.T, rcond=RANK_TOLERANCE) @ missing
    return ReducedMotion(rate, bent + basis @ rate, multipliers)


def reduced_group(system: BodySystem, freedoms: int) -> LieGroup:
    """The group of the states (H_1, ..., H_n, nu, D), the basis D as a vector (6 n d,)."""
    return product(*[poses] * system.n, vectors(freedoms), vectors(6 * system.n * freedoms))


def reduced_state(system: BodySystem, world_H_bodies: Array, twists: Array) -> tuple[Array, ...]:
    """The state (H_1, ..., H_n, nu, D) of bodies whose twists (6 n,) satisfy the constraints."""
    D = decompose(system.matrix(world_H_bodies)).perpendicular
    return (*world_H_bodies, D.T @ twists, D.ravel())


def reduced_velocity(
    system: BodySystem, wrenches: Callable[[float, Array, Array], Array]
) -> Callable[[float, Element], Array]:
    """The velocity of a state (H_1, ..., H_n, nu, D), for steps of integration on `reduced_group`.

    wrenches: a function of time, poses (n, 4, 4) and twists (6 n,) that gives the wrenches (6 n,).
    """

    def velocity(time: float, g: Element) -> Array:
        H, nu = np.array(g[: system.n]), g[system.n]
        A = system.matrix(H)
        try:
            D = aligned_basis(A, g[system.n + 1].reshape(6 * system.n, -1))
        except ArgumentError as error:
            raise SimulationError(f"the motion cannot be followed beyond t = {time:.6g} s: {error}") from None
        V = D @ nu
        motion = reduced_motion(system, H, nu, wrenches(time, H, V), D)
        turning = basis_rate(A, system.rate(H, V), D)
        return np.concatenate([V, motion.rate, turning.ravel()])

    return velocity
