"""CasADi's virtual machine on the expressions that floatbase's algorithms give when called with CasADi's symbols."""

from __future__ import annotations

from typing import Any

import casadi as cs
import numpy as np

import floatbase as fb
from benchmarks.contender import Contender, Function
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

NAME = "CasADi"
NOTES = (
    "the same algorithms as floatbase's, as a `casadi.Function` of SX that CasADi's virtual machine evaluates; "
    "the wheel of Pinocchio has no pinocchio.casadi",
    "called through `Function.buffer()`, which avoids CasADi's conversions; a batch is one call of `Function.map`",
)

_METHODS: dict[Function, tuple[str, tuple[str, ...]]] = {
    "inverse dynamics": ("inverse_dynamics", ("q", "v", "a")),
    "forward dynamics": ("forward_dynamics", ("q", "v", "tau")),
    "mass matrix": ("mass_matrix", ("q",)),
}


def version() -> str:
    return str(cs.__version__)


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """One state through a buffer, and a mapped function for a batch."""
    library: Any = fb.load(
        robot.path, floating=robot.floating, representation="body", allow_nonphysical=True, allow_massless=True
    )
    layout = Layout(robot, joint_order(robot, library.joint_names))
    found = []
    for function, (method, names) in _METHODS.items():
        sizes = {"q": library.nq}
        symbols = [cs.SX.sym(name, sizes.get(name, library.nv)) for name in names]
        expression = getattr(library, method)(*symbols)
        compiled = cs.Function("f", symbols, [cs.densify(expression)])
        shape = (library.nv, library.nv) if function == "mass matrix" else (library.nv,)
        found.append(_single(layout, one, function, names, compiled, shape))
        if len(batch):
            found.append(_batch(layout, batch, function, names, compiled, shape))
    return found


def _single(
    layout: Layout, states: States, function: Function, names: tuple[str, ...], compiled: cs.Function, shape: Any
) -> Contender:
    buffer, run = compiled.buffer()
    arrays = [_array(layout, states, name) for name in names]
    inputs = [np.zeros(array.shape[1]) for array in arrays]
    out = np.zeros(shape)  # CasADi's columns are our rows, and the mass matrix is symmetric
    for index, array in enumerate(inputs):
        buffer.set_arg(index, memoryview(array.reshape(-1)))
    buffer.set_res(0, memoryview(out.reshape(-1)))
    scope = {"run": run, "out": out, "buffer": buffer, **{f"{n}_in": x for n, x in zip(names, inputs, strict=True)}}
    return Contender(
        peer=NAME,
        function=function,
        mode="one state",
        output="reused",
        statement="; ".join(f"{name}_in[:] = {name}" for name in names) + "; run()",
        result="out",
        namespace=scope,
        convert=lambda r: _convert(layout, states, function, r),
        count=len(states),
        variables=", ".join(names),
        states=list(zip(*arrays, strict=True)) if len(arrays) > 1 else list(arrays[0]),
    )


def _batch(
    layout: Layout, states: States, function: Function, names: tuple[str, ...], compiled: cs.Function, shape: Any
) -> Contender:
    n = len(states)
    mapped = compiled.map(n)
    buffer, run = mapped.buffer()
    arrays = [np.ascontiguousarray(_array(layout, states, name)) for name in names]
    out = np.zeros((n, *shape))
    for index, array in enumerate(arrays):
        buffer.set_arg(index, memoryview(array.reshape(-1)))
    buffer.set_res(0, memoryview(out.reshape(-1)))
    return Contender(
        peer=NAME,
        function=function,
        mode="batch",
        output="reused",
        statement="run()",
        result="out",
        namespace={"run": run, "out": out, "buffer": buffer, "arrays": arrays},
        convert=lambda r: _convert(layout, states, function, r),
        count=n,
    )


def _array(layout: Layout, states: States, name: str) -> Any:
    return {
        "q": layout.configuration,
        "v": layout.velocity,
        "a": layout.acceleration,
        "tau": layout.force,
    }[name](states)


def _convert(layout: Layout, states: States, function: Function, results: Any) -> Any:
    back = {"forward dynamics": layout.acceleration_back, "mass matrix": layout.matrix_back}
    return back.get(function, layout.force_back)(states, results)
