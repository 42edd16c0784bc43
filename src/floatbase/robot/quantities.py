"""The quantities a robot can be asked for by name, and the algorithm behind each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from floatbase.compiler.program import Port
from floatbase.errors import ArgumentError, unknown_name
from floatbase.model import Tree

STATE = ("q", "v", "a", "tau")


@dataclass(frozen=True)
class Quantity:
    """An algorithm, the state arrays it takes, the static arguments that follow them, and whether wrenches may act."""

    name: str  # in `floatbase.algorithms`
    state: tuple[str, ...]
    static: tuple[str, ...] = ()
    wrenches: bool = False

    @property
    def algorithm(self) -> Callable[..., Any]:
        """The function itself; imported late, because a process that finds its machine code in the cache needs none."""
        from floatbase import algorithms

        return getattr(algorithms, self.name)  # type: ignore[no-any-return]


QUANTITIES: dict[str, Quantity] = {
    "pose": Quantity("pose", ("q",), ("frame",)),
    "velocity": Quantity("velocity", ("q", "v"), ("frame",)),
    "acceleration": Quantity("acceleration", ("q", "v", "a"), ("frame",)),
    "jacobian": Quantity("jacobian", ("q",), ("frame",)),
    "com": Quantity("com", ("q",)),
    "com_velocity": Quantity("com_velocity", ("q", "v")),
    "com_jacobian": Quantity("com_jacobian", ("q",)),
    "inverse_dynamics": Quantity("inverse_dynamics", ("q", "v", "a"), wrenches=True),
    "forward_dynamics": Quantity("forward_dynamics", ("q", "v", "tau"), wrenches=True),
    "mass_matrix": Quantity("mass_matrix", ("q",)),
    "bias": Quantity("bias", ("q", "v"), wrenches=True),
    "gravity": Quantity("gravity", ("q",)),
    "kinetic_energy": Quantity("kinetic_energy", ("q", "v")),
    "potential_energy": Quantity("potential_energy", ("q",)),
}


class Request(tuple[str, ...]):
    """One quantity with its static arguments, for instance the Jacobian of one frame: `("jacobian", "l_sole")`."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Of the quantity."""
        return self[0]

    @property
    def static(self) -> tuple[str, ...]:
        """What the quantity is asked for."""
        return tuple(self[1:])

    @property
    def quantity(self) -> Quantity:
        """What is asked for."""
        return QUANTITIES[self.name]

    @property
    def label(self) -> str:
        """A name for the output."""
        return "_".join(self)


def parse(tree: Tree, output: str | Sequence[str]) -> Request:
    """A request from a name, or a tuple of a name and static arguments, checked."""
    name, *static = (output,) if isinstance(output, str) else output
    if name not in QUANTITIES:
        raise unknown_name("quantity", str(name), QUANTITIES)
    needed = QUANTITIES[name].static
    if len(static) != len(needed):
        example = f"({', '.join(repr(item) for item in (name, *needed))})" if needed else repr(name)
        raise ArgumentError(f"the quantity {name!r} is asked for as {example}, got {output!r}")
    for frame in static:
        check_frame(tree, frame)
    return Request((name, *static))


def check_frame(tree: Tree, frame: str) -> None:
    """Raise the error for an unknown frame."""
    if not isinstance(frame, str) or frame not in tree.frames:
        raise unknown_name("frame", str(frame), tree.frames)


def state_port(tree: Tree, name: str) -> Port:
    """The shape of a state array: configuration, velocity, acceleration or generalised force."""
    return Port(name, (tree.nq if name == "q" else tree.nv,))


def input_ports(tree: Tree, requests: Sequence[Request], wrenches: Sequence[str]) -> tuple[Port, ...]:
    """The inputs that some requests need together: the state in the order q, v, a, tau, then a wrench each frame."""
    needed = {name for request in requests for name in request.quantity.state}
    ports = [state_port(tree, name) for name in STATE if name in needed]
    if wrenches and not any(request.quantity.wrenches for request in requests):
        able = ", ".join(name for name, quantity in QUANTITIES.items() if quantity.wrenches)
        raise ArgumentError(f"no wrench acts on {requests[0].name!r}; wrenches can be given to: {able}")
    for frame in wrenches:
        check_frame(tree, frame)
    if len(set(wrenches)) != len(wrenches):
        raise ArgumentError(f"a frame appears twice in wrenches={tuple(wrenches)}")
    return (*ports, *(Port(f"wrench_{frame}", (6,)) for frame in wrenches))


def evaluate(tree: Tree, requests: Sequence[Request], wrenches: Sequence[str], arrays: Sequence[Any]) -> dict[str, Any]:
    """Call the algorithms behind the requests on numbers or symbols, arrays in the order of `input_ports`."""
    names = [port.name for port in input_ports(tree, requests, wrenches)]
    values = dict(zip(names, arrays, strict=True))
    acting = {frame: values[f"wrench_{frame}"] for frame in wrenches}
    results = {}
    for request in requests:
        quantity = request.quantity
        arguments = [values[name] for name in quantity.state]
        settings = {"wrenches": acting} if quantity.wrenches and acting else {}
        results[request.label] = quantity.algorithm(tree, *arguments, *request.static, **settings)
    return results
