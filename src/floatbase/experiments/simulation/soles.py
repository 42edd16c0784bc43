"""What `soft-contact` computes: wrenches of a sole, errors of its linearisation, motions of a block on two soles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.experiments.simulation.motions import BOX, order
from floatbase.model import Frame, Inertia, Link, Model
from floatbase.robot import Robot
from floatbase.simulation.contacts import SoleContact, linearized_sole, sole_wrench
from floatbase.simulation.running import simulate
from floatbase.simulation.simulator import Simulator
from floatbase.spatial import rotation_exponential
from floatbase.spatial.arrays import Array

LENGTH, WIDTH, STIFFNESS, DAMPING = 0.2, 0.1, 2e6, 1e4
GRAVITY = 9.81
LIGHT = 0.1  # of the damping with which the vertical mode is watched


def wrenches(angles: int) -> Mapping[str, Any]:
    """Normal force over the depth of a sole, and torque over its yaw, exact and linearised."""
    depth = np.linspace(0.0, 0.01, angles)
    level, down = _poses(np.zeros((angles, 3)), -depth), np.array([0.0, 0.0, -1.0, 0.0, 0.0, 0.0])
    inclined = _poses(np.tile([0.0, 0.2, 0.0], (angles, 1)), -depth)
    still = np.zeros((angles, 6))
    turned = np.linspace(0.0, 0.5 * np.pi, angles)
    yaw = _poses(np.outer(turned, [0.0, 0.0, 1.0]), np.zeros(angles))
    stiffness = linearized_sole(LENGTH, WIDTH, STIFFNESS, DAMPING).angular_stiffness[2, 2]
    return {
        "depth": depth,
        "force level": _wrench(level, still)[:, 2],
        "force one": _wrench(level, still + down)[:, 2],
        "force three": _wrench(inclined, still)[:, 2],
        "angle": np.rad2deg(turned),
        "torque": -_wrench(yaw, still)[:, 5],
        "linear torque": stiffness * turned,
    }


def linearization_errors(angles: Sequence[int], seed: int) -> Mapping[str, Any]:
    """Errors of the linearised torque: about yaw at some angles in degrees, and by the size of small turns."""
    K = linearized_sole(LENGTH, WIDTH, STIFFNESS, DAMPING).angular_stiffness
    yaw = np.deg2rad(np.array(angles, dtype=float))
    found = _torque_errors(np.outer(yaw, [0.0, 0.0, 1.0]), K)
    factor = STIFFNESS * LENGTH * WIDTH / 12.0 * (LENGTH**2 + WIDTH**2)
    sizes = np.logspace(-3.0, -2.0, 13)
    axis = np.random.default_rng(seed).standard_normal(3)
    axis /= np.linalg.norm(axis)
    one, several = (_torque_errors(np.outer(sizes, n), K) for n in (np.array([0.0, 0.0, 1.0]), axis))
    return {
        "yaw errors": found,
        "closed form": np.abs(found - factor * (yaw - np.sin(yaw))).max(),
        "small angles": sizes,
        "errors one axis": one,
        "errors several axes": several,
        "order one axis": order(sizes, one, 0.0),
        "order several axes": order(sizes, several, 0.0),
    }


def block(stiffness: float, dt: float) -> Mapping[str, Any]:
    """Static sink [mm], where a dropped block settles, and its vertical mode [rad/s]."""
    robot, sink = _standing(), BOX * GRAVITY / (2.0 * LENGTH * WIDTH * stiffness)
    dropped = Simulator(robot, _soles(stiffness, DAMPING), method="stiff", dt=1e-3)
    fallen = simulate(dropped, None, [0.0, 0.0, 0.05, 1.0, 0.0, 0.0, 0.0], 3.0, record=["q", "wrenches"])
    swinging = Simulator(robot, _soles(stiffness, LIGHT * DAMPING), method="rk4", dt=dt)
    swung = simulate(swinging, None, [0.0, 0.0, -1.05 * sink, 1.0, 0.0, 0.0, 0.0], 1.5)
    frequency, ratio = _mode(swung.time, swung["q"][:, 2] + sink)
    return {
        "sink": 1e3 * sink,
        "settled": -1e3 * fallen["q"][-1, 2],
        "least": fallen["wrenches"][:, [2, 8]].min(),
        "frequency": frequency,
        "ratio": ratio / LIGHT,
        "time": fallen.time[::5],
        "height": fallen["q"][::5, 2],
    }


def _mode(time: Array, height: Array) -> tuple[float, float]:
    """Frequency and damping ratio of an oscillation about zero, from its lowest places."""
    inner = height[1:-1]
    lowest = 1 + np.flatnonzero((inner < height[:-2]) & (inner <= height[2:]) & (inner < 0.0))
    depths = -height[lowest]
    ratio = float(np.mean(np.log(depths[:-1] / depths[1:]))) / (2.0 * np.pi)
    return 2.0 * np.pi / float(np.mean(np.diff(time[lowest]))), ratio


def _soles(stiffness: float, damping: float) -> dict[str, SoleContact]:
    return dict.fromkeys(("left", "right"), SoleContact(LENGTH, WIDTH, stiffness=stiffness, damping=damping))


def _standing() -> Robot:
    frames = []
    for name, side in (("left", 0.1), ("right", -0.1)):
        pose = np.eye(4)
        pose[1, 3] = side
        frames.append(Frame(name, "block", pose))
    inertia = Inertia(BOX, np.array([0.0, 0.0, 0.1]), 0.8 * np.eye(3))
    return Robot(Model("block", (Link("block", inertia),), (), tuple(frames), root="block"))


def _poses(turns: Array, heights: Array) -> Array:
    poses = np.tile(np.eye(4), (len(turns), 1, 1))
    poses[:, :3, :3], poses[:, 2, 3] = rotation_exponential(turns), heights
    return poses


def _wrench(poses: Array, twists: Array) -> Array:
    touchdown = np.tile(np.eye(4), (len(poses), 1, 1))
    return sole_wrench(poses, twists, touchdown, LENGTH, WIDTH, STIFFNESS, DAMPING)


def _torque_errors(turns: Array, K: Array) -> Array:
    """Sizes of differences of torques, for turns that are roll, pitch and yaw to first order."""
    exact = _wrench(_poses(turns, np.zeros(len(turns))), np.zeros((len(turns), 6)))[:, 3:]
    return np.linalg.norm(exact + turns @ K, axis=-1)
