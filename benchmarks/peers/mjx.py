"""MuJoCo's MJX on JAX: the functions of its pipeline that give the same quantities, as the MuJoCo adapter does."""

from __future__ import annotations

from typing import Any

import mujoco

from benchmarks.contender import Contender
from benchmarks.jax_settings import jax
from benchmarks.options import Options
from benchmarks.peers.mujoco import load_model
from benchmarks.peers.on_jax import Call, entries
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

from mujoco import mjx  # isort: skip  (it reads JAX's settings when it is imported)

NAME = "MJX"
CALLS = (
    "MJX's own implementation on JAX, not the one on Warp; constraints are switched off, and the compiler leaves out "
    "what the result does not need",
    "forward dynamics is mjx.forward; the mass matrix is mjx.kinematics, com_pos, crb and full_m",
)
NOTES = ("JAX in float64 on one thread; statements wait for the result and leave it in JAX's memory", *CALLS)


def version() -> str:
    return f"{mujoco.__version__}, JAX {jax.__version__}"


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """Compiled functions of one state and of a batch."""
    source = load_model(robot)
    model = mjx.put_model(source, impl="jax")
    empty = mjx.make_data(source, impl="jax")
    first = int(robot.floating)
    names = [mujoco.mj_id2name(source, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(first, source.njnt)]
    layout = Layout(robot, joint_order(robot, names), linear_in_world=True)

    def inverse(q: Any, v: Any, a: Any) -> Any:
        return mjx.inverse(model, empty.replace(qpos=q, qvel=v, qacc=a)).qfrc_inverse

    def forward(q: Any, v: Any, tau: Any) -> Any:
        return mjx.forward(model, empty.replace(qpos=q, qvel=v, qfrc_applied=tau)).qacc

    def mass_matrix(q: Any) -> Any:
        data = mjx.kinematics(model, empty.replace(qpos=q))
        return mjx.full_m(model, mjx.crb(model, mjx.com_pos(model, data)))

    calls = [
        Call("inverse dynamics", "qva", inverse, layout.force_back),
        Call("forward dynamics", "qvt", forward, layout.acceleration_back),
        Call("mass matrix", "q", mass_matrix, layout.matrix_back),
    ]
    return entries(NAME, layout, calls, one, batch)
