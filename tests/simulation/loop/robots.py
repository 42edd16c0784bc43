"""A small robot with everything that a loop needs: a hopper with a force/torque sensor in its ankle and an IMU."""

from __future__ import annotations

from functools import cache

import numpy as np

from floatbase.model import Frame, Geometry, Inertia, Joint, Link, Model, Sensor
from floatbase.robot import Robot
from floatbase.simulation.contacts import SoleContact
from floatbase.simulation.loop import JointControl, Loop, MujocoPlant, Sensing, SimulatedPlant
from floatbase.simulation.sensors import Errors, Gyroscope, sensors_of
from floatbase.simulation.simulator import Simulator

SOLE = (0.2, 0.12, 0.02)


def shifted(*place: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = place
    return pose


def inertia(mass: float, *center: float) -> Inertia:
    return Inertia(mass, np.array(center), 0.02 * mass * np.diag([1.0, 1.2, 0.9]))


@cache
def hopper(representation: str = "mixed") -> Robot:
    foot = Geometry("box", SOLE, shifted(0.0, 0.0, 0.01))
    links = (
        Link("trunk", inertia(6.0, 0.01, 0.0, 0.1)),
        Link("thigh", inertia(1.5, 0.0, 0.0, -0.1)),
        Link("shin", inertia(1.0, 0.0, 0.0, -0.1)),
        Link("foot", inertia(0.8, 0.01, 0.0, 0.01), collisions=(foot,)),
    )
    y = np.array([0.0, 1.0, 0.0])
    joints = (
        Joint("hip", "revolute", "trunk", "thigh", shifted(0.0, 0.0, -0.05), y),
        Joint("knee", "revolute", "thigh", "shin", shifted(0.0, 0.0, -0.2), -y),
        Joint("ankle", "fixed", "shin", "foot", shifted(0.0, 0.0, -0.25)),
    )
    sensors = (
        Sensor("ankle_ft", "force_torque", "foot", "ankle", shifted(0.0, 0.0, 0.02), direction="parent_to_child"),
        Sensor("imu_acc", "accelerometer", "trunk", link_H_sensor=shifted(0.05, 0.0, 0.1)),
        Sensor("imu_gyro", "gyroscope", "trunk", link_H_sensor=shifted(0.05, 0.0, 0.1)),
    )
    frames = (Frame("sole", "foot", np.eye(4)), Frame("chest", "trunk", shifted(0.1, 0.0, 0.2)))
    return Robot(Model("hopper", links, joints, frames, sensors, root="trunk"), representation=representation)


def start(height: float = 0.0) -> np.ndarray:
    q = hopper().neutral()
    q[2] += height - hopper().pose(q, "sole")[2, 3]
    return q


def ours(**settings) -> SimulatedPlant:
    law = SoleContact(SOLE[0], SOLE[1], stiffness=5e5, damping=5e3)
    return SimulatedPlant(Simulator(hopper(), {"sole": law}, method="stiff", **settings))


def theirs(**settings) -> MujocoPlant:
    return MujocoPlant(hopper(), ["sole"], **settings)


def loop_around(plant, **settings) -> Loop:
    """Sensors with errors, and joints held by what encoders say."""
    noisy = Gyroscope("noisy_gyro", "chest", errors=Errors(noise=0.01, bias_spread=0.1))
    blocks = {
        "sensors": Sensing((*sensors_of(hopper()), noisy)),
        "controller": JointControl(np.zeros(2), 400.0, 8.0),
    }
    return Loop(plant, blocks, **settings)
