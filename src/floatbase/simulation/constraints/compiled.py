r"""Constrained motion as compiled functions: one for each robot and set of constraints, made at the first call.

The constraints, with the numbers in them, are settled when a function is compiled. A function of one's own that is to
have other inputs, such as the length of a rod, calls `constrained_acceleration` inside a `floatbase.kernel`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floatbase.algorithms.configuration import integrate
from floatbase.compiler.control import subprogram
from floatbase.compiler.function import Function
from floatbase.errors import ArgumentError
from floatbase.kernels import kernel
from floatbase.results import Step
from floatbase.robot import Robot
from floatbase.simulation.constraints.constraint import Constraint, checked_constraints, require_rows, tree_of
from floatbase.simulation.constraints.motion import (
    Baumgarte,
    ConstrainedMotion,
    constrained_acceleration,
    null_space_acceleration,
)
from floatbase.simulation.constraints.projections import project_configuration, project_velocity
from floatbase.simulation.constraints.solvers import Solver
from floatbase.spatial.arrays import Array

Tuned = tuple[float, float] | None


@kernel
def _multipliers(
    robot: Robot, q: Any, v: Any, tau: Any, *, constraints: tuple[Constraint, ...], baumgarte: Tuned, solver: Solver
) -> ConstrainedMotion:
    require_rows(robot, q, constraints)
    return constrained_acceleration(robot, q, v, tau, constraints, baumgarte, solver=solver)


@kernel
def _null_space(
    robot: Robot, q: Any, v: Any, tau: Any, *, constraints: tuple[Constraint, ...], baumgarte: Tuned, solver: Solver
) -> ConstrainedMotion:
    require_rows(robot, q, constraints)
    return null_space_acceleration(robot, q, v, tau, constraints, baumgarte, solver=solver)


@kernel
def _step(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    *,
    constraints: tuple[Constraint, ...],
    baumgarte: Tuned,
    projections: int,
    solver: Solver,
) -> Step:
    require_rows(robot, q, constraints)
    return constrained_step(robot, q, v, tau, dt, constraints, baumgarte, projections, solver)


def constrained_forward_dynamics(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[float, float] | None = None,
    *,
    null_space: bool = False,
    solver: Solver = "proximal",
    out: Any = None,
    threads: int | None = None,
) -> ConstrainedMotion:
    """Accelerations and multipliers as `constrained_acceleration` gives them, compiled.

    q: (..., nq); v, tau: (..., nv); null_space: in the form of `null_space_acceleration`; out: a tuple of two arrays.
    """
    call = _null_space if null_space else _multipliers
    return call(  # type: ignore[no-any-return]
        robot, q, v, tau, out=out, threads=threads, **_settings(constraints, baumgarte, solver)
    )


def constrained_motion_step(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    dt: Any,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[float, float] | None = None,
    projections: int = 1,
    *,
    solver: Solver = "proximal",
    out: Any = None,
    threads: int | None = None,
) -> Step:
    """The state after a step as `constrained_step` gives it, compiled; out: a tuple of two arrays."""
    settings = _settings(constraints, baumgarte, solver)
    return _step(  # type: ignore[no-any-return]
        robot, q, v, tau, dt, out=out, threads=threads, projections=projections, **settings
    )


def constrained_dynamics_function(
    robot: Robot,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[float, float] | None = None,
    *,
    null_space: bool = False,
    solver: Solver = "proximal",
) -> Function:
    """What `constrained_forward_dynamics` calls, of q, v and tau: for loops, in which looking it up would count."""
    call = _null_space if null_space else _multipliers
    return call.compiled(robot, **_settings(constraints, baumgarte, solver))


def constrained_step_function(
    robot: Robot,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[float, float] | None = None,
    projections: int = 1,
    *,
    solver: Solver = "proximal",
) -> Function:
    """What `constrained_motion_step` calls, of q, v, tau and dt."""
    settings = _settings(constraints, baumgarte, solver)
    return _step.compiled(robot, projections=projections, **settings)


def constrained_step(
    robot: Robot,
    q: Array,
    v: Array,
    tau: Array,
    dt: Any,
    constraints: Sequence[Constraint],
    baumgarte: Baumgarte | tuple[Any, Any] | None = None,
    projections: int = 1,
    solver: Solver = "proximal",
) -> Step:
    r"""A step of fourth order with constant generalised forces, then back onto the constraints.

    The stages and the composition are those of `floatbase.algorithms.steps`. projections: steps of Gauss and Newton for
    the configuration, after which the velocity is projected; 0 leaves the drift.
    """
    tree, items = tree_of(robot), checked_constraints(constraints)
    if not isinstance(projections, int) or projections < 0:
        raise ArgumentError(f"projections is {projections!r}; it must be a whole number, 0 or more")

    @subprogram
    def acceleration(q: Array, v: Array, tau: Array) -> Array:
        return constrained_acceleration(tree, q, v, tau, items, baumgarte, solver=solver).acceleration

    h = dt[..., None] if getattr(dt, "shape", ()) else dt
    a1 = acceleration(q, v, tau)
    v2 = v + 0.5 * h * a1
    a2 = acceleration(integrate(tree, q, 0.5 * h * v), v2, tau)
    q2 = integrate(tree, q, 0.5 * h * v)
    v3 = v + 0.5 * h * a2
    a3 = acceleration(integrate(tree, q, 0.5 * h * v2), v3, tau)
    v4 = v + h * a3
    a4 = acceleration(integrate(tree, q2, h * v3 - 0.5 * h * v), v4, tau)
    between = integrate(tree, q, h / 12.0 * (3.0 * v + 2.0 * v2 + 2.0 * v3 - v4))
    q_end = integrate(tree, between, h / 12.0 * (-v + 2.0 * v2 + 2.0 * v3 + 3.0 * v4))
    v_end = v + h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    if projections:
        q_end = project_configuration(tree, q_end, items, projections, solver=solver)
        v_end = project_velocity(tree, q_end, v_end, items, solver=solver)
    return Step(q_end, v_end)


def _settings(
    constraints: Sequence[Constraint], baumgarte: tuple[float, float] | None, solver: Solver
) -> dict[str, Any]:
    tuned = None if baumgarte is None else (float(baumgarte[0]), float(baumgarte[1]))
    return {"constraints": checked_constraints(constraints), "baumgarte": tuned, "solver": solver}
