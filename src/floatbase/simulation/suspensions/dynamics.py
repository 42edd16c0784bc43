r"""Motion of what is suspended: platform, or hook and platform, as free bodies under a suspension.

With the inertias $\Lambda$, the wrenches b of gyration, gravity, the suspension and from outside, and the rows A,

$$ \lambda = -(A \Lambda^{-1} A^\top)^{-1} (A \Lambda^{-1} b + \dot A V + 2 \beta A V + \beta^2 \phi), \qquad
   \dot V = \Lambda^{-1} (b + A^\top \lambda) , $$

where $\beta$ pulls back what has drifted off the constraints (J. Baumgarte, 1972); zero leaves it.
Rothammer 2021, (2.25), (2.26).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from floatbase.compiler import is_symbolic
from floatbase.errors import StateError
from floatbase.simulation.suspensions.suspension import Suspension
from floatbase.spatial.arrays import Array, apply_matrix, require_shape, transpose
from floatbase.spatial.checks import require
from floatbase.spatial.demands import DEMANDS
from floatbase.spatial.groups import Element
from floatbase.spatial.inertias import inertia_matrix
from floatbase.spatial.poses import rotation_of
from floatbase.spatial.rigid_body import GRAVITY
from floatbase.spatial.stacked_bodies import StackedWrenches
from floatbase.spatial.twists import wrench_cross


class SuspendedMotion(NamedTuple):
    """Derivative (..., 6 n) of the body twists, and multipliers (..., rows) of the constraints."""

    acceleration: Array
    multipliers: Array


def suspended_acceleration(
    suspension: Suspension,
    parameters: Array,
    world_H_bodies: Array,
    twists: Array,
    wrenches: Array | None = None,
    gravity: Array = GRAVITY,
    stabilization: Any = 0.0,
) -> SuspendedMotion:
    r"""The motion of bodies with inertial parameters (..., n, 10) about their frames.

    world_H_bodies: (..., n, 4, 4); twists: (..., 6 n); wrenches: (..., 6 n) from outside, in the bodies' frames;
    stabilization: $\beta$ [1/s]. Numbers with leading batch axes, or symbols.
    """
    n = suspension.bodies
    require_shape(parameters, n, 10)
    require_shape(world_H_bodies, n, 4, 4)
    require_shape(twists, 6 * n)
    if not is_symbolic(parameters, world_H_bodies, twists):
        if not (np.isfinite(world_H_bodies).all() and np.isfinite(twists).all()):
            raise StateError("world_H_bodies and twists must be finite, but contain NaN or infinity")
        if np.isrealobj(parameters):
            require("parameters", np.asarray(parameters), DEMANDS["BodyParameters"])
    forces = suspension.wrenches(world_H_bodies, twists)
    forces = forces if wrenches is None else forces + wrenches
    A = suspension.constraint(world_H_bodies)
    free, mobile = [], []
    for k in range(n):
        part = slice(6 * k, 6 * k + 6)
        M, V = inertia_matrix(parameters[..., k, :]), twists[..., part]
        b = forces[..., part] - apply_matrix(wrench_cross(V), apply_matrix(M, V))
        rows = A[..., part]
        right = np.concatenate([b[..., None], transpose(rows) + 0.0 * b[..., None]], axis=-1)
        solved = np.linalg.solve(M, right)
        weight = apply_matrix(transpose(rotation_of(world_H_bodies[..., k, :, :])), np.asanyarray(gravity))
        free.append(solved[..., 0] + np.concatenate([weight, 0.0 * weight], axis=-1))
        mobile.append(solved[..., 1:])
    acceleration, moved = np.concatenate(free, axis=-1), np.concatenate(mobile, axis=-2)
    if not suspension.rows:
        return SuspendedMotion(acceleration, acceleration[..., :0])
    demanded = apply_matrix(A, acceleration) + apply_matrix(suspension.constraint_rate(world_H_bodies, twists), twists)
    drift = 2.0 * apply_matrix(A, twists) + stabilization * suspension.deviation(world_H_bodies)
    multipliers = -np.linalg.solve(A @ moved, (demanded + stabilization * drift)[..., None])[..., 0]
    return SuspendedMotion(acceleration + apply_matrix(moved, multipliers), multipliers)


def suspended_velocity(
    suspension: Suspension, parameters: Array, wrenches: StackedWrenches | None = None, gravity: Array = GRAVITY
) -> Callable[[float, Element], Array]:
    """The velocity (12 n,) of the state (H_1, ..., H_n, V), for steps of integration on `spatial.stacked_group`.

    wrenches: a function of time, poses (n, 4, 4) and twists (6 n,) that gives the wrenches (6 n,) from outside.
    """

    def velocity(time: float, g: Element) -> Array:
        H, V = np.array(g[:-1]), g[-1]
        f = None if wrenches is None else wrenches(time, H, V)
        return np.concatenate([V, suspended_acceleration(suspension, parameters, H, V, f, gravity).acceleration])

    return velocity
