"""Extended inverse dynamics and its derivative by joint positions, line by line as Bos 2019 prints them.

Tables 4.1 and 4.3 with the errata: the six sums that one pass of proper accelerations makes unnecessary are kept apart,
and every composite inertia has its derivative by every position.
"""

from __future__ import annotations

import numpy as np

from floatbase.experiments.geometric.derivatives import momentum_matrix
from floatbase.experiments.geometric.system import BASE, State, System
from floatbase.spatial import adjoint, invert_pose, twist_cross, wrench_cross


def extended_inverse_dynamics(system: System, state: State, v_dot: np.ndarray, r_dot: np.ndarray):
    """Table 4.1, and what table 4.3 needs of it."""
    n, parents, G = system.joints, (0, *system.parents), [None, *system.subspaces]
    X, inertias = system.transforms(state.s), system.inertias
    a_r = [-adjoint(invert_pose(state.H)) @ system.gravity]
    v, a_vp, v_J = [state.v], [a_r[0]], [np.zeros(6)]
    for i in range(1, n + 1):
        v_J.append(G[i] * state.r[i - 1])
        v.append(X[i] @ v[parents[i]] + v_J[i])
        c = twist_cross(v[i]) @ v_J[i]
        a_r.append(X[i] @ a_r[parents[i]] + G[i] * r_dot[i - 1] + c)
        a_vp.append(X[i] @ a_vp[parents[i]] + c)
    composite = list(inertias)
    b_c = [inertias[i] @ a_r[i] + wrench_cross(v[i]) @ inertias[i] @ v[i] for i in range(n + 1)]
    b_vp = [inertias[i] @ a_vp[i] + wrench_cross(v[i]) @ inertias[i] @ v[i] for i in range(n + 1)]
    for i in range(n, 0, -1):
        composite[parents[i]] = composite[parents[i]] + X[i].T @ composite[i] @ X[i]
        b_c[parents[i]] = b_c[parents[i]] + X[i].T @ b_c[i]
        b_vp[parents[i]] = b_vp[parents[i]] + X[i].T @ b_vp[i]
    i_a, tau, base = [v_dot], np.zeros(n), composite[0] @ v_dot + b_vp[0]
    for i in range(1, n + 1):
        i_a.append(X[i] @ i_a[parents[i]])
        tau[i - 1] = G[i] @ (composite[i] @ i_a[i] + b_c[i])
        F, j = composite[i] @ G[i], i
        while j > 0:
            F, j = X[j].T @ F, parents[j]
        base = base + F * r_dot[i - 1]
    return np.concatenate([base, tau]), (X, v, v_J, a_r, a_vp, composite, b_c, b_vp, i_a)


def derivative_by_positions(system: System, state: State, v_dot: np.ndarray, r_dot: np.ndarray) -> np.ndarray:
    """Table 4.3."""
    n, parents, G = system.joints, (0, *system.parents), [None, *system.subspaces]
    X, v, v_J, a_r, a_vp, composite, b_c, b_vp, i_a = extended_inverse_dynamics(system, state, v_dot, r_dot)[1]
    dX, inertias = system.transform_derivatives(state.s), system.inertias
    dv, da_r, da_vp, di_a = ([np.zeros((6, n))] for _ in range(4))
    for i in range(1, n + 1):
        p = parents[i]
        for change, value in ((dv, v), (da_r, a_r), (da_vp, a_vp), (di_a, i_a)):
            change.append(X[i] @ change[p])
            change[i][:, i - 1] += dX[i] @ value[p]
        for change in (da_r, da_vp):
            change[i] -= twist_cross(v_J[i]) @ dv[i]
    db_c, db_vp = (
        [
            inertias[i] @ da[i] + (momentum_matrix(inertias[i] @ v[i]) + wrench_cross(v[i]) @ inertias[i]) @ dv[i]
            for i in range(n + 1)
        ]
        for da in (da_r, da_vp)
    )
    d_composite = np.zeros((n + 1, n, 6, 6))
    for i in range(n, 0, -1):
        p = parents[i]
        d_composite[p] += X[i].T @ d_composite[i] @ X[i]
        d_composite[p, i - 1] += dX[i].T @ composite[i] @ X[i] + X[i].T @ composite[i] @ dX[i]
        for change, value in ((db_c, b_c), (db_vp, b_vp)):
            change[p] = change[p] + X[i].T @ change[i]
            change[p][:, i - 1] += dX[i].T @ value[i]
    result = np.zeros((BASE + n, n))
    result[:BASE] = np.stack([d @ v_dot for d in d_composite[0]], axis=-1) + db_vp[0]
    for i in range(1, n + 1):
        by_composite = np.stack([d @ i_a[i] for d in d_composite[i]], axis=-1)
        result[BASE + i - 1] = G[i] @ (by_composite + composite[i] @ di_a[i] + db_c[i])
        dF, F, j = np.stack([d @ G[i] for d in d_composite[i]], axis=-1), composite[i] @ G[i], i
        while j > 0:
            dF = X[j].T @ dF
            dF[:, j - 1] += dX[j].T @ F
            F, j = X[j].T @ F, parents[j]
        result[:BASE] += dF * r_dot[i - 1]
    return result
