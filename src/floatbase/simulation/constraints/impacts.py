r"""Impacts: velocities jump onto constraints that begin to act, and rebound where they are elastic.

A plastic impact on rows J gives $\nu^+ = P \nu^-$ with the projector of least kinetic energy,
$P = 1 - M^{-1} J^\top (J M^{-1} J^\top)^{+} J$, by the impulses $\Lambda = -(J M^{-1} J^\top)^{+} J \nu^-$.
With the restitution e the rows rebound at $J \nu^+ = -e J \nu^-$, by impulses $1 + e$ times as large.

Where constraints differ in restitution, $P_k$ belongs to the first k of them and

$$ \nu^+ = P_n \nu^- - \sum_k e_k\, (P_{k-1} - P_k)\, \nu^- . $$

The parts are orthogonal to one another with respect to M, so the kinetic energy after the impact is that of the first
part and $e_k^2$ times that of each of the others: it never grows. Newton's rule for each row by itself has no such
bound. Where a constraint is driven, velocities along its rows count from w, and it may give energy. Momentum does not
change in directions that the constraints allow, $Z^\top M (\nu^+ - \nu^-) = 0$ for $J Z = 0$.

B. Brogliato, "Nonsmooth mechanics", 2016, on restitution with several contacts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.errors import ArgumentError
from floatbase.model.tree import Tree
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, checked_constraints, stacked_drive, tree_of
from floatbase.simulation.constraints.motion import mobility_of
from floatbase.simulation.constraints.solvers import Solver, solve_rows
from floatbase.spatial.arrays import apply_matrix


class Impact(NamedTuple):
    """Velocities after an impact (..., nv) and the impulses (..., c) along the rows of the constraints."""

    velocity: Any
    impulses: Any


def impact(
    robot: Robot | Tree,
    q: Any,
    v: Any,
    constraints: Sequence[Constraint],
    restitution: Any = 0.0,
    parameters: Any = None,
    solver: Solver = "proximal",
) -> Impact:
    """What constraints that begin to act do to a velocity v (..., nv), instantly.

    restitution: from 0 to 1; a number for all constraints, or a sequence of one for each.
    """
    tree, items = tree_of(robot), checked_constraints(constraints)
    q, v, parameters = configuration(tree, q), rates(tree, "v", v), optional_parameters(tree, parameters)
    each = list(restitution) if isinstance(restitution, list | tuple) else [restitution]
    if len(each) not in (1, len(items)):
        raise ArgumentError(f"restitution has {len(each)} entries; there are {len(items)} constraints")
    for e in each:
        _check_restitution(e)
    m = mobility_of(tree, q, items, parameters)
    ends = np.cumsum([len(item.row_names) for item in items])[-len(each) :] if len(each) > 1 else [m.matrix.shape[-1]]
    size, speeds = m.matrix.shape[-1], apply_matrix(m.jacobian, v) - stacked_drive(tree, q, items)[0]
    before = 0.0 * speeds
    total = 0.0 * speeds
    for end, e in zip(ends, each, strict=True):
        part = -solve_rows(m.matrix[..., :end, :end], speeds[..., :end], solver)
        stopping = np.concatenate([part, 0.0 * speeds[..., end:size]], axis=-1)
        total = total + (1.0 + np.asanyarray(e)[..., None]) * (stopping - before)
        before = stopping
    return Impact(v + m.pushed(total), total)


def _check_restitution(e: Any) -> None:
    values = np.asarray(e)
    if values.dtype != object and not (np.all(values >= 0.0) and np.all(values <= 1.0)):
        raise ArgumentError(f"restitution is {e!r}; it must be from 0 (plastic) to 1 (elastic)")
