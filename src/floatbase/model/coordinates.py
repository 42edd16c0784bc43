"""Which joints of a model are free, which are locked, and which follow another one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from floatbase.errors import ArgumentError, ModelError, unknown_name
from floatbase.model.description import Joint, Mimic, Model


@dataclass(frozen=True)
class Coordinate:
    """A joint's position is `ratio * q_joints[index] + offset`; `index` is None if it is locked at `offset`."""

    index: int | None
    ratio: float
    offset: float


def assign_coordinates(
    model: Model, joints: Sequence[str] | None, locked: Mapping[str, float], free_mimic: bool
) -> tuple[tuple[str, ...], dict[str, Coordinate]]:
    """The names of the joint coordinates in order, and what determines each moving joint's position.

    Without `joints`, all moving joints that are neither locked nor mimic another are free, in the order of the model.
    With `joints`, those are free, in the order given, and the others are locked at their value in `locked` or zero.
    """
    moving = {joint.name: joint for joint in model.joints if joint.kind != "fixed"}
    positions = {name: _locked_position(model, moving, name, value) for name, value in locked.items()}
    mimics = {
        joint.name: joint.mimic
        for joint in moving.values()
        if joint.mimic is not None and not free_mimic and joint.name not in positions
    }
    independent = [name for name in moving if name not in mimics]
    if joints is None:
        free = [name for name in independent if name not in positions]
    else:
        free = _chosen(model, moving, mimics, positions, joints)
    coordinates = {name: Coordinate(None, 0.0, positions.get(name, 0.0)) for name in independent}
    coordinates.update((name, Coordinate(index, 1.0, 0.0)) for index, name in enumerate(free))
    _follow(model, moving, mimics, coordinates)
    return tuple(free), coordinates


def _locked_position(model: Model, moving: Mapping[str, Joint], name: str, value: float) -> float:
    _require_moving(model, moving, name, "locked")
    if not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ArgumentError(f"joint {name!r} cannot be locked at {value!r}; it needs a finite number")
    return float(value)


def _require_moving(model: Model, moving: Mapping[str, Joint], name: str, verb: str) -> None:
    if name in moving:
        return
    if any(joint.name == name for joint in model.joints):
        raise ArgumentError(f"joint {name!r} is fixed and cannot be {verb}")
    raise unknown_name("joint", name, moving)


def _chosen(
    model: Model,
    moving: Mapping[str, Joint],
    mimics: Mapping[str, Mimic],
    positions: Mapping[str, float],
    joints: Sequence[str],
) -> list[str]:
    if isinstance(joints, str):
        raise ArgumentError(f"joints is the text {joints!r}; it needs a list of joint names")
    chosen: dict[str, None] = {}
    for name in joints:
        _require_moving(model, moving, name, "free")
        if name in chosen:
            raise ArgumentError(f"joint {name!r} is listed twice in joints")
        if name in positions:
            raise ArgumentError(f"joint {name!r} is listed as free in joints and locked at {positions[name]:g}")
        if name in mimics:
            raise ArgumentError(
                f"joint {name!r} follows joint {mimics[name].joint!r} and has no coordinate of its own; "
                "list that one, or free such joints with free_mimic=True"
            )
        chosen[name] = None
    return list(chosen)


def _follow(
    model: Model, moving: Mapping[str, Joint], mimics: Mapping[str, Mimic], coordinates: dict[str, Coordinate]
) -> None:
    """Add the joints that mimic others, chains of them included: compositions of `multiplier * position + offset`."""
    for start in mimics:
        path: dict[str, None] = {}
        name = start
        while name not in coordinates:
            if name in path:
                loop = " -> ".join([*list(path)[list(path).index(name) :], name])
                raise ModelError(f"model {model.name!r}: joints mimic one another in a circle: {loop}")
            path[name] = None
            followed = mimics[name].joint
            if followed not in moving:
                what = "is fixed" if any(joint.name == followed for joint in model.joints) else "does not exist"
                raise ModelError(f"model {model.name!r}: joint {name!r} mimics joint {followed!r}, which {what}")
            name = followed
        for name in reversed(path):
            rule = mimics[name]
            source = coordinates[rule.joint]
            ratio, offset = rule.multiplier * source.ratio, rule.multiplier * source.offset + rule.offset
            coordinates[name] = Coordinate(source.index if ratio != 0.0 else None, ratio, offset)
