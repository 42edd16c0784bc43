"""What another library says of a robot at a state, and what that means from another base in another representation.

A peer has coordinates of its own: `v_theirs = P(q) v` for our velocities `v` from the root link in body representation.
`pulled_back` writes a peer's numbers for our velocities, `seen_from` changes base and representation, both by the rules
of a change of variables and with the peer's numbers alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from floatbase import spatial

Array = Any


@dataclass(frozen=True, eq=False)
class Reference:
    """Numbers of one state. Jacobians of links are in body form here, in that asked for after `seen_from`."""

    v: Array
    a: Array
    poses: dict[str, Array]
    jacobians: dict[str, Array]
    drifts: dict[str, Array]
    mass_matrix: Array
    bias: Array
    gravity: Array
    com: Array
    momentum_matrix: Array  # about the centre of mass, world axes
    momentum_drift: Array
    jacobian_rates: dict[str, Array] = field(default_factory=dict)
    regressors: dict[str, Array] = field(default_factory=dict)  # per link, of whatever moves with it
    energies: tuple[float, float] | None = None
    solved: Array = None  # the acceleration under `forces`, and the inverse mass matrix, by the peer's own algorithms
    inverse: Array = None

    @property
    def forces(self) -> Array:
        return self.mass_matrix @ self.a + self.bias


def pulled_back(theirs: Reference, P: Array, P_rate: Array, v: Array, a: Array) -> Reference:
    """For the velocities v and accelerations a with `v_theirs = P v`; `theirs.v` and `theirs.a` are not looked at."""
    rest = P_rate @ v
    names = list(theirs.jacobians)
    return replace(
        theirs,
        v=v,
        a=a,
        jacobians={name: theirs.jacobians[name] @ P for name in names},
        drifts={name: theirs.drifts[name] + theirs.jacobians[name] @ rest for name in names},
        jacobian_rates={
            name: rate @ P + theirs.jacobians[name] @ P_rate for name, rate in theirs.jacobian_rates.items()
        },
        mass_matrix=P.T @ theirs.mass_matrix @ P,
        bias=P.T @ (theirs.bias + theirs.mass_matrix @ rest),
        gravity=P.T @ theirs.gravity,
        momentum_matrix=theirs.momentum_matrix @ P,
        momentum_drift=theirs.momentum_drift + theirs.momentum_matrix @ rest,
        regressors={name: P.T @ Y for name, Y in theirs.regressors.items()},
        **_solved_back(theirs, P, rest),
    )


def _solved_back(theirs: Reference, P: Array, rest: Array) -> dict[str, Array]:
    """Not for joints that follow others, which are free in these algorithms."""
    if theirs.solved is None or P.shape[0] != P.shape[1]:
        return {"solved": None, "inverse": None}
    back = np.linalg.inv(P)
    return {"solved": back @ (theirs.solved - rest), "inverse": back @ theirs.inverse @ back.T}


def seen_from(it: Reference, base: str, representation: Any) -> Reference:
    """With the twist of the link `base`, and all twists and wrenches in `representation`."""
    forms = {name: form_and_rate(representation, it.poses[name], J @ it.v) for name, J in it.jacobians.items()}
    jacobians = {name: forms[name][0] @ J for name, J in it.jacobians.items()}
    drifts = {name: forms[name][0] @ it.drifts[name] + forms[name][1] @ J @ it.v for name, J in it.jacobians.items()}
    rates = {
        name: forms[name][0] @ rate + forms[name][1] @ it.jacobians[name] for name, rate in it.jacobian_rates.items()
    }
    S = np.eye(len(it.v))
    S[:6] = jacobians[base]
    P = np.linalg.inv(S)
    moved = S @ it.a
    moved[:6] += drifts[base]
    P_rate = np.zeros_like(S)
    if rates:
        S_rate = np.zeros_like(S)
        S_rate[:6] = rates[base]
        P_rate = -P @ S_rate @ P
    else:  # its product with v is all that is used then
        P_rate[:, 0] = -P[:, :6] @ drifts[base] / (S @ it.v)[0]
    here = replace(it, jacobians=jacobians, drifts=drifts, jacobian_rates=rates)
    return pulled_back(here, P, P_rate, S @ it.v, moved)


def held(it: Reference) -> Reference:
    """For a base that is held still at the world's origin: the same without the base's velocities."""
    assert not it.v[:6].any() and not it.a[:6].any()
    return replace(
        it,
        v=it.v[6:],
        a=it.a[6:],
        jacobians={name: J[:, 6:] for name, J in it.jacobians.items()},
        jacobian_rates={name: rate[:, 6:] for name, rate in it.jacobian_rates.items()},
        mass_matrix=it.mass_matrix[6:, 6:],
        bias=it.bias[6:],
        gravity=it.gravity[6:],
        momentum_matrix=it.momentum_matrix[:, 6:],
        regressors={name: Y[6:] for name, Y in it.regressors.items()},
        solved=None,  # of a base that moves
        inverse=None,
    )


def form_and_rate(representation: Any, H: Array, body_twist: Array) -> tuple[Array, Array]:
    """`T` with twist = T @ body twist, and its derivative along the motion."""
    T = spatial.representation_matrix(representation, H)
    spin = {"body": np.zeros(6), "inertial": body_twist, "mixed": np.r_[np.zeros(3), body_twist[3:]]}[representation]
    return T, T @ spatial.twist_cross(spin)
