"""The five models of the suspension, each with two parameters to be fitted: the mass, and how far it hangs.

All treat platform and arm as one rigid body. Those with a hook have it 2 m below the suspension point. Two cables one
below the other are twice as stiff as the one of the compliant pendulum, which was identified, so that the platform
bounces alike; of the three cables of a hook each has a third of that along the vertical.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.experiments.suspended import published
from floatbase.simulation.suspensions import (
    Cable,
    Cables,
    CompliantDoublePendulum,
    CompliantPendulum,
    RigidDoublePendulum,
    RigidPendulum,
    Suspension,
)
from floatbase.spatial import pose_from
from floatbase.spatial.arrays import Array, vector
from floatbase.spatial.rigid_body import GRAVITY

PARAMETERS = ("mass", "length", "moment of inertia")
IDENTIFIED = np.array([published.MASS, published.LENGTH, published.MOMENTS[0]])
_WEIGHT = -GRAVITY[2]


@dataclass(frozen=True)
class HangingModel:
    """A suspension as a function of its length, and where its bodies are when the platform is at a measured pose."""

    name: str
    suspension: Callable[[Any], Suspension]
    start: Callable[[Any, Array], Array]  # of the length and the platform's pose (4, 4); poses (n, 4, 4)

    @property
    def bodies(self) -> int:
        """One or two."""
        return int(self.suspension(published.LENGTH).bodies)

    def parameters(self, theta: Array) -> Array:
        """Inertial parameters (n, 10) of the bodies, from mass, length and lateral moment of inertia (3,)."""
        mass, moment = theta[..., 0][()], theta[..., 2][()]
        platform = vector([mass, 0, 0, 0, moment, 0, 0, moment, 0, published.MOMENTS[2]], theta)
        if self.bodies == 1:
            return np.stack([platform], axis=-2)
        ball = 0.4 * published.HOOK_MASS * published.HOOK_RADIUS**2
        hook = vector([published.HOOK_MASS, 0, 0, 0, ball, 0, 0, ball, 0, ball], theta)
        return np.stack([hook, platform], axis=-2)


def _rigid_start(length: Any, H: Array) -> Array:
    """On the rod, with the measured attitude."""
    return np.array([_below(H, length)])


def _rigid_double_start(length: Any, H: Array) -> Array:
    """Both rods in one line, with the measured attitude."""
    return np.array([_below(H, published.HOOK_LENGTH), _below(H, length)])


def _soft_start(_length: Any, H: Array) -> Array:
    """As measured."""
    return np.array([H])


def _hooked_start(length: Any, H: Array) -> Array:
    """The platform as measured, the hook between it and the suspension point where it hangs at rest.

    Below a slack cable the hook hangs on its own.
    """
    distance = np.linalg.norm(H[:3, 3])
    z = -H[:3, 3] / distance
    rest = length - published.HOOK_LENGTH + published.MASS * _WEIGHT / (2.0 * published.STIFFNESS)
    alone = published.HOOK_LENGTH + published.HOOK_MASS * _WEIGHT / (2.0 * published.STIFFNESS)
    x = np.cross(H[:3, 1], z)
    x = x / np.linalg.norm(x)
    R = np.stack([x, np.cross(z, x), z], axis=-1)
    return np.array([pose_from(R, -max(alone, distance - rest) * z), H])


def _below(H: Array, length: Any) -> Array:
    return pose_from(H[:3, :3], -length * H[:3, 2])


def _compliant(length: Any) -> Suspension:
    return CompliantPendulum(
        length, published.STIFFNESS, published.TORSION, published.DAMPING, published.TORSION_DAMPING
    )


def _rigid_double(length: Any) -> Suspension:
    return RigidDoublePendulum(published.HOOK_LENGTH, length - published.HOOK_LENGTH)


def _compliant_double(length: Any) -> Suspension:
    return CompliantDoublePendulum(
        published.HOOK_LENGTH,
        length - published.HOOK_LENGTH,
        2.0 * published.STIFFNESS,
        2.0 * published.STIFFNESS,
        published.TORSION,
        2.0 * published.DAMPING,
        published.TORSION_DAMPING,
        2.0 * published.DAMPING,
        published.TORSION_DAMPING,
    )


def _cables(length: Any) -> Suspension:
    height = length - published.HOOK_LENGTH - published.CORNER_HEIGHT
    rest = np.sqrt(height * height + published.CORNER_RADIUS**2)
    steep = published.LENGTH - published.HOOK_LENGTH - published.CORNER_HEIGHT
    share = (1.0 + (published.CORNER_RADIUS / steep) ** 2) / 3.0  # of one inclined cable in the vertical
    nowhere = (0.0, 0.0, 0.0)
    stiffness, damping = 2.0 * published.STIFFNESS, 2.0 * published.DAMPING
    up = Cable(None, 0, nowhere, nowhere, published.HOOK_LENGTH, stiffness, damping)
    turns = 2.0 * np.pi * np.arange(3) / 3.0
    corners = [
        (
            float(published.CORNER_RADIUS * np.cos(turn)),
            float(published.CORNER_RADIUS * np.sin(turn)),
            published.CORNER_HEIGHT,
        )
        for turn in turns
    ]
    down = [Cable(0, 1, nowhere, corner, rest, share * stiffness, share * damping) for corner in corners]
    return Cables((up, *down), 2)


MODELS = (
    HangingModel("rigid", RigidPendulum, _rigid_start),
    HangingModel("compliant", _compliant, _soft_start),
    HangingModel("rigid double", _rigid_double, _rigid_double_start),
    HangingModel("compliant double", _compliant_double, _hooked_start),
    HangingModel("cables", _cables, _hooked_start),
)
