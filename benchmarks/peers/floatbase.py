"""floatbase's public methods, with all their checks, in the body representation."""

from __future__ import annotations

from typing import Any

import numpy as np

import floatbase as fb
from benchmarks.contender import Array, Contender, Function
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

NAME = "floatbase"
NOTES = (
    "public methods with all checks of their arguments; compiled for this processor when first called",
    "'function' is the object that `robot.function` returns, called in the loop",
)

_METHODS: dict[Function, tuple[str, str]] = {
    "inverse dynamics": ("inverse_dynamics", "q, v, a"),
    "forward dynamics": ("forward_dynamics", "q, v, tau"),
    "mass matrix": ("mass_matrix", "q"),
    "bias": ("bias", "q, v"),
    "centre of mass": ("com", "q"),
    "jacobian": ("jacobian", "q"),
}


def version() -> str:
    return fb.__version__


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """One state and batches, freshly allocated and with `out=`, on one thread and on two."""
    library: Any = fb.load(
        robot.path, floating=robot.floating, representation="body", allow_nonphysical=True, allow_massless=True
    )
    layout = Layout(robot, joint_order(robot, library.joint_names))
    found = []
    for function in _METHODS:
        for reused in (False, True):
            found.append(_single(layout, one, library, function, reused))
            for threads in (1, 2) if len(batch) else ():
                found.append(_batch(layout, batch, library, function, reused, threads))
        found.append(_chosen_ahead(layout, one, library, function))
    return found


def _single(layout: Layout, states: States, library: Any, function: Function, reused: bool) -> Contender:
    method, names = _METHODS[function]
    arrays = _arrays(layout, states, names)
    arguments = names + (", frame" if function == "jacobian" else "")
    call = f"robot.{method}({arguments}{', out=out' if reused else ''})"
    return Contender(
        peer=NAME,
        function=function,
        mode="one state",
        output="reused" if reused else "fresh",
        statement=call if reused else f"r = {call}",
        result="out" if reused else "r",
        namespace={"robot": library, "frame": layout.robot.frame, "out": np.zeros(_shape(layout, function))},
        convert=lambda r: _convert(layout, states, function, r),
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
        result="out",
        namespace={"f": library.function(wanted), "out": np.zeros(_shape(layout, function))},
        convert=lambda r: _convert(layout, states, function, r),
        count=len(states),
        variables=names,
        states=list(zip(*arrays.values(), strict=True)) if len(arrays) > 1 else list(arrays["q"]),
    )


def _batch(layout: Layout, states: States, library: Any, function: Function, reused: bool, threads: int) -> Contender:
    method, names = _METHODS[function]
    arguments = names + (", frame" if function == "jacobian" else "")
    options = (", out=out" if reused else "") + (", threads=threads" if threads > 1 else "")
    call = f"robot.{method}({arguments}{options})"
    out = np.zeros((len(states), *_shape(layout, function))) if reused else None
    return Contender(
        peer=NAME,
        function=function,
        mode="batch",
        output="reused" if reused else "fresh",
        statement=call if reused else f"r = {call}",
        result="out" if reused else "r",
        namespace={
            "robot": library, "frame": layout.robot.frame, "out": out, "threads": threads,
            **_arrays(layout, states, names),
        },
        convert=lambda r: _convert(layout, states, function, r),
        count=len(states),
        threads=threads,
    )  # fmt: skip


def _arrays(layout: Layout, states: States, names: str) -> dict[str, Array]:
    every = {
        "q": layout.configuration,
        "v": layout.velocity,
        "a": layout.acceleration,
        "tau": layout.force,
    }
    return {name: every[name](states) for name in names.split(", ")}


def _shape(layout: Layout, function: Function) -> tuple[int, ...]:
    nv = layout.robot.nv
    return {"mass matrix": (nv, nv), "centre of mass": (3,), "jacobian": (6, nv)}.get(function, (nv,))


def _convert(layout: Layout, states: States, function: Function, results: Array) -> Array:
    if function == "centre of mass":
        return results
    back = {
        "forward dynamics": layout.acceleration_back,
        "mass matrix": layout.matrix_back,
        "jacobian": layout.columns_back,
    }.get(function, layout.force_back)
    return back(states, results)
