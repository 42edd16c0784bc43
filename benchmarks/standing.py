"""The humanoid that benchmarks of simulation step: iCub on two soles, its joints held by springs and dampers.

floatbase has visco-elastic soles of 0.2 m by 0.1 m (2e6 N/m^3, 1e4 N s/m^3); MuJoCo has boxes of that size, its own
contacts with them and a plane, and no others. Both hold all joints where they begin with the same gains.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import robots
from floatbase import Robot, load
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.joints import PositionDrive
from floatbase.simulation.simulator import Simulator

SOLES = ("l_sole", "r_sole")
LENGTH, WIDTH, THICKNESS = 0.2, 0.1, 0.01
STIFFNESS, DAMPING = 2e6, 1e4
STRONG, WEAK = (1000.0, 4.0), (100.0, 1.0)  # gains of legs and torso, and of other joints
DT = 1e-3


def humanoid() -> Robot:
    """iCub from the plain file that all benchmarks read."""
    with tempfile.TemporaryDirectory() as folder:
        plain = robots.prepare("icub", Path(folder))
        return load(plain.path, floating=True)


def gains(robot: Robot) -> np.ndarray:
    """Of positions and velocities, for each joint."""
    strong = ("hip", "knee", "ankle", "torso")
    return np.array([STRONG if any(part in name for part in strong) else WEAK for name in robot.joint_names]).T


def simulator(robot: Robot, *, held: bool, method: str = "stiff", dt: float = DT, substeps: int = 1) -> Simulator:
    """With the springs of the joints in the simulator if they are `held`, or to be given as torques."""
    law = SoleContact(LENGTH, WIDTH, stiffness=STIFFNESS, damping=DAMPING)
    joints = PositionDrive(*gains(robot)) if held else None
    return Simulator(robot, dict.fromkeys(SOLES, law), joints=joints, method=method, dt=dt, substeps=substeps)


def start(robot: Robot) -> np.ndarray:
    """Knees a little bent, soles on the ground as deep as the weight presses them."""
    q = robot.neutral()
    for side in ("l", "r"):
        for joint, angle in (("hip_pitch", 0.2), ("knee", -0.4), ("ankle_pitch", -0.2)):
            q[7 + robot.joint_names.index(f"{side}_{joint}")] = angle
    com = robot.com(q)
    q[:2] -= com[:2] - np.mean([robot.pose(q, sole)[:2, 3] for sole in SOLES], axis=0)
    q[2] -= robot.pose(q, SOLES[0])[2, 3] + robot.mass * 9.81 / (2 * LENGTH * WIDTH * STIFFNESS)
    return q


def in_mujoco(robot: Robot, q: np.ndarray) -> tuple[Any, Any]:
    """MuJoCo's model and data of the same robot, standing."""
    import mujoco

    from benchmarks.peers.mujoco import load_model

    with tempfile.TemporaryDirectory() as folder:
        plain = robots.prepare("icub", Path(folder))
        bare = load_model(plain)
        text = Path(folder) / "robot.xml"
        mujoco.mj_saveLastXML(str(text), bare)
        spec = mujoco.MjSpec.from_file(str(text))
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5.0, 5.0, 0.1])
    data = mujoco.MjData(bare)
    names = [mujoco.mj_id2name(bare, mujoco.mjtObj.mjOBJ_JOINT, i) for i in range(1, bare.njnt)]
    order = [7 + robot.joint_names.index(name) for name in names]
    data.qpos[:] = np.concatenate([q[:7], q[order]])
    mujoco.mj_forward(bare, data)
    for sole in SOLES:
        number = body_of(bare, robot, sole)
        body = mujoco.mj_id2name(bare, mujoco.mjtObj.mjOBJ_BODY, number)
        world_R_body, world_p_body = data.xmat[number].reshape(3, 3), data.xpos[number]
        pose = robot.pose(q, sole)
        R, p = world_R_body.T @ pose[:3, :3], world_R_body.T @ (pose[:3, 3] - world_p_body)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, R.ravel())
        spec.body(body).add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[LENGTH / 2, WIDTH / 2, THICKNESS / 2],
            pos=p + R @ [0.0, 0.0, THICKNESS / 2],
            quat=quaternion,
            mass=0.0,
        )
    spec.compiler.inertiafromgeom = 0
    model = spec.compile()
    model.opt.disableflags &= ~int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    model.opt.timestep = DT
    model.dof_armature[:] = 0.0
    model.jnt_stiffness[1:], model.dof_damping[6:] = gains(robot)[:, [place - 7 for place in order]]
    model.qpos_spring[7:] = q[order]
    data = mujoco.MjData(model)
    data.qpos[:] = np.concatenate([q[:7], q[order]])
    return model, data


def body_of(model: Any, robot: Robot, link: str) -> int:
    """MuJoCo's body that a link was merged into."""
    import mujoco

    found = (mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name) for name in _ancestors(robot, link))
    return next(number for number in found if number >= 0)


def weight_in_mujoco(model: Any, data: Any, body: int | None = None) -> float:
    """The sum of the normal forces of all contacts, or of those of one body."""
    import mujoco

    total, force = 0.0, np.zeros(6)
    for k in range(data.ncon):
        mujoco.mj_contactForce(model, data, k, force)
        if body is None or body in model.geom_bodyid[data.contact[k].geom]:
            total += force[0]
    return total


def _ancestors(robot: Robot, link: str) -> list[str]:
    """The link and what carries it, up to the root."""
    parents = {joint.child: joint.parent for joint in robot.model.joints}
    found = [link]
    while found[-1] in parents:
        found.append(parents[found[-1]])
    return found
