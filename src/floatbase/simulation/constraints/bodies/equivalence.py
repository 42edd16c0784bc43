r"""Four forms of the same system's equations, and how far they are apart.

| form | unknowns | from |
|---|---|---|
| "direct" | $\ddot q$ | Newton and Euler on the motions that are possible (`generalized`) |
| "lagrange" | $\ddot q$ | the energies (`generalized`) |
| "explicit" | $\dot V, \lambda$ | free bodies and constraint wrenches (`motion`) |
| "reduced" | $\dot\nu, \lambda$ | free bodies and a basis of the velocities that are allowed (`decomposition`) |

They are compared by the accelerations $\dot V = J_S \ddot q + \dot J_S \dot q = \dot D_\perp \nu + D_\perp \dot\nu$ of
all bodies. Also $J_S = D_\perp P$ and $\nu = P \dot q$ with $P = D_\perp^\top J_S$, which is invertible wherever the
coordinates are not singular; the long expression (2.46) reduces to this since $A J_S = 0$. Rothammer 2021,
(2.41)-(2.46).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.constraints.bodies.decomposition import (
    decompose,
    reduced_group,
    reduced_motion,
    reduced_state,
    reduced_velocity,
)
from floatbase.simulation.constraints.bodies.generalized import GeneralizedModel
from floatbase.simulation.constraints.bodies.motion import explicit_motion, explicit_velocity
from floatbase.simulation.constraints.bodies.pfaffian import BodySystem
from floatbase.spatial.adaptive_motion import adaptive_motion
from floatbase.spatial.arrays import Array
from floatbase.spatial.groups import vectors
from floatbase.spatial.poses import invert_pose, pose_logarithm
from floatbase.spatial.stacked_bodies import stacked_group

FORMS = ("direct", "lagrange", "explicit", "reduced")
Accelerations = Callable[[Array, Array, Array], Array]  # of q (d,), qd (d,), wrenches (6 n,); (6 n,)


class Equivalence(NamedTuple):
    """The largest deviations over some states, relative to the largest acceleration or multiplier of the state.

    accelerations: between each two forms; multipliers: of the explicit form and the reduced one; constraint: of A times
    the twists of the coordinates; basis: of J_S from D D^T J_S; rank: the least rank of P.
    """

    accelerations: dict[tuple[str, str], float]
    multipliers: float
    constraint: float
    basis: float
    rank: int

    @property
    def largest(self) -> float:
        """The largest deviation between accelerations."""
        return max(self.accelerations.values())


def forms_of(model: GeneralizedModel, system: BodySystem) -> dict[str, Accelerations]:
    """The four forms by name, each as the accelerations of the bodies (6 n,) of q, qd (d,) and wrenches (6 n,)."""
    if model.bodies.n != system.n:
        raise ArgumentError(f"the model has {model.bodies.n} bodies, the system {system.n}; they must be the same")

    def of_coordinates(second: Accelerations) -> Accelerations:
        def accelerations(q: Array, qd: Array, f: Array) -> Array:
            _, J, bent = model.motion(q, qd)
            return J @ second(q, qd, f) + bent

        return accelerations

    def explicit(q: Array, qd: Array, f: Array) -> Array:
        H, J, _ = model.motion(q, qd)
        return explicit_motion(system, H, J @ qd, f).acceleration

    def reduced(q: Array, qd: Array, f: Array) -> Array:
        H, J, _ = model.motion(q, qd)
        D = decompose(system.matrix(H)).perpendicular
        return reduced_motion(system, H, D.T @ J @ qd, f, D).acceleration

    return {
        "direct": of_coordinates(model.direct_acceleration),
        "lagrange": of_coordinates(lambda q, qd, f: model.lagrange_acceleration(q, qd, model.generalized_forces(q, f))),
        "explicit": explicit,
        "reduced": reduced,
    }


def compare_forms(
    forms: Mapping[str, Accelerations], states: Sequence[tuple[Array, Array, Array]]
) -> dict[tuple[str, str], float]:
    """The largest relative deviation between each two forms over states (q, qd, wrenches)."""
    result = dict.fromkeys(combinations(forms, 2), 0.0)
    for state in states:
        found = {name: form(*state) for name, form in forms.items()}
        size = max(1.0, max(float(np.max(np.abs(a))) for a in found.values()))
        for one, two in result:
            apart = float(np.max(np.abs(found[one] - found[two]))) / size
            result[one, two] = max(result[one, two], apart)
    return result


def equivalence(
    model: GeneralizedModel, system: BodySystem, states: Sequence[tuple[Array, Array, Array]]
) -> Equivalence:
    """All comparisons over states: coordinates and their rates (d,), wrenches on the bodies (6 n,)."""
    multipliers = constraint = basis = 0.0
    rank = model.size
    for q, qd, f in states:
        H, J, _ = model.motion(q, qd)
        A = system.matrix(H)
        D = decompose(A).perpendicular
        nu = D.T @ J @ qd
        one = explicit_motion(system, H, J @ qd, f).multipliers
        two = reduced_motion(system, H, nu, f, D).multipliers
        multipliers = max(multipliers, float(np.max(np.abs(one - two))) / max(1.0, float(np.max(np.abs(one)))))
        constraint = max(constraint, float(np.max(np.abs(A @ J @ qd))))
        basis = max(basis, float(np.max(np.abs(J - D @ (D.T @ J)))))
        rank = min(rank, int(np.linalg.matrix_rank(D.T @ J)))
    return Equivalence(compare_forms(forms_of(model, system), states), multipliers, constraint, basis, rank)


def compare_trajectories(
    model: GeneralizedModel,
    system: BodySystem,
    q: Array,
    qd: Array,
    wrenches: Any,
    times: Array,
    tolerance: float = 1e-11,
) -> dict[tuple[str, str], float]:
    """The largest deviation [m, rad] of poses between the coordinates', the explicit and the reduced form's motion.

    q, qd: (d,), at the first of the times (m,); wrenches: (6 n,), constant in the bodies' frames.
    """
    H, J, _ = model.motion(q, qd)
    f, n, d = np.asarray(wrenches), system.n, model.size

    def velocity(time: float, x: Array) -> Array:
        return np.concatenate([x[d:], model.direct_acceleration(x[:d], x[d:], f)])

    def constant(time: float, H: Array, V: Array) -> Array:
        return f

    group = reduced_group(system, decompose(system.matrix(H)).perpendicular.shape[1])
    of_coordinates = adaptive_motion(vectors(2 * d), velocity, times, np.concatenate([q, qd]), tolerance).elements
    explicit = adaptive_motion(
        stacked_group(n), explicit_velocity(system, constant), times, (*H, J @ qd), tolerance
    ).elements
    reduced = adaptive_motion(
        group, reduced_velocity(system, constant), times, reduced_state(system, H, J @ qd), tolerance
    ).elements
    found = {
        "coordinates": [model.motion(x[:d], x[d:])[0] for x in of_coordinates],
        "explicit": [np.array(g[:n]) for g in explicit],
        "reduced": [np.array(g[:n]) for g in reduced],
    }
    result = {}
    for one, two in combinations(found, 2):
        apart = invert_pose(np.array(found[one])) @ np.array(found[two])
        result[one, two] = float(np.max(np.abs(pose_logarithm(apart))))
    return result
