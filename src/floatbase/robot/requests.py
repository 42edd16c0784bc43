"""Requests for quantities: what is asked for, checked; the inputs it needs; and what the algorithms give for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from floatbase import results
from floatbase.compiler.program import Port
from floatbase.errors import ArgumentError, unknown_name
from floatbase.model import Tree
from floatbase.robot.quantities import ARRAYS, CHOICES, QUANTITIES, SELECTIONS, SEVERAL, Quantity, Static

PARAMETERS = "(parameters)"  # ends the name of a request for a quantity that takes inertial parameters


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


def listed(name: str, frames: Sequence[str], distinct: bool = True) -> tuple[str, ...]:
    """Names of frames as a tuple, one or more of them."""
    names = () if isinstance(frames, str) or not isinstance(frames, Iterable) else tuple(frames)
    if not names or not all(isinstance(item, str) for item in names) or (distinct and len(set(names)) < len(names)):
        once = ", each once," if distinct else ","
        raise ArgumentError(f"{name} is {frames!r}; it lists one or more frames{once} such as ['l_sole']")
    return names


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
