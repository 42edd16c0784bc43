"""The quantities a robot can be asked for by name, and the algorithm behind each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase import results
from floatbase.compiler.program import Port
from floatbase.errors import ArgumentError, unknown_name
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
PARAMETERS = "(parameters)"  # ends the name of a request for a quantity that takes inertial parameters


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


class Request(tuple[Any, ...]):
    """One quantity with its static arguments, for instance the Jacobian of one frame: `("jacobian", "l_sole")`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Of the quantity."""
        return str(self[0]).removesuffix(PARAMETERS)

    @property
    def static(self) -> tuple[Static, ...]:
        """What the quantity is asked for."""
        return tuple(self[1:])

    @property
    def quantity(self) -> Quantity:
        """What is asked for."""
        return QUANTITIES[self.name]

    @property
    def state(self) -> tuple[str, ...]:
        """The arrays that the quantity takes. Changes of all forces are another input than those of joint forces."""
        state = self.quantity.state
        return tuple("u_all" if name == "u" else name for name in state) if "all" in self.static else state

    @property
    def label(self) -> str:
        """A name for the output."""
        return "_".join((self.name, *map(str, self.static)))

    @property
    def form(self) -> results.Form:
        """What puts several results together, if there are."""
        form = self.quantity.form
        return results.ContactForm(tuple(map(str, self.static))) if form is results.ContactMotion else form

    def is_default(self, tree: Tree) -> bool:
        """Whether nothing was chosen that a call with arrays alone would not get."""
        kinds = self.quantity.static
        return len(self.static) == len(kinds) and all(
            kind in CHOICES and choice == CHOICES[kind](tree)[0]
            for kind, choice in zip(kinds, self.static, strict=True)
        )

    @property
    def takes_parameters(self) -> bool:
        """Whether inertial parameters are an input."""
        return str(self[0]).endswith(PARAMETERS)

    def with_parameters(self) -> Request:
        """The same, for inertial parameters that are given with the call, if the quantity depends on them."""
        if self.takes_parameters or not self.quantity.parameters:
            return self
        return Request(with_parameters(self))


def with_parameters(request: tuple[Any, ...]) -> tuple[Any, ...]:
    """A request marked as one that takes inertial parameters."""
    return (request[0] + PARAMETERS, *request[1:])


def names_one(outputs: object) -> bool:
    """Whether a tuple is a name with static arguments, and no list of names."""
    if not isinstance(outputs, tuple) or len(outputs) < 2 or not isinstance(outputs[0], str):
        return False
    quantity = QUANTITIES.get(outputs[0])
    if quantity is None or not isinstance(outputs[1], str | int):
        return False
    return bool(quantity.static or (quantity.options and outputs[1] not in QUANTITIES))


def parse(tree: Tree, output: str | Sequence[Static]) -> Request:
    """A request from a name, or a tuple of a name and static arguments, checked; choices left out are the default."""
    name, *static = output if isinstance(output, tuple | list) and output else (output,)
    if not isinstance(name, str):
        raise ArgumentError(f"a quantity is asked for by its name, or by a tuple that begins with it, got {output!r}")
    if name not in QUANTITIES:
        raise unknown_name("quantity", name, QUANTITIES)
    needed, options = QUANTITIES[name].static, QUANTITIES[name].options
    if needed == (SEVERAL,) and static:
        needed = ("frame",) * len(static)
    static += [CHOICES[kind](tree)[0] for kind in needed[len(static) :] if kind in CHOICES]
    if not len(needed) <= len(static) <= len(needed) + len(options):
        example = f"({', '.join(repr(item) for item in (name, *needed))})" if needed else repr(name)
        raise ArgumentError(f"the quantity {name!r} is asked for as {example}, got {output!r}")
    kinds = (*needed, *options)[: len(static)]
    for kind, item in zip(kinds, static, strict=True):
        if kind in CHOICES or kind in SELECTIONS:
            _check_choice(tree, name, kind, item)
        else:
            check_frame(tree, item)
    while len(static) > len(needed) and static[-1] == CHOICES[kinds[len(static) - 1]](tree)[0]:
        static.pop()
    return Request((name, *static))


def check_frame(tree: Tree, frame: Any) -> None:
    """Raise the error for an unknown frame."""
    if not isinstance(frame, str) or frame not in tree.frames:
        raise unknown_name("frame", str(frame), tree.frames)


def _check_choice(tree: Tree, name: str, kind: str, item: Any) -> None:
    choices: tuple[Static, ...] = CHOICES[kind](tree) if kind in CHOICES else SELECTIONS[kind](tree)
    if kind in ("submodel", "sensor") and not choices:
        raise ArgumentError(
            f"{name}: robot {tree.name!r} has no submodels: load it with keep_force_sensors=True, if it has sensors"
        )
    if kind in ("joint", "sensor") and item not in choices:
        raise unknown_name("force/torque sensor joint" if kind == "sensor" else "joint", str(item), map(str, choices))
    if item not in choices:
        raise ArgumentError(f"{name}: {kind} must be one of {choices}, got {item!r}")


def state_port(tree: Tree, name: str) -> Port:
    """The shape of a state array: configuration, velocity, acceleration, generalised force, or what sensors measure."""
    sizes = {"q": tree.nq, "q_end": tree.nq, "s": tree.joint_nq, "s_dot": tree.joint_nv, "s_ddot": tree.joint_nv}
    sizes |= {"z": 2 * tree.nv, "u": tree.joint_nv, "p": 2 * tree.nv, "wrench": 6, "proper_acceleration": 6, "omega": 3}
    return Port(name) if name == "dt" else Port(name, (sizes.get(name, tree.nv),))


def input_ports(tree: Tree, requests: Sequence[Request], wrenches: Sequence[str]) -> tuple[Port, ...]:
    """The inputs that some requests need together: the state (`ARRAYS`), a wrench each frame, parameters."""
    needed = {name for request in requests for name in request.state}
    ports = [state_port(tree, name) for name in ARRAYS if name in needed]
    if wrenches and not any(request.quantity.wrenches for request in requests):
        able = ", ".join(name for name, quantity in QUANTITIES.items() if quantity.wrenches)
        raise ArgumentError(f"no wrench acts on {requests[0].name!r}; wrenches can be given to: {able}")
    for frame in wrenches:
        check_frame(tree, frame)
    if len(set(wrenches)) != len(wrenches):
        raise ArgumentError(f"a frame appears twice in wrenches={tuple(wrenches)}")
    ports += [Port(f"wrench_{frame}", (6,)) for frame in wrenches]
    if any(request.takes_parameters for request in requests):
        ports.append(Port("parameters", (10 * len(tree.bodies),)))
    return tuple(ports)


def evaluate(tree: Tree, requests: Sequence[Request], wrenches: Sequence[str], arrays: Sequence[Any]) -> dict[str, Any]:
    """Call the algorithms behind the requests on numbers or symbols, arrays in the order of `input_ports`."""
    names = [port.name for port in input_ports(tree, requests, wrenches)]
    values = dict(zip(names, arrays, strict=True))
    acting = {frame: values[f"wrench_{frame}"] for frame in wrenches}
    found: dict[str, Any] = {}
    for request in requests:
        quantity = request.quantity
        arguments = [values[name] for name in request.state]
        settings: dict[str, Any] = {"wrenches": acting} if quantity.wrenches and acting else {}
        if request.takes_parameters:
            settings["parameters"] = values["parameters"]
        several = quantity.static == (SEVERAL,)
        kinds = () if several else (*quantity.static, *quantity.options)
        static = dict(zip(kinds, request.static, strict=False))
        settings |= {kind: item for kind, item in static.items() if kind in CHOICES}
        selected: list[Any] = [item for kind, item in static.items() if kind not in CHOICES]
        if several:
            selected = [request.static]
        result = quantity.algorithm(tree, *arguments, *selected, **settings)
        if quantity.form is None:
            _add(found, request.label, result)
        else:
            for field, part in result._asdict().items():
                parts = part if isinstance(part, dict) else {field: part}  # of the wrench at each frame
                for key, array in parts.items():
                    _add(found, f"{request.label}_{key}", array)
    return found


def _add(found: dict[str, Any], label: str, value: Any) -> None:
    """Labels may meet: frames called x and rate_x make `jacobian_rate_x` twice."""
    while label in found:
        label += "_"
    found[label] = value
