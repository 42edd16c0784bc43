"""Constraints on robots, and motion under them; `constraints.bodies` is for free bodies in maximal coordinates."""

from floatbase.simulation.constraints.closed_loops import constraints_of
from floatbase.simulation.constraints.compiled import (
    constrained_dynamics_function,
    constrained_forward_dynamics,
    constrained_motion_step,
    constrained_step,
    constrained_step_function,
)
from floatbase.simulation.constraints.constraint import Constraint
from floatbase.simulation.constraints.couplings import Coupling
from floatbase.simulation.constraints.custom import Rows
from floatbase.simulation.constraints.diagnostics import Diagnosis, diagnose, diagnose_constraints
from floatbase.simulation.constraints.distances import Distance
from floatbase.simulation.constraints.frames import Contact, FrameConstraint
from floatbase.simulation.constraints.impacts import Impact, impact
from floatbase.simulation.constraints.motion import (
    Baumgarte,
    ConstrainedMotion,
    constrained_acceleration,
    null_space_acceleration,
)
from floatbase.simulation.constraints.places import Place, point
from floatbase.simulation.constraints.projections import (
    ConstraintErrors,
    constraint_errors,
    project_configuration,
    project_state,
    project_velocity,
    require_consistent,
)
from floatbase.simulation.constraints.rolling import Blade, Rolling

__all__ = [
    "Baumgarte",
    "Blade",
    "ConstrainedMotion",
    "Constraint",
    "ConstraintErrors",
    "Contact",
    "Coupling",
    "Diagnosis",
    "Distance",
    "FrameConstraint",
    "Impact",
    "Place",
    "Rolling",
    "Rows",
    "constrained_acceleration",
    "constrained_dynamics_function",
    "constrained_forward_dynamics",
    "constrained_motion_step",
    "constrained_step",
    "constrained_step_function",
    "constraint_errors",
    "constraints_of",
    "diagnose",
    "diagnose_constraints",
    "impact",
    "null_space_acceleration",
    "point",
    "project_configuration",
    "project_state",
    "project_velocity",
    "require_consistent",
]
