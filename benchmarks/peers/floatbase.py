"""floatbase's public methods, with all their checks, in the body representation."""

from __future__ import annotations

from typing import Any

import numpy as np

import floatbase as fb
from benchmarks.contender import Array, Contender, Function, limited
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order, pack

NAME = "floatbase"
NOTES = (
    "public methods with all checks of their arguments; compiled for this processor when first called",
    "'function' is the object that `robot.function` returns, called in the loop; so is the control tick",
    "fresh results of 4 MB and more are made in memory of earlier ones that nobody holds any more, if there is any",
)

_METHODS: dict[Function, tuple[str, str]] = {
    "inverse dynamics": ("inverse_dynamics", "q, v, a"),
    "forward dynamics": ("forward_dynamics", "q, v, tau"),
    "mass matrix": ("mass_matrix", "q"),
    "inverse mass matrix": ("inverse_mass_matrix", "q"),
    "bias": ("bias", "q, v"),
    "centre of mass": ("com", "q"),
    "jacobian": ("jacobian", "q"),
    "centroidal momentum matrix": ("centroidal_momentum_matrix", "q"),
    "torque regressor": ("regressor", "q, v, a"),
    "inverse dynamics derivatives": ("inverse_dynamics_derivatives", "q, v, a"),
    "forward dynamics derivatives": ("forward_dynamics_derivatives", "q, v, tau"),
}
_DERIVATIVES = ("inverse dynamics derivatives", "forward dynamics derivatives")
_TICK = "q, v"


def version() -> str:
    return fb.__version__


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """One state and batches, freshly allocated and with `out=`, on one thread and on two."""
    library: Any = fb.load(
        robot.path, floating=robot.floating, representation="body", allow_nonphysical=True, allow_massless=True
    )
    layout = Layout(robot, joint_order(robot, library.joint_names))
    functions: list[Function] = [*_METHODS, *(["control tick"] if robot.floating else [])]
    found = []
    for function in functions:
        for reused in (False, True):
            if len(one):
                found.append(_single(layout, one, library, function, reused))
            for threads in (1, 2) if len(batch) else ():
                found.append(_batch(layout, limited(function, batch), library, function, reused, threads))
        if len(one) and function != "control tick":
            found.append(_chosen_ahead(layout, one, library, function))
    return found


def _single(layout: Layout, states: States, library: Any, function: Function, reused: bool) -> Contender:
    names, call, result = _call(function, reused, "")
    arrays = _arrays(layout, states, names)
    return Contender(
        peer=NAME,
        function=function,
        mode="one state",
        output="reused" if reused else "fresh",
        statement=call,
        result=result.format(batch=0),
        namespace={**_scope(layout, library, function), "out": _zeros(layout, library, function)},
        convert=lambda r: _convert(layout, states, library, function, r),
        count=len(states),
        variables=names,
        states=list(zip(*arrays.values(), strict=True)) if len(arrays) > 1 else list(arrays["q"]),
    )


def _chosen_ahead(layout: Layout, states: States, library: Any, function: Function) -> Contender:
    """What `robot.function` returns, asked for before the loop: no frame to look up, no wrenches to ask for."""
    method, names = _METHODS[function]
    wanted = (method, layout.robot.frame) if function == "jacobian" else method
    arrays = _arrays(layout, states, names)
    return Contender(
        peer=NAME,
        function=function,
        mode="one state",
        output="reused",
        variant="function",
        statement=f"f({names}, out=out)",
        result="pack(0, *out)" if function in _DERIVATIVES else "out",
        namespace={"f": library.function(wanted), "out": _zeros(layout, library, function), "pack": pack},
        convert=lambda r: _convert(layout, states, library, function, r),
        count=len(states),
        variables=names,
        states=list(zip(*arrays.values(), strict=True)) if len(arrays) > 1 else list(arrays["q"]),
    )


def _batch(layout: Layout, states: States, library: Any, function: Function, reused: bool, threads: int) -> Contender:
    names, call, result = _call(function, reused, ", threads=threads" if threads > 1 else "")
    return Contender(
        peer=NAME,
        function=function,
        mode="batch",
        output="reused" if reused else "fresh",
        statement=call,
        result=result.format(batch=1),
        namespace={
            **_scope(layout, library, function), "threads": threads, **_arrays(layout, states, names),
            "out": _zeros(layout, library, function, len(states)) if reused else None,
        },
        convert=lambda r: _convert(layout, states, library, function, r),
        count=len(states),
        threads=threads,
    )  # fmt: skip


def _call(function: Function, reused: bool, options: str) -> tuple[str, str, str]:
    """The arrays, the statement, and the expression of its result."""
    options = f"{', out=out' if reused else ''}{options}"
    assigned, result = ("", "out") if reused else ("r = ", "r")
    if function == "control tick":
        return _TICK, f"{assigned}f({_TICK}{options})", f"pack({{batch}}, *{result})"
    method, names = _METHODS[function]
    frame = ", frame" if function == "jacobian" else ""
    packed = f"pack({{batch}}, *{result})" if function in _DERIVATIVES else result
    return names, f"{assigned}robot.{method}({names}{frame}{options})", packed


def _scope(layout: Layout, library: Any, function: Function) -> dict[str, Any]:
    frame, other = layout.robot.frame, layout.robot.other
    if function != "control tick":
        return {"robot": library, "frame": frame, "pack": pack}
    drifts = [("drift", frame), ("drift", other)]
    jacobians = [("jacobian", frame), ("jacobian", other)]
    tick = library.function(["mass_matrix", "bias", *jacobians, *drifts, "centroidal_momentum_matrix"])
    return {"f": tick, "pack": pack}


def _arrays(layout: Layout, states: States, names: str) -> dict[str, Array]:
    every = {
        "q": layout.configuration,
        "v": layout.velocity,
        "a": layout.acceleration,
        "tau": layout.force,
    }
    return {name: every[name](states) for name in names.split(", ")}


def _zeros(layout: Layout, library: Any, function: Function, *batch: int) -> Any:
    """Memory for the results."""
    nv = layout.robot.nv
    if function == "control tick":
        shapes = [(nv, nv), (nv,), (6, nv), (6, nv), (6,), (6,), (6, nv)]
        return tuple(np.zeros((*batch, *shape)) for shape in shapes)
    if function in _DERIVATIVES:
        return tuple(np.zeros((*batch, nv, nv)) for _ in range(3))
    shapes = {
        "mass matrix": (nv, nv),
        "inverse mass matrix": (nv, nv),
        "centre of mass": (3,),
        "jacobian": (6, nv),
        "centroidal momentum matrix": (6, nv),
        "torque regressor": (nv, 10 * library.n_bodies),
    }
    return np.zeros((*batch, *shapes.get(function, (nv,))))


def _convert(layout: Layout, states: States, library: Any, function: Function, results: Array) -> Array:
    if function == "centre of mass":
        return results
    if function == "torque regressor":
        bodies = [library.tree.bodies[number] for number in library.tree.order]
        movers = [body.joint.name if body.joint else "" for body in bodies]
        return layout.regressor_back(states, results, movers, range(10))
    back = {
        "forward dynamics": layout.acceleration_back,
        "mass matrix": layout.matrix_back,
        "inverse mass matrix": layout.matrix_back,
        "jacobian": layout.columns_back,
        "centroidal momentum matrix": layout.columns_back,
        "inverse dynamics derivatives": layout.derivatives_back,
        "forward dynamics derivatives": layout.derivatives_back,
        "control tick": layout.tick_back,
    }.get(function, layout.force_back)
    return back(states, results)
