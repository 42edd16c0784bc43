"""Pinocchio from its wheel, called as its documentation says: one model, one data, one call per state."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.contender import Array, Contender, Function
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

NAME = "Pinocchio"
NOTES = (
    "the wheel on PyPI is compiled for x86-64 with SSE2 only; a build from source with -march=native is faster",
    "results of rnea, aba and crba are arrays on memory that the next call overwrites",
    "`InParallel` takes and returns one state per column: it is given transposed row-major arrays, without a copy",
)


def version() -> str:
    return str(pin.__version__)


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """Per call, a Python loop over a batch, and the two functions that run in parallel."""
    if robot.floating:
        model = pin.buildModelFromUrdf(str(robot.path), pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(str(robot.path))
    names = list(model.names)[2 if robot.floating else 1 :]
    layout = Layout(robot, joint_order(robot, names), xyzw=True)
    scope = {"model": model, "data": model.createData(), "zip": zip, "LOCAL": pin.LOCAL}
    scope["frame"] = model.getFrameId(robot.frame)
    found = [*_per_call(layout, one, scope)]
    if len(batch):
        found += _loops(layout, batch, scope)
        for threads in (1, 2):
            found += _in_parallel(layout, batch, model, threads)
    return found


def _arrays(layout: Layout, states: States) -> dict[str, Array]:
    return {
        "q": layout.configuration(states),
        "v": layout.velocity(states),
        "a": layout.acceleration(states),
        "tau": layout.force(states),
    }


def _per_call(layout: Layout, states: States, scope: dict[str, Any]) -> list[Contender]:
    arrays = _arrays(layout, states)
    table: list[tuple[Function, Any, str, str, Any]] = [
        ("inverse dynamics", pin.rnea, "q, v, a", "f(model, data, q, v, a)", layout.force_back),
        ("forward dynamics", pin.aba, "q, v, tau", "f(model, data, q, v, tau)", layout.acceleration_back),
        ("mass matrix", pin.crba, "q", "f(model, data, q)", layout.matrix_back),
        ("bias", pin.nonLinearEffects, "q, v", "f(model, data, q, v)", layout.force_back),
        ("centre of mass", pin.centerOfMass, "q", "f(model, data, q)", None),
        ("jacobian", pin.computeFrameJacobian, "q", "f(model, data, q, frame, LOCAL)", layout.columns_back),
    ]
    found = []
    for function, call, variables, expression, back in table:
        if function == "centre of mass" and not layout.robot.floating:
            continue  # Pinocchio leaves out the links that are fixed to the world
        names = variables.split(", ")
        found.append(
            Contender(
                peer=NAME,
                function=function,
                mode="one state",
                output="fresh" if function == "jacobian" else "reused",
                statement=f"r = {expression}",
                result="r",
                namespace={**scope, "f": call},
                convert=(lambda r: r) if back is None else (lambda r, back=back: back(states, r)),
                count=len(states),
                variables=variables,
                states=list(zip(*(arrays[n] for n in names), strict=True)) if len(names) > 1 else list(arrays["q"]),
            )
        )
    return found


def _loops(layout: Layout, states: States, scope: dict[str, Any]) -> list[Contender]:
    arrays = _arrays(layout, states)
    n, nv = len(states), layout.robot.nv
    table: list[tuple[Function, Any, str, tuple[int, ...], Any]] = [
        ("inverse dynamics", pin.rnea, "q, v, a", (n, nv), layout.force_back),
        ("forward dynamics", pin.aba, "q, v, tau", (n, nv), layout.acceleration_back),
        ("mass matrix", pin.crba, "q", (n, nv, nv), layout.matrix_back),
    ]
    return [
        Contender(
            peer=NAME,
            function=function,
            mode="batch",
            output="reused",
            variant="in a loop",
            statement=f"for o, {names} in zip(out, {names.upper()}):\n    o[:] = f(model, data, {names})",
            result="out",
            namespace={**scope, "f": call, "out": np.zeros(shape), **{k.upper(): x for k, x in arrays.items()}},
            convert=lambda r, back=back: back(states, r),
            count=n,
        )
        for function, call, names, shape, back in table
    ]


def _in_parallel(layout: Layout, states: States, model: Any, threads: int) -> list[Contender]:
    arrays = {name: array.T for name, array in _arrays(layout, states).items()}
    pool = pin.ModelPool(model, threads)
    table: list[tuple[Function, Any, str, Any]] = [
        ("inverse dynamics", pin.rneaInParallel, "q, v, a", layout.force_back),
        ("forward dynamics", pin.abaInParallel, "q, v, tau", layout.acceleration_back),
    ]
    found = []
    for function, call, names, back in table:
        for output in ("fresh", "reused"):
            scope = {"f": call, "threads": threads, "pool": pool, **arrays}
            scope["out"] = np.zeros((layout.robot.nv, len(states)), order="F")
            reused = output == "reused"
            found.append(
                Contender(
                    peer=NAME,
                    function=function,
                    mode="batch",
                    output=output,
                    variant="InParallel",
                    statement=f"f(threads, pool, {names}, out)" if reused else f"r = f(threads, pool, {names})",
                    result="out.T" if reused else "r.T",
                    namespace=scope,
                    convert=lambda r, back=back: back(states, r),
                    count=len(states),
                    threads=threads,
                )
            )
    return found
