"""A model of MuJoCo's with the masses, friction and gains of one row."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.simulation.loop.mujoco.inertias import set_inertia
from floatbase.simulation.loop.mujoco.parts import Parts
from floatbase.simulation.loop.randomisation import Factors
from floatbase.spatial.inertias import transform_parameters


def varied_model(model: Any, factors: Factors, parts: Parts, servos: Sequence[int], row: int) -> Any:
    """A copy of the model with what was drawn for a row."""
    import mujoco

    model = copy.copy(model)
    if factors.inertial is not None:
        tree = parts.tree
        changes = (factors.inertial[row] - parts.robot.inertial_parameters).reshape(-1, 10)
        for place, number in enumerate(tree.order):
            part = parts.named(number)
            # as for sensors: what differs from the description counts for the link that the body is named after
            body_H_link = tree.frames[tree.bodies[number].name][1]
            phi = parts.parameters(part) + transform_parameters(body_H_link, changes[place])
            body = model.body(part.name).id
            set_inertia(model, body, phi)
        mujoco.mj_setConst(model, mujoco.MjData(model))
    if factors.friction is not None:
        model.geom_friction[:, 0] *= factors.friction[row]
    if factors.gains is not None:
        chosen = np.array(servos, dtype=int)
        model.actuator_gainprm[chosen, 0] *= factors.gains[row]
        model.actuator_biasprm[chosen, :3] *= factors.gains[row]
    return model
