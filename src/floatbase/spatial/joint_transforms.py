r"""Joints of one coordinate as screws: what twists become across them, and how that changes with the coordinate.

A joint along the unit axis $e$ has the constant motion subspace $\Gamma$, a twist: $(0, e)$ if it is revolute,
$(e, 0)$ if prismatic, $(h e, e)$ if helical with the pitch $h$. From the frame before it to that after it twists go by

$$ X_J(s) = e^{-s\, \Gamma\times}, \qquad \frac{d X_J}{d s} = -\Gamma\times X_J = -X_J\, \Gamma\times, $$

so that $\frac{d X_J}{d s} v = (X_J v) \times \Gamma$ and
$\frac{d X_J^\top}{d s} f = X_J^\top (\Gamma\, \bar\times^* f)$.

Bos 2019, tables B.1 and B.2, whose joint origins have the wrong sign for sliding: those are the transforms of $\Gamma$
with its linear part reversed.
"""

from __future__ import annotations

import numpy as np

from floatbase.spatial.arrays import Array, require_shape
from floatbase.spatial.kinds import JointKind, UnitVector
from floatbase.spatial.poses import pose_exponential
from floatbase.spatial.twists import adjoint, twist_cross


def motion_subspace(kind: JointKind, axis: UnitVector, pitch: Array = 0.0) -> Array:
    r"""$\Gamma$ (..., 6) of a "revolute" or "continuous", "prismatic" or "helical" joint along an axis (..., 3).

    pitch (...): advance along the axis per angle [m/rad], of helical joints.
    """
    nothing = 0.0 * axis
    if kind == "prismatic":
        return np.concatenate([axis, nothing], axis=-1)
    return np.concatenate([np.asanyarray(pitch)[..., None] * axis if kind == "helical" else nothing, axis], axis=-1)


def joint_transform(subspace: Array, s: Array) -> Array:
    """`X_J` (..., 6, 6): twists before a joint to twists after it, at its coordinate s (...)."""
    require_shape(subspace, 6)
    return adjoint(pose_exponential(subspace * -np.asanyarray(s)[..., None]))


def joint_transform_derivative(subspace: Array, s: Array) -> Array:
    """The derivative (..., 6, 6) of `joint_transform` by s."""
    return -twist_cross(subspace) @ joint_transform(subspace, s)
