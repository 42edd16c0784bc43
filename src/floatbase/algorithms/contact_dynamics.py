r"""Motion of a robot some of whose frames are held fast, and what contact wrenches do to its momentum.

With the Jacobians $J$ of the frames, $J \dot\nu + \dot J \nu = 0$ and

$$ \begin{bmatrix} M & -J^\top \\ J & 0 \end{bmatrix} \begin{bmatrix} \dot\nu \\ f \end{bmatrix} =
   \begin{bmatrix} \tau - h \\ -\dot J \nu \end{bmatrix}, \qquad
   f = -(J M^{-1} J^\top)^{+} (J M^{-1} (\tau - h) + \dot J \nu) . $$

$M^{-1}$ is applied through the factors of $M$ along the branches of the tree. Where contacts are redundant, as two flat
feet on straight legs are, the wrenches are those of least norm and the motion is unique.

About the centre of mass, wrenches at frames with origins $p_k$ change the momentum at the rate

$$ \dot h_G = A_c f + (m g, 0), \qquad A_{c,k} = \begin{bmatrix} 1 & 0 \\ (p_k - c)^\wedge & 1 \end{bmatrix}
   \text{ ("mixed")} . $$

G. Romualdi, "Online control of humanoid robot locomotion", PhD thesis, 2022, (3.3.3)-(3.3.7), (3.4.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.algorithms.acceleration import drift
from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.bias import bias
from floatbase.algorithms.center_of_mass import com
from floatbase.algorithms.definiteness import require_definite
from floatbase.algorithms.factorization import elimination_order, factorize, solve
from floatbase.algorithms.inverse_mass_matrix import mobility_rows
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.least_norm import least_norm_solution
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.algorithms.pose import pose
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import ContactMotion
from floatbase.spatial.arrays import Array, apply_matrix, components, matrix, transpose, vector
from floatbase.spatial.poses import pose_from, position_of, rotation_of
from floatbase.spatial.twists import wrench_adjoint


def contact_dynamics(
    tree: Tree, q: Any, v: Any, tau: Any, contacts: Sequence[str], parameters: Any = None
) -> ContactMotion:
    """Forward dynamics with frames whose twists do not change.

    q: (..., nq) configuration; v: (..., nv) velocity; tau: (..., nv) generalised forces; parameters: (..., 10 n_bodies)
    inertial parameters instead of the tree's. Twists of the frames that are not zero stay as they are.
    """
    _check(contacts)
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    parameters = optional_parameters(tree, parameters)
    like = [x for x in (q, v, tau, parameters) if x is not None]
    J = np.concatenate([jacobian(tree, q, name) for name in contacts], axis=-2)
    drifts = np.concatenate([drift(tree, q, v, name) for name in contacts], axis=-1)
    factors = factorize(mass_matrix_rows(tree, q, parameters), elimination_order(tree))
    require_definite(factors.inverses, parameters)
    free = vector(solve(factors, components(tau - bias(tree, q, v, parameters=parameters))), *like)
    mobility = matrix(mobility_rows(factors, J), *like)
    wrench = -least_norm_solution(mobility, apply_matrix(J, free) + drifts)
    pushed = vector(solve(factors, components(apply_matrix(transpose(J), wrench))), *like)
    parts = {name: wrench[..., 6 * k : 6 * k + 6] for k, name in enumerate(contacts)}
    return ContactMotion(free + pushed, parts)


def generalized_forces(tree: Tree, q: Any, wrenches: Mapping[str, Any] | None = None) -> Array:
    r"""$\sum_k J_k^\top f_k$ (..., nv) of wrenches (..., 6) on the robot at frames, in the tree's representation.

    For a floating base the first six are what `base_regressor` times the inertial parameters must equal.
    """
    if not wrenches:
        raise ArgumentError("generalized_forces needs wrenches, such as {'l_sole': f}")
    q = configuration(tree, q)
    parts = [apply_matrix(transpose(jacobian(tree, q, name)), np.asanyarray(f)) for name, f in wrenches.items()]
    return sum(parts[1:], parts[0])


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
