"""jaxsim on JAX: its functions of a model and the data of a state, made from the state's arrays in the same program."""

from __future__ import annotations

from importlib.metadata import version as installed
from typing import Any

import numpy as np

from benchmarks.contender import Contender
from benchmarks.jax_settings import jax
from benchmarks.options import Options
from benchmarks.peers.on_jax import Call, entries
from benchmarks.peers.sdf import describe
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

jnp = jax.numpy

import jaxsim.api as js  # noqa: E402  (it sets JAX up when it is imported, which must have its settings by then)

NAME = "jaxsim"
CALLS = (
    "its data of a state (kinematics of all links) are computed within the call, from configuration and velocity",
    "forward dynamics is its `forward_dynamics_aba(parallel=True)`, which it advises for GPUs",
    "robots are given as SDF, with links that are fixed to one another merged",
)
NOTES = ("JAX in float64 on one thread; statements wait for the result and leave it in JAX's memory", *CALLS)


def version() -> str:
    return f"{installed('jaxsim')}, JAX {jax.__version__}"


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """Compiled functions of one state and of a batch."""
    path = robot.path.with_suffix(".sdf")
    path.write_text(describe(robot))
    model = js.model.JaxSimModel.build_from_model_description(path, gravity=9.81)
    layout = Layout(robot, joint_order(robot, model.joint_names()))
    first = 6 * robot.floating

    def data(q: Any, v: Any) -> Any:
        base = q[:7] if robot.floating else np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
        twist = v[:6] if robot.floating else np.zeros(6)
        return js.data.JaxSimModelData.build(
            model=model, base_position=base[:3], base_quaternion=base[3:], joint_positions=q[7 * robot.floating :],
            base_linear_velocity=twist[:3], base_angular_velocity=twist[3:], joint_velocities=v[first:],
            velocity_representation=js.common.VelRepr.Body,
        )  # fmt: skip

    def stacked(base: Any, joints: Any) -> Any:
        return jnp.concatenate([base, joints]) if robot.floating else joints

    def inverse(q: Any, v: Any, a: Any) -> Any:
        base = a[:6] if robot.floating else None
        return stacked(
            *js.model.inverse_dynamics(model, data(q, v), joint_accelerations=a[first:], base_acceleration=base)
        )

    def forward(q: Any, v: Any, tau: Any) -> Any:
        return stacked(*js.model.forward_dynamics_aba(model, data(q, v), joint_forces=tau[first:], parallel=True))

    def mass_matrix(q: Any) -> Any:
        matrix = js.model.free_floating_mass_matrix(model, data(q, jnp.zeros(first + model.dofs(), q.dtype)))
        return matrix if robot.floating else matrix[6:, 6:]

    calls = [
        Call("inverse dynamics", "qva", inverse, layout.force_back),
        Call("forward dynamics", "qvt", forward, layout.acceleration_back),
        Call("mass matrix", "q", mass_matrix, layout.matrix_back),
    ]
    return entries(NAME, layout, calls, one, batch)
