"""Drake's `MultibodyPlant`, continuous, with a context that holds the state."""

from __future__ import annotations

import logging
from importlib.metadata import version as installed

import numpy as np
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces

from benchmarks.contender import Contender
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

NAME = "Drake"
NOTES = (
    "includes setting the state in the context; forward dynamics is the plant's time derivative with the torques at "
    "its port for applied generalised forces",
)


def version() -> str:
    return installed("drake")


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """One state at a time."""
    logging.getLogger("drake").setLevel(logging.ERROR)
    plant = MultibodyPlant(0.0)
    Parser(plant).AddModels(str(robot.path))
    if not robot.floating:
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName(robot.root))
    plant.Finalize()
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    moving = sorted((j for j in joints if j.num_velocities() == 1), key=lambda j: j.velocity_start())
    layout = Layout(
        robot, joint_order(robot, [j.name() for j in moving]),
        quaternion_first=True, angular_first=True, linear_in_world=True, angular_in_world=True,
    )  # fmt: skip
    context = plant.CreateDefaultContext()
    forces = MultibodyForces(plant)
    scope = {
        "plant": plant, "context": context, "forces": forces,
        "port": plant.get_applied_generalized_force_input_port(),
    }  # fmt: skip
    q, v, a, tau = (
        layout.configuration(one), layout.velocity(one), layout.acceleration(one), layout.force(one),
    )  # fmt: skip
    set_state = "plant.SetPositions(context, q); plant.SetVelocities(context, v); "

    def entry(function, variables, states, statement, result, back) -> Contender:
        return Contender(
            NAME, function, "one state", "fresh", statement, result, scope,
            lambda r: back(one, r), len(one), variables, states,
        )  # fmt: skip

    return [
        entry(
            "inverse dynamics", "q, v, a", list(zip(q, v, a, strict=True)),
            set_state + "plant.CalcForceElementsContribution(context, forces); "
            "r = plant.CalcInverseDynamics(context, a, forces)", "r", layout.force_back,
        ),
        entry(
            "forward dynamics", "q, v, tau", list(zip(q, v, tau, strict=True)),
            set_state + "port.FixValue(context, tau); "
            "r = plant.EvalTimeDerivatives(context).get_generalized_velocity().CopyToVector()",
            "r", layout.acceleration_back,
        ),
        entry(
            "mass matrix", "q", list(q), "plant.SetPositions(context, q); r = plant.CalcMassMatrix(context)", "r",
            layout.matrix_back,
        ),
        entry(
            "centre of mass", "q", list(q),
            "plant.SetPositions(context, q); r = plant.CalcCenterOfMassPositionInWorld(context)", "r",
            lambda states, r: np.asarray(r),
        ),
    ]  # fmt: skip
