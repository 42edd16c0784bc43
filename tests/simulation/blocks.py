"""Robots for tests of simulations: a block on two soles, a ball."""

from __future__ import annotations

import numpy as np

import floatbase as fb
from floatbase.model import Frame, Inertia, Link, Model

MASS, LENGTH, WIDTH = 33.0, 0.2, 0.1


def _at(x: float, y: float, z: float) -> np.ndarray:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def block() -> fb.Robot:
    """A block whose centre of mass is over two soles, 0.2 m by 0.1 m each, as in section 8 of Romualdi 2022."""
    inertia = Inertia(MASS, np.array([0.0, 0.0, 0.1]), np.diag([0.8, 0.8, 0.8]))
    frames = tuple(Frame(name, "block", _at(0.0, y, 0.0)) for name, y in (("left", 0.1), ("right", -0.1)))
    return fb.Robot(Model("block", (Link("block", inertia),), (), frames, root="block"))


def ball(mass: float = 0.5) -> fb.Robot:
    """A small heavy ball."""
    inertia = Inertia(mass, np.zeros(3), 0.001 * np.eye(3))
    return fb.Robot(Model("ball", (Link("ball", inertia),), (), root="ball"))
