r"""Motion of a robot some of whose frames are held fast, and what contact wrenches do to its momentum.

With the Jacobians $J$ of the frames, $J \dot\nu + \dot J \nu = 0$ and

$$ \begin{bmatrix} M & -J^\top \\ J & 0 \end{bmatrix} \begin{bmatrix} \dot\nu \\ f \end{bmatrix} =
   \begin{bmatrix} \tau - h \\ -\dot J \nu \end{bmatrix}, \qquad
   f = -(J M^{-1} J^\top)^{+} (J M^{-1} (\tau - h) + \dot J \nu) . $$

Where contacts are redundant, as two flat feet on straight legs are, the wrenches are those of least norm and the
motion is unique. About the centre of mass, wrenches at frames with origins $p_k$ change the momentum at the rate

$$ \dot h_G = A_c f + (m g, 0), \qquad A_{c,k} = \begin{bmatrix} 1 & 0 \\ (p_k - c)^\wedge & 1 \end{bmatrix}
   \text{ ("mixed")} . $$

G. Romualdi, "Online control of humanoid robot locomotion", PhD thesis, 2022, (3.3.3)-(3.3.7), (3.4.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.acceleration import drift
from floatbase.algorithms.arguments import configuration, rates
from floatbase.algorithms.bias import bias
from floatbase.algorithms.center_of_mass import com
from floatbase.algorithms.inverse_mass_matrix import inverse_mass_matrix
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.pose import pose
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.poses import pose_from, position_of, rotation_of
from floatbase.spatial.twists import wrench_adjoint

RANK_TOLERANCE = 1e-10  # relative to the largest mobility


class ContactMotion(NamedTuple):
    """Accelerations (..., nv), and the wrench (..., 6) on the robot at each frame, in the tree's representation."""

    acceleration: Array
    wrenches: dict[str, Array]


def contact_dynamics(
    tree: Tree, q: Any, v: Any, tau: Any, contacts: Sequence[str], parameters: Any = None
) -> ContactMotion:
    """Forward dynamics with frames whose twists do not change; numbers only.

    q: (..., nq) configuration; v: (..., nv) velocity; tau: (..., nv) generalised forces; parameters: (..., 10 n_bodies)
    inertial parameters instead of the tree's. Twists of the frames that are not zero stay as they are.
    """
    _check(contacts)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    J = np.concatenate([jacobian(tree, q, name) for name in contacts], axis=-2)
    drifts = np.concatenate([drift(tree, q, v, name) for name in contacts], axis=-1)
    inverse = inverse_mass_matrix(tree, q, parameters)
    free = apply_matrix(inverse, tau - bias(tree, q, v, parameters=parameters))
    mobility = J @ inverse @ transpose(J)
    wrench = -apply_matrix(
        np.linalg.pinv(mobility, rcond=RANK_TOLERANCE, hermitian=True), apply_matrix(J, free) + drifts
    )
    parts = {name: wrench[..., 6 * k : 6 * k + 6] for k, name in enumerate(contacts)}
    return ContactMotion(free + apply_matrix(inverse @ transpose(J), wrench), parts)


def generalized_forces(tree: Tree, q: Any, wrenches: Mapping[str, Any]) -> Array:
    r"""$\sum_k J_k^\top f_k$ (..., nv) of wrenches (..., 6) on the robot at frames, in the tree's representation.

    For a floating base the first six are what `base_regressor` times the inertial parameters must equal.
    """
    _check(tuple(wrenches))
    q = configuration(tree, q)
    return sum(apply_matrix(transpose(jacobian(tree, q, name)), np.asanyarray(f)) for name, f in wrenches.items())


def centroidal_wrench_matrix(tree: Tree, q: Any, frames: Sequence[str], parameters: Any = None) -> Array:
    """`A_c` (..., 6, 6 k): wrenches at k frames, in the tree's representation, to the rate of centroidal momentum."""
    _check(frames)
    q = configuration(tree, q)
    c = com(tree, q, parameters)
    blocks = []
    for name in frames:
        H = pose(tree, q, name)
        axes = rotation_of(H) if tree.representation == "body" else 0.0 * rotation_of(H) + np.eye(3)
        origin = 0.0 * c if tree.representation == "inertial" else position_of(H)
        blocks.append(wrench_adjoint(pose_from(axes, origin - c)))
    return np.concatenate(blocks, axis=-1)


def _check(frames: Sequence[str]) -> None:
    if isinstance(frames, str) or not frames or len(set(frames)) < len(frames):
        raise ArgumentError(f"contacts is {frames!r}; it lists one or more frames, each once, such as ['l_sole']")
