"""Derivatives of single laws by everything that they depend on, for symbols: small programs that larger ones call.

Poses change by displacements (..., 6) in the axes of the world (`floatbase.simulation.derivatives`); `values` are the
law's parameters and, behind those of a contact, the ground's; h: (1,) the time of a step.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.compiler.control import subprogram
from floatbase.compiler.differentiate import jacobian
from floatbase.simulation.derivatives import displaced
from floatbase.simulation.laws import ContactLaw, Ground, JointLaw
from floatbase.spatial.arrays import Array, apply_matrix


def contact_slopes(law: ContactLaw, ground: Ground, stiff: bool) -> Callable[..., Array]:
    """Of the wrench that acts in a step, by displacement, twist, its rate, memory and values: (6, 18 + ...).

    The function takes pose, twist, rate of the twist, memory, values and h.
    """

    def slopes(H: Array, twist: Array, change: Array, memory: Array, values: Array, h: Array) -> Array:
        here, below = _with_values(law, ground, values)
        wrench = _acting(here, below, H, twist, change, memory, h, stiff)
        return _by_pose(jacobian(wrench, np.concatenate([H.ravel(), twist, change, memory, values]), "forward"), H)

    return subprogram(slopes)


def contact_memory_slopes(law: ContactLaw, ground: Ground) -> Callable[..., Array]:
    """Of the memory after a step by displacement, twist, memory and values: (memory, 12 + ...).

    The function takes pose, twist, memory, values and h.
    """

    def slopes(H: Array, twist: Array, memory: Array, values: Array, h: Array) -> Array:
        here, below = _with_values(law, ground, values)
        after = here.remember(H, twist, memory, below, h[0])
        return _by_pose(jacobian(after, np.concatenate([H.ravel(), twist, memory, values]), "forward"), H)

    return subprogram(slopes)


def drive_slopes(law: JointLaw, stiff: bool) -> Callable[..., Array]:
    """Of torques and sampled memory by position, rate, its rate, command, memory and values, side by side.

    The function takes those, and h.
    """

    def slopes(s: Array, v: Array, a: Array, command: Array, memory: Array, values: Array, h: Array) -> Array:
        here = law.with_parameters(values)
        sampled = here.sample(command, s, v, memory, h[0])
        torque = here.torque(command, s, v, sampled)
        if stiff:
            D, K = here.damping(command, s, v, sampled), here.stiffness(command, s, v, sampled)
            torque = torque - h * K * v - h * (D + h * K) * a
        given = np.concatenate([s, v, a, command, memory, values])
        return jacobian(np.concatenate([torque, sampled]), given, "forward")

    return subprogram(slopes)


def drive_memory_slopes(law: JointLaw) -> Callable[..., Array]:
    """Of the memory after a step by position, rate, sampled memory, command and values; the function takes those, h."""

    def slopes(s: Array, v: Array, sampled: Array, command: Array, values: Array, h: Array) -> Array:
        after = law.with_parameters(values).remember(command, s, v, sampled, h[0])
        return jacobian(after, np.concatenate([s, v, sampled, command, values]), "forward")

    return subprogram(slopes)


def _acting(
    law: ContactLaw, ground: Ground, H: Array, twist: Array, change: Array, memory: Array, h: Array, stiff: bool
) -> Array:
    """The wrench as `floatbase.simulation.step.Field` has it."""
    wrench = law.wrench(H, twist, memory, ground)
    if not stiff:
        return wrench
    D, K = law.implicit(H, twist, memory, ground)
    wrench = wrench - h * apply_matrix(K, twist)
    presses = np.sum(ground.normal(H[0, 3], H[1, 3]) * wrench[:3]) >= 0.0
    return np.where(presses, wrench - h * apply_matrix(D + h * K, change), 0.0)


def _with_values(law: ContactLaw, ground: Ground, values: Array) -> tuple[ContactLaw, Ground]:
    size = len(law.parameter_names())
    return law.with_parameters(values[:size]), ground.with_parameters(values[size:])


def _by_pose(slopes: Array, H: Array) -> Array:
    """Derivatives by the sixteen entries of a pose as ones by its displacement."""
    moves = np.stack([displaced(H, k).ravel() for k in range(6)], axis=-1)
    return np.concatenate([slopes[:, :16] @ moves, slopes[:, 16:]], axis=-1)
