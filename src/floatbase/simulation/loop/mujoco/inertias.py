"""Inertial parameters in MuJoCo, whatever they are.

MuJoCo refuses descriptions of inertias that no body can have, and of moving bodies without mass, both of which are in
files of robots and do no harm where the mass matrix is positive definite. So models are described with unit inertias in
the right places, and get the right numbers when they are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.simulation.loop.mujoco.shapes import numbers
from floatbase.spatial.arrays import Array
from floatbase.spatial.consistency import principal_inertia
from floatbase.spatial.rotations import quaternion_from_rotation


def inertial_text(phi: Array, moving: bool) -> str:
    """A unit inertia at the centre of mass and along the principal axes of parameters (10,); none if there is none."""
    if phi[0] > 0.0:
        found = principal_inertia(phi)
        place = f'pos="{numbers(found.center)}" quat="{numbers(quaternion_from_rotation(found.axes))}"'
    elif moving:
        place = 'pos="0 0 0"'
    else:
        return ""
    return f'<inertial mass="1" {place} diaginertia="1 1 1"/>'


def set_inertia(model: Any, body: int, phi: Array) -> None:
    """Give a body of a model its parameters (10,); `mujoco.mj_setConst` is to be called after the last one."""
    model.body_mass[body] = phi[0]
    if phi[0] > 0.0:
        found = principal_inertia(phi)
        model.body_ipos[body] = found.center
        model.body_iquat[body] = quaternion_from_rotation(found.axes)
        model.body_inertia[body] = found.moments
    else:
        model.body_inertia[body] = np.zeros(3)
