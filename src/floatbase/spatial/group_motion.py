r"""Steps of integration that stay on a Lie group, and feedback that leads to an element of it.

For $\dot g = g\, \xi(t, g)^\wedge$ a step writes $g = g_0 \exp(x)$ with $\dot x = J_r^{-1}(x)\, \xi$ and takes a
Runge-Kutta step of fourth order in x (H. Munthe-Kaas, 1999), or the velocity half-way: $g_0 \exp(dt\, \xi_{1/2})$. On
matrices $(R, o)$ an ordinary step followed by `nearest_rotation` is available as well.

Towards a reference $g_d$ that moves with $\xi_d$, with the error on the left or on the right,

$$ \xi^* = \xi_d + K \log(g^{-1} g_d) \quad\text{or}\quad \xi^* = \xi_d + K \log(g_d g^{-1}), \qquad
   \dot\xi^* = \dot\xi_d + K_d (\xi_d - \xi) + K_p \log(\cdot) . $$

"left" goes with velocities in body axes, "right" with those in fixed axes. From half a turn away the error jumps, so
convergence is from almost everywhere. Rothammer 2021, section 1.3; Romualdi 2022, (7.1.8), (7.2.11).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.spatial.arrays import Array
from floatbase.spatial.attitudes import nearest_rotation
from floatbase.spatial.groups import Element, LieGroup
from floatbase.spatial.kinds import Pose, Side
from floatbase.spatial.twists import twist_matrix


def runge_kutta_step(
    group: LieGroup, velocity: Callable[[float, Element], Array], time: float, g: Element, dt: float
) -> Element:
    """The element after a step of fourth order; `velocity(time, g)` is left-trivialised (n,)."""

    def slope(moment: float, x: Array) -> Array:
        return np.linalg.solve(group.right_jacobian(x), velocity(moment, group.plus(g, x)))

    k1 = velocity(time, g)
    k2 = slope(time + 0.5 * dt, 0.5 * dt * k1)
    k3 = slope(time + 0.5 * dt, 0.5 * dt * k2)
    k4 = slope(time + dt, dt * k3)
    return group.plus(g, dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))


def midpoint_step(
    group: LieGroup, velocity: Callable[[float, Element], Array], time: float, g: Element, dt: float
) -> Element:
    """The element after a step of second order, with the velocity half-way."""
    half_way = group.plus(g, 0.5 * dt * velocity(time, g))
    return group.plus(g, dt * velocity(time + 0.5 * dt, half_way))


def projected_step(velocity: Callable[[float, Array], Array], time: float, H: Pose, dt: float) -> Array:
    """The pose (4, 4) after a Runge-Kutta step on its matrix, made a rotation again; body twists (6,)."""

    def slope(moment: float, pose: Array) -> Array:
        return pose @ twist_matrix(velocity(moment, repaired_poses(pose)))

    k1 = slope(time, H)
    k2 = slope(time + 0.5 * dt, H + 0.5 * dt * k1)
    k3 = slope(time + 0.5 * dt, H + 0.5 * dt * k2)
    k4 = slope(time + dt, H + dt * k3)
    return repaired_poses(H + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))


def repaired_poses(H: Array) -> Array:
    """Matrices (..., 4, 4) near poses with the rotations nearest to them."""
    result = H.copy()
    result[..., :3, :3] = nearest_rotation(H[..., :3, :3])
    return result


def group_error(group: LieGroup, g: Element, g_desired: Element, side: Side) -> Array:
    """The velocity (n,) that leads to the desired element in unit time, on one side or the other."""
    if side == "left":
        return group.minus(g_desired, g)
    return group.logarithm(group.multiply(g_desired, group.inverse(g)))


def proportional_velocity(
    group: LieGroup, g: Element, g_desired: Element, v_desired: Array, gain: Array, side: Side = "right"
) -> Array:
    """The velocity (n,) towards the desired element; gain: a number or a matrix (n, n)."""
    return v_desired + _times(gain, group_error(group, g, g_desired, side))


def proportional_derivative_acceleration(
    group: LieGroup,
    g: Element,
    v: Array,
    g_desired: Element,
    v_desired: Array,
    a_desired: Array,
    gain: Array,
    damping: Array,
    side: Side = "right",
) -> Array:
    """The derivative (n,) of the velocity towards the desired motion; gains: numbers or matrices (n, n)."""
    error = group_error(group, g, g_desired, side)
    return a_desired + _times(damping, v_desired - v) + _times(gain, error)


def _times(gain: Array, x: Array) -> Array:
    gain = np.asanyarray(gain)
    return gain * x if gain.ndim == 0 else gain @ x
