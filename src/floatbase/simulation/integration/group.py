r"""Exponential coordinates: motions on the configuration group as motions in a vector space.

Near a configuration $q_0$ every other is $q = q_0 \oplus u$, as `integrate` moves configurations, with coordinates
$u$ of the size of a velocity. Their rate follows from the velocity by the inverse of the derivative of the exponential,

$$ \dot u = J(u)^{-1} \nu, \qquad J = \frac{\partial (q_0 \oplus u)}{\partial u} , $$

which is one for translations and simple joints, $J_l$ of $SO(3)$ for an attitude whose velocity is written in fixed
axes, $J_r$ for one in moving axes, and the same of $SE(3)$ for poses (`floatbase.spatial.tangents`). It exists for
rotations by less than a full turn. H. Munthe-Kaas, "High order Runge-Kutta methods on manifolds", 1999.
"""

from __future__ import annotations

from floatbase.algorithms.configuration import turning_velocities
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, apply_matrix, zeros
from floatbase.spatial.tangents import (
    pose_left_jacobian_inverse,
    pose_right_jacobian_inverse,
    rotation_left_jacobian_inverse,
    rotation_right_jacobian_inverse,
)


def coordinate_rate(tree: Tree, u: Array, v: Array) -> Array:
    """The rate (..., nv) of exponential coordinates `u: (..., nv)` of a configuration that moves at `v: (..., nv)`."""
    result = zeros((tree.nv,), u, v)
    result[...] = v
    for place in turning_velocities(tree):
        base = tree.floating and place.start < 6
        here = u[..., place]
        if place.stop - place.start == 3:
            inverse = rotation_left_jacobian_inverse(here) if base else rotation_right_jacobian_inverse(here)
        elif base and tree.representation == "inertial":
            inverse = pose_left_jacobian_inverse(here)
        else:
            inverse = pose_right_jacobian_inverse(here)
        result[..., place] = apply_matrix(inverse, v[..., place])
    return result
