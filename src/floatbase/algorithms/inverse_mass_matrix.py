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

from floatbase.algorithms.arguments import configuration, frame_of, optional_parameters
from floatbase.algorithms.definiteness import require_definite
from floatbase.algorithms.factorization import Factors, elimination_order, factorize, inverse_rows, solve_half
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.mass_matrix import mass_matrix_rows
from floatbase.errors import ModelError
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

    A frame that can never move in all six directions has none, which is an error. In configurations in which it cannot,
    entries are infinite or NaN; `operational_space_mobility` always exists.
    """
    mobility = operational_space_mobility(tree, q, frame, parameters)
    rows = [components(mobility[..., k, :]) for k in range(6)]
    columns = _velocities_of(tree, frame)
    error = ModelError(
        f"frame {frame!r} of robot {tree.name!r} has no operational-space inertia: it cannot move "
        f"in all six directions, the rank of its Jacobian is below six ({columns} velocities move the frame); use "
        "operational_space_mobility, its inverse, which exists"
    )
    if columns < 6:
        raise error
    try:
        return matrix(inverse_rows(factorize(rows, range(6))), mobility[..., 0])
    except ZeroDivisionError:  # structurally, in a program
        raise error from None


def _velocities_of(tree: Tree, frame: str) -> int:
    """How many of the robot's velocities move a frame."""
    body, _ = frame_of(tree, frame)
    moving = set()
    while body > 0:
        joint = tree.bodies[body].joint
        if joint is not None:
            moving |= set(range(joint.index, joint.index + joint.nv))
        body = tree.bodies[body].parent
    return len(moving) + 6 * tree.floating


def operational_space_mobility(tree: Tree, q: Any, frame: str, parameters: Any = None) -> Array:
    r"""$\Lambda^{-1} = J M^{-1} J^\top$ (..., 6, 6), in the representation of the tree.

    q: (..., nq) configuration; parameters: (..., 10 n_bodies) inertial parameters instead of the tree's.
    """
    q = configuration(tree, q)
    parameters = optional_parameters(tree, parameters)
    J = jacobian(tree, q, frame)
    factors = factorize(mass_matrix_rows(tree, q, parameters), elimination_order(tree))
    require_definite(factors.inverses, parameters)
    return matrix(mobility_rows(factors, J), *(x for x in (q, parameters) if x is not None))


def mobility_rows(factors: Factors, J: Array) -> list[list[Component]]:
    r"""$J M^{-1} J^\top$ (k, k) for the factors of $M$ and the Jacobian (..., k, nv) of what moves."""
    structure, size = _moving_columns(J), J.shape[-2]
    halves = []
    for k in range(size):
        row = components(J[..., k, :])
        halves.append(
            solve_half(factors, [entry if moves else 0.0 for entry, moves in zip(row, structure, strict=True)])
        )
    rows: list[list[Component]] = [[0.0] * size for _ in range(size)]
    for i in range(size):
        weighted = [x * d for x, d in zip(halves[i], factors.inverses, strict=True)]
        for j in range(i + 1):
            products = [a * b for a, b in zip(weighted, halves[j], strict=True)]
            rows[i][j] = rows[j][i] = sum(products[1:], products[0])
    return rows


def _moving_columns(J: Array) -> list[bool]:
    """Which velocities move the frame at all, by structure."""
    if J.dtype != object:
        return [True] * J.shape[-1]
    return [any(not (isinstance(entry, float) and entry == 0.0) for entry in column) for column in J.T.tolist()]
