r"""The wrench of a rectangular sole on visco-elastic ground, in closed form; how it changes; its linearisation.

A sole of length $l$ along $r_1 = R e_1$ and width $w$ along $r_2 = R e_2$, with its centre at $o$, touched the ground
with its centre at $\bar o$ and its axes along $\bar r_i = \bar R e_i$. Each of its points is held to where it touched
down by a spring and a damper, $\rho = k (\bar x - x) - b \dot x$ per area of the sole's projection on the ground,
whose normal is $n$. The integrals over the rectangle are

$$ f = A\, [k (\bar o - o) - b\, \dot o], \qquad A = l w\, |n \cdot r_3|, $$
$$ \mu = \frac{A}{12} \bigl\{ l^2\, r_1 \times [b\, (r_1 \times \omega) + k\, \bar r_1]
   + w^2\, r_2 \times [b\, (r_2 \times \omega) + k\, \bar r_2] \bigr\} $$

about $o$, in the axes of the world: (8.1.6), (8.1.7) of Romualdi 2022 with $n = e_3$; its appendix prints (B.1.5)
without $A$ and (B.2.7c) with $lw / l^2$ for $lw / 12$. With $\dot r_i = \omega \times r_i$ and $\dot A = l w\,
\mathrm{sign}(n \cdot r_3)\, n \cdot \dot r_3$, the wrench changes by $\dot{\mathrm f} = h + g\, \dot{\mathrm v}$ for
the mixed acceleration $\dot{\mathrm v} = (\ddot o, \dot\omega)$,

$$ h_f = \dot A\, [k (\bar o - o) - b\, \dot o] - A k\, \dot o, \qquad
   h_\mu = \frac{\dot A}{A}\, \mu + \frac{A}{12} \sum_{L, i} L^2 \bigl\{ k\, \dot r_i \times \bar r_i
   + b\, [\dot r_i \times (r_i \times \omega) + r_i \times (\dot r_i \times \omega)] \bigr\}, $$
$$ g = \mathrm{diag}\Bigl( -A b\, 1,\ \frac{A b}{12} \bigl[ l^2 (r_1^\wedge)^2 + w^2 (r_2^\wedge)^2 \bigr] \Bigr) , $$

the sum over $(l, 1)$ and $(w, 2)$: (8.2.14) of Romualdi 2022, which gives the form only. The eigenvalues of the lower
block are $-\frac{A b}{12} \{w^2, l^2, l^2 + w^2\}$, so that $g$ can be inverted wherever $b > 0$ and $n \cdot r_3 \ne
0$.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.compiler import is_symbolic
from floatbase.errors import ArgumentError
from floatbase.simulation.arrays import stacked, stacked_matrix
from floatbase.simulation.contacts.points import as_vector
from floatbase.simulation.laws import Number, require_positive
from floatbase.spatial import vectors
from floatbase.spatial.arrays import Array, components, require_shape
from floatbase.spatial.checks import check_pose
from floatbase.spatial.rotations import real
from floatbase.spatial.vectors import Vector

_UPRIGHT = 1e-3  # |n r3| below which the sole stands on its edge
_UP: Vector = (0.0, 0.0, 1.0)


class SoleDynamics(NamedTuple):
    """The rate of the wrench: `drift` (..., 6) plus `gain` (..., 6, 6) times the mixed acceleration of the sole."""

    drift: Array
    gain: Array


class LinearizedSole(NamedTuple):
    """Matrices (3, 3) of the linearised sole, in N/m, N s/m, N m/rad and N m s/rad."""

    linear_stiffness: Array
    linear_damping: Array
    angular_stiffness: Array
    angular_damping: Array


class Patch(NamedTuple):
    """Size of a sole and properties of the ground per area: length, width in m, N/m^3, N s/m^3."""

    length: Any
    width: Any
    stiffness: Any
    damping: Any


def sole_wrench(
    world_H_sole: Array,
    twist: Array,
    world_H_touchdown: Array,
    length: Number,
    width: Number,
    stiffness: Number,
    damping: Number,
    normal: Array | None = None,
) -> Array:
    """The wrench (..., 6) on a sole about its centre, (8.1.7) of Romualdi 2022.

    The pose (..., 4, 4) is that of the sole's centre, with z normal to the sole; its twist (..., 6) is mixed; the pose
    at touch-down is where springs are at rest. Stiffness and damping are per area, in N/m^3 and N s/m^3. The normal
    (..., 3) of the ground is up unless it is given. Nothing keeps the ground from pulling; `SoleContact` does.
    """
    patch = Patch(length, width, stiffness, damping)
    axes, resting, stretch, velocity, angular, up = _state(world_H_sole, twist, world_H_touchdown, patch, normal)
    area = length * width * magnitude(vectors.dot(up, axes[2]))
    force, moment = patch_wrench(patch, area, axes, resting, stretch, velocity, angular)
    return stacked(*force, *moment)


def sole_wrench_dynamics(
    world_H_sole: Array,
    twist: Array,
    world_H_touchdown: Array,
    length: Number,
    width: Number,
    stiffness: Number,
    damping: Number,
    normal: Array | None = None,
) -> SoleDynamics:
    """Drift and gain of the rate of `sole_wrench`, of the same arguments, (8.2.14) of Romualdi 2022."""
    patch = Patch(length, width, stiffness, damping)
    axes, resting, stretch, velocity, angular, up = _state(world_H_sole, twist, world_H_touchdown, patch, normal)
    rates = [vectors.cross(angular, axis) for axis in axes]
    facing = vectors.dot(up, axes[2])
    area = length * width * magnitude(facing)
    area_rate = length * width * np.sign(real(facing)) * vectors.dot(up, rates[2])
    force_drift, moment_drift = patch_wrench(patch, area_rate, axes, resting, stretch, velocity, angular)
    force_drift = vectors.subtract(force_drift, vectors.scale(area * stiffness, velocity))
    block = [[0.0] * 3 for _ in range(3)]
    for size, axis, rate, rest in zip((length, width), axes, rates, resting, strict=False):
        bending = vectors.add(
            vectors.cross(rate, vectors.cross(axis, angular)), vectors.cross(axis, vectors.cross(rate, angular))
        )
        term = vectors.add(vectors.scale(stiffness, vectors.cross(rate, rest)), vectors.scale(damping, bending))
        factor = area * size * size / 12.0
        moment_drift = vectors.add(moment_drift, vectors.scale(factor, term))
        for i, j in np.ndindex(3, 3):  # (r^)^2 = r r^T - 1
            block[i][j] = block[i][j] + factor * damping * (axis[i] * axis[j] - (1.0 if i == j else 0.0))
    push = [[-area * damping if i == j else 0.0 for j in range(3)] for i in range(3)]
    nothing = [0.0] * 3
    gain = stacked_matrix([[*row, *nothing] for row in push] + [[*nothing, *row] for row in block])
    return SoleDynamics(stacked(*force_drift, *moment_drift), gain)


def linearized_sole(length: float, width: float, stiffness: float, damping: float) -> LinearizedSole:
    r"""Springs and dampers for small turns $\Theta$ (roll, pitch, yaw) of a sole that touched down level.

    $f = K_l (\bar o - o) - B_l\, \dot o$ and $\mu = -K_a \Theta - B_a \dot\Theta$ with $K_l = l w k\, 1$ and
    $K_a = \frac{k l w}{12} \mathrm{diag}(w^2, l^2, l^2 + w^2)$, and $B$ the same with $b$: (8.1.9)-(8.1.11) of Romualdi
    2022, whose (8.1.9b) prints $\Theta$ for $\dot\Theta$.
    """
    require_positive(length=length, width=width, stiffness=stiffness, damping=damping)
    linear = length * width * np.eye(3)
    angular = length * width / 12.0 * np.diag([width**2, length**2, length**2 + width**2])
    return LinearizedSole(stiffness * linear, damping * linear, stiffness * angular, damping * angular)


def patch_wrench(
    patch: Patch,
    area: Any,
    axes: tuple[Vector, Vector, Vector],
    resting: tuple[Vector, Vector],
    stretch: Vector,
    velocity: Vector,
    angular: Vector,
) -> tuple[Vector, Vector]:
    """Force and moment about the centre, from the sole's axes, two of them at rest, and the stretch of its centre."""
    force = vectors.scale(
        area,
        vectors.subtract(vectors.scale(patch.stiffness, stretch), vectors.scale(patch.damping, velocity)),
    )
    moment = vectors.ZERO
    for size, axis, rest in zip((patch.length, patch.width), axes, resting, strict=False):
        pull = vectors.add(
            vectors.scale(patch.damping, vectors.cross(axis, angular)), vectors.scale(patch.stiffness, rest)
        )
        moment = vectors.add(moment, vectors.scale(area * size * size / 12.0, vectors.cross(axis, pull)))
    return force, moment


