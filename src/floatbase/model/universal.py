"""Universal joints as two revolute ones with a massless link between them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from floatbase.errors import ModelError
from floatbase.model.description import Joint, Link, Model


def split_universal_joints(model: Model) -> Model:
    """The same robot without universal joints: `name` becomes `name_1`, the link `name_cross`, and `name_2`.

    The pose is the turn about `axis` by the first angle, then that about `second_axis` by the second.
    """
    if all(joint.kind != "universal" for joint in model.joints):
        return model
    links, joints = list(model.links), []
    for joint in model.joints:
        if joint.kind != "universal":
            joints.append(joint)
            continue
        cross = f"{joint.name}_cross"
        links.append(Link(cross))
        joints += [
            replace(joint, name=f"{joint.name}_1", kind="revolute", child=cross, second_axis=None),
            replace(
                joint,
                name=f"{joint.name}_2",
                kind="revolute",
                parent=cross,
                parent_H_joint=np.eye(4),
                axis=_second_axis(joint, model.name),
                second_axis=None,
            ),
        ]
    return replace(model, links=tuple(links), joints=tuple(joints))


def _second_axis(joint: Joint, name: str) -> np.ndarray:
    axis = joint.second_axis
    if axis is None or not (abs(axis @ axis - 1.0) <= 1e-9 and abs(axis @ joint.axis) <= 1e-9):
        raise ModelError(
            f"model {name!r}: the axes of the universal joint {joint.name!r} are {joint.axis} and {axis}; they must "
            "have unit length and be perpendicular"
        )
    if joint.mimic is not None:
        raise ModelError(f"model {name!r}: the universal joint {joint.name!r} cannot mimic another: it has two angles")
    return axis
