"""Pinocchio from its wheel, called as its documentation says: one model, one data, one call per state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from benchmarks.contender import Array, Contender, Function, limited
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order, pack

NAME = "Pinocchio"
NOTES = (
    "the wheel on PyPI is compiled for x86-64 with SSE2 only; a build from source with -march=native is faster",
    "results of rnea, aba, crba and most others are arrays on memory that the next call overwrites",
    "`InParallel` takes and returns one state per column: it is given transposed row-major arrays, without a copy",
    "the control tick is the cheapest sequence of calls found that gives all of its results",
)

_TICK = (
    "r = (crba(model, data, q), nle(model, data, q, v), computeJointJacobians(model, data, q))\n"
    "J, K = getFrameJacobian(model, data, frame, LOCAL), getFrameJacobian(model, data, other, LOCAL)\n"
    "forwardKinematics(model, data, q, v, zero)\n"
    "a, b = getFrameAcceleration(model, data, frame, LOCAL), getFrameAcceleration(model, data, other, LOCAL)\n"
    "A = computeCentroidalMap(model, data, q)"
)
_ENTRIES = (0, 1, 2, 3, 4, 5, 7, 6, 8, 9)  # Pinocchio's inertias are I_xx, I_xy, I_yy, I_xz, I_yz, I_zz


@dataclass(frozen=True)
class _Call:
    """A statement for one state, the expression of its result, and the way to the reference convention."""

    function: Function
    variables: str
    statement: str
    back: Callable[[States, Array], Array]
    call: Any = None  # `f` in the statement
    result: str = "r"
    output: str = "reused"
    shape: tuple[int, ...] = ()  # of the result, where there is a loop over a batch


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
    calls = _calls(layout, model, names)
    scope = _scope(robot, model)
    found = [_per_call(layout, one, scope, item) for item in calls] if len(one) else []
    if len(batch):
        found += [_loop(layout, limited(item.function, batch), scope, item) for item in calls if item.shape]
        for threads in (1, 2):
            found += _in_parallel(layout, batch, model, threads)
    return found


def _scope(robot: Robot, model: Any) -> dict[str, Any]:
    names = (
        "crba", "nle", "computeJointJacobians", "getFrameJacobian", "forwardKinematics", "getFrameAcceleration",
        "computeCentroidalMap",
    )  # fmt: skip
    return {
        "model": model, "data": model.createData(), "zip": zip, "LOCAL": pin.LOCAL, "zero": np.zeros(model.nv),
        "frame": model.getFrameId(robot.frame), "other": model.getFrameId(robot.other), "pack": pack,
        **{name: getattr(pin, name) for name in names},
    }  # fmt: skip


def _calls(layout: Layout, model: Any, joints: list[str]) -> list[_Call]:
    nv = layout.robot.nv
    movers = ["", *joints] if layout.robot.floating else joints

    def regressor_back(states: States, r: Array) -> Array:
        return layout.regressor_back(states, r, movers, _ENTRIES)

    state, motion = "r = f(model, data, q)", "r = f(model, data, q, v, a)"
    jacobian = "r = f(model, data, q, frame, LOCAL)"
    square, regressor = (nv, nv), (nv, 10 * len(movers))
    calls = [
        _Call("inverse dynamics", "q, v, a", motion, layout.force_back, pin.rnea, shape=(nv,)),
        _Call(
            "forward dynamics", "q, v, tau", "r = f(model, data, q, v, tau)", layout.acceleration_back, pin.aba,
            shape=(nv,),
        ),
        _Call("mass matrix", "q", state, layout.matrix_back, pin.crba, shape=square),
        _Call("inverse mass matrix", "q", state, layout.matrix_back, pin.computeMinverse, shape=square),
        _Call("bias", "q, v", "r = f(model, data, q, v)", layout.force_back, pin.nonLinearEffects, shape=(nv,)),
        _Call(
            "jacobian", "q", jacobian, layout.columns_back, pin.computeFrameJacobian, output="fresh", shape=(6, nv)
        ),
        _Call(
            "torque regressor", "q, v, a", motion, regressor_back, pin.computeJointTorqueRegressor, shape=regressor
        ),
    ]  # fmt: skip
    derivatives = "pack(0, *r)"
    calls += [
        _Call(
            "inverse dynamics derivatives", "q, v, a", motion, layout.derivatives_back, pin.computeRNEADerivatives,
            derivatives,
        ),
        _Call(
            "forward dynamics derivatives", "q, v, tau", "r = f(model, data, q, v, tau)", layout.derivatives_back,
            pin.computeABADerivatives, derivatives,
        ),
    ]  # fmt: skip
    if layout.robot.floating:  # Pinocchio leaves out the links that are fixed to the world
        calls += [
            _Call("centre of mass", "q", state, lambda states, r: r, pin.centerOfMass, shape=(3,)),
            _Call(
                "centroidal momentum matrix", "q", state, layout.columns_back, pin.computeCentroidalMap, shape=(6, nv)
            ),
            _Call(
                "control tick", "q, v", _TICK, layout.tick_back, result="pack(0, *r[:2], J, K, a.vector, b.vector, A)"
            ),
        ]  # fmt: skip
    return calls


def _arrays(layout: Layout, states: States) -> dict[str, Array]:
    return {
        "q": layout.configuration(states),
        "v": layout.velocity(states),
        "a": layout.acceleration(states),
        "tau": layout.force(states),
    }


def _per_call(layout: Layout, states: States, scope: dict[str, Any], item: _Call) -> Contender:
    arrays = _arrays(layout, states)
    names = item.variables.split(", ")
    return Contender(
        peer=NAME,
        function=item.function,
        mode="one state",
        output="fresh" if item.output == "fresh" else "reused",
        statement=item.statement,
        result=item.result,
        namespace={**scope, "f": item.call},
        convert=lambda r: item.back(states, r),
        count=len(states),
        variables=item.variables,
        states=list(zip(*(arrays[n] for n in names), strict=True)) if len(names) > 1 else list(arrays["q"]),
    )


def _loop(layout: Layout, states: States, scope: dict[str, Any], item: _Call) -> Contender:
    arrays = _arrays(layout, states)
    each = item.variables.replace(" ", "")
    return Contender(
        peer=NAME,
        function=item.function,
        mode="batch",
        output="reused",
        variant="in a loop",
        statement=f"for o, {item.variables} in zip(out, {item.variables.upper()}):\n"
        f"    {item.statement.replace('r =', 'o[:] =')}",
        result="out",
        namespace={
            **scope, "f": item.call, "out": np.zeros((len(states), *item.shape)),
            **{name.upper(): arrays[name] for name in each.split(",")},
        },
        convert=lambda r: item.back(states, r),
        count=len(states),
    )  # fmt: skip


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
            scope = {"f": call, "threads": threads, "pool": pool, "nv": layout.robot.nv, **arrays}
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
                    result="out.T" if reused else "r.reshape(nv, -1).T",
                    namespace=scope,
                    convert=lambda r, back=back: back(states, r),
                    count=len(states),
                    threads=threads,
                )
            )
    return found
