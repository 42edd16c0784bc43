"""Changed copies of a model: parts added, replaced, scaled, removed. The model given is never changed.

Names are checked here, everything else when a tree is built: `build_tree` refuses what cannot move or cannot exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model.description import Constraint, Frame, Inertia, Joint, Link, Model, Sensor, SkinPatch
from floatbase.model.parts import check_constraint

Part = TypeVar("Part", Link, Joint)
_NO_OFFSET = (0.0, 0.0, 0.0)


def add_link(model: Model, link: Link, joint: Joint) -> Model:
    """With a link more, which `joint` connects to one that is there; either may be the joint's parent."""
    _refuse_taken(model, link.name)
    if joint.name in {known.name for known in model.joints}:
        raise ArgumentError(f"there is a joint named {joint.name!r} already; names must be unique")
    ends = {joint.parent, joint.child}
    if link.name not in ends or len(ends) != 2:
        raise ArgumentError(
            f"joint {joint.name!r} connects {joint.parent!r} and {joint.child!r}; it must connect the new link "
            f"{link.name!r} to another one"
        )
    (other,) = ends - {link.name}
    _find(model.links, "link", other)
    return replace(model, links=(*model.links, link), joints=(*model.joints, joint))


def attach_payload(
    model: Model,
    link: str,
    mass: float,
    center: Sequence[float] = _NO_OFFSET,
    tensor: npt.ArrayLike | None = None,
    name: str = "payload",
) -> Model:
    """With a body fixed to a link, as a link of its own with the frame of that link.

    center: of mass, in the link's frame. tensor: (3, 3), about the centre of mass in the link's axes; by default the
    payload is a point of mass.
    """
    moments = np.zeros((3, 3)) if tensor is None else np.asarray(tensor, dtype=np.float64)
    payload = Link(name, Inertia(float(mass), np.array(center), moments))
    return add_link(model, payload, Joint(f"{name}_joint", "fixed", link, name, np.eye(4)))


def add_frame(model: Model, name: str, link: str, link_H_frame: npt.ArrayLike) -> Model:
    """With a named frame more, fixed to a link; link_H_frame: (4, 4)."""
    _refuse_taken(model, name)
    _find(model.links, "link", link)
    return replace(model, frames=(*model.frames, Frame(name, link, np.asarray(link_H_frame, dtype=np.float64))))


def add_sensor(model: Model, sensor: Sensor) -> Model:
    """With a sensor more, on a link, or in a joint whose child is its link."""
    if sensor.name in {known.name for known in model.sensors}:
        raise ArgumentError(f"there is a sensor named {sensor.name!r} already; names must be unique")
    if sensor.joint is not None:
        joint = _find(model.joints, "joint", sensor.joint)
        if sensor.link != joint.child:
            raise ArgumentError(
                f"sensor {sensor.name!r} is in joint {joint.name!r}, so its link must be {joint.child!r}, the child, "
                f"but is {sensor.link!r}"
            )
    elif sensor.link is None:
        raise ArgumentError(f"sensor {sensor.name!r} is on no link and in no joint; it needs one of them")
    else:
        _find(model.links, "link", sensor.link)
    return replace(model, sensors=(*model.sensors, sensor))


def add_skin(model: Model, patch: SkinPatch) -> Model:
    """With a patch of tactile cells more, whose normals must have unit length."""
    if patch.name in {known.name for known in model.skin}:
        raise ArgumentError(f"there is a skin patch named {patch.name!r} already; names must be unique")
    _find(model.links, "link", patch.link)
    lengths = np.linalg.norm(patch.normals, axis=1)
    if not (np.isfinite(patch.positions).all() and (np.abs(lengths - 1.0) <= 1e-6).all()):
        raise ArgumentError(f"skin patch {patch.name!r} needs finite positions, and normals of unit length")
    return replace(model, skin=(*model.skin, patch))


def add_constraint(model: Model, constraint: Constraint) -> Model:
    """With a constraint more, which closes a loop between two links; the tree leaves it out."""
    if constraint.name in {known.name for known in model.constraints}:
        raise ArgumentError(f"there is a constraint named {constraint.name!r} already; names must be unique")
    for link in (constraint.first, constraint.second):
        _find(model.links, "link", link)
    check_constraint(constraint, [link.name for link in model.links], f"model {model.name!r}")
    return replace(model, constraints=(*model.constraints, constraint))


def set_inertia(model: Model, link: str, inertia: Inertia | None) -> Model:
    """With another inertia of a link, or none."""
    return replace_link(model, link, inertia=inertia)


def replace_link(model: Model, name: str, /, **changes: Any) -> Model:
    """With other fields of a link; its name stays."""
    _refuse_renaming(changes)
    return replace(model, links=_changed(model.links, "link", name, changes))


def replace_joint(model: Model, name: str, /, **changes: Any) -> Model:
    """With other fields of a joint (`limits`, `damping`, `rotor_inertia`, `kind`, ...); its name stays."""
    _refuse_renaming(changes)
    return replace(model, joints=_changed(model.joints, "joint", name, changes))


