r"""Derivatives of what depends on the motion of a frame: of a wrench, by its twist and by its pose.

Poses change by $\delta = (\delta p, \delta\theta)$ in the axes of the world, $p \leftarrow p + \delta p$ and
$R \leftarrow \exp(\delta\theta^\wedge) R$, so that $\dot\delta$ is the mixed twist. Numbers are differentiated by
complex steps (W. Squire and G. Trapp, 1998), which do not cancel; symbols by the rules of differentiation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.compiler import is_symbolic, jacobian, jvp, subprogram
from floatbase.spatial.arrays import Array, zeros
from floatbase.spatial.skew import hat

_STEP = 1e-20  # imaginary; its square is nothing beside 1 in any precision

Function = Callable[..., Array]


def derivative_by_twist(function: Function, pose: Array, twist: Array, *others: Array) -> Array:
    """Derivative (..., n, 6) of `function(pose, twist, *others)` (..., n) by the mixed twist (..., 6)."""
    if is_symbolic(pose, twist, *others):

        def columns(pose: Array, twist: Array, *others: Array) -> Array:
            return jacobian(function(pose, twist, *others), twist, "forward")

        return subprogram(columns)(pose, twist, *others)
    pose = pose + 0j  # of one type, so that what is made like either holds complex numbers
    steps = [function(pose, twist + 1j * _STEP * direction, *others) for direction in np.eye(6)]
    return _columns(steps, twist)


def derivative_by_pose(function: Function, pose: Array, twist: Array, *others: Array) -> Array:
    """Derivative (..., n, 6) of `function(pose, twist, *others)` (..., n) by a displacement of the pose."""
    if is_symbolic(pose, twist, *others):

        def columns(pose: Array, twist: Array, *others: Array) -> Array:
            value = function(pose, twist, *others)
            return np.stack([jvp(value, pose, displaced(pose, k)) for k in range(6)], axis=-1)

        return subprogram(columns)(pose, twist, *others)
    twist = twist + 0j
    steps = [function(pose + 1j * _STEP * displaced(pose, k), twist, *others) for k in range(6)]
    return _columns(steps, pose)


def _columns(steps: list[Array], like: Array) -> Array:
    """The derivatives, in the precision of the numbers."""
    return np.stack([step.imag / _STEP for step in steps], axis=-1).astype(like.dtype)


def displaced(pose: Array, direction: int) -> Array:
    """Rate (..., 4, 4) of a pose that is displaced along one of the six directions."""
    rate = zeros((4, 4), pose[..., 0])
    if direction < 3:
        rate[..., direction, 3] = 1.0
    else:
        rate[..., :3, :3] = hat(np.eye(3)[direction - 3]) @ pose[..., :3, :3]
    return rate
