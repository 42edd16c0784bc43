"""Free rigid bodies in maximal coordinates, their constraints, and forms of their equations."""

from floatbase.simulation.constraints.bodies.assembly import Assembly, assemble, loops_of
from floatbase.simulation.constraints.bodies.decomposition import (
    Decomposition,
    ReducedMotion,
    aligned_basis,
    basis_rate,
    decompose,
    reduced_group,
    reduced_motion,
    reduced_state,
    reduced_velocity,
)
from floatbase.simulation.constraints.bodies.equivalence import (
    Equivalence,
    compare_forms,
    compare_trajectories,
    equivalence,
    forms_of,
)
from floatbase.simulation.constraints.bodies.generalized import GeneralizedModel
from floatbase.simulation.constraints.bodies.joints import BodyJoint, body_joint, joint_wrenches
from floatbase.simulation.constraints.bodies.motion import (
    RedundantConstraintWarning,
    body_constraint_errors,
    constraint_wrenches,
    explicit_motion,
    explicit_velocity,
    project_poses,
    project_twists,
    projector,
    require_consistent_bodies,
)
from floatbase.simulation.constraints.bodies.pendulum import SphericalPendulum
from floatbase.simulation.constraints.bodies.pfaffian import BodyConstraint, BodySystem
from floatbase.simulation.constraints.bodies.rolling import rolling_disc

__all__ = [
    "Assembly",
    "BodyConstraint",
    "BodyJoint",
    "BodySystem",
    "Decomposition",
    "Equivalence",
    "GeneralizedModel",
    "ReducedMotion",
    "RedundantConstraintWarning",
    "SphericalPendulum",
    "aligned_basis",
    "assemble",
    "basis_rate",
    "body_constraint_errors",
    "body_joint",
    "compare_forms",
    "compare_trajectories",
    "constraint_wrenches",
    "decompose",
    "equivalence",
    "explicit_motion",
    "explicit_velocity",
    "forms_of",
    "joint_wrenches",
    "loops_of",
    "project_poses",
    "project_twists",
    "projector",
    "reduced_group",
    "reduced_motion",
    "reduced_state",
    "reduced_velocity",
    "require_consistent_bodies",
    "rolling_disc",
]
