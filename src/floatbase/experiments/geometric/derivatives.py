r"""Left-trivialised derivatives of the extended inverse dynamics and of forward dynamics: Bos 2019, tables 4.2-4.5.

One pass serves all four. With columns $\partial v_i, \partial a_i$ for the directions of a derivative,

$$ \partial v_i = X \partial v_\lambda + e_v, \quad
   \partial a_i = X \partial a_\lambda - v_{J,i} \times \partial v_i + e_a, \quad
   \partial f_i = I \partial a_i + \bar m_i \partial v_i + v_i \bar\times^* I \partial v_i, \quad
   \partial f_\lambda \mathrel{+}= X^\top \partial f_i + e_f, $$

where $\bar m\, u = u \bar\times^* m$ and the columns that joint $i$ adds are, for its own direction,

| by | $\partial v_0$ | $\partial a_0$ | $e_v$ | $e_a$ | $e_f$ |
|---|---|---|---|---|---|
| H, twist in the base held | 0 | $-({}^0X_A g) \times$ | | | |
| H, twist in the world held | $v \times$ | $-({}^0X_A g) \times$ | | | |
| s | 0 | 0 | $X' v_\lambda$ | $X' a_\lambda$ | $X'^\top f_i$ |
| v | 1 | 0 | | | |
| r | 0 | 0 | $\Gamma$ | $v_i \times \Gamma$ | |

The thesis tabulates the second row for H beside a derivative by the twist in the base: together these are the
derivatives of nothing (see `linearization`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floatbase.experiments.geometric.dynamics import Motion, extended_inverse_dynamics, forward_dynamics
from floatbase.experiments.geometric.inverse_mass import inverse_mass_matrix
from floatbase.experiments.geometric.system import BASE, State, System
from floatbase.spatial import twist_cross, wrench_cross
from floatbase.spatial.arrays import Array

Own = Callable[[int], tuple[Array | float, Array | float, Array | float]]


class Derivatives(NamedTuple):
    """By H with the base's twist held fixed in the base (body) or in the world; by s; by v; by r."""

    H_body: Array  # (6 + n, 6)
    H_world: Array  # (6 + n, 6)
    s: Array  # (6 + n, n)
    v: Array  # (6 + n, 6)
    r: Array  # (6 + n, n)


def inverse_dynamics_derivatives(system: System, state: State, motion: Motion) -> Derivatives:
    """Of the extended inverse dynamics; `motion` is what it returned."""
    rates = system.transform_derivatives(state.s)
    parents, none = (0, *system.parents), np.zeros((6, 6))
    falling = -twist_cross(motion.g)

    def position(i: int) -> tuple[Array, Array, Array]:
        v, a = motion.v[parents[i]], motion.a[parents[i]]
        return rates[i] @ v, rates[i] @ a, rates[i].T @ motion.wrench[i]

    def rate(i: int) -> tuple[Array, Array, float]:
        G = system.subspaces[i - 1]
        return G, twist_cross(motion.v[i]) @ G, 0.0

    joints = np.zeros((6, system.joints))
    return Derivatives(
        _columns(system, motion, none, falling),
        _columns(system, motion, twist_cross(state.v), falling),
        _columns(system, motion, joints, joints, position),
        _columns(system, motion, np.eye(6), none),
        _columns(system, motion, joints, joints, rate),
    )


def forward_dynamics_derivatives(system: System, state: State, tau: Array) -> tuple[Derivatives, Array]:
    """Of forward dynamics, (3.53), and that by the joint forces, (6 + n, n)."""
    acceleration = forward_dynamics(system, state, tau)
    motion = extended_inverse_dynamics(system, state, acceleration[:BASE], acceleration[BASE:])[1]
    inverse = inverse_mass_matrix(system, state.s)
    found = inverse_dynamics_derivatives(system, state, motion)
    return Derivatives(*(-inverse @ D for D in found)), inverse[:, BASE:]


def _columns(system: System, motion: Motion, v_base: Array, a_base: Array, own: Own | None = None) -> Array:
    dv, da, df = [v_base], [a_base], []
    for i, parent in enumerate(system.parents, 1):
        e_v, e_a, _ = own(i) if own else (0.0, 0.0, 0.0)
        dv.append(motion.X[i] @ dv[parent])
        if own:
            dv[i][:, i - 1] += e_v
        da.append(motion.X[i] @ da[parent] - twist_cross(motion.v_joint[i]) @ dv[i])
        if own:
            da[i][:, i - 1] += e_a
    for i, inertia in enumerate(system.inertias):
        turning = momentum_matrix(motion.momentum[i]) + wrench_cross(motion.v[i]) @ inertia
        df.append(inertia @ da[i] + turning @ dv[i])
    rows = []
    for i in range(system.joints, 0, -1):
        parent = system.parents[i - 1]
        rows.append(system.subspaces[i - 1] @ df[i])
        df[parent] = df[parent] + motion.X[i].T @ df[i]
        if own:
            df[parent][:, i - 1] += own(i)[2]
    return np.vstack([df[0], *rows[::-1]])


def momentum_matrix(momentum: Array) -> Array:
    r"""The matrix (6, 6) that takes a twist $u$ to $u \bar\times^* m$, which is antisymmetric."""
    return np.stack([wrench_cross(unit) @ momentum for unit in np.eye(6)], axis=-1)
