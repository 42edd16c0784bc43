r"""The spherical pendulum in four forms: a body that hangs by a massless rod of length l from a fixed point S.

The coordinates are $q = (\alpha, \beta, \gamma)$ with ${}^AR_P = R_x(\alpha) R_y(\beta) R_z(\gamma)$; the body's frame
P is at its centre of mass, z towards S, ${}^Pr_{SP} = (0, 0, -l)$. In closed form, about S so that the reaction drops
out,

$$ J_R = \begin{bmatrix} c_\beta c_\gamma & s_\gamma & 0 \\ -c_\beta s_\gamma & c_\gamma & 0 \\ s_\beta & 0 & 1
   \end{bmatrix}, \quad
   \Theta_S = \Theta - m\, (r_{SP}^\wedge)^2, \quad
   \Theta_S \dot\omega = n_S - \omega \times \Theta_S\, \omega, \quad
   \ddot q = J_R^{-1} (\dot\omega - \dot J_R \dot q), $$

with $\omega = J_R \dot q$ and $n_S = n + r_{SP} \times f$ of the wrench (f, n) at P. The coordinates are singular at
$\beta = \pm 90$ degrees, where the rod is horizontal along the world's x axis. The constraint is
$v + r_{SP}^\wedge \omega = 0$, whose matrix is constant; its multiplier is the force of the rod in the body's axes.

Rothammer 2021, (2.50)-(2.65) with errata (an entry of the rate of $J_R$, the sign of the position's Jacobian).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from floatbase.errors import SimulationError
from floatbase.simulation.constraints.bodies.generalized import GeneralizedModel
from floatbase.simulation.constraints.bodies.joints import body_joint
from floatbase.simulation.constraints.bodies.pfaffian import BodySystem
from floatbase.simulation.laws import require_positive
from floatbase.spatial.arrays import Array, apply_matrix, components, matrix, transpose
from floatbase.spatial.inertias import parameters_from_center
from floatbase.spatial.poses import pose_from
from floatbase.spatial.skew import hat

PLATFORM = ((43.95, -4.08, -6.47), (-4.08, 33.02, 1.93), (-6.47, 1.93, 29.08))
SINGULAR = 1e-6  # of the cosine of the second angle


@dataclass(frozen=True)
class SphericalPendulum:
    """Mass [kg], length of the rod [m], inertia about the centre of mass (3, 3), gravity [m/s^2] along -z."""

    mass: float = 35.75
    length: float = 3.0
    tensor: tuple[tuple[float, ...], ...] = PLATFORM
    gravity: float = 9.81

    def __post_init__(self) -> None:
        require_positive(mass=self.mass, length=self.length, gravity=self.gravity)

    @cached_property
    def model(self) -> GeneralizedModel:
        """In the coordinates q, for the direct form and Lagrange's."""
        return GeneralizedModel(lambda q: self.pose(q)[None], 3, self._parameters, self._gravity)

    @cached_property
    def system(self) -> BodySystem:
        """The body and the joint at S, for the explicit and the reduced form."""
        suspension = body_joint(
            "suspension", "spherical", None, 0, None, pose_from(np.eye(3), np.array([0, 0, self.length]))
        )
        return BodySystem(self._parameters, (suspension.constraint,), self._gravity)

    @property
    def _parameters(self) -> Array:
        return parameters_from_center(self.mass, np.zeros(3), np.array(self.tensor))[None]

    @property
    def _gravity(self) -> tuple[float, float, float]:
        return (0.0, 0.0, -self.gravity)

    def rotation(self, q: Any) -> Array:
        """`world_R_body` (..., 3, 3)."""
        (ca, sa), (cb, sb), (cg, sg) = ((np.cos(x), np.sin(x)) for x in components(np.asanyarray(q), 3))
        rows = [
            [cb * cg, -cb * sg, sb],
            [ca * sg + sa * sb * cg, ca * cg - sa * sb * sg, -sa * cb],
            [sa * sg - ca * sb * cg, sa * cg + ca * sb * sg, ca * cb],
        ]
        return matrix(rows, np.asanyarray(q))

    def pose(self, q: Any) -> Array:
        """`world_H_body` (..., 4, 4)."""
        R = self.rotation(q)
        return pose_from(R, -self.length * R[..., :, 2])

    def rate_matrix(self, q: Any) -> Array:
        """`J_R` (..., 3, 3): rates of the coordinates to the angular velocity in the body's axes."""
        _, (cb, sb), (cg, sg) = ((np.cos(x), np.sin(x)) for x in components(np.asanyarray(q), 3))
        return matrix([[cb * cg, sg, 0.0], [-cb * sg, cg, 0.0], [sb, 0.0, 1.0]], np.asanyarray(q))

    def rate_matrix_rate(self, q: Any, qd: Any) -> Array:
        """The derivative (..., 3, 3) of `rate_matrix` along the motion."""
        _, (cb, sb), (cg, sg) = ((np.cos(x), np.sin(x)) for x in components(np.asanyarray(q), 3))
        _, b, g = components(np.asanyarray(qd), 3)
        rows = [
            [-sb * cg * b - cb * sg * g, cg * g, 0.0],
            [sb * sg * b - cb * cg * g, -sg * g, 0.0],
            [cb * b, 0.0, 0.0],
        ]
        return matrix(rows, np.asanyarray(q), np.asanyarray(qd))

    def position_matrix(self, q: Any) -> Array:
        """`J_T` (..., 3, 3): rates of the coordinates to the velocity of the centre of mass, in world axes."""
        (ca, sa), (cb, sb), _ = ((np.cos(x), np.sin(x)) for x in components(np.asanyarray(q), 3))
        rows = [[0.0, -cb, 0.0], [cb * ca, -sb * sa, 0.0], [cb * sa, sb * ca, 0.0]]
        return self.length * matrix(rows, np.asanyarray(q))

    def twist(self, q: Any, qd: Any) -> Array:
        """The body twist (..., 6)."""
        omega = apply_matrix(self.rate_matrix(q), np.asanyarray(qd))
        return np.concatenate([-np.cross(self._arm, omega), omega], axis=-1)

    @property
    def _arm(self) -> Array:
        """`r_SP` (3,) in the body's axes."""
        return np.array([0.0, 0.0, -self.length])

    def acceleration(self, q: Any, qd: Any, wrench: Any) -> Array:
        """Second derivatives (..., 3) of the coordinates, in closed form; wrench (..., 6) at P, gravity apart."""
        q, qd, f = np.asanyarray(q), np.asanyarray(qd), np.asanyarray(wrench)
        weight = self.mass * apply_matrix(transpose(self.rotation(q)), np.array(self._gravity))
        moment = f[..., 3:] + np.cross(self._arm, f[..., :3] + weight)
        arm = hat(self._arm)
        tensor = np.array(self.tensor) - self.mass * arm @ arm
        J = self.rate_matrix(q)
        if J.dtype != object and np.any(np.abs(np.linalg.det(J)) < SINGULAR):
            raise SimulationError(
                "the coordinates of the spherical pendulum are singular where its second angle is a quarter turn, with "
                f"the rod along the world's x axis; q is {np.array2string(q, separator=', ')}: use the pose there"
            )
        omega = apply_matrix(J, qd)
        spin = moment - np.cross(omega, apply_matrix(tensor, omega))
        change = apply_matrix(np.linalg.inv(tensor), spin) - apply_matrix(self.rate_matrix_rate(q, qd), qd)
        return apply_matrix(_inverse_rate_matrix(q), change)


def _inverse_rate_matrix(q: Array) -> Array:
    """The inverse (..., 3, 3) of `rate_matrix`."""
    _, (cb, sb), (cg, sg) = ((np.cos(x), np.sin(x)) for x in components(q, 3))
    return matrix([[cg / cb, -sg / cb, 0.0], [sg, cg, 0.0], [-sb * cg / cb, sb * sg / cb, 1.0]], q)
