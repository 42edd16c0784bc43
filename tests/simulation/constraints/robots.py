"""Robots and mechanisms that several tests of constraints use."""

from __future__ import annotations

import warnings

import numpy as np

import floatbase as fb
from floatbase.model import library
from floatbase.model.description import Constraint, Frame, Inertia, Joint, Link, Model
from floatbase.model.poses import shift

Y = np.array([0.0, 1.0, 0.0])
FOUR_BAR = (0.4, 1.1, 0.8, 1.0)  # crank, coupler, rocker, distance of the pivots [m]
MASSES = (1.0, 2.0, 1.5)


def humanoid(representation: str = "mixed") -> fb.Robot:
    return fb.Robot(library.parametric_humanoid(), representation=representation)


def humanoid_state(robot: fb.Robot, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q = robot.integrate(robot.neutral(), 0.4 * rng.standard_normal(robot.nv))
    return q, rng.standard_normal(robot.nv), rng.standard_normal(robot.nv)


def free_body(
    mass: float = 1.0, tensor=((0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 0.15)), arm: float = 1.0
) -> Model:
    """One body that floats, its centre of mass at the origin, and a frame "end" above it."""
    link = Link("body", Inertia(mass, np.zeros(3), np.array(tensor)))
    return Model("free_body", (link,), (), (Frame("end", "body", shift((0.0, 0.0, arm))),), root="body")


def disc(mass: float = 2.0, radius: float = 0.3) -> Model:
    """A thin disc about y."""
    across, along = 0.25 * mass * radius**2, 0.5 * mass * radius**2
    return free_body(mass, np.diag([across, along, across]), radius)


def four_bar() -> Model:
    """A crank, a coupler and a rocker in the plane y = 0; rods lie along x at zero and turn about y."""
    crank, coupler, rocker, apart = FOUR_BAR
    links = [Link("world")]
    for name, mass, length in zip(("crank", "coupler", "rocker"), MASSES, FOUR_BAR):
        inertia = Inertia(mass, np.array([length / 2, 0.0, 0.0]), mass * length**2 / 12 * np.diag([1e-3, 1.0, 1.0]))
        links.append(Link(name, inertia))
    joints = (
        Joint("input", "continuous", "world", "crank", np.eye(4), Y),
        Joint("knee", "continuous", "crank", "coupler", shift((crank, 0.0, 0.0)), Y),
        Joint("output", "continuous", "world", "rocker", shift((apart, 0.0, 0.0)), Y),
    )
    loop = Constraint("loop", "revolute", "coupler", "rocker", shift((coupler, 0.0, 0.0)), shift((rocker, 0.0, 0.0)), Y)
    return Model("four_bar", tuple(links), joints, root="world", constraints=(loop,))


def four_bar_robot() -> fb.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.ModelWarning)  # the loop is left out of the tree
        return fb.Robot(four_bar())


def four_bar_angles(crank_angle: float) -> tuple[float, float]:
    """Absolute angles of coupler and rocker in closed form, from the angle of the crank; the rocker above."""
    a, b, c, d = FOUR_BAR
    # the tip of the crank, and the triangle of coupler, rocker and what is between the tip and the rocker's pivot
    tip = np.array([a * np.cos(crank_angle), -a * np.sin(crank_angle)])
    gap = np.array([d, 0.0]) - tip
    length = np.hypot(*gap)
    inner = np.arccos((b**2 + length**2 - c**2) / (2 * b * length))
    direction = np.arctan2(gap[1], gap[0]) + inner
    knee = tip + b * np.array([np.cos(direction), np.sin(direction)])
    coupler = -direction
    rocker = -np.arctan2(knee[1], knee[0] - d)
    return coupler, rocker


def seven_joint_arm() -> Model:
    """Joints about z, y, z, y, z, y, z; links of 0.3 m with centres of mass off their axes."""
    links, joints, place = [Link("world")], [], np.eye(4)
    for number, axis in enumerate("zyzyzyz", 1):
        tensor = 0.02 * np.array([[2.0, 0.1, -0.2], [0.1, 1.7, 0.15], [-0.2, 0.15, 1.1]]) / number
        links.append(Link(f"arm_{number}", Inertia(3.0 / number, np.array([0.02, -0.01, 0.15]), tensor)))
        direction = np.array([0.0, 0.0, 1.0] if axis == "z" else [0.0, 1.0, 0.0])
        joints.append(Joint(f"joint_{number}", "continuous", links[-2].name, links[-1].name, place, direction))
        place = shift((0.0, 0.0, 0.3))
    return Model("seven_joint_arm", tuple(links), tuple(joints), (Frame("tool", "arm_7", place),), root="world")
