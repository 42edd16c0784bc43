"""The flow of a system, and whether state matrices predict what it does to small disturbances."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.experiments.geometric.derivatives import forward_dynamics_derivatives
from floatbase.experiments.geometric.dynamics import forward_dynamics
from floatbase.experiments.geometric.linearization import CHARTS, change_of_chart, state_matrix, trivialized_field
from floatbase.experiments.geometric.quantities import Case
from floatbase.experiments.geometric.system import BASE, State
from floatbase.spatial import twist_cross
from floatbase.spatial.arrays import Array, apply_matrix

COMPLEX_STEP = 1e-30


def flow_errors(c: Case, duration: float, steps: int) -> Array:
    """Of the state transition matrix by the state matrix in each of `CHARTS`, relative to its distance from 1.

    The reference is the flow from states disturbed by complex steps, in the same chart.
    """
    system, tau, size = c.system, c.tau, 2 * (BASE + c.system.joints)

    def field(g: State) -> Array:
        return trivialized_field(system, g, tau)

    nominal = flow(field, c.state, duration, 2 * steps)
    end = flow(field, c.state.moved(1j * COMPLEX_STEP * np.eye(size)), duration, 2 * steps)[-1]
    start = State(*(np.broadcast_to(x, (size, *x.shape)) for x in nominal[-1]))
    Phi = np.imag(start.to(end)).T / COMPLEX_STEP
    accelerations = [forward_dynamics(system, g, tau) for g in nominal]
    D = [forward_dynamics_derivatives(system, g, tau)[0] for g in nominal]
    errors = []
    for chart in CHARTS:
        matrices = [state_matrix(chart, g, a, D_g) for g, a, D_g in zip(nominal, accelerations, D, strict=True)]
        expected = Phi
        if chart in ("tangent", "world"):
            first, last = (change_of_chart(chart, nominal[k], accelerations[k])[0] for k in (0, -1))
            expected = last @ Phi @ np.linalg.inv(first)
        error = np.max(np.abs(transition_matrix(matrices, duration) - expected))
        errors.append(error / np.max(np.abs(expected - np.eye(size))))
    return np.array(errors)


def flow(field: Callable[[State], Array], state: State, duration: float, steps: int) -> list[State]:
    r"""States along a motion: Runge-Kutta-Munthe-Kaas of order four, start included.

    In coordinates $\Omega$ of $g \exp \Omega$ the motion is $\dot\Omega = \mathrm{dexp}^{-1}_{-\Omega} \lambda$, of
    which $\lambda + \frac12 \Omega \times \lambda + \frac1{12} \Omega \times (\Omega \times \lambda)$ is enough here.
    """
    h, states = duration / steps, [state]

    def rate(g: State, omega: Array) -> Array:
        found = np.array(field(g.moved(omega)))
        ad = twist_cross(omega[..., :BASE])
        once = apply_matrix(ad, found[..., :BASE])
        found[..., :BASE] += 0.5 * once + apply_matrix(ad, once) / 12.0
        return found

    for _ in range(steps):
        g = states[-1]
        k1 = rate(g, np.zeros_like(field(g)))
        k2 = rate(g, 0.5 * h * k1)
        k3 = rate(g, 0.5 * h * k2)
        k4 = rate(g, h * k3)
        states.append(g.moved(h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)))
    return states


def transition_matrix(A: list[Array], duration: float) -> Array:
    """The state transition matrix of z' = A(t) z, from A at equal distances and halfway: Runge-Kutta of order four."""
    h, Phi = 2.0 * duration / (len(A) - 1), np.eye(len(A[0]))
    for start, middle, end in zip(A[:-1:2], A[1::2], A[2::2], strict=True):
        k1 = start @ Phi
        k2 = middle @ (Phi + 0.5 * h * k1)
        k3 = middle @ (Phi + 0.5 * h * k2)
        k4 = end @ (Phi + h * k3)
        Phi = Phi + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return Phi
