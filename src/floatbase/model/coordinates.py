"""Which joints of a model are free, which are locked, and which follow another one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from floatbase.errors import ArgumentError, ModelError, unknown_name
from floatbase.model.description import Joint, Mimic, Model
from floatbase.model.motions import rest_position, tree_kind
from floatbase.model.tree import POSITION_SIZES, VELOCITY_SIZES


@dataclass(frozen=True)
class Coordinate:
    """Where a joint's coordinates are in the state; or that it is locked.

    A joint of one coordinate is at `ratio * q_joints[q_index] + offset`, and `index` is the place of its rate. If
    `index` is None the joint is locked at `locked`.
    """

    index: int | None
    q_index: int | None = None
    ratio: float = 1.0
    offset: float = 0.0
    locked: tuple[float, ...] = ()


def assign_coordinates(
    model: Model, joints: Sequence[str] | None, locked: Mapping[str, float | Sequence[float]], free_mimic: bool
) -> tuple[tuple[str, ...], dict[str, Coordinate]]:
    """The names of the free joints in order, and what determines each moving joint's position.

    Without `joints`, all moving joints that are neither locked nor mimic another are free, in the order of the model.
    With `joints`, those are free, in the order given, and the others are locked at their value in `locked` or at rest.
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
    coordinates = {name: _locked(positions.get(name, rest_position(moving[name].kind))) for name in independent}
    index = q_index = 0
    for name in free:
        coordinates[name] = Coordinate(index, q_index)
        index += VELOCITY_SIZES[tree_kind(moving[name].kind)]
        q_index += POSITION_SIZES[tree_kind(moving[name].kind)]
    _follow(model, moving, mimics, coordinates)
    return tuple(free), coordinates


def _locked(position: tuple[float, ...]) -> Coordinate:
    return Coordinate(None, None, 0.0, position[0] if len(position) == 1 else 0.0, position)


def _locked_position(
    model: Model, moving: Mapping[str, Joint], name: str, value: float | Sequence[float]
) -> tuple[float, ...]:
    _require_moving(model, moving, name, "locked")
    kind = tree_kind(moving[name].kind)
    try:
        position = tuple(float(entry) for entry in np.atleast_1d(np.asarray(value, dtype=np.float64)))
    except (TypeError, ValueError):
        position = ()
    size = POSITION_SIZES[kind]
    if len(position) != size or not all(map(math.isfinite, position)):
        needed = "a finite number" if size == 1 else f"{size} finite numbers"
        raise ArgumentError(f"joint {name!r} cannot be locked at {value!r}; it is {kind} and needs {needed}")
    if kind in ("spherical", "floating"):
        length = math.hypot(*position[-4:])
        if abs(length - 1.0) > 1e-6:
            raise ArgumentError(f"joint {name!r} cannot be locked at {value!r}; its quaternion must have unit length")
        position = (*position[:-4], *(entry / length for entry in position[-4:]))
    return position


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
    positions: Mapping[str, tuple[float, ...]],
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
            listed = " ".join(f"{entry:g}" for entry in positions[name])
            raise ArgumentError(f"joint {name!r} is listed as free in joints and locked at {listed}")
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
    for name, rule in mimics.items():
        for end in (name, rule.joint):
            if end in moving and POSITION_SIZES[tree_kind(moving[end].kind)] > 1:
                raise ModelError(
                    f"model {model.name!r}: joint {name!r} mimics joint {rule.joint!r}, but joint {end!r} is "
                    f"{moving[end].kind}; only joints of one coordinate can mimic one another"
                )
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
                raise ModelError(
                    f"model {model.name!r}: joint {name!r} mimics joint {followed!r}, which {what}; "
                    "free_mimic=True gives joints that mimic others coordinates of their own"
                )
            name = followed
        for name in reversed(path):
            rule = mimics[name]
            source = coordinates[rule.joint]
            ratio, offset = rule.multiplier * source.ratio, rule.multiplier * source.offset + rule.offset
            if ratio == 0.0 or source.index is None:
                coordinates[name] = _locked((offset,))
            else:
                coordinates[name] = Coordinate(source.index, source.q_index, ratio, offset)
