r"""The nine-joint tree of Bos 2019, section 5.1: every kind of joint about every axis, branches at the base and inside.

A moving base carries the branches 1-2-3, 4-(5, 6) and 7-8-9. The published table has two faults, kept here as switches
because the published results were computed with them:

* The inertias are printed angular-first with indefinite moments: $J_C$ has a negative eigenvalue in all ten bodies, so
  no mass density gives them. `printed_inertias=True` takes mass, centre of mass and moments as printed (and needs
  `allow_nonphysical=True` when the tree is built); by default 16 kg m^2 are added to each principal moment. The
  published numbers themselves use the printed 6x6 matrices as if they were linear-first, which is no body at all: these
  are in `printed_matrices`.
* The origin of a sliding joint moves by $+s e$ in the printed coordinate transform, which contradicts its motion
  subspace; `joint_transform(..., printed_origin=True)` is that transform, for regression against published numbers.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from floatbase.model.description import Inertia, Joint, Link, Model
from floatbase.model.poses import Array, axis_rotation, shift
from floatbase.spatial import hat

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
PARENTS = (0, 1, 2, 0, 4, 4, 0, 7, 8)

# kind, axis, pitch; axis and angle of the coordinate transform from the parent, and its offset
_JOINTS: tuple[tuple[Literal["revolute", "prismatic", "helical"], str, float, str, float, tuple[float, ...]], ...] = (
    ("prismatic", "x", 0.0, "x", 1.0, (2.0, 1.0, 7.0)),
    ("revolute", "y", 0.0, "z", 4.0, (1.0, 7.0, 6.0)),
    ("helical", "z", 4.0, "y", 7.0, (8.0, 9.0, 3.0)),
    ("helical", "x", 5.0, "x", 8.0, (7.0, 0.0, 7.0)),
    ("revolute", "z", 0.0, "y", 5.0, (6.0, 5.0, 8.0)),
    ("prismatic", "y", 0.0, "x", 1.0, (3.0, 8.0, 0.0)),
    ("revolute", "x", 0.0, "x", 0.0, (4.0, 3.0, 2.0)),
    ("prismatic", "z", 0.0, "z", 6.0, (7.0, 5.0, 1.0)),
    ("helical", "y", 3.0, "y", 4.0, (3.0, 2.0, 2.0)),
)
_MOMENTS = (
    np.array([[4.0, 7.0, 2.0], [7.0, 5.0, 3.0], [2.0, 3.0, 8.0]]),
    np.array([[9.0, 1.0, 6.0], [1.0, 2.0, 5.0], [6.0, 5.0, 1.0]]),
)
_ADDED_MOMENT = 16.0
# mass, centre of mass, which of the two moments
_BODIES = (
    (2.0, (5.0, 3.0, 7.0), 0),
    (6.0, (6.0, 2.0, 4.0), 1),
    (9.0, (9.0, 1.0, 5.0), 0),
    (8.0, (3.0, 5.0, 9.0), 0),
    (2.0, (7.0, 3.0, 3.0), 1),
    (1.0, (5.0, 7.0, 8.0), 1),
    (5.0, (6.0, 3.0, 3.0), 0),
    (4.0, (8.0, 4.0, 5.0), 0),
    (7.0, (9.0, 8.0, 4.0), 1),
    (2.0, (1.0, 9.0, 3.0), 0),
)


def nine_joint_tree(printed_inertias: bool = False) -> Model:
    """The tree as a model; links are body0 .. body9, joints joint1 .. joint9."""
    added = 0.0 if printed_inertias else _ADDED_MOMENT
    links = tuple(
        Link(f"body{number}", Inertia(mass, np.array(center), _MOMENTS[which] + added * np.eye(3)))
        for number, (mass, center, which) in enumerate(_BODIES)
    )
    joints = tuple(
        Joint(
            f"joint{number}",
            kind,
            f"body{parent}",
            f"body{number}",
            _pose(turn_axis, angle, offset),
            np.array(_AXES[axis]),
            pitch=pitch,
        )
        for number, (parent, (kind, axis, pitch, turn_axis, angle, offset)) in enumerate(
            zip(PARENTS, _JOINTS, strict=True), 1
        )
    )
    return Model("nine_joint_tree", links, joints, root="body0")


def _pose(axis: str, angle: float, offset: tuple[float, ...]) -> Array:
    """The joint frame in the parent, from a rotation of coordinates and an offset to the parent's origin."""
    return shift([-entry for entry in offset]) @ axis_rotation(np.array(_AXES[axis]), angle)


def printed_matrices() -> Array:
    """The ten printed matrices (10, 6, 6), whose first three rows the published results take as linear."""
    result = np.zeros((10, 6, 6))
    for number, (mass, center, which) in enumerate(_BODIES):
        c = hat(np.array(center))
        result[number, :3, :3] = _MOMENTS[which] - mass * c @ c
        result[number, :3, 3:] = mass * c
        result[number, 3:, :3] = mass * c.T
        result[number, 3:, 3:] = mass * np.eye(3)
    return result


def joint_transform(number: int, s: float, printed_origin: bool = False) -> Array:
    r"""The transform (6, 6) of twists, linear first, across joint 1 .. 9 by its motion: table B.1 of Bos 2019.

    $X_J = \begin{bmatrix} R & \hat o R \\ 0 & R \end{bmatrix}$ with $o = -s e$ for a prismatic joint and $-h s e$ for a
    helical one; with the opposite sign if `printed_origin`.
    """
    kind, axis, pitch, *_ = _JOINTS[number - 1]
    e = np.array(_AXES[axis])
    R = np.eye(3) if kind == "prismatic" else axis_rotation(e, -math.remainder(s, math.tau))[:3, :3]
    distance = {"revolute": 0.0, "prismatic": s, "helical": pitch * s}[kind]
    result = np.zeros((6, 6))
    result[:3, :3] = result[3:, 3:] = R
    result[:3, 3:] = hat(e * (distance if printed_origin else -distance)) @ R
    return result
