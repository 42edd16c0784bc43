r"""Dynamics of a floating base whose joints move as they are told: the base forward, the joints inverse.

The first six equations of motion give the base's acceleration, the others the torques,

$$ M_{bb}\, \dot v = -(M_{bs} \ddot s + h_b) + f_b, \qquad \tau = M_{sb}\, \dot v + M_{ss} \ddot s + h_s - f_s , $$

with the wrenches $f$ of the environment. A motion is one of the robot itself, which nothing pushes at its base, exactly
if the first six of its inverse dynamics vanish; the residual is compared with the size of what makes it up.

Bos 2019, (2.61), section 3.3, appendix E.2 ("RNEAmb").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import as_array, configuration, rates
from floatbase.algorithms.bias import bias
from floatbase.algorithms.factorization import solve_symmetric
from floatbase.algorithms.inverse_dynamics import inverse_dynamics
from floatbase.algorithms.mass_matrix import mass_matrix
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.results import BaseBalance
from floatbase.spatial.arrays import Array, apply_matrix, components, vector


def hybrid_dynamics(
    tree: Tree, q: Any, v: Any, s_ddot: Any, wrenches: Mapping[str, Any] | None = None, parameters: Any = None
) -> Array:
    """The derivative of the base's twist and the joint torques (..., 6 + joint_nv), in the robot's representation.

    q: (..., nq) configuration; v: (..., nv) velocity; s_ddot: (..., joint_nv) accelerations of the joints; wrenches and
    parameters: see `inverse_dynamics`.
    """
    _require_floating(tree)
    q, v = configuration(tree, q), rates(tree, "v", v)
    s_ddot = as_array("s_ddot", s_ddot, tree.joint_nv, tree)
    still = np.concatenate([0.0 * v[..., :6] + 0.0 * s_ddot[..., :1], s_ddot + 0.0 * v[..., 6:]], axis=-1)
    forces = inverse_dynamics(tree, q, v, still, wrenches, parameters)
    M = mass_matrix(tree, q, parameters)
    block = [components(M[..., k, :6]) for k in range(6)]
    base = vector(solve_symmetric(block, [-f for f in components(forces[..., :6])], range(6)), forces)
    return np.concatenate([base, forces[..., 6:] + apply_matrix(M[..., 6:, :6], base)], axis=-1)


def base_balance(
    tree: Tree, q: Any, v: Any, a: Any, wrenches: Mapping[str, Any] | None = None, parameters: Any = None
) -> BaseBalance:
    """Whether a motion is possible without a wrench on the base. Arguments: see `inverse_dynamics`."""
    _require_floating(tree)
    q, v, a = configuration(tree, q), rates(tree, "v", v), rates(tree, "a", a)
    rows = mass_matrix(tree, q, parameters)[..., :6, :]
    size = np.linalg.norm(rows, axis=(-2, -1)) * np.linalg.norm(a, axis=-1)
    size = size + np.linalg.norm(bias(tree, q, v, wrenches, parameters), axis=-1)
    return BaseBalance(inverse_dynamics(tree, q, v, a, wrenches, parameters)[..., :6], size)


def _require_floating(tree: Tree) -> None:
    if not tree.floating:
        raise ArgumentError(f"robot {tree.name!r} has a fixed base, which does not accelerate")
