r"""State matrices of the linearised forward dynamics: in three charts, and as printed.

A state is disturbed to $g \exp(z)$, $z = (z_H, z_s, z_v, z_r)$; with $F_k = -M^{-1} D_k$ the rates of $z$ are

$$ A = \begin{bmatrix} -v\times & 0 & 1 & 0 \\ 0 & 0 & 0 & 1 \\ F_1 & F_2 & F_3 & F_4 \end{bmatrix}, $$

in the body chart, where $F_1$ holds the base's twist in the base fixed, as $F_3$ and the first row do. Bos 2019, (3.20)
and (3.42), has the $F_1$ that holds the twist in the world fixed, which belongs into other charts: with
$b = z_v - v \times z_H$ (tangent group), or $d\,{}^Av = {}^AX_0\, b$ (world), for $z_v$.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from floatbase.experiments.geometric.derivatives import Derivatives
from floatbase.experiments.geometric.dynamics import forward_dynamics
from floatbase.experiments.geometric.system import BASE, State, System
from floatbase.spatial import adjoint, invert_pose, twist_cross
from floatbase.spatial.arrays import Array

Chart = Literal["body", "tangent", "world", "printed"]
CHARTS: tuple[Chart, ...] = ("body", "tangent", "world", "printed")


def state_matrix(chart: Chart, state: State, acceleration: Array, D: Derivatives) -> Array:
    """A (2 n, 2 n) in a chart, from derivatives of forward dynamics at a state, where the acceleration is given."""
    n = state.s.shape[-1]
    b, s, v, r = _places(n)
    A = np.zeros((2 * (BASE + n),) * 2)
    A[b, v] = np.eye(BASE)
    A[s, r] = np.eye(n)
    A[v.start :] = np.hstack([D.H_body if chart == "body" else D.H_world, D.s, D.v, D.r])
    if chart in ("body", "printed"):
        A[b, b] = -twist_cross(state.v)
        return A
    A[v, b] -= twist_cross(acceleration[:BASE])
    if chart == "tangent":
        A[v, v] -= twist_cross(state.v)
    else:
        A_X_0 = adjoint(state.H)
        A[:, v] = A[:, v] @ adjoint(invert_pose(state.H))
        A[v] = A_X_0 @ A[v]
    return A


def change_of_chart(chart: Chart, state: State, acceleration: Array) -> tuple[Array, Array]:
    """T (2 n, 2 n), from the body chart to another, and its rate along the motion."""
    n = state.s.shape[-1]
    b, _, v, _ = _places(n)
    T, T_rate = np.eye(2 * (BASE + n)), np.zeros((2 * (BASE + n),) * 2)
    T[v, b] = -twist_cross(state.v)
    T_rate[v, b] = -twist_cross(acceleration[:BASE])
    if chart == "world":
        A_X_0 = adjoint(state.H)
        T_rate[v] = A_X_0 @ (T_rate[v] + twist_cross(state.v) @ T[v])
        T[v] = A_X_0 @ T[v]
    return T, T_rate


def trivialized_field(system: System, state: State, tau: Array) -> Array:
    """The rate (..., 2 n) of a state in its own tangent space: (v, r, accelerations)."""
    return np.concatenate([state.v, state.r, forward_dynamics(system, state, tau)], axis=-1)


def _places(n: int) -> tuple[slice, slice, slice, slice]:
    """Of z_H, z_s, z_v, z_r."""
    return slice(0, BASE), slice(BASE, BASE + n), slice(BASE + n, 2 * BASE + n), slice(2 * BASE + n, 2 * (BASE + n))
