"""frax on JAX: `jax.jit` for one state, `jax.jit(jax.vmap(...))` for a batch, set as its README recommends."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.contender import Contender
from benchmarks.jax_settings import jax
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it advises an old JAX on import; the note below says so
    import frax

NAME = "frax"
NOTES = (
    "JAX in float64 on one thread; its README recommends JAX 0.4.30 for CPUs, with which one state took a quarter of "
    "the time measured with JAX 0.10.2",
    "forward dynamics is mass matrix and bias, then a Cholesky solve",
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
    table: list[tuple[Any, str, Callable[..., Any], Any]] = [
        ("inverse dynamics", "qva", lambda q, v, a: library.rnea(q, v, a, up, None), layout.force_back),
        (
            "forward dynamics", "qvt", lambda q, v, tau: library.forward_dynamics(q, v, tau, None),
            layout.acceleration_back,
        ),
        ("mass matrix", "q", library.mass_matrix, layout.matrix_back),
        ("centre of mass", "q", library.center_of_mass, lambda states, r: r),
    ]  # fmt: skip
    found = []
    for function, letters, call, back in table:
        if function == "centre of mass" and not robot.floating:
            continue  # frax leaves out the links that are fixed to the world
        for states, mode in ((one, "one state"), (batch, "batch")):
            if not len(states):
                continue
            arrays = _arrays(layout, states, letters)
            single = mode == "one state"
            names_of = ", ".join({"t": "tau"}.get(letter, letter) for letter in letters)
            compiled = jax.jit(call if single else jax.vmap(call))
            items = list(zip(*arrays, strict=True)) if len(arrays) > 1 else list(arrays[0])
            found.append(
                Contender(
                    NAME, function, mode, "fresh", f"r = f({names_of}).block_until_ready()", "r",
                    {"f": compiled, **({} if single else dict(zip(names_of.split(", "), arrays, strict=True)))},
                    lambda r, back=back, states=states: back(states, r),
                    len(states), names_of if single else "", items if single else [],
                )
            )  # fmt: skip
    return found


def _arrays(layout: Layout, states: States, letters: str) -> list[Any]:
    all_of = {
        "q": layout.configuration(states),
        "v": layout.velocity(states),
        "a": layout.acceleration(states),
        "t": layout.force(states),
    }
    return [all_of[letter] for letter in letters]
