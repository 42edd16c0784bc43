"""adam on JAX: `jax.jit` for one state, `jax.jit(jax.vmap(...))` for a batch, body-fixed representation."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version as installed
from typing import Any

import numpy as np
from adam import Representations
from adam.core.array_api_math import ArraySpec
from adam.core.rbd_algorithms import RBDAlgorithms
from adam.jax.jax_like import SpatialMath
from adam.model import Model, build_model_factory

from benchmarks.contender import Array, Contender
from benchmarks.jax_settings import jax
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, rotations

NAME = "adam"
CALLS = (
    "it has no inverse dynamics with accelerations: look at the bias; forward dynamics takes joint torques alone",
    "the forward dynamics of a robot on a fixed base is left out: its base always floats",
)
NOTES = (
    "JAX in float64 on one thread; statements wait for the result and leave it in JAX's memory",
    *CALLS,
    "compiling takes minutes per function and robot: it takes part only with --long",
)


def version() -> str:
    return f"{installed('adam-robotics')}, JAX {jax.__version__}"


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """Compiled functions of one state and of a batch."""
    if not options.long_compilations:
        return []
    algorithms = _algorithms(robot)
    gravity = jax.numpy.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0])
    layout = Layout(robot, np.arange(len(robot.joints)))
    drop = 0 if robot.floating else 6
    table: list[tuple[Any, tuple[str, ...], Callable[..., Any], Any]] = [
        (
            "bias", ("H", "s", "twist", "rates"), lambda *state: algorithms.rnea(*state, gravity).array,
            lambda states, r: r[:, drop:],
        ),
        (
            "mass matrix", ("H", "s"), lambda *state: algorithms.crba(*state)[0].array,
            lambda states, r: r[:, drop:, drop:],
        ),
    ]  # fmt: skip
    if robot.floating:
        arguments = ("H", "s", "twist", "rates", "torques")
        table.append(
            (
                "forward dynamics", arguments, lambda *state: algorithms.aba(*state, gravity).array,
                layout.acceleration_back,
            )
        )  # fmt: skip
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


def _algorithms(robot: Robot) -> RBDAlgorithms:
    """What `adam.jax.KinDynComputations` calls, without a device for its constants.

    From JAX 0.7 on, compiled functions take no constants that were put on a device, so that `KinDynComputations` of
    adam 0.5 cannot be compiled; the default device is meant anyway.
    """
    math = SpatialMath(ArraySpec(jax.numpy, jax.numpy.zeros(()).dtype, None))
    model = Model.build(factory=build_model_factory(str(robot.path), math), joints_name_list=list(robot.joints))
    algorithms = RBDAlgorithms(model=model, math=math)
    algorithms.set_frame_velocity_representation(Representations.BODY_FIXED_REPRESENTATION)
    return algorithms


def _arrays(robot: Robot, states: States) -> tuple[Array, Array, Array, Array, Array]:
    """Base pose, joint positions, base twist, joint rates, joint torques."""
    n, base = len(states), 6 * robot.floating
    pose = np.tile(np.eye(4), (n, 1, 1))
    twist = np.zeros((n, 6))
    if robot.floating:
        pose[:, :3, :3], pose[:, :3, 3] = rotations(states.q), states.q[:, :3]
        twist = states.v[:, :6]
    return pose, states.q[:, base and 7 :], twist, states.v[:, base:], states.tau[:, base:]
