"""Sensors in URDF files, in the two dialects that robot files mix.

* iDynTree's: `<sensor name="" type="">` in the robot, with `<parent link="">` or `<parent joint="">` and an `<origin>`;
* Gazebo's: `<sensor name="" type="">` inside `<gazebo reference="">` (a link or a joint), with a `<pose>`.

A sensor described in both is one sensor: the first dialect says what it is, the second adds its rate. Gazebo's "imu"
often stands for an accelerometer or a gyroscope that the first dialect names exactly, and the same force/torque sensor
may carry two names, in which case the joint identifies it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from floatbase.model.description import Joint, Sensor
from floatbase.model.poses import Array, inverse, pose
from floatbase.model.urdf_geometry import origin
from floatbase.model.xml import Element

_KINDS = {"gpu_ray": "lidar", "ray": "lidar", "gpu_lidar": "lidar", "depth": "depth_camera"}


def sensors(root: Element, links: set[str], joints: Mapping[str, Joint]) -> tuple[Sensor, ...]:
    """All sensors of a robot, each once, in the order of the file (iDynTree's dialect first)."""
    found: dict[str, Sensor] = {}
    by_joint: dict[str, str] = {}
    for element in root.all("sensor"):
        sensor = _robot_sensor(element, links, joints)
        if sensor.name in found:
            element.refuse(f"there are two sensors named {sensor.name!r}; names must be unique")
        found[sensor.name] = sensor
        if sensor.joint is not None:
            by_joint[sensor.joint] = sensor.name
    for block in root.all("gazebo"):
        reference = block.attributes.get("reference", "").strip()
        # Gazebo ignores what refers to nothing, and files leave such blocks behind when parts are removed
        if reference in links or reference in joints:
            for element in block.all("sensor"):
                _add_gazebo_sensor(found, by_joint, _gazebo_sensor(element, reference, joints))
    return tuple(found.values())


def _add_gazebo_sensor(found: dict[str, Sensor], by_joint: dict[str, str], sensor: Sensor) -> None:
    name = sensor.name
    if sensor.joint is not None:
        name = by_joint.setdefault(sensor.joint, name)
    known = found.get(name)
    if known is None:
        found[name] = sensor
    elif known.rate is None:
        found[name] = replace(known, rate=sensor.rate)


def _robot_sensor(element: Element, links: set[str], joints: Mapping[str, Joint]) -> Sensor:
    name = element.attribute("name")
    what = f"sensor {name!r}"
    parent = element.only("parent", what)
    rate = element.number("update_rate") if "update_rate" in element.attributes else None
    kind = _kind(element, what)
    if "joint" in parent.attributes:
        joint = parent.attribute("joint")
        if joint not in joints:
            parent.refuse(f"{what} sits in the joint {joint!r}, which does not exist")
        return _force_sensor(element, name, kind, joints[joint], origin(element), rate)
    link = parent.attribute("link")
    if link not in links:
        parent.refuse(f"{what} sits on the link {link!r}, which does not exist")
    return Sensor(name, kind, link=link, link_H_sensor=origin(element), rate=rate)


def _gazebo_sensor(element: Element, reference: str, joints: Mapping[str, Joint]) -> Sensor:
    name = element.attribute("name")
    what = f"sensor {name!r}"
    written = element.first("pose")
    link_H_sensor = np.eye(4)
    if written is not None:
        numbers = written.numbers(written.text, 6, f"the pose of {what}")
        link_H_sensor = pose(numbers[:3], numbers[3:])
    timing = element.first("update_rate")
    rate = timing.numbers(timing.text, 1, f"the update rate of {what}")[0] if timing is not None else None
    kind = _kind(element, what)
    if reference in joints:
        return _force_sensor(element, name, kind, joints[reference], link_H_sensor, rate)
    return Sensor(name, kind, link=reference, link_H_sensor=link_H_sensor, rate=rate)


def _force_sensor(
    element: Element, name: str, kind: str, joint: Joint, child_H_origin: Array, rate: float | None
) -> Sensor:
    """A sensor in a joint: which frame it measures in, and the wrench of which side on which.

    The parent's frame is where it is while the joint is at zero; force/torque sensors sit in fixed joints.
    """
    settings = element.first("force_torque")
    frame, direction = "child", "child_to_parent"
    if settings is not None:
        frame = _choice(settings, "frame", frame, ("child", "parent", "sensor"))
        direction = _choice(settings, "measure_direction", direction, ("child_to_parent", "parent_to_child"))
    child_H_sensor = {
        "child": np.eye(4),
        "parent": inverse(joint.parent_H_joint),
        "sensor": child_H_origin,
    }[frame]
    return Sensor(name, kind, joint.child, joint.name, child_H_sensor, frame, direction, rate)


def _choice(element: Element, tag: str, default: str, choices: tuple[str, ...]) -> str:
    found = element.first(tag)
    if found is None:
        return default
    text = found.text.strip()
    if text not in choices:
        found.refuse(f"<{tag}> is {text[:60]!r}; it must be one of {', '.join(choices)}")
    return text


def _kind(element: Element, what: str) -> str:
    """The type; ROS's older dialect gives none and names it by the child element."""
    if "type" not in element.attributes:
        for child in element.children:
            if child.tag in ("camera", "ray"):
                return _KINDS.get(child.tag, child.tag)
    kind = element.attribute("type", what)
    return _KINDS.get(kind, kind)