def remove_branch(model: Model, joint: str) -> Model:
    """Without a joint and everything on the side of its child: links, joints, frames, sensors, skin, constraints."""
    cut = _find(model.joints, "joint", joint)
    gone = _side(model, cut)
    if model.root in gone:
        raise ArgumentError(
            f"joint {joint!r} cannot be removed with its child's side: the root {model.root!r} is there"
        )
    joints = tuple(item for item in model.joints if item is not cut and item.child not in gone)
    kept = {item.name for item in joints}
    for item in joints:
        if item.mimic is not None and item.mimic.joint not in kept:
            raise ArgumentError(f"joint {item.name!r} mimics joint {item.mimic.joint!r}, which would be removed")
    return replace(
        model,
        links=tuple(item for item in model.links if item.name not in gone),
        joints=joints,
        frames=tuple(item for item in model.frames if item.link not in gone),
        sensors=tuple(
            item for item in model.sensors if item.link not in gone and (item.joint is None or item.joint in kept)
        ),
        skin=tuple(item for item in model.skin if item.link not in gone),
        constraints=tuple(item for item in model.constraints if not {item.first, item.second} & gone),
        configurations=tuple(
            replace(item, joints={name: value for name, value in item.joints.items() if name in kept})
            for item in model.configurations
        ),
    )


def merge(model: Model, other: Model, link: str, link_H_root: npt.ArrayLike, prefix: str = "") -> Model:
    """With another robot fixed to a link: its root link is at `link_H_root` (4, 4), through the joint "<root>_joint".

    The names of the other robot's parts are preceded by `prefix`. Its configurations are left behind.
    """
    _find(model.links, "link", link)
    joined = _prefixed(other, prefix)
    children = {joint.child for joint in joined.joints}
    root = joined.root or next(item.name for item in joined.links if item.name not in children)
    bridge = Joint(f"{root}_joint", "fixed", link, root, np.asarray(link_H_root, dtype=np.float64))
    result = replace(
        model,
        links=(*model.links, *joined.links),
        joints=(*model.joints, bridge, *joined.joints),
        frames=(*model.frames, *joined.frames),
        sensors=(*model.sensors, *joined.sensors),
        skin=(*model.skin, *joined.skin),
        constraints=(*model.constraints, *joined.constraints),
    )
    parts: list[tuple[str, list[str]]] = [
        ("link or frame", [item.name for item in result.links] + [item.name for item in result.frames]),
        ("joint", [item.name for item in result.joints]),
        ("sensor", [item.name for item in result.sensors]),
        ("skin patch", [item.name for item in result.skin]),
        ("constraint", [item.name for item in result.constraints]),
    ]
    for what, names in parts:
        _refuse_twice(what, names)
    return result


def _prefixed(model: Model, prefix: str) -> Model:
    def renamed(name: str | None) -> str | None:
        return None if name is None else prefix + name

    links = tuple(replace(item, name=prefix + item.name) for item in model.links)
    joints = tuple(
        replace(
            item,
            name=prefix + item.name,
            parent=prefix + item.parent,
            child=prefix + item.child,
            mimic=None if item.mimic is None else replace(item.mimic, joint=prefix + item.mimic.joint),
        )
        for item in model.joints
    )
    return replace(
        model,
        links=links,
        joints=joints,
        frames=tuple(replace(item, name=prefix + item.name, link=prefix + item.link) for item in model.frames),
        sensors=tuple(
            replace(item, name=prefix + item.name, link=renamed(item.link), joint=renamed(item.joint))
            for item in model.sensors
        ),
        skin=tuple(replace(item, name=prefix + item.name, link=prefix + item.link) for item in model.skin),
        constraints=tuple(
            replace(item, name=prefix + item.name, first=prefix + item.first, second=prefix + item.second)
            for item in model.constraints
        ),
        root=renamed(model.root),
    )


def _side(model: Model, cut: Joint) -> set[str]:
    """The links on the side of a joint's child."""
    neighbours: dict[str, list[str]] = {}
    for joint in model.joints:
        if joint is not cut:
            neighbours.setdefault(joint.parent, []).append(joint.child)
            neighbours.setdefault(joint.child, []).append(joint.parent)
    found, waiting = {cut.child}, [cut.child]
    while waiting:
        for other in neighbours.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _find(parts: Sequence[Part], kind: str, name: str) -> Part:
    for part in parts:
        if part.name == name:
            return part
    raise unknown_name(kind, name, (part.name for part in parts))


def _changed(parts: Sequence[Part], kind: str, name: str, changes: dict[str, Any]) -> tuple[Part, ...]:
    _find(parts, kind, name)
    return tuple(replace(part, **changes) if part.name == name else part for part in parts)


def _refuse_renaming(changes: dict[str, Any]) -> None:
    if "name" in changes:
        raise ArgumentError(
            f"name is {changes['name']!r}; other parts refer to a part by its name, which cannot change"
        )


def _refuse_taken(model: Model, name: str) -> None:
    if name in {link.name for link in model.links} | {frame.name for frame in model.frames}:
        raise ArgumentError(f"there is a link or frame named {name!r} already; names must be unique")


def _refuse_twice(what: str, names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ArgumentError(f"both robots have a {what} named {name!r}; pass a prefix for the names of the second")
        seen.add(name)
