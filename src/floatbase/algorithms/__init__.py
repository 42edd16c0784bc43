"""The mathematics of a tree of rigid bodies, one algorithm in each file.

Every function takes a `Tree` and arrays of numbers, with any leading batch axes, or of symbols.
"""

from floatbase.algorithms.acceleration import acceleration, drift
from floatbase.algorithms.bias import bias, gravity
from floatbase.algorithms.center_of_mass import com, com_jacobian, com_velocity, total_mass
from floatbase.algorithms.centroidal import (
    average_velocity,
    centroidal_momentum,
    centroidal_momentum_drift,
    centroidal_momentum_matrix,
    centroidal_momentum_rate,
    locked_inertia,
)
from floatbase.algorithms.centroidal_matrix_rate import centroidal_momentum_matrix_rate
from floatbase.algorithms.changes import (
    change_of_base,
    change_of_representation,
    change_to_average_velocity,
    change_to_center_of_mass,
    change_to_compound_frame,
    link_coriolis_matrix,
)
from floatbase.algorithms.configuration import (
    difference,
    difference_derivatives,
    disturbance_rate,
    integrate,
    integrate_derivatives,
)
from floatbase.algorithms.contact_dynamics import (
    centroidal_wrench_matrix,
    contact_dynamics,
    generalized_forces,
)
from floatbase.algorithms.coriolis import coriolis_matrix
from floatbase.algorithms.derivatives.center_of_mass import com_velocity_derivatives
from floatbase.algorithms.derivatives.centroidal import (
    centroidal_momentum_derivatives,
    centroidal_momentum_rate_derivatives,
)
from floatbase.algorithms.derivatives.charts import chart_matrix
from floatbase.algorithms.derivatives.differences import Deviation, deviation, finite_difference
from floatbase.algorithms.derivatives.forward_dynamics import forward_dynamics_derivatives
from floatbase.algorithms.derivatives.inverse_dynamics import inverse_dynamics_derivatives
from floatbase.algorithms.derivatives.kinematics import (
    acceleration_derivatives,
    jacobian_transpose_derivative,
    velocity_derivatives,
)
from floatbase.algorithms.derivatives.linearization import linearize
from floatbase.algorithms.derivatives.parameters import forward_dynamics_parameter_derivatives
from floatbase.algorithms.derivatives.products import (
    inverse_dynamics_change,
    inverse_dynamics_gradient,
    inverse_dynamics_product,
)
from floatbase.algorithms.derivatives.second_order import inverse_dynamics_hessian
from floatbase.algorithms.derivatives.second_order_tensors import (
    SecondDerivativePattern,
    inverse_dynamics_second_derivatives,
    second_derivative_pattern,
)
from floatbase.algorithms.derivatives.state_products import (
    forward_dynamics_gradient,
    forward_dynamics_product,
    linearize_gradient,
    linearize_product,
    step_gradient,
    step_product,
)
from floatbase.algorithms.derivatives.steps import step_derivatives, step_parameter_derivatives
from floatbase.algorithms.drive_regressor import arm_parameters, arm_regressor, drive_regressor
from floatbase.algorithms.energy import kinetic_energy, potential_energy
from floatbase.algorithms.energy_regressors import kinetic_energy_regressor, potential_energy_regressor
from floatbase.algorithms.forward_dynamics import forward_dynamics
from floatbase.algorithms.hybrid_dynamics import base_balance, hybrid_dynamics
from floatbase.algorithms.inverse_dynamics import inverse_dynamics
from floatbase.algorithms.inverse_mass_matrix import (
    inverse_mass_matrix,
    operational_space_inertia,
    operational_space_mobility,
)
from floatbase.algorithms.jacobian import jacobian
from floatbase.algorithms.jacobian_rate import jacobian_rate
from floatbase.algorithms.mass_matrix import mass_matrix
from floatbase.algorithms.pose import pose
from floatbase.algorithms.regressor import base_regressor, momentum_regressor, regressor
from floatbase.algorithms.relative import relative_jacobian, relative_pose, relative_velocity
from floatbase.algorithms.relative_rate import relative_jacobian_rate
from floatbase.algorithms.sensor_dynamics import sensor_inverse_dynamics
from floatbase.algorithms.steps import step
from floatbase.algorithms.submodel_regressors import (
    local_torque_regressor,
    stacked_submodel_regressor,
    submodel_parameters,
    submodel_regressor,
    submodel_wrench,
)
from floatbase.algorithms.velocity import velocity
from floatbase.results import BaseBalance, Change, ContactMotion

__all__ = [
    "BaseBalance",
    "Change",
    "ContactMotion",
    "Deviation",
    "SecondDerivativePattern",
    "acceleration",
    "acceleration_derivatives",
    "arm_parameters",
    "arm_regressor",
    "average_velocity",
    "base_balance",
    "base_regressor",
    "bias",
    "centroidal_momentum",
    "centroidal_momentum_derivatives",
    "centroidal_momentum_drift",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_rate",
    "centroidal_momentum_rate",
    "centroidal_momentum_rate_derivatives",
    "centroidal_wrench_matrix",
    "change_of_base",
    "change_of_representation",
    "change_to_average_velocity",
    "change_to_center_of_mass",
    "change_to_compound_frame",
    "chart_matrix",
    "com",
    "com_jacobian",
    "com_velocity",
    "com_velocity_derivatives",
    "contact_dynamics",
    "coriolis_matrix",
    "deviation",
    "difference",
    "difference_derivatives",
    "disturbance_rate",
    "drift",
    "drive_regressor",
    "finite_difference",
    "forward_dynamics",
    "forward_dynamics_derivatives",
    "forward_dynamics_gradient",
    "forward_dynamics_parameter_derivatives",
    "forward_dynamics_product",
    "generalized_forces",
    "gravity",
    "hybrid_dynamics",
    "integrate",
    "integrate_derivatives",
    "inverse_dynamics",
    "inverse_dynamics_change",
    "inverse_dynamics_derivatives",
    "inverse_dynamics_gradient",
    "inverse_dynamics_hessian",
    "inverse_dynamics_product",
    "inverse_dynamics_second_derivatives",
    "inverse_mass_matrix",
    "jacobian",
    "jacobian_rate",
    "jacobian_transpose_derivative",
    "kinetic_energy",
    "kinetic_energy_regressor",
    "linearize",
    "linearize_gradient",
    "linearize_product",
    "link_coriolis_matrix",
    "local_torque_regressor",
    "locked_inertia",
    "mass_matrix",
    "momentum_regressor",
    "operational_space_inertia",
    "operational_space_mobility",
    "pose",
    "potential_energy",
    "potential_energy_regressor",
    "regressor",
    "relative_jacobian",
    "relative_jacobian_rate",
    "relative_pose",
    "relative_velocity",
    "second_derivative_pattern",
    "sensor_inverse_dynamics",
    "stacked_submodel_regressor",
    "step",
    "step_derivatives",
    "step_gradient",
    "step_parameter_derivatives",
    "step_product",
    "submodel_parameters",
    "submodel_regressor",
    "submodel_wrench",
    "total_mass",
    "velocity",
    "velocity_derivatives",
]