def columns_of(a_R_b: Array) -> tuple[Vector, Vector, Vector]:
    """The axes of b, in a."""
    rows = [components(a_R_b[..., k, :], 3) for k in range(3)]
    x, y, z = ((rows[0][k], rows[1][k], rows[2][k]) for k in range(3))
    return x, y, z


def magnitude(x: Any) -> Any:
    """The absolute value, also where a complex number is a derivative."""
    return np.where(real(x) < 0.0, -x, x)[()]


def _state(
    world_H_sole: Array, twist: Array, world_H_touchdown: Array, patch: Patch, normal: Array | None
) -> tuple[tuple[Vector, Vector, Vector], tuple[Vector, Vector], Vector, Vector, Vector, Vector]:
    """Axes, axes at rest, stretch, velocity, angular velocity, normal; numbers are checked."""
    require_positive(**patch._asdict())
    for name, pose in (("world_H_sole", world_H_sole), ("world_H_touchdown", world_H_touchdown)):
        require_shape(pose, 4, 4)
        if not is_symbolic(pose):
            check_pose(name, pose)
    up = _UP if normal is None else as_vector(normal)
    axes = columns_of(world_H_sole[..., :3, :3])
    facing = np.asarray(real(vectors.dot(up, axes[2])))
    if facing.dtype != object and np.min(np.abs(facing)) < _UPRIGHT:
        raise ArgumentError(
            f"world_H_sole: the sole is upright: its normal has a component of {np.abs(facing).min():.3g} along the "
            f"ground's; it must be at least {_UPRIGHT}"
        )
    first, second, _ = columns_of(world_H_touchdown[..., :3, :3])
    require_shape(twist, 6)
    if not is_symbolic(twist) and not np.all(np.isfinite(twist)):
        raise ArgumentError(f"twist contains NaN or infinity: {twist}; all numbers must be finite")
    stretch = as_vector(world_H_touchdown[..., :3, 3] - world_H_sole[..., :3, 3])
    return axes, (first, second), stretch, as_vector(twist[..., :3]), as_vector(twist[..., 3:]), up
