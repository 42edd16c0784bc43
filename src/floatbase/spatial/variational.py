r"""Residuals of the Euler-Poincare and Hamel equations: whether equations of motion belong to a Lagrangian.

For a Lagrangian $l(H, \xi, s, \dot s)$ with the body twist $\xi$ of a pose $H$ and coordinates $s$,

$$ \frac{d}{dt} \frac{\partial l}{\partial \xi} + \xi \bar\times^* \frac{\partial l}{\partial \xi}
   - H^{-1} \frac{\partial l}{\partial H} = f, \qquad
   \frac{d}{dt} \frac{\partial l}{\partial \dot s} - \frac{\partial l}{\partial s} = \tau , $$

where component $i$ of $H^{-1} \partial l / \partial H$ is the derivative of $l(H \exp(\epsilon e_i), \ldots)$.
Derivatives are central differences: this is for checking, not for speed.

Traversaro 2017, appendix A.3-A.5 with errata.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.spatial.arrays import Array
from floatbase.spatial.kinds import Pose
from floatbase.spatial.poses import pose_exponential
from floatbase.spatial.twists import wrench_cross

Lagrangian = Callable[[Array, Array, Array, Array], float]
STEP = 1e-4


def hamel_forces(
    lagrangian: Lagrangian, H: Pose, twist: Array, s: Array, s_dot: Array, twist_rate: Array, s_ddot: Array
) -> tuple[Array, Array]:
    """The wrench (6,) in body axes and the forces (n,) that the Lagrangian's equations need for a motion.

    `lagrangian(H, twist, s, s_dot)`; H: (4, 4); twist, twist_rate: (6,) in body axes; s, s_dot, s_ddot: (n,).
    """
    n = len(s)

    def momentum(time: float) -> Array:
        there = H @ pose_exponential(time * twist + 0.5 * time * time * twist_rate)
        return _slopes(
            lambda d: lagrangian(
                there,
                twist + time * twist_rate + d[:6],
                s + time * s_dot + 0.5 * time * time * s_ddot,
                s_dot + time * s_ddot + d[6:],
            ),
            6 + n,
        )

    rate = (momentum(STEP) - momentum(-STEP)) / (2.0 * STEP)
    potential = _slopes(lambda d: lagrangian(H @ pose_exponential(d[:6]), twist, s + d[6:], s_dot), 6 + n)
    wrench = rate[:6] + wrench_cross(twist) @ momentum(0.0)[:6] - potential[:6]
    return wrench, rate[6:] - potential[6:]


def euler_poincare_wrench(
    lagrangian: Callable[[Array, Array], float], H: Pose, twist: Array, twist_rate: Array
) -> Array:
    """The wrench (6,) that a rigid body's Lagrangian `lagrangian(H, twist)` needs for a motion, in body axes."""
    nothing = np.zeros(0)

    def whole(pose: Array, xi: Array, _s: Array, _s_dot: Array) -> float:
        return lagrangian(pose, xi)

    return hamel_forces(whole, H, twist, nothing, nothing, twist_rate, nothing)[0]


def _slopes(function: Callable[[Array], float], size: int) -> Array:
    return np.array([(function(STEP * unit) - function(-STEP * unit)) / (2.0 * STEP) for unit in np.eye(size)])
