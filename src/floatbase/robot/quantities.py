"""The quantities a robot can be asked for by name, and the algorithm behind each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from floatbase import results
from floatbase.model import Tree
from floatbase.results import INPUTS, STEPS, charts, fixed_wrenches

STATE = ("q", "v", "a", "tau")
SENSOR_STATE = ("s", "s_dot", "s_ddot", "proper_acceleration", "omega")
DIRECTIONS = ("z", "u", "u_all", "w", "p")  # what derivatives are multiplied by
ARRAYS = ("q", "q_end", "v", "a", "tau", "dt", *DIRECTIONS, "wrench", *SENSOR_STATE)  # as compiled functions take them
Static = str | int  # an argument that selects a program
CHOICES: dict[str, Callable[[Tree], tuple[str, ...]]] = {  # those that need not be given; the first by default
    "chart": lambda tree: charts(tree.floating, tree.representation),
    "method": lambda tree: STEPS,
    "inputs": lambda tree: INPUTS,
    "wrenches_fixed": lambda tree: fixed_wrenches(tree.representation),
}
SELECTIONS: dict[str, Callable[[Tree], tuple[Static, ...]]] = {  # those that must; all others are frames
    "representation": lambda tree: ("mixed", "body", "inertial"),
    "submodel": lambda tree: tuple(range(len(tree.submodels))),
    "joint": lambda tree: tuple(body.joint.name for body in tree.bodies if body.joint is not None),
    "sensor": lambda tree: tuple(cut.joint for cut in tree.cuts),
}
SEVERAL = "frames"  # the name of static arguments of any number, all frames


@dataclass(frozen=True)
class Quantity:
    """An algorithm and what it takes: state arrays, then static arguments; wrenches and inertial parameters, or not.

    `options` are static arguments that a request ends with only as far as they are not the default.
    """

    name: str  # in `floatbase.algorithms`
    state: tuple[str, ...]
    static: tuple[str, ...] = ()
    wrenches: bool = False
    parameters: bool = False
    form: type | None = None  # a named tuple, if there are several results
    options: tuple[str, ...] = ()

    @property
    def algorithm(self) -> Callable[..., Any]:
        """The function itself; imported late, because a process that finds its machine code in the cache needs none."""
        from floatbase import algorithms

        return getattr(algorithms, self.name)  # type: ignore[no-any-return]


def _dynamic(name: str, *state: str, wrenches: bool = False, frame: bool = False, form: type | None = None) -> Quantity:
    """A quantity that depends on inertial parameters."""
    return Quantity(name, state, ("frame",) if frame else (), wrenches, parameters=True, form=form)


def _derivative(name: str, *state: str, form: type | None = None, options: tuple[str, ...] = ()) -> Quantity:
    """A derivative of the dynamics, or a product with it."""
    return Quantity(name, state, (), True, True, form, (*options, "wrenches_fixed"))


def _step(name: str, form: type | None = None, *more: str, options: tuple[str, ...] = ()) -> Quantity:
    """A quantity of a step of time."""
    return Quantity(name, ("q", "v", "tau", "dt", *more), ("method",), True, True, form, options)


def _change(name: str, *static: str) -> Quantity:
    """A change of variables that does not depend on inertial parameters."""
    return Quantity(name, ("q", "v"), static, form=results.Change)


QUANTITIES: dict[str, Quantity] = {
    "pose": Quantity("pose", ("q",), ("frame",)),
    "velocity": Quantity("velocity", ("q", "v"), ("frame",)),
    "acceleration": Quantity("acceleration", ("q", "v", "a"), ("frame",)),
    "drift": Quantity("drift", ("q", "v"), ("frame",)),
    "jacobian": Quantity("jacobian", ("q",), ("frame",)),
    "jacobian_rate": Quantity("jacobian_rate", ("q", "v"), ("frame",)),
    "relative_pose": Quantity("relative_pose", ("q",), ("reference", "frame")),
    "relative_velocity": Quantity("relative_velocity", ("q", "v"), ("reference", "frame")),
    "relative_jacobian": Quantity("relative_jacobian", ("q",), ("reference", "frame")),
    "relative_jacobian_rate": Quantity("relative_jacobian_rate", ("q", "v"), ("reference", "frame")),
    "integrate": Quantity("integrate", ("q", "v")),
    "difference": Quantity("difference", ("q", "q_end")),
    "integrate_derivatives": Quantity("integrate_derivatives", ("q", "v", "dt"), form=results.IntegrationDerivatives),
    "difference_derivatives": Quantity("difference_derivatives", ("q", "q_end"), form=results.DifferenceDerivatives),
    "com": _dynamic("com", "q"),
    "com_velocity": _dynamic("com_velocity", "q", "v"),
    "com_jacobian": _dynamic("com_jacobian", "q"),
    "inverse_dynamics": _dynamic("inverse_dynamics", "q", "v", "a", wrenches=True),
    "forward_dynamics": _dynamic("forward_dynamics", "q", "v", "tau", wrenches=True),
    "inverse_dynamics_derivatives": _derivative(
        "inverse_dynamics_derivatives", "q", "v", "a", form=results.InverseDynamicsDerivatives, options=("chart",)
    ),
    "forward_dynamics_derivatives": _derivative(
        "forward_dynamics_derivatives", "q", "v", "tau", form=results.ForwardDynamicsDerivatives, options=("chart",)
    ),
    "linearize": Quantity(
        "linearize", ("q", "v", "tau"), ("chart",), True, True, results.Linearization, ("inputs", "wrenches_fixed")
    ),
    "chart_matrix": Quantity("chart_matrix", ("q", "v"), ("chart",)),
    "forward_dynamics_parameter_derivatives": _dynamic(
        "forward_dynamics_parameter_derivatives", "q", "v", "tau", wrenches=True
    ),
    "step": _step("step", results.Step),
    "step_derivatives": _step("step_derivatives", results.StepDerivatives, options=("inputs", "chart")),
    "step_parameter_derivatives": _step("step_parameter_derivatives"),
    "inverse_dynamics_product": _derivative("inverse_dynamics_product", "q", "v", "a", "z", "w"),
    "inverse_dynamics_gradient": _derivative(
        "inverse_dynamics_gradient", "q", "v", "a", "w", form=results.InverseDynamicsGradient
    ),
    "forward_dynamics_product": _derivative("forward_dynamics_product", "q", "v", "tau", "z", "u", options=("inputs",)),
    "forward_dynamics_gradient": _derivative(
        "forward_dynamics_gradient", "q", "v", "tau", "w", form=results.ForwardDynamicsGradient
    ),
    "linearize_product": _derivative("linearize_product", "q", "v", "tau", "z", "u", options=("inputs",)),
    "linearize_gradient": _derivative(
        "linearize_gradient", "q", "v", "tau", "p", form=results.StateGradient, options=("inputs",)
    ),
    "step_product": _step("step_product", None, "z", "u", options=("inputs",)),
    "step_gradient": _step("step_gradient", results.StateGradient, "p", options=("inputs",)),
    "inverse_dynamics_hessian": _derivative(
        "inverse_dynamics_hessian", "q", "v", "a", "w", form=results.InverseDynamicsHessian
    ),
    "inverse_dynamics_second_derivatives": _derivative("inverse_dynamics_second_derivatives", "q", "v", "a"),
    "velocity_derivatives": Quantity("velocity_derivatives", ("q", "v"), ("frame",), form=results.VelocityDerivatives),
    "acceleration_derivatives": Quantity(
        "acceleration_derivatives", ("q", "v", "a"), ("frame",), form=results.AccelerationDerivatives
    ),
    "jacobian_transpose_derivative": Quantity("jacobian_transpose_derivative", ("q", "wrench"), ("frame",)),
    "com_velocity_derivatives": _dynamic("com_velocity_derivatives", "q", "v", form=results.ComVelocityDerivatives),
    "centroidal_momentum_derivatives": _dynamic(
        "centroidal_momentum_derivatives", "q", "v", form=results.CentroidalMomentumDerivatives
    ),
    "centroidal_momentum_rate_derivatives": _dynamic(
        "centroidal_momentum_rate_derivatives", "q", "v", "a", form=results.CentroidalMomentumRateDerivatives
    ),
    "sensor_inverse_dynamics": _dynamic(
        "sensor_inverse_dynamics", "s", "s_dot", "s_ddot", "proper_acceleration", "omega"
    ),
    "hybrid_dynamics": _dynamic("hybrid_dynamics", "q", "v", "s_ddot", wrenches=True),
    "mass_matrix": _dynamic("mass_matrix", "q"),
    "inverse_mass_matrix": _dynamic("inverse_mass_matrix", "q"),
    "coriolis_matrix": _dynamic("coriolis_matrix", "q", "v"),
    "bias": _dynamic("bias", "q", "v", wrenches=True),
    "gravity": _dynamic("gravity", "q"),
    "kinetic_energy": _dynamic("kinetic_energy", "q", "v"),
    "potential_energy": _dynamic("potential_energy", "q"),
    "operational_space_inertia": _dynamic("operational_space_inertia", "q", frame=True),
    "operational_space_mobility": _dynamic("operational_space_mobility", "q", frame=True),
    "centroidal_momentum": _dynamic("centroidal_momentum", "q", "v"),
    "centroidal_momentum_matrix": _dynamic("centroidal_momentum_matrix", "q"),
    "centroidal_momentum_matrix_rate": _dynamic("centroidal_momentum_matrix_rate", "q", "v"),
    "centroidal_momentum_rate": _dynamic("centroidal_momentum_rate", "q", "v", "a"),
    "centroidal_momentum_drift": _dynamic("centroidal_momentum_drift", "q", "v"),
    "locked_inertia": _dynamic("locked_inertia", "q"),
    "average_velocity": _dynamic("average_velocity", "q", "v"),
    "regressor": Quantity("regressor", ("q", "v", "a")),
    "base_regressor": Quantity("base_regressor", ("q", "v", "a")),
    "momentum_regressor": Quantity("momentum_regressor", ("q", "v")),
    "kinetic_energy_regressor": Quantity("kinetic_energy_regressor", ("q", "v")),
    "potential_energy_regressor": Quantity("potential_energy_regressor", ("q",)),
    "submodel_regressor": Quantity("submodel_regressor", ("q", "v", "a"), ("submodel", "frame")),
    "stacked_submodel_regressor": Quantity("stacked_submodel_regressor", ("q", "v", "a"), (SEVERAL,)),
    "local_torque_regressor": Quantity(
        "local_torque_regressor", ("q", "v", "a"), ("joint", "sensor"), form=results.LocalTorqueRegressor
    ),
    "contact_dynamics": Quantity(
        "contact_dynamics", ("q", "v", "tau"), (SEVERAL,), parameters=True, form=results.ContactMotion
    ),
    "centroidal_wrench_matrix": Quantity("centroidal_wrench_matrix", ("q",), (SEVERAL,), parameters=True),
    "generalized_forces": Quantity("generalized_forces", ("q",), wrenches=True),
    "base_balance": _dynamic("base_balance", "q", "v", "a", wrenches=True, form=results.BaseBalance),
    "change_of_base": _change("change_of_base", "link"),
    "change_of_representation": _change("change_of_representation", "representation"),
    "change_to_compound_frame": _change("change_to_compound_frame", "origin", "axes"),
    "change_to_center_of_mass": _dynamic("change_to_center_of_mass", "q", "v", form=results.Change),
    "change_to_average_velocity": _dynamic("change_to_average_velocity", "q", "v", form=results.Change),
}
