r"""Back onto the constraints: velocities, configurations, and whether a state satisfies them.

The velocity nearest in kinetic energy is $\nu - M^{-1} J^\top (J M^{-1} J^\top)^{+} (J \nu - w)$. Configurations go
back by steps of Gauss and Newton on their manifold,
$q \leftarrow q \oplus -M^{-1} J^\top (J M^{-1} J^\top)^{+} \phi(q)$, each of which squares a small residual. Rows that
constrain velocities alone hold for these steps, too: a wheel that sank in is lifted without slipping.

Rothammer 2021, chapter 2, leaves the drift open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from floatbase.algorithms.arguments import configuration, optional_parameters, rates
from floatbase.algorithms.configuration import integrate
from floatbase.compiler.symbol_arrays import is_symbolic
from floatbase.errors import StateError
from floatbase.model.tree import Tree
from floatbase.results import Step
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import (
    Constraint,
    checked_constraints,
    stacked_drive,
    stacked_jacobian,
    stacked_names,
    stacked_residual,
    tree_of,
)
from floatbase.simulation.constraints.descent import until_small
from floatbase.simulation.constraints.motion import mobility_of
from floatbase.simulation.constraints.solvers import Solver, solve_rows
from floatbase.spatial.arrays import Array, apply_matrix

TOLERANCE = 1e-8  # m, rad, m/s, rad/s: of states that are said to satisfy constraints


class ConstraintErrors(NamedTuple):
    """Residuals (..., c) of the configuration and velocities (..., c) along the rows; both zero where all hold."""

    configuration: Any
    velocity: Any


def constraint_errors(robot: Robot | Tree, q: Any, v: Any, constraints: Sequence[Constraint]) -> ConstraintErrors:
    """How far a state is off its constraints; q: (..., nq) configuration, v: (..., nv) velocity."""
    tree, items = tree_of(robot), checked_constraints(constraints)
    q, v = configuration(tree, q), rates(tree, "v", v)
    speeds = apply_matrix(stacked_jacobian(tree, q, items), v) - stacked_drive(tree, q, items)[0]
    return ConstraintErrors(stacked_residual(tree, q, items), speeds)


def require_consistent(
    robot: Robot | Tree, q: Any, v: Any, constraints: Sequence[Constraint], tolerance: float = TOLERANCE
) -> None:
    """Raise an error that says which row of which constraint a state of numbers violates most, and by how much."""
    errors = constraint_errors(robot, q, v, constraints)
    names = stacked_names(checked_constraints(constraints))
    for what, found, unit, remedy in (
        ("configuration", errors.configuration, "m or rad", "project_configuration"),
        ("velocity", errors.velocity, "m/s or rad/s", "project_velocity"),
    ):
        wrong = ~(np.abs(found) <= tolerance)  # NaN is wrong
        if wrong.any():
            sizes = np.where(np.isnan(found), np.inf, np.abs(found))
            *state, row = np.unravel_index(int(np.argmax(sizes)), sizes.shape)
            where = f" in state {tuple(int(k) for k in state)}" if state else ""
            residual = np.array2string(found[tuple(state)], precision=6, separator=", ")
            raise StateError(
                f"the {what} violates the constraints{where}: {names[row]} is off by {found[(*state, row)]:.6g} "
                f"({unit}, at most {tolerance:g}); all rows: {residual}; {remedy} finds one that satisfies them"
            )


def project_velocity(
    robot: Robot | Tree,
    q: Any,
    v: Any,
    constraints: Sequence[Constraint],
    parameters: Any = None,
    solver: Solver = "proximal",
) -> Array:
    """The velocity (..., nv) that satisfies the constraints and differs from v by the least kinetic energy."""
    tree, items = tree_of(robot), checked_constraints(constraints)
    q, v, parameters = configuration(tree, q), rates(tree, "v", v), optional_parameters(tree, parameters)
    m = mobility_of(tree, q, items, parameters)
    excess = apply_matrix(m.jacobian, v) - stacked_drive(tree, q, items)[0]
    return v - m.pushed(solve_rows(m.matrix, excess, solver))


def project_configuration(
    robot: Robot | Tree,
    q: Any,
    constraints: Sequence[Constraint],
    iterations: int | None = None,
    tolerance: float = 1e-12,
    parameters: Any = None,
    solver: Solver = "proximal",
) -> Array:
    """A configuration (..., nq) near q that satisfies the constraints.

    iterations: how many steps are taken; None for numbers takes as many as it needs for residuals below `tolerance`
    (m, rad), and raises an error if 30 do not suffice. Programs need a number.
    """
    tree, items = tree_of(robot), checked_constraints(constraints)
    q, parameters = configuration(tree, q), optional_parameters(tree, parameters)

    def step(q: Array) -> Array:
        m = mobility_of(tree, q, items, parameters)
        return -m.pushed(solve_rows(m.matrix, stacked_residual(tree, q, items), solver))

    if iterations is not None:
        for _ in range(iterations):
            q = integrate(tree, q, step(q))
        return q
    if is_symbolic(q):
        raise StateError("project_configuration: a program needs a number of iterations, such as iterations=2")

    def move(q: Array, change: Array) -> Array:
        return integrate(tree, q, change)

    return until_small(q, step, move, lambda q: stacked_residual(tree, q, items), tolerance, stacked_names(items))


def project_state(
    robot: Robot | Tree, q: Any, v: Any, constraints: Sequence[Constraint], iterations: int | None = None
) -> Step:
    """Configuration and velocity on the constraints, one after the other; iterations: see `project_configuration`."""
    q = project_configuration(robot, q, constraints, iterations)
    return Step(q, project_velocity(robot, q, v, constraints))
