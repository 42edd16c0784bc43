r"""The inverse of the mass matrix, and the inertia that a frame shows.

$M^{-1}$ comes from $M = L^\top D L$, factorised along the branches of the tree, as $N D^{-1} N^\top$ with $N = L^{-1}$
(`floatbase.algorithms.factorization`): column $k$ is the acceleration for a unit of generalised force $k$ on a robot
at rest without gravity. A wrench $f$ on a frame with Jacobian $J$ accelerates it by $\Lambda^{-1} f$,

$$ \Lambda^{-1} = J M^{-1} J^\top = (L^{-\top} J^\top)^\top D^{-1} (L^{-\top} J^\top) . $$

Bos 2019, section 4.4 ("IMMAmb"), for the same matrix; O. Khatib, "A unified approach for motion and force control of
robot manipulators: the operational space formulation", 1987.
"""

from __future__ import annotations

from typing import Any

from floatbase.algorithms.arguments import configuration, optional_parameters
from floatbase.algorithms.definiteness import require_definite
from floatbase.algorithms.factorization import elimination_order, factorize, inverse_rows, solve_half
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.model.tree import Tree
from floatbase.spatial.arrays import Array, Component, components, matrix


def inverse_mass_matrix(tree: Tree, q: Any, parameters: Any = None) -> Array:
    """`M^-1` (..., nv, nv), symmetric positive definite, for velocities in `tree.representation`.

    q: (..., nq) configuration; parameters: (..., 10 n_bodies) inertial parameters instead of the tree's.
    """
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    like = [x for x in (q, parameters) if x is not None]
    factors = factorize(mass_matrix_rows(tree, q, parameters), elimination_order(tree))
    require_definite(factors.inverses, parameters)
    return matrix(inverse_rows(factors, 6 if tree.floating else 0, like), *like)


def operational_space_inertia(tree: Tree, q: Any, frame: str, parameters: Any = None) -> Array:
    r"""$\Lambda$ (..., 6, 6): the wrench at a frame that accelerates it, per unit of the derivative of its twist.

    Infinite or NaN where the frame cannot move in all six directions; then see `operational_space_mobility`.
    """
    mobility = operational_space_mobility(tree, q, frame, parameters)
    rows = [components(mobility[..., k, :]) for k in range(6)]
    return matrix(inverse_rows(factorize(rows, range(6))), mobility[..., 0])


def operational_space_mobility(tree: Tree, q: Any, frame: str, parameters: Any = None) -> Array:
    r"""$\Lambda^{-1} = J M^{-1} J^\top$ (..., 6, 6), in the representation of the tree.

    q: (..., nq) configuration; parameters: (..., 10 n_bodies) inertial parameters instead of the tree's.
    """
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    J = jacobian(tree, q, frame)
    factors = factorize(mass_matrix_rows(tree, q, parameters), elimination_order(tree))
    require_definite(factors.inverses, parameters)
    structure = _moving_columns(J)
    halves = []
    for k in range(6):
        row = components(J[..., k, :])
        halves.append(
            solve_half(factors, [entry if moves else 0.0 for entry, moves in zip(row, structure, strict=True)])
        )
    rows: list[list[Component]] = [[0.0] * 6 for _ in range(6)]
    for i in range(6):
        weighted = [x * d for x, d in zip(halves[i], factors.inverses, strict=True)]
        for j in range(i + 1):
            products = [a * b for a, b in zip(weighted, halves[j], strict=True)]
            rows[i][j] = rows[j][i] = sum(products[1:], products[0])
    return matrix(rows, *(x for x in (q, parameters) if x is not None))


def _moving_columns(J: Array) -> list[bool]:
    """Which velocities move the frame at all, by structure."""
    if J.dtype != object:
        return [True] * J.shape[-1]
    return [any(not (isinstance(entry, float) and entry == 0.0) for entry in column) for column in J.T.tolist()]
