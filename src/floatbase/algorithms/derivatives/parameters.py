r"""The derivative of forward dynamics with respect to inertial parameters.

Inverse dynamics is linear in the parameters $\phi$ with the regressor $Y$, so with the acceleration $\dot\nu$ held that
belongs to the force,

$$ \frac{\partial \dot\nu}{\partial \phi} = -M^{-1}\, Y(q, \nu, \dot\nu) , $$

and with $M = L^\top D L$ factorised along the branches of the tree. Traversaro 2017, (7.3).
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.branches import solve_columns
from floatbase.algorithms.derivatives.forward_dynamics import factorized_acceleration
from floatbase.algorithms.regressor import regressor
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array


def forward_dynamics_parameter_derivatives(
    tree: Tree, q: Any, v: Any, tau: Any, wrenches: Wrenches | None = None, parameters: Any = None
) -> Array:
    """The derivative (..., nv, 10 n_bodies) of `forward_dynamics`, to which the arguments belong, by `parameters`."""
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    external = wrench_arrays(tree, wrenches)
    factors, a = factorized_acceleration(tree, q, v, tau, external, optional_parameters(tree, parameters))
    return solve_columns(tree, factors, regressor(tree, q, v, a), sign=-1.0)
