r"""Springs and dampers that stand for a contact in an implicit step: symmetric and positive semidefinite.

The derivatives of a wrench of contact are not symmetric, since friction grows with the normal force and not the other
way round; an inertia that is made of them need not be one. What is used instead leaves that coupling out: at a place
with the arm r from the frame's origin, a spring and a damper along the ground's normal n and others across it,

$$ A = a_n\, n n^\top + a_t\, (1 - n n^\top), \qquad
   \begin{bmatrix} A & -A r^\wedge \\ r^\wedge A & -r^\wedge A r^\wedge \end{bmatrix} . $$

Friction at its limit is the damper that gives the present force at the present velocity, $a_t = |f_t| / |u_t|$, which
is never less than its derivative: a step of any length slows what slides and never turns it back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from floatbase.simulation.arrays import stacked, stacked_matrix
from floatbase.spatial.arrays import Array
from floatbase.spatial.skew import hat
from floatbase.spatial.vectors import Vector


class Springs(NamedTuple):
    """Stiffnesses and dampings of one place, along the normal and across it, none of them negative."""

    normal_stiffness: Any
    normal_damping: Any
    stiffness: Any
    damping: Any


def across_and_along(normal: Vector, along: Any, across: Any) -> Array:
    """A (..., 3, 3)."""
    more = along - across
    rows = [[more * normal[i] * normal[j] + (across if i == j else 0.0) for j in range(3)] for i in range(3)]
    return stacked_matrix(rows)


def in_axes(axes: tuple[Vector, Vector, Vector], values: tuple[Any, Any, Any]) -> Array:
    """The matrix (..., 3, 3) with values along three orthonormal axes."""
    rows = [
        [sum(value * axis[i] * axis[j] for value, axis in zip(values, axes, strict=True)) for j in range(3)]
        for i in range(3)
    ]
    return stacked_matrix(rows)


def about_origin(linear: Array, arm: Vector, angular: Array | None = None) -> Array:
    """The matrix (..., 6, 6) about the frame's origin of one at a place with an arm, with a part for turns."""
    r = hat(stacked(*arm))
    right = -linear @ r
    lower = r @ right if angular is None else r @ right + angular
    top = np.concatenate([linear, right], axis=-1)
    return np.concatenate([top, np.concatenate([r @ linear, lower], axis=-1)], axis=-2)
