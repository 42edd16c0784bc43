"""A moving humanoid with wrenches on its feet, for tests of sensors, and independent sums over its links."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import floatbase as fb
from floatbase.spatial import change_wrench, parameters_from_center

FEET = ("l_sole", "r_sole")


class Motion(NamedTuple):
    """A state of a robot, its acceleration, and wrenches at frames, in its representation."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    wrenches: dict[str, np.ndarray]


def motion(robot: fb.Robot, seed: int, frames: tuple[str, ...] = FEET) -> Motion:
    """Random, with the acceleration that torques and wrenches make."""
    rng = np.random.default_rng(seed)
    q, v = robot.random(rng)
    wrenches = {frame: 50.0 * rng.standard_normal(6) for frame in frames}
    tau = np.zeros(robot.nv)
    tau[6:] = 10.0 * rng.standard_normal(robot.nv - 6)
    return Motion(q, v, robot.forward_dynamics(q, v, tau, wrenches=wrenches), wrenches)


def beyond(robot: fb.Robot, joint: str) -> set[str]:
    """The links on the child's side of a joint of the description."""
    joints = robot.model.joints
    found = {next(item.child for item in joints if item.name == joint)}
    while True:
        more = {item.child for item in joints if item.parent in found} - found
        if not more:
            return found
        found |= more


def net_wrench(robot: fb.Robot, now: Motion, links: set[str]) -> np.ndarray:
    """What moves links together, about the origin of the world in its axes: sums of Newton and Euler's equations.

    Without the external wrenches on them: what the rest of the robot exerts. Mixed representation.
    """
    total = np.zeros(6)
    for link in robot.model.links:
        if link.name in links and link.inertia is not None:
            parameters = parameters_from_center(link.inertia.mass, link.inertia.center, link.inertia.tensor)
            world_H_link = robot.pose(now.q, link.name)
            twist = robot.velocity(now.q, now.v, link.name)
            rate = robot.acceleration(now.q, now.v, now.a, link.name)
            total += wrench_of_link(parameters, world_H_link, twist, rate)
    homes = {frame.name: frame.link for frame in robot.model.frames}
    for frame, wrench in now.wrenches.items():
        if homes.get(frame, frame) in links:
            total -= change_wrench(wrench, "mixed", "inertial", robot.pose(now.q, frame))
    return total


def wrench_of_link(parameters: np.ndarray, world_H_link: np.ndarray, twist: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Newton and Euler's equations about the centre of mass, moved to the world's origin; gravity is no wrench here."""
    mass, center = parameters[0], parameters[1:4] / max(parameters[0], 1e-30)
    xx, xy, xz, yy, yz, zz = parameters[4:]
    R = world_H_link[:3, :3]
    square = center @ center
    about_center = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - mass * (
        square * np.eye(3) - np.outer(center, center)
    )
    tensor = R @ about_center @ R.T
    arm, omega, omega_dot = R @ center, twist[3:], rate[3:]
    acceleration = rate[:3] + np.cross(omega_dot, arm) + np.cross(omega, np.cross(omega, arm))
    force = mass * (acceleration - np.array([0.0, 0.0, -9.81]))
    moment = tensor @ omega_dot + np.cross(omega, tensor @ omega)
    return np.r_[force, moment + np.cross(world_H_link[:3, 3] + arm, force)]


def at_frame(wrench: np.ndarray, world_H_frame: np.ndarray) -> np.ndarray:
    """A wrench about the world's origin in its axes, at a frame in the frame's axes."""
    return change_wrench(wrench, "inertial", "body", world_H_frame)
