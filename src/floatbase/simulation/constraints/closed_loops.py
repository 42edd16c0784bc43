"""The constraints of a model whose description closes kinematic loops."""

from __future__ import annotations

from floatbase.errors import ArgumentError
from floatbase.model import Model
from floatbase.robot import Robot
from floatbase.simulation.constraints.frames import FrameConstraint
from floatbase.simulation.constraints.places import Place


def constraints_of(model: Model | Robot) -> tuple[FrameConstraint, ...]:
    """What closes the loops of a model, such as those of an MJCF file, in the order in which the model lists it.

    Between places fixed to its links, with the kinds of `model.Constraint`; none if there are no loops.
    """
    if isinstance(model, Robot):
        model = model.model
    if not isinstance(model, Model):
        raise ArgumentError(f"constraints_of needs a floatbase.Model or a robot, got {type(model).__name__}")
    found = []
    for item in model.constraints:
        x, y, z = item.axis.tolist()
        second = (1.0, 0.0, 0.0) if item.second_axis is None else tuple(item.second_axis.tolist())
        ends = Place(item.first, item.first_H_frame), Place(item.second, item.second_H_frame)
        found.append(FrameConstraint(item.kind, *ends, (x, y, z), second))
    return tuple(found)
