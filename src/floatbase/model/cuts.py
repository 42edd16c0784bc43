"""The submodels that force/torque sensors cut a robot into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from floatbase.errors import ModelError
from floatbase.model.description import Model
from floatbase.model.poses import Array
from floatbase.model.tree import Cut, Submodel
from floatbase.model.walk import Walk


def force_sensor_joints(model: Model) -> set[str]:
    """The joints that hold a force/torque sensor."""
    return {sensor.joint for sensor in model.sensors if sensor.kind == "force_torque" and sensor.joint is not None}


def find_cuts(
    model: Model,
    described: Walk,
    walk: Walk,
    frames: Mapping[str, tuple[int, Array]],
    parameters: Mapping[str, Array],
) -> tuple[tuple[Cut, ...], tuple[Submodel, ...]]:
    """Cuts and submodels of a robot, in the order in which they come from the model's root outwards.

    `described` is the walk from there, `walk` that from the base; `parameters` are those of each link that has inertia,
    about the frame of the body it belongs to.
    """
    sensors = force_sensor_joints(model)
    submodel_of: dict[str, int] = {}
    members: list[list[str]] = []
    cuts = []
    near = {joint.name: left for joint, left, _ in walk.visits if joint is not None}
    for joint, left, entered in described.visits:
        if joint is not None and joint.name not in sensors:
            submodel_of[entered] = submodel_of[left]
        else:
            submodel_of[entered] = len(members)
            members.append([])
        members[submodel_of[entered]].append(entered)
        if joint is not None and joint.name in sensors:
            if frames[left][0] != frames[entered][0]:
                raise ModelError(
                    f"model {model.name!r}: the force/torque sensor in joint {joint.name!r} cannot be kept as a cut, "
                    "because the joint moves; lock it, or build the tree with keep_force_sensors=False"
                )
            sides = submodel_of[joint.parent], submodel_of[joint.child]
            body = frames[entered][0]
            cuts.append(Cut(joint.name, body, joint.parent, joint.child, *sides, submodel_of[near[joint.name]]))
    return tuple(cuts), tuple(Submodel(tuple(links), _shares(links, frames, parameters)) for links in members)


def _shares(
    links: Sequence[str], frames: Mapping[str, tuple[int, Array]], parameters: Mapping[str, Array]
) -> dict[int, Array]:
    shares: dict[int, Array] = {}
    for link in links:
        body = frames[link][0]
        share = shares.setdefault(body, np.zeros(10))
        if link in parameters:
            shares[body] = share + parameters[link]
    return shares
