"""adam on JAX: `jax.jit` for one state, `jax.jit(jax.vmap(...))` for a batch, body-fixed representation."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version as installed
from typing import Any

import numpy as np
from adam import Representations
from adam.jax import KinDynComputations

from benchmarks.contender import Array, Contender
from benchmarks.jax_settings import jax
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, rotations

NAME = "adam"
NOTES = (
    "JAX in float64 on one thread; statements wait for the result and leave it in JAX's memory",
    "it has no inverse dynamics with accelerations: look at the bias; forward dynamics takes joint torques alone",
    "the forward dynamics of a robot on a fixed base is left out: its base always floats",
    "compiling takes minutes per function and robot: it takes part only with --long",
)


def version() -> str:
    return f"{installed('adam-robotics')}, JAX {jax.__version__}"


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """Compiled functions of one state and of a batch."""
    if not options.long_compilations:
        return []
    kindyn = KinDynComputations(str(robot.path), list(robot.joints), gravity=np.array([0, 0, -9.81, 0, 0, 0.0]))
    kindyn.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    layout = Layout(robot, np.arange(len(robot.joints)))
    drop = 0 if robot.floating else 6
    table: list[tuple[Any, tuple[str, ...], Callable[..., Any], Any]] = [
        ("bias", ("H", "s", "twist", "rates"), kindyn.bias_force, lambda states, r: r[:, drop:]),
        ("mass matrix", ("H", "s"), kindyn.mass_matrix, lambda states, r: r[:, drop:, drop:]),
    ]
    if robot.floating:
        arguments = ("H", "s", "twist", "rates", "torques")
        table.append(("forward dynamics", arguments, kindyn.aba, layout.acceleration_back))
    found = []
    for function, names, call, back in table:
        for states, single in ((one, True), (batch, False)):
            if not len(states):
                continue
            arrays = dict(zip(names, _arrays(robot, states), strict=False))
            found.append(
                Contender(
                    peer=NAME,
                    function=function,
                    mode="one state" if single else "batch",
                    output="fresh",
                    statement=f"r = f({', '.join(names)}).block_until_ready()",
                    result="r",
                    namespace={"f": jax.jit(call if single else jax.vmap(call)), **({} if single else arrays)},
                    convert=lambda r, back=back, states=states: back(states, r),
                    count=len(states),
                    variables=", ".join(names) if single else "",
                    states=list(zip(*arrays.values(), strict=True)) if single else [],
                )
            )
    return found


def _arrays(robot: Robot, states: States) -> tuple[Array, Array, Array, Array, Array]:
    """Base pose, joint positions, base twist, joint rates, joint torques."""
    n, base = len(states), 6 * robot.floating
    pose = np.tile(np.eye(4), (n, 1, 1))
    twist = np.zeros((n, 6))
    if robot.floating:
        pose[:, :3, :3], pose[:, :3, 3] = rotations(states.q), states.q[:, :3]
        twist = states.v[:, :6]
    return pose, states.q[:, base and 7 :], twist, states.v[:, base:], states.tau[:, base:]
