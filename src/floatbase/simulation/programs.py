"""Programs of a simulator: the memory at the beginning, and a period.

Inputs and outputs without entries are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from floatbase.algorithms.configuration import integrate
from floatbase.compiler.cache import cache_key
from floatbase.compiler.function import Function
from floatbase.compiler.program import Port, Program
from floatbase.compiler.tracing import trace
from floatbase.fingerprint import fingerprint
from floatbase.robot.states import check_configuration
from floatbase.simulation.constraints.constraint import require_rows
from floatbase.simulation.integration.group import coordinate_rate
from floatbase.simulation.physics import Physics, joined
from floatbase.simulation.representation import acceleration_from_mixed, into_mixed
from floatbase.simulation.step import OUTPUTS, Field, Stepper
from floatbase.spatial.arrays import zeros
from floatbase.spatial.representations import TwistForm

INPUTS = ("q", "v", "memory", "command", "pushes", "parameters", "inertial", "dt")


def input_sizes(physics: Physics, with_inertial: bool) -> dict[str, int]:
    """How many numbers each input of a period has."""
    tree = physics.tree
    sizes = (
        tree.nq,
        tree.nv,
        physics.memory_size,
        physics.command_size,
        6 * len(physics.pushes),
        len(physics.parameter_names),
        10 * len(tree.bodies) * with_inertial,
        1,
    )
    return dict(zip(INPUTS, sizes, strict=True))


def output_names(physics: Physics, method: str) -> list[str]:
    """Outputs of a period that have entries."""
    empty = set()
    if not physics.memory_size:
        empty.add("memory")
    if not physics.frames:
        empty.add("wrenches")
    if not physics.tree.joint_nv:
        empty.add("torques")
    if method != "midpoint" and not physics.hard:
        empty.add("residual")
    if not physics.constraints:
        empty.add("multipliers")
    return [name for name in OUTPUTS if name not in empty]


def period_function(stepper: Stepper, with_inertial: bool) -> Function:
    """The compiled function of a period: the inputs that have entries, in order, to the outputs that have."""
    physics = stepper.physics
    sizes, names = input_sizes(physics, with_inertial), output_names(physics, stepper.method)
    ports = ports_of(sizes)

    def period(*arrays: Any) -> dict[str, Any]:
        given = dict(zip((port.name for port in ports), arrays, strict=True))
        check_configuration(physics.tree, given["q"])
        require_rows(physics.tree, given["q"], physics.constraints)
        inputs = {name: given[name] if name in given else zeros((0,), given["q"]) for name in INPUTS}
        if not with_inertial:
            inputs["inertial"] = None
        done = stepper(**inputs)
        return {name + "_end" if name in given else name: getattr(done, name) for name in names}

    settings = (stepper.method, stepper.substeps, stepper.form, stepper.projections, with_inertial)
    return compiled("step", physics, settings, ports, period)


def beginning_function(physics: Physics, form: TwistForm) -> Function:
    """The compiled function of q, v and parameters that gives the memory at the beginning."""
    sizes = input_sizes(physics, False)
    ports = ports_of({name: sizes[name] for name in ("q", "v", "parameters")})

    def begin(q: Any, v: Any, *parameters: Any) -> Any:
        check_configuration(physics.tree, q)
        laws = physics.with_parameters(parameters[0] if parameters else zeros((0,), q))
        return laws.begin(q, into_mixed(form, physics.tree.floating, q, v))

    return compiled("begin", physics, (form,), ports, begin)


def rate_function(stepper: Stepper, with_inertial: bool) -> Function:
    """The compiled function of u, center, v and the other inputs of a period but dt: rates of u, v and work."""
    physics, form = stepper.physics, stepper.form
    tree = physics.tree
    sizes = input_sizes(physics, with_inertial)
    ports = ports_of(
        {"u": tree.nv, "center": tree.nq, **{n: size for n, size in sizes.items() if n not in ("q", "dt")}}
    )

    def rate(*arrays: Any) -> Any:
        given = dict(zip((port.name for port in ports), arrays, strict=True))
        u, center, v = given["u"], given["center"], given["v"]
        check_configuration(tree, center, "center")
        own = replace(tree, representation=form)
        q = integrate(own, center, u)
        require_rows(own, q, physics.constraints)
        held = [given.get(name, zeros((0,), u)) for name in ("memory", "command", "pushes", "parameters")]
        held += [given["inertial"]] if with_inertial else []
        mixed = into_mixed(form, tree.floating, q, v)
        found = Field(physics).plain(q, mixed, *held)
        a = acceleration_from_mixed(form, tree.floating, q, mixed, found[..., : tree.nv])
        return joined([coordinate_rate(own, u, v), a, found[..., -3:]])

    return compiled("rate", physics, (form, with_inertial), ports, rate)


def remember_function(stepper: Stepper) -> Function:
    """The compiled function of all inputs of a period that gives the memory after it."""
    physics, form = stepper.physics, stepper.form
    sizes = input_sizes(physics, False)
    ports = ports_of(sizes)

    def remember(*arrays: Any) -> Any:
        given = dict(zip((port.name for port in ports), arrays, strict=True))
        q, v, parameters = given["q"], given["v"], given.get("parameters", zeros((0,), given["q"]))
        command = given.get("command", zeros((0,), q))
        laws = physics.with_parameters(parameters)
        return laws.remember(q, into_mixed(form, physics.tree.floating, q, v), given["memory"], command, given["dt"])

    return compiled("remember", physics, (form,), ports, remember)


def ports_of(sizes: dict[str, int]) -> list[Port]:
    """The inputs that have entries."""
    return [Port(name, () if name == "dt" else (size,)) for name, size in sizes.items() if size]


def compiled(
    name: str,
    physics: Physics,
    settings: tuple[Any, ...],
    ports: Sequence[Port],
    algorithm: Callable[..., Any],
    result: Callable[[tuple[Any, ...]], Any] | None = None,
) -> Function:
    """A compiled function, known in the cache by its name, the laws' structure, settings and ports."""

    def program() -> Program:
        return trace(algorithm, ports, f"{name}_{physics.tree.name}")

    code = fingerprint(compiled, {"structure": physics.structure})
    key = None if code is None else cache_key("simulation", name, code, physics.tree.digest, settings, tuple(ports))
    return Function(None, program, key=key, result=result)
