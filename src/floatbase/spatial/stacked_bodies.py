r"""Several rigid bodies as one: poses $H_1 \ldots H_n$, twists $V = (v_1, \ldots, v_n)$ in the bodies' own frames.

$$ \Lambda = \mathrm{blkdiag}(\mathbb M_1, \ldots), \qquad F(V) = \mathrm{blkdiag}(v_1 \times, \ldots), \qquad
   \dot V = \Lambda^{-1} (F^\top \Lambda V + f) + (R_i^\top g,\ 0)_i , $$

with the wrenches $f$ on the bodies in their frames. The state $(H_1, \ldots, H_n, V)$ is an element of a group, so
that every step on groups and `adaptive_motion` integrate it: poses are multiplied, never added.
Rothammer 2021, section 1.2.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.spatial.arrays import Array
from floatbase.spatial.group_motion import repaired_poses
from floatbase.spatial.groups import Element, LieGroup, poses, product, vectors
from floatbase.spatial.inertias import inertia_matrix
from floatbase.spatial.kinds import BodyParameters, Parameters, Pose
from floatbase.spatial.rigid_body import GRAVITY, body_acceleration
from floatbase.spatial.twists import twist_matrix, wrench_cross

StackedState = tuple[Array, ...]  # (H_1, ..., H_n, V)
StackedWrenches = Callable[[float, Array, Array], Array]  # of time, poses (n, 4, 4) and twists (6 n,); (6 n,)


def stacked_group(n: int) -> LieGroup:
    """The group of the states (H_1, ..., H_n, V) of n bodies."""
    if not isinstance(n, int) or n < 1:
        raise ArgumentError(f"n is {n!r}; it must be a number of bodies, at least 1")
    return product(*[poses] * n, vectors(6 * n))


def stacked_inertia(parameters: Parameters) -> Array:
    r"""$\Lambda$ (6 n, 6 n) of bodies with ten parameters each (n, 10)."""
    n = _count(parameters)
    result = np.zeros((6 * n, 6 * n), dtype=np.result_type(np.float16, parameters.dtype))
    for k, M in enumerate(inertia_matrix(parameters)):
        result[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = M
    return result


def stacked_bias(parameters: Parameters, twists: Array) -> Array:
    r"""$-F^\top \Lambda V$ (6 n,): the wrenches of bodies (n, 10) whose twists (6 n,) stay as they are."""
    v = _rows("twists", twists, _count(parameters))
    return (wrench_cross(v) @ inertia_matrix(parameters) @ v[..., None]).ravel()


def stacked_acceleration(
    parameters: BodyParameters, wrenches: Array, world_H_bodies: Pose, twists: Array, gravity: Array = GRAVITY
) -> Array:
    r"""$\dot V$ (6 n,) of bodies (n, 10) at poses (n, 4, 4) under wrenches (6 n,), with twists (6 n,)."""
    n = _count(parameters)
    if world_H_bodies.shape != (n, 4, 4):
        raise ShapeError(
            f"world_H_bodies has shape {world_H_bodies.shape}; there are {n} bodies: it must be ({n}, 4, 4)"
        )
    f, v = _rows("wrenches", wrenches, n), _rows("twists", twists, n)
    return body_acceleration(parameters, f, world_H_bodies, v, gravity).ravel()


def stacked_velocity(
    parameters: BodyParameters, wrenches: StackedWrenches, gravity: Array = GRAVITY
) -> Callable[[float, Element], Array]:
    """The velocity (12 n,) of a state as a function of time and state, for steps of integration and linearisation.

    wrenches: a function of time, poses (n, 4, 4) and twists (6 n,) that gives the wrenches (6 n,) on the bodies.
    """
    _count(parameters)

    def velocity(time: float, g: Element) -> Array:
        world_H_bodies, twists = np.array(g[:-1]), g[-1]
        f = wrenches(time, world_H_bodies, twists)
        return np.concatenate([twists, stacked_acceleration(parameters, f, world_H_bodies, twists, gravity)])

    return velocity


def projected_stacked_step(
    velocity: Callable[[float, Element], Array], time: float, g: StackedState, dt: float
) -> StackedState:
    """The state after a Runge-Kutta step of fourth order on matrices and twists, its rotations made such again.

    velocity: as `stacked_velocity` gives it.
    """
    n = len(g) - 1
    stacked_group(n).check("projected_stacked_step: g", g)
    H, V = np.array(g[:-1]), g[-1]

    def slope(part: float, k: tuple[Array, Array]) -> tuple[Array, Array]:
        there = H + part * k[0]
        rate = velocity(time + part, (*repaired_poses(there), V + part * k[1]))
        return there @ twist_matrix(rate[: 6 * n].reshape(n, 6)), rate[6 * n :]

    k1 = slope(0.0, (0.0 * H, 0.0 * V))
    k2 = slope(0.5 * dt, k1)
    k3 = slope(0.5 * dt, k2)
    k4 = slope(dt, k3)
    H, V = (x + dt / 6.0 * (a + 2.0 * b + 2.0 * c + d) for x, a, b, c, d in zip((H, V), k1, k2, k3, k4, strict=True))
    return (*repaired_poses(H), V)


def _count(parameters: Array) -> int:
    if parameters.ndim != 2 or parameters.shape[1] != 10:
        raise ShapeError(f"parameters has shape {parameters.shape}; it must be (n, 10) for n bodies")
    return int(parameters.shape[0])


def _rows(name: str, x: Array, n: int) -> Array:
    if x.shape != (6 * n,):
        raise ShapeError(f"{name} has shape {x.shape}; there are {n} bodies: it must be ({6 * n},)")
    return x.reshape(n, 6)
