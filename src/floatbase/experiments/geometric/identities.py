r"""What is true of the derivatives of a system that exists, whatever computes them: relative errors of both sides.

With $g_0 = {}^0X_A g$, the columns of the base $M_{:,b}$, and $h - G$ the part of the bias force due to velocities,

| name | identity |
|---|---|
| gravity, ID | $D_1 ID = -M_{:,b}\, g_0 \times$ in the body chart: only gravity sees how the base is turned |
| gravity, FD | $D_1 FD = (g_0 \times, 0)$ |
| charts | $D_1 ID$ in the world chart is that in the body chart plus $D_3 ID\, v \times$ |
| Galilei | $D_3 FD = (-\hat\omega, 0, 0)$ in the columns of linear velocity |
| homogeneity | $D_3 ID\, v + D_4 ID\, r = 2 (h - G)$ at no acceleration |
| power | $\nu^\top (h - G) = \frac12 \nu^\top \dot M \nu$ |
| momentum | $({}^0X_A)^\top M_{b,:}\, \nu$ is constant without gravity |
| rigid body | $F_3$ of one body with its centre of mass at the origin is that of Euler's equations |
| state matrix | $A$ of the body chart is that of the trivialised field, (2.49) |
| tangent, world | $A$ in these charts is $(T A + \dot T) T^{-1}$ |
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floatbase.algorithms.derivatives.differences import quotients
from floatbase.experiments.geometric.derivatives import forward_dynamics_derivatives, inverse_dynamics_derivatives
from floatbase.experiments.geometric.dynamics import extended_inverse_dynamics, forward_dynamics, mass_matrix
from floatbase.experiments.geometric.linearization import change_of_chart, state_matrix, trivialized_field
from floatbase.experiments.geometric.quantities import Case
from floatbase.experiments.geometric.system import BASE, System
from floatbase.spatial import adjoint, hat, invert_pose, twist_cross
from floatbase.spatial.arrays import Array, apply_matrix, transpose

COMPLEX_STEP = 1e-30


def identity_errors(c: Case) -> dict[str, float]:
    """All of them, and that of power with the printed joint origins, which must fail."""
    system, state, v = c.system, c.state, c.state.v
    motion = extended_inverse_dynamics(system, state, c.v_dot, c.r_dot)[1]
    ID = inverse_dynamics_derivatives(system, state, motion)
    FD, _ = forward_dynamics_derivatives(system, state, c.tau)
    by_gravity = twist_cross(motion.g)
    M = mass_matrix(system, state.s)
    expected = np.vstack([by_gravity, np.zeros((system.joints, BASE))])
    galilei = np.vstack([-hat(v[3:]), np.zeros((3 + system.joints, 3))])
    still, at_rest = extended_inverse_dynamics(system, state, np.zeros(BASE), np.zeros(system.joints))
    rest = inverse_dynamics_derivatives(system, state, at_rest)
    return {
        "gravity, ID": relative_error(ID.H_body, -M[:, :BASE] @ by_gravity),
        "gravity, FD": relative_error(FD.H_body, expected),
        "charts": relative_error(ID.H_world, ID.H_body + ID.v @ twist_cross(v)),
        "Galilei": relative_error(FD.v[:, :3], galilei),
        "homogeneity": relative_error(rest.v @ v + rest.r @ state.r, 2.0 * (still + M[:, :BASE] @ motion.g)),
        "power": _power_error(c),
        "power, printed origins": _power_error(c._replace(system=replace(system, printed_origins=True))),
        "momentum": _momentum_error(c),
        "rigid body": _rigid_body_error(c),
        **_state_matrix_errors(c),
    }


def relative_error(actual: Array, expected: Array) -> float:
    """Largest difference over largest entry."""
    return float(np.max(np.abs(actual - expected)) / np.max(np.abs(expected)))


def _power_error(c: Case) -> float:
    """Relative to the powers of all coordinates, which may cancel."""
    system, state = replace(c.system, gravity=np.zeros(6)), c.state
    nu = np.concatenate([state.v, state.r])
    force = extended_inverse_dynamics(system, state, np.zeros(BASE), np.zeros(system.joints))[0]
    M_rate = np.imag(mass_matrix(system, state.s + 1j * COMPLEX_STEP * state.r)) / COMPLEX_STEP
    return float(abs(nu @ force - 0.5 * nu @ M_rate @ nu) / (np.abs(nu) @ np.abs(force)))


def _momentum_error(c: Case) -> float:
    """Rate of the momentum in the world over the largest of the rates that must cancel in it."""
    system = replace(c.system, gravity=np.zeros(6))

    def momentum(z: Array) -> Array:
        state = c.state.moved(z)
        nu = np.concatenate([state.v, state.r], axis=-1)
        base = apply_matrix(mass_matrix(system, state.s)[..., :BASE, :], nu)
        return apply_matrix(transpose(adjoint(invert_pose(state.H))), base)

    field = trivialized_field(system, c.state, c.tau)
    parts = quotients(momentum, field, len(field), "complex", batched=True) * field
    return float(np.max(np.abs(parts.sum(axis=-1))) / np.max(np.abs(parts)))


def _rigid_body_error(c: Case) -> float:
    inertia = np.array(c.system.inertias[0])
    inertia[:3, 3:] = inertia[3:, :3] = 0.0  # the centre of mass at the origin
    J, w, v = inertia[3:, 3:], c.state.v[3:], c.state.v[:3]
    body = System((), np.zeros((0, 6)), np.zeros((0, 6, 6)), inertia[None], c.system.gravity)
    state = c.state._replace(s=np.zeros(0), r=np.zeros(0))
    D, _ = forward_dynamics_derivatives(body, state, np.zeros(0))
    angular = np.linalg.solve(J, hat(J @ w) - hat(w) @ J)
    expected = np.block([[-hat(w), hat(v)], [np.zeros((3, 3)), angular]])
    g = adjoint(invert_pose(state.H)) @ c.system.gravity
    euler = np.concatenate([g[:3] - np.cross(w, v), np.linalg.solve(J, -np.cross(w, J @ w))])
    return max(relative_error(D.v, expected), relative_error(forward_dynamics(body, state, np.zeros(0)), euler))


def _state_matrix_errors(c: Case) -> dict[str, float]:
    system, state, size = c.system, c.state, 2 * (BASE + c.system.joints)
    acceleration = np.concatenate([c.v_dot, c.r_dot])
    FD, _ = forward_dynamics_derivatives(system, state, c.tau)
    A = state_matrix("body", state, acceleration, FD)
    expected = quotients(
        lambda z: trivialized_field(system, state.moved(z), c.tau), state.s, size, "complex", batched=True
    )
    expected[:BASE, :BASE] -= twist_cross(state.v)
    found = {"state matrix": relative_error(A, expected)}
    for chart in ("tangent", "world"):
        T, T_rate = change_of_chart(chart, state, acceleration)
        changed = (T @ A + T_rate) @ np.linalg.inv(T)
        found[chart] = relative_error(state_matrix(chart, state, acceleration, FD), changed)
    return found
