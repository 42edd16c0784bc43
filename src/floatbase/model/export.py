"""Models as URDF text and files.

What is written is read back as the same model: numbers have all their digits, and angles are the shortest decimals that
give the same rotation. Two things change their form: additional frames become massless links with a fixed joint, and
universal joints two revolute ones. What URDF has no words for is an error, unless it is named in `leave_out`.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

from floatbase.errors import ArgumentError, ModelError
from floatbase.model.decimals import direction, roll_pitch_yaw
from floatbase.model.description import Geometry, Inertia, Joint, Link, Model, Sensor
from floatbase.model.poses import Array
from floatbase.model.structure import check_structure
from floatbase.model.universal import split_universal_joints
from floatbase.model.urdf import unit_axis
from floatbase.model.xml import parse_xml

LARGEST = repr(float(np.finfo(np.float64).max))  # stands for no limit where other readers of URDF demand one

_WORDLESS: dict[str, Callable[[Model], bool]] = {
    "rotors": lambda model: any(joint.rotor_inertia != 0.0 for joint in model.joints),
    "skin": lambda model: bool(model.skin),
    "constraints": lambda model: bool(model.constraints),
    "configurations": lambda model: bool(model.configurations),
    "sensor settings": lambda model: any(sensor.settings for sensor in model.sensors),
}
_KINDS = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed")


def save_urdf(
    model: Model, path: str | os.PathLike[str], leave_out: Sequence[str] = (), overwrite: bool = False
) -> None:
    """Write a model to a URDF file, which must not exist unless `overwrite` says so."""
    text = to_urdf(model, leave_out)
    file = Path(path)
    try:
        with file.open("w" if overwrite else "x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise ArgumentError(f"{file} exists; pass overwrite=True to replace it, or another path") from None
    except (OSError, ValueError) as error:
        raise ArgumentError(f"{file} cannot be written: {getattr(error, 'strerror', None) or error}") from None


def to_urdf(model: Model, leave_out: Sequence[str] = ()) -> str:
    """The text of a URDF file.

    leave_out: what may be dropped because URDF cannot say it: any of "rotors" (rotor inertias and gears), "skin",
    "constraints", "configurations" and "sensor settings".
    """
    where = f"model {model.name!r}"
    _check_words(model, leave_out, where)
    model = _frames_as_links(split_universal_joints(model))
    for joint in model.joints:
        if joint.kind not in _KINDS:
            raise ModelError(f"{where}: joint {joint.name!r} is {joint.kind}; URDF has {', '.join(_KINDS)}")
    check_structure(model.links, model.joints, where)
    root = ElementTree.Element("robot", name=model.name)
    for link in model.links:
        _add_link(root, link)
    for joint in model.joints:
        _add_joint(root, joint)
    for sensor in model.sensors:
        _add_sensor(root, sensor, model)
    ElementTree.indent(root)
    text = '<?xml version="1.0"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"
    parse_xml(text.encode("utf-8", "replace"), f"{where} as URDF")  # names may hold what XML cannot
    return text


def _check_words(model: Model, leave_out: Sequence[str], where: str) -> None:
    if isinstance(leave_out, str) or not set(leave_out) <= set(_WORDLESS):
        raise ArgumentError(f"leave_out is {leave_out!r}; it lists any of {', '.join(map(repr, _WORDLESS))}")
    for what, is_there in _WORDLESS.items():
        if what not in leave_out and is_there(model):
            raise ModelError(
                f"{where}: URDF has no words for {what}; to_urdf(model, leave_out=[{what!r}]) writes the rest"
            )


def _frames_as_links(model: Model) -> Model:
    joints = tuple(
        Joint(f"{frame.name}_joint", "fixed", frame.link, frame.name, frame.link_H_frame) for frame in model.frames
    )
    links = tuple(Link(frame.name) for frame in model.frames)
    return replace(model, links=(*model.links, *links), joints=(*model.joints, *joints), frames=())


def _add_link(root: ElementTree.Element, link: Link) -> None:
    element = ElementTree.SubElement(root, "link", name=link.name)
    if link.inertia is not None:
        _add_inertia(element, link.inertia)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            _add_shape(element, tag, shape)


def _add_inertia(element: ElementTree.Element, inertia: Inertia) -> None:
    inertial = ElementTree.SubElement(element, "inertial")
    ElementTree.SubElement(inertial, "origin", xyz=_numbers(inertia.center), rpy="0 0 0")
    ElementTree.SubElement(inertial, "mass", value=repr(inertia.mass))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor.tolist()
    entries = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
    ElementTree.SubElement(inertial, "inertia", {name: repr(value) for name, value in entries.items()})


def _add_shape(element: ElementTree.Element, tag: str, shape: Geometry) -> None:
    part = ElementTree.SubElement(element, tag)
    _add_origin(part, shape.link_H_shape)
    geometry = ElementTree.SubElement(part, "geometry")
    if shape.kind == "box":
        ElementTree.SubElement(geometry, "box", size=_numbers(shape.size))
    elif shape.kind == "cylinder":
        radius, length = shape.size
        ElementTree.SubElement(geometry, "cylinder", radius=repr(radius), length=repr(length))
    elif shape.kind == "sphere":
        ElementTree.SubElement(geometry, "sphere", radius=repr(shape.size[0]))
    else:
        uri = shape.uri or shape.file or ""
        if shape.file is not None and "://" not in uri and os.path.isabs(shape.file):
            uri = shape.file  # a relative path leads nowhere from another folder
        ElementTree.SubElement(geometry, "mesh", filename=uri, scale=_numbers(shape.size))
    if shape.color is not None:
        material = ElementTree.SubElement(part, "material", name="color " + _numbers(shape.color))
        ElementTree.SubElement(material, "color", rgba=_numbers(shape.color))


def _add_joint(root: ElementTree.Element, joint: Joint) -> None:
    element = ElementTree.SubElement(root, "joint", name=joint.name, type=joint.kind)
    _add_origin(element, joint.parent_H_joint)
    ElementTree.SubElement(element, "parent", link=joint.parent)
    ElementTree.SubElement(element, "child", link=joint.child)
    if joint.kind in ("fixed", "floating"):
        return
    ElementTree.SubElement(element, "axis", xyz=_numbers(direction(joint.axis, unit_axis)))
    if joint.kind != "planar":
        _add_limits(element, joint)
    if joint.damping or joint.friction:
        ElementTree.SubElement(element, "dynamics", damping=repr(joint.damping), friction=repr(joint.friction))
    if joint.mimic is not None:
        rule = joint.mimic
        numbers = {"multiplier": repr(float(rule.multiplier)), "offset": repr(float(rule.offset))}
        ElementTree.SubElement(element, "mimic", {"joint": rule.joint, **numbers})


def _add_limits(element: ElementTree.Element, joint: Joint) -> None:
    """Limits, with all four numbers where a reader may demand them."""
    limits = joint.limits
    range_ = {"lower": limits.lower, "upper": limits.upper} if joint.kind != "continuous" else {}
    entries = {**range_, "effort": limits.effort, "velocity": limits.velocity}
    if joint.kind != "continuous" or any(map(math.isfinite, entries.values())):
        ElementTree.SubElement(element, "limit", {name: _bounded(value) for name, value in entries.items()})


def _bounded(value: float) -> str:
    if math.isinf(value):
        return LARGEST if value > 0.0 else "-" + LARGEST
    return repr(float(value))


def _add_sensor(root: ElementTree.Element, sensor: Sensor, model: Model) -> None:
    element = ElementTree.SubElement(root, "sensor", name=sensor.name, type=sensor.kind)
    if sensor.joint is None:
        ElementTree.SubElement(element, "parent", link=sensor.link or "")
        _add_origin(element, sensor.link_H_sensor)
    else:
        ElementTree.SubElement(element, "parent", joint=sensor.joint)
        _add_origin(element, sensor.link_H_sensor if sensor.frame == "sensor" else np.eye(4))
        details = ElementTree.SubElement(element, "force_torque")
        for tag, value in (("frame", sensor.frame), ("measure_direction", sensor.direction)):
            if value is not None:
                ElementTree.SubElement(details, tag).text = value
    if sensor.rate is not None:
        element.set("update_rate", repr(float(sensor.rate)))


def _add_origin(element: ElementTree.Element, parent_H_part: Array) -> None:
    xyz, rpy = _numbers(parent_H_part[:3, 3]), _numbers(roll_pitch_yaw(parent_H_part[:3, :3]))
    ElementTree.SubElement(element, "origin", xyz=xyz, rpy=rpy)


def _numbers(values: Sequence[float] | Array) -> str:
    return " ".join(repr(float(value) + 0.0) for value in values)
