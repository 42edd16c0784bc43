"""frax on JAX: `jax.jit` for one state, `jax.jit(jax.vmap(...))` for a batch, set as its README recommends."""

from __future__ import annotations

import warnings
from importlib.metadata import version as installed

import numpy as np

from benchmarks.contender import Contender
from benchmarks.jax_settings import jax
from benchmarks.options import Options
from benchmarks.peers.on_jax import Call, entries
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it advises an old JAX on import; the note below says so
    import frax

NAME = "frax"
CALLS = ("forward dynamics is mass matrix and bias, then a Cholesky solve",)
NOTES = (
    "JAX in float64 on one thread; its README recommends JAX 0.4.30 for CPUs, with which one state took a quarter of "
    "the time measured with JAX 0.10.2",
    *CALLS,
    "statements wait for the result and leave it in JAX's memory",
)


def version() -> str:
    return f"{installed('frax')}, JAX {jax.__version__}"


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """Compiled functions of one state and of a batch."""
    library = frax.Robot(str(robot.path), floating_base="quaternion" if robot.floating else None)
    names = list(library.joint_names)[library.nv_floating :]
    layout = Layout(robot, joint_order(robot, names), linear_in_world=True)
    up = np.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
    calls = [
        Call("inverse dynamics", "qva", lambda q, v, a: library.rnea(q, v, a, up, None), layout.force_back),
        Call(
            "forward dynamics", "qvt", lambda q, v, tau: library.forward_dynamics(q, v, tau, None),
            layout.acceleration_back,
        ),
        Call("mass matrix", "q", library.mass_matrix, layout.matrix_back),
    ]  # fmt: skip
    if robot.floating:  # frax leaves out the links that are fixed to the world
        calls.append(Call("centre of mass", "q", library.center_of_mass, lambda states, r: r))
    return entries(NAME, layout, calls, one, batch)
