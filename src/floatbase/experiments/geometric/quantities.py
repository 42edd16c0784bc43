"""The eight matrices of Bos 2019, chapter 5, by the recursions and by difference quotients, and their errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floatbase.algorithms.derivatives.differences import Deviation, Method, deviation, quotients
from floatbase.experiments.geometric.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from floatbase.experiments.geometric.dynamics import (
    extended_inverse_dynamics,
    forward_dynamics,
    hybrid_dynamics,
    mass_matrix,
)
from floatbase.experiments.geometric.inverse_mass import inverse_mass_matrix
from floatbase.experiments.geometric.system import BASE, State, System
from floatbase.spatial import adjoint, pose_exponential
from floatbase.spatial.arrays import Array, apply_matrix

QUANTITIES = tuple(f"D{k} {dynamics}" for dynamics in ("ID", "FD") for k in (1, 2, 3, 4))


class Case(NamedTuple):
    """A system at a state with consistent accelerations and joint forces."""

    system: System
    state: State
    v_dot: Array
    r_dot: Array
    tau: Array


def case(system: System, state: State, r_dot: Array) -> Case:
    """Base acceleration and joint forces belong to the joint accelerations, as in the thesis."""
    v_dot, tau = hybrid_dynamics(system, state, r_dot)
    return Case(system, state, v_dot, r_dot, tau)


def derivatives(c: Case) -> dict[str, Array]:
    """By the recursions; those by H hold the base's twist in world axes fixed, as the thesis does."""
    motion = extended_inverse_dynamics(c.system, c.state, c.v_dot, c.r_dot)[1]
    ID = inverse_dynamics_derivatives(c.system, c.state, motion)
    FD, _ = forward_dynamics_derivatives(c.system, c.state, c.tau)
    found = [D for part in (ID, FD) for D in (part.H_world, part.s, part.v, part.r)]
    return dict(zip(QUANTITIES, found, strict=True))


def difference_quotients(c: Case, method: Method, step: float | None = None) -> dict[str, Array]:
    """By (5.5)-(5.8) and (5.29)-(5.32), or by central differences or complex steps."""

    def inverse(state: State) -> Array:
        return extended_inverse_dynamics(c.system, state, c.v_dot, c.r_dot)[0]

    def forward(state: State) -> Array:
        return forward_dynamics(c.system, state, c.tau)

    found = []
    for function in (inverse, forward):
        for place, size in zip("HSVR", (BASE, c.system.joints) * 2, strict=True):
            moved = _moving(c.state, place, function)
            found.append(quotients(moved, c.state.s, size, method, step, batched=True))
    return dict(zip(QUANTITIES, found, strict=True))


def derivative_errors(c: Case, *methods: tuple[Method, float | None]) -> Array:
    """Largest and mean error of the eight matrices (methods, 8, 2), as (5.9) and (5.10) define them."""
    ours = derivatives(c)
    found = []
    for method, step in methods:
        theirs = difference_quotients(c, method, step)
        found.append([deviation(ours[name], theirs[name]) for name in QUANTITIES])
    return np.array(found)


def inverse_errors(system: System, s: Array) -> Array:
    """The same for the inverse mass matrix (2, 2), fixed base first, against the inverted mass matrix."""
    return np.array([inverse_error(system, s, fixed_base=True), inverse_error(system, s)])


def inverse_error(system: System, s: Array, fixed_base: bool = False, faulty: bool = False) -> Deviation:
    """Of one of the two, or of the faulty algorithm."""
    factor = np.linalg.inv(np.linalg.cholesky(mass_matrix(system, s, fixed_base)))
    return deviation(factor.T @ factor, inverse_mass_matrix(system, s, fixed_base, faulty))


def _moving(state: State, place: str, function: Callable[[State], Array]) -> Callable[[Array], Array]:
    """A function of the state as one of a tangent vector: of H, s, v or r."""
    n = state.s.shape[-1]
    start = {"H": 0, "S": BASE, "V": BASE + n, "R": 2 * BASE + n}[place]

    def moved(z: Array) -> Array:
        whole = np.zeros((*z.shape[:-1], 2 * (BASE + n)), dtype=z.dtype)
        whole[..., start : start + z.shape[-1]] = z
        after = state.moved(whole)
        if place == "H":  # the twist in world axes stays
            after = after._replace(v=apply_matrix(adjoint(pose_exponential(-z)), state.v))
        return function(after)

    return moved
