r"""The recursions of Bos 2019, chapter 4 and appendix E, with the errata: inverse and forward dynamics, mass matrix.

The extended inverse dynamics adds six fictitious forces at the base, so that an inverse dynamics exists,

$$ \bar\tau = M \dot\nu + h, \qquad \dot\nu = (\dot v, \dot r), $$

and forward dynamics is where the six vanish, (3.39)-(3.45). Gravity enters as the acceleration of the base,
$a_0 = \dot v - {}^0X_A g$: the signs of tables 4.1, E.1 and E.5 contradict one another, and this one gives the
published numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from floatbase.experiments.geometric.system import BASE, State, System
from floatbase.spatial import adjoint, invert_pose, twist_cross, wrench_cross
from floatbase.spatial.arrays import Array, apply_matrix, transpose


class Motion(NamedTuple):
    """What the recursion of inverse dynamics passes by: one entry for each body, in its frame."""

    X: list[Array]  # from the parent's frame
    v: list[Array]  # twist
    a: list[Array]  # acceleration, less gravity
    v_joint: list[Array]  # twist across the joint
    momentum: list[Array]
    wrench: list[Array]  # that the joint transmits, or that moves the base
    g: Array  # gravity in the base's frame


def extended_inverse_dynamics(system: System, state: State, v_dot: Array, r_dot: Array) -> tuple[Array, Motion]:
    """Base wrench and joint forces (..., 6 + n) that give the accelerations: table 4.1 in one pass."""
    X = system.transforms(state.s)
    g = apply_matrix(adjoint(invert_pose(state.H)), system.gravity)
    v, a, v_joint = [state.v], [v_dot - g], [np.zeros_like(state.v)]
    for i, parent in enumerate(system.parents, 1):
        G = system.subspaces[i - 1]
        v_joint.append(G * state.r[..., i - 1, None])
        v.append(apply_matrix(X[i], v[parent]) + v_joint[i])
        bias = apply_matrix(twist_cross(v[i]), v_joint[i])
        a.append(apply_matrix(X[i], a[parent]) + G * r_dot[..., i - 1, None] + bias)
    momentum = [apply_matrix(M_i, v_i) for M_i, v_i in zip(system.inertias, v, strict=True)]
    wrench = [
        apply_matrix(M_i, a_i) + apply_matrix(wrench_cross(v_i), m_i)
        for M_i, a_i, v_i, m_i in zip(system.inertias, a, v, momentum, strict=True)
    ]
    forces = []
    for i in range(system.joints, 0, -1):
        forces.append(wrench[i] @ system.subspaces[i - 1])
        parent = system.parents[i - 1]
        wrench[parent] = wrench[parent] + apply_matrix(transpose(X[i]), wrench[i])
    return _joined(wrench[0], forces[::-1]), Motion(X, v, a, v_joint, momentum, wrench, g)


def bias(system: System, state: State) -> Array:
    """The generalised bias force h (..., 6 + n): table E.7."""
    return extended_inverse_dynamics(system, state, np.zeros_like(state.v), np.zeros_like(state.r))[0]


def hybrid_dynamics(system: System, state: State, r_dot: Array) -> tuple[Array, Array]:
    """Base acceleration (..., 6) and joint forces (..., n) for given joint accelerations: table E.2."""
    M = mass_matrix(system, state.s)
    force = extended_inverse_dynamics(system, state, np.zeros_like(state.v), r_dot)[0]
    v_dot = -np.linalg.solve(M[..., :BASE, :BASE], force[..., :BASE, None])[..., 0]
    return v_dot, force[..., BASE:] + apply_matrix(M[..., BASE:, :BASE], v_dot)


def mass_matrix(system: System, s: Array, fixed_base: bool = False) -> Array:
    """M (..., 6 + n, 6 + n), or its part of the joints: tables E.4 and E.3, composites set before the loop."""
    X, n = system.transforms(s), system.joints
    composite = list(system.inertias)
    M = np.zeros((*s.shape[:-1], BASE + n, BASE + n), dtype=s.dtype)
    for i in range(n, 0, -1):
        parent = system.parents[i - 1]
        composite[parent] = composite[parent] + transpose(X[i]) @ composite[i] @ X[i]
    M[..., :BASE, :BASE] = composite[0]
    for i in range(1, n + 1):
        row, j = BASE + i - 1, i
        F = composite[i] @ system.subspaces[i - 1]
        M[..., row, row] = F @ system.subspaces[i - 1]
        while j > 0:
            F, j = apply_matrix(transpose(X[j]), F), system.parents[j - 1]
            if j > 0:
                M[..., row, BASE + j - 1] = M[..., BASE + j - 1, row] = F @ system.subspaces[j - 1]
        M[..., row, :BASE] = M[..., :BASE, row] = F
    return M[..., BASE:, BASE:] if fixed_base else M


def forward_dynamics(system: System, state: State, tau: Array) -> Array:
    """Accelerations (..., 6 + n) of base and joints under joint forces `tau: (..., n)`: table E.6."""
    X, n = system.transforms(state.s), system.joints
    v, c = [state.v], [np.zeros_like(state.v)]
    for i, parent in enumerate(system.parents, 1):
        v_joint = system.subspaces[i - 1] * state.r[..., i - 1, None]
        v.append(apply_matrix(X[i], v[parent]) + v_joint)
        c.append(apply_matrix(twist_cross(v[i]), v_joint))
    articulated = list(system.inertias)
    b = [apply_matrix(wrench_cross(v_i) @ M_i, v_i) for M_i, v_i in zip(system.inertias, v, strict=True)]
    U: list[Array] = [np.zeros(6)] * (n + 1)
    D: list[Array] = [np.zeros(())] * (n + 1)
    u: list[Array] = [np.zeros(())] * (n + 1)
    for i in range(n, 0, -1):
        G, parent = system.subspaces[i - 1], system.parents[i - 1]
        U[i] = articulated[i] @ G
        D[i], u[i] = U[i] @ G, tau[..., i - 1] - b[i] @ G
        rest = articulated[i] - U[i][..., :, None] * U[i][..., None, :] / D[i][..., None, None]
        force = b[i] + apply_matrix(rest, c[i]) + U[i] * (u[i] / D[i])[..., None]
        articulated[parent] = articulated[parent] + transpose(X[i]) @ rest @ X[i]
        b[parent] = b[parent] + apply_matrix(transpose(X[i]), force)
    a = [np.linalg.solve(np.broadcast_to(articulated[0], (*b[0].shape[:-1], 6, 6)), -b[0][..., None])[..., 0]]
    r_dot = []
    for i, parent in enumerate(system.parents, 1):
        carried = apply_matrix(X[i], a[parent]) + c[i]
        r_dot.append((u[i] - np.sum(U[i] * carried, axis=-1)) / D[i])
        a.append(carried + system.subspaces[i - 1] * r_dot[-1][..., None])
    g = apply_matrix(adjoint(invert_pose(state.H)), system.gravity)
    return _joined(a[0] + g, r_dot)


def _joined(base: Array, joints: list[Array]) -> Array:
    return np.concatenate([base, *(entry[..., None] for entry in joints)], axis=-1)
