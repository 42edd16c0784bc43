"""The vocabulary of rigid bodies: rotations, poses, twists, wrenches, accelerations, inertias.

Functions take arrays of numbers, with any leading batch axes, or of symbols. Linear parts come first; quaternions are
w x y z; `a_H_b` maps coordinates in b to coordinates in a.
"""

from floatbase.spatial.body_regressors import momentum_of_parameters, wrench_of_parameters
from floatbase.spatial.checks import check_pose, check_rotation
from floatbase.spatial.composition import compose_accelerations, compose_sensor_accelerations, compose_twists
from floatbase.spatial.consistency import (
    PrincipalInertia,
    central_tensor,
    is_consistent,
    log_cholesky_of_parameters,
    parameters_from_log_cholesky,
    parameters_from_principal,
    principal_inertia,
)
from floatbase.spatial.inertias import (
    center_of_parameters,
    inertia_matrix,
    is_physical,
    parameters_from_center,
    parameters_of_inertia_matrix,
    pseudo_inertia,
    transform_parameters,
)
from floatbase.spatial.poses import (
    apply_pose,
    invert_pose,
    pose_exponential,
    pose_from,
    pose_logarithm,
    position_of,
    rotation_of,
)
from floatbase.spatial.representations import (
    change_acceleration,
    change_twist,
    change_wrench,
    proper_acceleration,
    representation_matrix,
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
    transform_twist,
    transform_wrench,
    twist_cross,
    twist_matrix,
    twist_of_matrix,
    wrench_adjoint,
    wrench_cross,
)
from floatbase.spatial.variational import euler_poincare_wrench, hamel_forces

__all__ = [
    "PrincipalInertia",
    "SpinningWheel",
    "adjoint",
    "apply_pose",
    "center_of_parameters",
    "central_tensor",
    "change_acceleration",
    "change_twist",
    "change_wrench",
    "check_pose",
    "check_rotation",
    "compose_accelerations",
    "compose_sensor_accelerations",
    "compose_twists",
    "euler_poincare_wrench",
    "hamel_forces",
    "hat",
    "inertia_matrix",
    "invert_pose",
    "is_consistent",
    "is_physical",
    "log_cholesky_of_parameters",
    "momentum_of_parameters",
    "multiply_quaternions",
    "parameters_from_center",
    "parameters_from_log_cholesky",
    "parameters_from_principal",
    "parameters_of_inertia_matrix",
    "pose_exponential",
    "pose_from",
    "pose_left_jacobian",
    "pose_left_jacobian_inverse",
    "pose_logarithm",
    "pose_right_jacobian",
    "pose_right_jacobian_inverse",
    "position_of",
    "principal_inertia",
    "proper_acceleration",
    "pseudo_inertia",
    "quaternion_exponential",
    "quaternion_from_rotation",
    "quaternion_logarithm",
    "representation_matrix",
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
    "transform_parameters",
    "transform_twist",
    "transform_wrench",
    "twist_cross",
    "twist_matrix",
    "twist_of_matrix",
    "vee",
    "wrench_adjoint",
    "wrench_cross",
    "wrench_of_parameters",
]
