r"""Derivatives of forward dynamics with respect to configuration, velocity and generalised force.

Differentiating $\mathrm{ID}(q, v, \mathrm{FD}(q, v, \tau)) = \tau$ gives

$$ \frac{\partial \dot\nu}{\partial q} = -M^{-1} \frac{\partial\,\mathrm{ID}}{\partial q}, \qquad
   \frac{\partial \dot\nu}{\partial v} = -M^{-1} \frac{\partial\,\mathrm{ID}}{\partial v}, \qquad
   \frac{\partial \dot\nu}{\partial \tau} = M^{-1}, $$

with the derivatives of inverse dynamics at the acceleration that belongs to $\tau$; at any other, the first would be
wrong. The products are made of small dense matrices (`floatbase.algorithms.branches`).

Bos 2019, (4.45)-(4.50) with errata; J. Carpentier, N. Mansard, "Analytical derivatives of rigid body dynamics
algorithms", 2018.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.bias import bias
from floatbase.algorithms.branches import solve_columns
from floatbase.algorithms.definiteness import require_definite
from floatbase.algorithms.derivatives.charts import Base, by_chart, chart_of
from floatbase.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from floatbase.algorithms.factorization import Factors, elimination_order, factorize, inverse_rows, solve
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.algorithms.wrenches import Wrenches, wrench_arrays
from floatbase.model.tree import Tree
from floatbase.results import ForwardDynamicsDerivatives
from floatbase.spatial.arrays import Array, components, matrix, vector


def forward_dynamics_derivatives(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    chart: str | None = None,
    wrenches_fixed: str | None = None,
) -> ForwardDynamicsDerivatives:
    """The derivatives of `forward_dynamics`, to which the arguments belong, by configuration, velocity and force.

    Column `j` of `dq` is the derivative along velocity `j`, as `integrate` moves the configuration; the components of
    velocity, generalised force and wrenches are held fixed. In another chart `dq` and `dv` are by the coordinates of
    that. Wrenches are fixed in the "link", their "directions" or the "world".
    """
    chart = chart_of(tree, chart)
    _, by = acceleration_and_derivatives(tree, q, v, tau, wrenches, parameters, wrenches_fixed)
    if chart == tree.representation:
        return by
    base = Base(tree, configuration(tree, q), rates(tree, "v", v))
    return ForwardDynamicsDerivatives(*by_chart(base, chart, by.dq, by.dv), by.dtau)


def acceleration_and_derivatives(
    tree: Tree,
    q: Any,
    v: Any,
    tau: Any,
    wrenches: Wrenches | None = None,
    parameters: Any = None,
    wrenches_fixed: str | None = None,
) -> tuple[Array, ForwardDynamicsDerivatives]:
    """The acceleration (..., nv) of `forward_dynamics`, and its derivatives."""
    q, v, tau = configuration(tree, q), rates(tree, "v", v), rates(tree, "tau", tau)
    external = wrench_arrays(tree, wrenches)
    parameters = optional_parameters(tree, parameters)
    factors, a = factorized_acceleration(tree, q, v, tau, external, parameters)
    force = inverse_dynamics_derivatives(tree, q, v, a, external, parameters, wrenches_fixed=wrenches_fixed)
    change = solve_columns(tree, factors, np.concatenate([force.dq, force.dv], axis=-1), sign=-1.0)
    inverse = matrix(inverse_rows(factors, 6 if tree.floating else 0, [a]), a)
    return a, ForwardDynamicsDerivatives(change[..., : tree.nv], change[..., tree.nv :], inverse)


def factorized_acceleration(
    tree: Tree, q: Array, v: Array, tau: Array, external: Mapping[str, Array], parameters: Array | None
) -> tuple[Factors, Array]:
    """The factors of the mass matrix, and the acceleration (..., nv) by them."""
    like = [x for x in (q, v, tau, parameters, *external.values()) if x is not None]
    factors = factorize(mass_matrix_rows(tree, q, parameters), elimination_order(tree))
    require_definite(factors.inverses, parameters)
    h = components(bias(tree, q, v, external, parameters))
    right = [force - drift for force, drift in zip(components(tau), h, strict=True)]
    return factors, vector(solve(factors, right), *like)
