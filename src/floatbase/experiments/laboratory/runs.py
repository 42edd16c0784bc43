"""What `drop-test` and `squat` compute: iCub under a controller of joints, seen by its sensors, on either plant.

The controller knows encoders alone, with their noise. Both plants have soles of the same size at the same places: of
visco-elastic ground in ours, boxes in MuJoCo's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from floatbase import logs
from floatbase.errors import ArgumentError
from floatbase.loading import load
from floatbase.model import Geometry
from floatbase.robot import Robot
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.loop import (
    Block,
    JointControl,
    Loop,
    MujocoPlant,
    Plant,
    Sensing,
    SimulatedPlant,
    Surface,
    run,
)
from floatbase.simulation.sensors import Sensor, sensors_of
from floatbase.simulation.simulator import Simulator
from floatbase.spatial.arrays import Array

PLANTS = ("ours", "mujoco")
SOLES = ("l_sole", "r_sole")
LENGTH, WIDTH, THICKNESS = 0.2, 0.1, 0.01
STIFFNESS, DAMPING = 2e7, 1e5  # N/m^3 and N s/m^3, of hard ground
GRAVITY = 9.81
LEGS = (("hip_pitch", 1.0), ("knee", -2.0), ("ankle_pitch", -1.0))
BENT = 0.2  # rad, of the hips
STRONG, WEAK = (1000.0, 4.0), (100.0, 1.0)  # gains of legs and torso, and of other joints
IMU = "root_link_imu_acc"
RECORD = ("plant.q", "plant.v", "plant.torques", "plant.wrenches", "sensors.*", "truth.*", "controller.command")


def drop(kind: str, height: float, duration: float, folder: str, seed: int) -> Mapping[str, Any]:
    """Let iCub fall from a height of its soles [m] in a stiff posture, and come to rest."""
    robot = load("icub")
    posture = bent(robot, BENT)
    return recorded(kind, robot, height, lambda time: posture, duration, folder, f"drop-test-{kind}", seed)


def squat(kind: str, depth: float, period: float, duration: float, folder: str, seed: int) -> Mapping[str, Any]:
    """Let iCub bend its knees, by a depth of the hips [rad] more, and stretch them, once in a period [s]."""
    robot = load("icub")
    low, high = bent(robot, BENT), bent(robot, BENT + depth)
    rate = 2.0 * np.pi / period

    def posture(time: float) -> tuple[Array, Array]:
        part, slope = 0.5 * (1.0 - np.cos(rate * time)), 0.5 * rate * np.sin(rate * time)
        return low + part * (high - low), slope * (high - low)

    return recorded(kind, robot, 0.0, posture, duration, folder, f"squat-{kind}", seed)


def recorded(
    kind: str,
    robot: Robot,
    height: float,
    posture: Callable[[float], Any],
    duration: float,
    folder: str,
    name: str,
    seed: int,
) -> Mapping[str, Any]:
    """The run, from the log that it wrote; the log stays in `folder`, unless that is empty."""
    first = posture(0.0)
    q = start(robot, first[0] if isinstance(first, tuple) else first, height)
    proportional, derivative = gains(robot)
    controller = JointControl(posture, proportional, derivative, len(robot.joint_names))
    blocks: dict[str, Block | Sensing] = {
        "truth": Sensing(chosen(robot, perfect=True)),
        "sensors": Sensing(chosen(robot)),
        "controller": controller,
    }
    loop = Loop(plant(kind, robot), blocks)
    with tempfile.TemporaryDirectory() as elsewhere:
        place = Path(folder or elsewhere)
        if not place.is_dir():
            raise ArgumentError(f"the folder for logs, {place}, does not exist")
        file = place / f"{name}.parquet"
        run(loop, q, duration=duration, seed=seed, record=RECORD, log=file, overwrite=True)
        log = logs.load(file)
        found = {signal.name.replace("/", " "): np.array(signal.values) for signal in log.signals}
        found["time"] = np.array(log["plant/q"].time)
    return {**found, **derived(robot, found)}


def derived(robot: Robot, found: Mapping[str, Array]) -> Mapping[str, Array]:
    """Centre of mass, momentum, and what sensors that are perfect would say of the forces on the robot."""
    q, v = found["plant q"], found["plant v"]
    wrenches = found["plant wrenches"].reshape(len(q), len(SOLES), 6)
    return {
        "com": robot.com(q),
        "momentum": robot.centroidal_momentum(q, v),
        "force": wrenches[..., :3].sum(axis=1),
        "feet": np.array([robot.pose(q, sole)[:, 2, 3] for sole in SOLES]).T,
    }


def plant(kind: str, robot: Robot) -> Plant:
    """The robot in our physics, or in MuJoCo's."""
    if kind == "ours":
        sole = SoleContact(LENGTH, WIDTH, stiffness=STIFFNESS, damping=DAMPING)
        return SimulatedPlant(Simulator(robot, dict.fromkeys(SOLES, sole), method="stiff"))
    inside = np.eye(4)
    inside[2, 3] = 0.5 * THICKNESS
    box = Geometry("box", (LENGTH, WIDTH, THICKNESS), inside)
    return MujocoPlant(robot, dict.fromkeys(SOLES, (box,)), surface=Surface(friction=0.8, time_constant=0.01))


def chosen(robot: Robot, perfect: bool = False) -> list[Sensor]:
    """The force/torque sensors, the IMU of the root link, and encoders."""
    found = sensors_of(robot, perfect=perfect)
    return [item for item in found if item.cuts or item.name.startswith((IMU, "joint_"))]


def bent(robot: Robot, angle: float) -> Array:
    """The posture (n,) with bent knees: the trunk stays upright, the soles level."""
    posture = robot.neutral()[7:].copy()
    for side in ("l", "r"):
        for joint, factor in LEGS:
            posture[robot.joint_names.index(f"{side}_{joint}")] = factor * angle
    return posture


def start(robot: Robot, posture: Array, height: float) -> Array:
    """The configuration with the centre of mass above the middle of the soles, and these at a height."""
    q = robot.neutral()
    q[7:] = posture
    q[:2] -= robot.com(q)[:2] - np.mean([robot.pose(q, sole)[:2, 3] for sole in SOLES], axis=0)
    q[2] += height - robot.pose(q, SOLES[0])[2, 3]
    return q


def gains(robot: Robot) -> Array:
    """Of positions and velocities, for each joint."""
    strong = ("hip", "knee", "ankle", "torso")
    return np.array([STRONG if any(part in name for part in strong) else WEAK for name in robot.joint_names]).T
