"""The vocabulary of rigid bodies: rotations, poses, twists, wrenches, accelerations, inertias.

Functions take arrays of numbers, with any leading batch axes, or of symbols. Linear parts come first; quaternions are
w x y z; `a_H_b` maps coordinates in b to coordinates in a.

Numbers that are not what an argument's type says are refused: a rotation that is none, NaN. The modules have the same
functions without checks of values, for loops and recursions (see `checks`).
"""

from floatbase.spatial import groups
from floatbase.spatial.attitudes import AxisAngle, axis_angle_from_rotation, nearest_rotation, rpy_rate_matrix
from floatbase.spatial.body_regressors import momentum_of_parameters, wrench_of_parameters
from floatbase.spatial.checks import (
    InertiaWarning,
    check_inertia,
    check_pose,
    check_rotation,
    check_skew,
    guarded_names,
)
from floatbase.spatial.composition import (
    apparent_acceleration,
    compose_accelerations,
    compose_inertial_accelerations,
    compose_inertial_twists,
    compose_mixed_accelerations,
    compose_mixed_twists,
    compose_sensor_accelerations,
    compose_twists,
)
from floatbase.spatial.consistency import (
    PrincipalInertia,
    central_tensor,
    is_consistent,
    log_cholesky_of_parameters,
    parameters_from_log_cholesky,
    parameters_from_principal,
    principal_inertia,
)
from floatbase.spatial.densities import box_moments, cylinder_moments, ellipsoid_moments, parameters_of_points
from floatbase.spatial.group_motion import (
    group_error,
    midpoint_step,
    projected_step,
    proportional_derivative_acceleration,
    proportional_velocity,
    runge_kutta_step,
)
from floatbase.spatial.groups import LieGroup, linearize
from floatbase.spatial.inertias import (
    center_of_parameters,
    inertia_matrix,
    is_physical,
    parameters_from_center,
    parameters_of_inertia_matrix,
    pseudo_inertia,
    transform_parameters,
)
from floatbase.spatial.joint_transforms import joint_transform, joint_transform_derivative, motion_subspace
from floatbase.spatial.poses import (
    apply_pose,
    invert_pose,
    pose_exponential,
    pose_from,
    pose_logarithm,
    position_of,
    rotation_of,
)
from floatbase.spatial.pseudoinverses import left_inverse, right_inverse
from floatbase.spatial.representations import (
    change_acceleration,
    change_twist,
    change_wrench,
    proper_acceleration,
    representation_matrix,
)
from floatbase.spatial.rigid_body import (
    body_acceleration,
    body_kinetic_energy,
    body_lagrangian,
    body_momentum,
    body_momentum_rate,
    body_potential_energy,
    central_momentum_rate,
    external_wrench,
)
from floatbase.spatial.rotations import (
    multiply_quaternions,
    quaternion_exponential,
    quaternion_from_rotation,
    quaternion_logarithm,
    rotation_about_axis,
    rotation_exponential,
    rotation_from_quaternion,
    rotation_from_rpy,
    rotation_logarithm,
    rpy_from_rotation,
)
from floatbase.spatial.skew import hat, vee
from floatbase.spatial.spinning_wheel import SpinningWheel
from floatbase.spatial.tangents import (
    pose_left_jacobian,
    pose_left_jacobian_inverse,
    pose_right_jacobian,
    pose_right_jacobian_inverse,
    rotation_left_jacobian,
    rotation_left_jacobian_inverse,
    rotation_right_jacobian,
    rotation_right_jacobian_inverse,
)
from floatbase.spatial.twists import (
    adjoint,
    angular_first,
    angular_first_matrix,
    momentum_cross,
    transform_twist,
    transform_wrench,
    twist_cross,
    twist_matrix,
    twist_of_matrix,
    wrench_adjoint,
    wrench_cross,
)
from floatbase.spatial.variational import euler_poincare_wrench, hamel_forces
from floatbase.spatial.vectorization import tensor_of_vech, vec, vech

__all__ = [
    "AxisAngle",
    "InertiaWarning",
    "LieGroup",
    "PrincipalInertia",
    "SpinningWheel",
    "adjoint",
    "angular_first",
    "angular_first_matrix",
    "apparent_acceleration",
    "apply_pose",
    "axis_angle_from_rotation",
    "body_acceleration",
    "body_kinetic_energy",
    "body_lagrangian",
    "body_momentum",
    "body_momentum_rate",
    "body_potential_energy",
    "box_moments",
    "center_of_parameters",
    "central_momentum_rate",
    "central_tensor",
    "change_acceleration",
    "change_twist",
    "change_wrench",
    "check_inertia",
    "check_pose",
    "check_rotation",
    "check_skew",
    "compose_accelerations",
    "compose_inertial_accelerations",
    "compose_inertial_twists",
    "compose_mixed_accelerations",
    "compose_mixed_twists",
    "compose_sensor_accelerations",
    "compose_twists",
    "cylinder_moments",
    "ellipsoid_moments",
    "euler_poincare_wrench",
    "external_wrench",
    "group_error",
    "groups",
    "hamel_forces",
    "hat",
    "inertia_matrix",
    "invert_pose",
    "is_consistent",
    "is_physical",
    "joint_transform",
    "joint_transform_derivative",
    "left_inverse",
    "linearize",
    "log_cholesky_of_parameters",
    "midpoint_step",
    "momentum_cross",
    "momentum_of_parameters",
    "motion_subspace",
    "multiply_quaternions",
    "nearest_rotation",
    "parameters_from_center",
    "parameters_from_log_cholesky",
    "parameters_from_principal",
    "parameters_of_inertia_matrix",
    "parameters_of_points",
    "pose_exponential",
    "pose_from",
    "pose_left_jacobian",
    "pose_left_jacobian_inverse",
    "pose_logarithm",
    "pose_right_jacobian",
    "pose_right_jacobian_inverse",
    "position_of",
    "principal_inertia",
    "projected_step",
    "proper_acceleration",
    "proportional_derivative_acceleration",
    "proportional_velocity",
    "pseudo_inertia",
    "quaternion_exponential",
    "quaternion_from_rotation",
    "quaternion_logarithm",
    "representation_matrix",
    "right_inverse",
    "rotation_about_axis",
    "rotation_exponential",
    "rotation_from_quaternion",
    "rotation_from_rpy",
    "rotation_left_jacobian",
    "rotation_left_jacobian_inverse",
    "rotation_logarithm",
    "rotation_of",
    "rotation_right_jacobian",
    "rotation_right_jacobian_inverse",
    "rpy_from_rotation",
    "rpy_rate_matrix",
    "runge_kutta_step",
    "tensor_of_vech",
    "transform_parameters",
    "transform_twist",
    "transform_wrench",
    "twist_cross",
    "twist_matrix",
    "twist_of_matrix",
    "vec",
    "vech",
    "vee",
    "wrench_adjoint",
    "wrench_cross",
    "wrench_of_parameters",
]

globals().update(guarded_names(globals(), __all__))
