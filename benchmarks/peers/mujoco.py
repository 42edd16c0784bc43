"""MuJoCo: the functions of its pipeline that give the same quantities, without contacts, limits and passive forces."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import mujoco
import numpy as np

from benchmarks.contender import Contender, Function
from benchmarks.options import Options
from benchmarks.robots import Robot
from benchmarks.states import Layout, States, joint_order

NAME = "MuJoCo"
NOTES = (
    "constraints are switched off; forward dynamics is mj_forward, which includes what a simulator needs besides "
    "(collision detection finds no shapes)",
    "the mass matrix is mj_kinematics, mj_comPos, mj_crb and mj_fullM; its inverse solves for the columns of 1",
)


def version() -> str:
    return str(mujoco.__version__)


def contenders(robot: Robot, one: States, batch: States, options: Options) -> list[Contender]:
    """One state at a time: MuJoCo has no batch of inverse or forward dynamics."""
    model = load_model(robot)
    first = int(robot.floating)
    names = [mujoco.mj_id2name(model, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(first, model.njnt)]
    layout = Layout(robot, joint_order(robot, names), linear_in_world=True)
    data = mujoco.MjData(model)
    q, v = layout.configuration(one), layout.velocity(one)
    scope = {
        "model": model, "data": data, "qpos": data.qpos, "qvel": data.qvel, "qacc": data.qacc,
        "force": data.qfrc_applied, "M": np.zeros((model.nv, model.nv)), "mj_inverse": mujoco.mj_inverse,
        "mj_forward": mujoco.mj_forward, "mj_kinematics": mujoco.mj_kinematics, "mj_comPos": mujoco.mj_comPos,
        "mj_crb": mujoco.mj_crb, "mj_fullM": mujoco.mj_fullM, "mj_factorM": mujoco.mj_factorM,
        "mj_solveM": mujoco.mj_solveM, "one": np.eye(model.nv),
    }  # fmt: skip

    def entry(function: Function, variables: str, states: list, statement: str, result: str, convert) -> Contender:
        return Contender(
            NAME, function, "one state", "reused", statement, result, scope,
            lambda r: convert(one, r), len(one), variables, states,
        )  # fmt: skip

    return [
        entry(
            "inverse dynamics", "q, v, a", list(zip(q, v, layout.acceleration(one), strict=True)),
            "qpos[:] = q; qvel[:] = v; qacc[:] = a; mj_inverse(model, data)", "data.qfrc_inverse", layout.force_back,
        ),
        entry(
            "forward dynamics", "q, v, tau", list(zip(q, v, layout.force(one), strict=True)),
            "qpos[:] = q; qvel[:] = v; force[:] = tau; mj_forward(model, data)", "data.qacc", layout.acceleration_back,
        ),
        entry(
            "mass matrix", "q", list(q),
            "qpos[:] = q; mj_kinematics(model, data); mj_comPos(model, data); mj_crb(model, data); "
            "mj_fullM(model, data, M)",
            "M", layout.matrix_back,
        ),
        entry(
            "inverse mass matrix", "q", list(q),
            "qpos[:] = q; mj_kinematics(model, data); mj_comPos(model, data); mj_crb(model, data); "
            "mj_factorM(model, data); mj_solveM(model, data, M, one)",
            "M", layout.matrix_back,
        ),
    ]  # fmt: skip


def load_model(robot: Robot) -> mujoco.MjModel:
    """MuJoCo welds a URDF's root to the world: a floating base is a joint of type "floating" in the file."""
    tree = ET.parse(robot.path).getroot()
    extension = ET.SubElement(tree, "mujoco")
    ET.SubElement(extension, "compiler", fusestatic="true", balanceinertia="false", strippath="false")
    if robot.floating:
        ET.SubElement(tree, "link", name="the_world")
        joint = ET.SubElement(tree, "joint", name="floating_base", type="floating")
        ET.SubElement(joint, "parent", link="the_world")
        ET.SubElement(joint, "child", link=robot.root)
    model = mujoco.MjModel.from_xml_string(ET.tostring(tree, encoding="unicode"))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.gravity[:] = (0.0, 0.0, -9.81)
    model.dof_armature[:] = 0.0
    return model
