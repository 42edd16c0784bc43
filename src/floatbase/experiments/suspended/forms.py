r"""A platform on a rod as four models of the same motion: see `floatbase.simulation.constraints.bodies.equivalence`.

To these comes the motion by `RigidPendulum`, whose rows are printed in another place. The body is that of Rothammer
2021, table 5.2; what happens to it is ours.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from floatbase.simulation.constraints.bodies import (
    SphericalPendulum,
    compare_forms,
    compare_trajectories,
    equivalence,
    forms_of,
)
from floatbase.simulation.suspensions import RigidPendulum, suspended_acceleration
from floatbase.spatial import adaptive_motion
from floatbase.spatial.arrays import Array, apply_matrix
from floatbase.spatial.groups import vectors

FORMS = ("direct", "lagrange", "explicit", "reduced", "suspension")
Q, V, PUSH = np.array([0.3, -0.4, 0.5]), np.array([0.2, -0.1, 0.7]), np.array([5.0, -3.0, 2.0, 1.0, -2.0, 0.5])
MOTION_TIME = 5.0  # s
STEEPEST = np.deg2rad(80.0)  # of the second angle: at a quarter turn angles are no coordinates
TOLERANCE = 1e-10

_PENDULUM = SphericalPendulum()
_ROD = RigidPendulum(_PENDULUM.length)
_BODY = _PENDULUM.system.inertial_parameters


def suspension_acceleration(q: Array, v: Array, f: Array) -> Array:
    """The derivative of the body twist (6,) by the rows of `RigidPendulum`."""
    return suspended_acceleration(_ROD, _BODY, _PENDULUM.pose(q)[None], _PENDULUM.twist(q, v), f).acceleration


def worked_example() -> Mapping[str, Array]:
    """Accelerations of the angles (5, 3) in all forms, and the rod's force (3,)."""
    forms = {**forms_of(_PENDULUM.model, _PENDULUM.system), "suspension": suspension_acceleration}
    found = []
    for form in FORMS:
        turning = forms[form](Q, V, PUSH)[3:] - apply_matrix(_PENDULUM.rate_matrix_rate(Q, V), V)
        found.append(np.linalg.solve(_PENDULUM.rate_matrix(Q), turning))
    state = _PENDULUM.pose(Q)[None], _PENDULUM.twist(Q, V)
    force = suspended_acceleration(_ROD, _BODY, *state, PUSH).multipliers
    return {"example": np.array(found), "rod force": force}


def random_states(seed: int, draws: int) -> Mapping[str, Array]:
    """The largest differences from the explicit form (5,), and what else the forms must agree in (3,)."""
    rng = np.random.default_rng([seed, draws])
    q = rng.uniform(-np.pi, np.pi, (draws, 3))
    q[:, 1] *= STEEPEST / np.pi
    states = list(zip(q, rng.uniform(-2.0, 2.0, (draws, 3)), rng.uniform(-100.0, 100.0, (draws, 6)), strict=True))
    forms = {**forms_of(_PENDULUM.model, _PENDULUM.system), "suspension": suspension_acceleration}
    apart = compare_forms(forms, states)
    largest = [max(error for pair, error in apart.items() if form in pair) for form in FORMS]
    found = equivalence(_PENDULUM.model, _PENDULUM.system, states)
    return {
        "differences": np.array(largest),
        "identities": np.array([found.multipliers, found.constraint, found.basis]),
    }


def motion() -> Mapping[str, Array]:
    """The example's motion: where it ends, and the largest deviation of poses of three forms, rad, m."""
    times = np.array([0.0, MOTION_TIME])

    def velocity(_time: float, x: Array) -> Array:
        return np.concatenate([x[3:], _PENDULUM.acceleration(x[:3], x[3:], PUSH)])

    end = adaptive_motion(vectors(6), velocity, times, np.concatenate([Q, V]), TOLERANCE).elements[-1]
    apart = compare_trajectories(_PENDULUM.model, _PENDULUM.system, Q, V, PUSH, times, TOLERANCE)
    return {"end": end[:3], "place": _PENDULUM.pose(end[:3])[:3, 3], "deviation": np.array(max(apart.values()))}
