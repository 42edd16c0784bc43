"""The law of the compliant pendulum as printed, and the one that is consistent: linearisation and energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from floatbase.experiments.suspended import published
from floatbase.simulation.suspensions import CompliantPendulum, SpringLaw, suspended_acceleration, suspended_velocity
from floatbase.spatial import (
    adaptive_motion,
    body_kinetic_energy,
    body_potential_energy,
    pose_exponential,
    pose_from,
    pose_right_jacobian_inverse,
    rotation_exponential,
    stacked_group,
)
from floatbase.spatial.arrays import Array
from floatbase.spatial.rigid_body import GRAVITY

PLATFORM = np.array(
    [published.MASS, 0, 0, 0, published.MOMENTS[0], 0, 0, published.MOMENTS[1], 0, published.MOMENTS[2]]
)
DAMPED = CompliantPendulum(
    published.LENGTH, published.STIFFNESS, published.TORSION, published.DAMPING, published.TORSION_DAMPING
)
LAWS: tuple[SpringLaw, ...] = ("printed", "consistent")
SWING = (0.25, 0.12, 0.1)  # rad
SWING_TIME = 1.0  # s


def comparison() -> Mapping[str, Array]:
    """Eigenvalues at rest, energies over an undamped swing, least eigenvalues of the damping, for each law."""
    result = {}
    for law in LAWS:
        damped = replace(DAMPED, law=law)
        found = np.linalg.eigvals(linearization(damped))
        swings = found[found.imag > 0.1]
        swings = swings[np.argsort(swings.imag)]  # the slow and the fast lateral pair, twice each, and the axial one
        result[f"{law} eigenvalues"] = np.stack([swings.real, swings.imag], axis=-1)
        result[f"{law} energy"] = energies(replace(damped, damping=0.0, torsion_damping=0.0))
    return result


def linearization(suspension: CompliantPendulum) -> Array:
    """Derivatives (12, 12) of the rates of pose and twist at rest, by central differences."""
    distance = published.LENGTH - published.MASS * GRAVITY[2] / published.STIFFNESS
    rest = pose_from(np.eye(3), np.array([0.0, 0.0, -distance]))

    def rates(x: Array) -> Array:
        H = rest @ pose_exponential(x[:6])
        turning = pose_right_jacobian_inverse(x[:6]) @ x[6:]
        return np.concatenate(
            [turning, suspended_acceleration(suspension, PLATFORM[None], H[None], x[6:]).acceleration]
        )

    step = 1e-6
    return np.array([(rates(step * e) - rates(-step * e)) / (2.0 * step) for e in np.eye(12)]).T


def energies(suspension: CompliantPendulum) -> Array:
    """The energy at times of a swing (n,), J."""
    R = rotation_exponential(np.array(SWING))
    distance = published.LENGTH - published.MASS * GRAVITY[2] / published.STIFFNESS

    times = np.linspace(0.0, SWING_TIME, 21)
    start = (pose_from(R, -distance * R[:, 2]), np.zeros(6))
    velocity = suspended_velocity(suspension, PLATFORM[None])
    found = adaptive_motion(stacked_group(1), velocity, times, start, 1e-8)
    return np.array(
        [
            body_kinetic_energy(PLATFORM, V) + body_potential_energy(PLATFORM, H) + suspension.energy(H[None])
            for H, V in found.elements
        ]
    )
