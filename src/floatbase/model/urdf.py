"""Robots from URDF files.

Read are links (inertial, visual, collision), joints (of all of URDF's kinds; limits, dynamics, mimic) and sensors (see
`floatbase.model.urdf_sensors`). Links without inertia are kept: they are frames. Other elements of the root
(`transmission`, `gazebo` without sensors, ...) say nothing about the mechanism and are skipped.

Whatever is wrong with a file raises `RobotFileError` with the file, the line, what came in and what would be right.
"""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import numpy as np

from floatbase.errors import ArgumentError, ModelError, RobotFileError
from floatbase.model.description import Inertia, Joint, JointKind, Limits, Link, Mimic, Model
from floatbase.model.doubts import doubt
from floatbase.model.files import as_path, read_bounded
from floatbase.model.inertia import check_inertias
from floatbase.model.packages import Resolver, resolver
from floatbase.model.poses import Array
from floatbase.model.structure import check_structure
from floatbase.model.urdf_geometry import geometries, materials, origin
from floatbase.model.urdf_sensors import sensors
from floatbase.model.xml import MAX_BYTES, Element, parse_xml

MAX_LINKS = 20_000

_EXPAND = "expand it first: xacro robot.urdf.xacro > robot.urdf"
_NOT_READ = ("gazebo", "transmission", "ros2_control")
_KINDS: tuple[JointKind, ...] = ("revolute", "continuous", "prismatic", "planar", "floating", "fixed")


def load_urdf(
    path: str | os.PathLike[str],
    allow_nonphysical: bool = False,
    max_bytes: int = MAX_BYTES,
    max_links: int = MAX_LINKS,
) -> Model:
    """Read a URDF file.

    `allow_nonphysical` accepts links that no rigid body can be (negative masses, indefinite tensors), with a warning.
    Files with more than `max_bytes` or `max_links` are refused.
    """
    file = as_path(path)
    content = read_bounded(file, max_bytes)
    return parse_urdf(content, file, allow_nonphysical, max_bytes, max_links)


@np.errstate(over="ignore", invalid="ignore")  # an inertia that overflows is refused as not finite
def parse_urdf(
    content: bytes | str,
    source: Path | None = None,
    allow_nonphysical: bool = False,
    max_bytes: int = MAX_BYTES,
    max_links: int = MAX_LINKS,
) -> Model:
    """A model from the text of a URDF file; `source` names the file in errors and is where meshes are looked for."""
    if not isinstance(content, str | bytes):
        raise ArgumentError(f"a URDF file's content is text or bytes, got {type(content).__name__}")
    name = str(source) if source is not None else "URDF text"
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    root = parse_xml(data, name, max_bytes)
    if root.tag != "robot":
        root.refuse(f"the root element is <{root.tag}>; a URDF file has <robot>")
    for tag in ("link", "joint"):
        count = sum(1 for _ in root.all(tag))
        if count > max_links:
            root.refuse(f"there are {count} <{tag}> elements; at most {max_links} are read (raise it with max_links=)")
    _refuse_xacro(root)
    resolve = resolver(source)
    colors = materials(root)
    links = [_link(element, resolve, colors) for element in root.all("link")]
    scaled: list[str] = []
    joints = [_joint(element, scaled) for element in root.all("joint")]
    base = check_structure(links, joints, name)
    model = Model(
        name=root.attributes.get("name", "").strip() or (source.stem if source is not None else "robot"),
        links=tuple(links),
        joints=tuple(joints),
        sensors=sensors(root, {link.name for link in links}, {joint.name: joint for joint in joints}),
        root=base,
        source=str(source) if source is not None else None,
    )
    try:
        check_inertias(model, name, allow_nonphysical)
    except ModelError as error:
        raise RobotFileError(str(error)) from None
    if scaled:
        doubt(scaled[0] + (f" (and those of {len(scaled) - 1} more joints)" if len(scaled) > 1 else ""))
    return model


def _refuse_xacro(root: Element) -> None:
    """Xacro files need to be expanded by xacro: they contain macros, not a robot.

    Only what is read is looked at: expanded files keep macros in comments and expressions in other elements.
    """
    waiting = [root]
    while waiting:
        element = waiting.pop()
        if "xacro" in element.tag.partition("}")[0]:
            macro = element.tag.partition("}")[2]
            element.refuse(f"this is a xacro file: it contains the macro <xacro:{macro}>; {_EXPAND}")
        for name, value in element.attributes.items():
            if "${" in value or "$(" in value:
                element.refuse(f"this is a xacro file: the attribute {name!r} is {value[:60]!r}; {_EXPAND}")
        skipped = _NOT_READ if element is root else ()
        waiting.extend(child for child in reversed(element.children) if child.tag not in skipped)


def _link(element: Element, resolve: Resolver, colors: dict[str, tuple[float, float, float, float]]) -> Link:
    name = element.attribute("name")
    inertial = element.optional("inertial")
    return Link(
        name,
        None if inertial is None else _inertia(inertial, name),
        geometries(element, "visual", resolve, colors),
        geometries(element, "collision", resolve, colors),
    )


def _inertia(element: Element, link: str) -> Inertia:
    mass = element.only("mass", f"the inertial of link {link!r}").number("value")
    tensor = element.only("inertia", f"the inertial of link {link!r}")
    xx, xy, xz, yy, yz, zz = (tensor.number(entry) for entry in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    link_H_inertial = origin(element)
    rotation = link_H_inertial[:3, :3]
    turned = rotation @ matrix @ rotation.T
    return Inertia(mass, link_H_inertial[:3, 3].copy(), 0.5 * (turned + turned.T))


def _joint(element: Element, scaled: list[str]) -> Joint:
    name = element.attribute("name")
    what = f"joint {name!r}"
    kind = element.attribute("type", what)
    if kind not in _KINDS:
        element.refuse(f"{what} is of type {kind!r}; URDF has {', '.join(_KINDS)}")
    dynamics = element.optional("dynamics")
    damping, friction = (dynamics.number(name, 0.0) if dynamics else 0.0 for name in ("damping", "friction"))
    if damping < 0.0 or friction < 0.0:
        element.refuse(f"the damping ({damping:g}) and friction ({friction:g}) of {what} must not be negative")
    moving = kind != "fixed"
    single = kind in ("revolute", "continuous", "prismatic")
    mimic = _mimic(element) if moving else None
    if mimic is not None and not single:
        element.refuse(f"{what} is of type {kind!r} and mimics {mimic.joint!r}; only joints of one coordinate can")
    return Joint(
        name=name,
        kind=kind,
        parent=element.only("parent", what).attribute("link"),
        child=element.only("child", what).attribute("link"),
        parent_H_joint=origin(element),
        axis=_axis(element, what, scaled) if single or kind == "planar" else np.array([0.0, 0.0, 1.0]),
        limits=_limits(element, kind) if single else Limits(),
        damping=damping if moving else 0.0,
        friction=friction if moving else 0.0,
        mimic=mimic,
    )


def _axis(element: Element, what: str, scaled: list[str]) -> Array:
    """A joint's axis, of unit length; URDF's default is x. Notable changes of length are added to `scaled`."""
    found = element.optional("axis")
    axis = np.array(found.vector("xyz", (1.0, 0.0, 0.0)) if found is not None else (1.0, 0.0, 0.0))
    at = found or element
    if not axis.any():
        at.refuse(f"the axis of {what} is zero; it needs a direction")
    length = math.hypot(*axis)
    if abs(length - 1.0) > 1e-6:
        scaled.append(f"{at.file}, line {at.line}: the axis of {what} has length {length:.9g}; it was normalised")
    return unit_axis(axis)


def unit_axis(axis: Array) -> Array:
    """The axis (not zero) scaled to unit length, unchanged if it has unit length to the last bit."""
    # a power of two scales exactly: without it the squares of extreme numbers would overflow or vanish
    largest = float(np.abs(axis).max())
    scale = math.ldexp(1.0, -max(-1000, min(1000, math.frexp(largest)[1])))
    scaled_length = math.sqrt(math.fsum((entry * scale) ** 2 for entry in axis))
    return axis if scaled_length / scale == 1.0 else axis * scale / scaled_length


def _limits(element: Element, kind: str) -> Limits:
    found = element.optional("limit")
    if found is None:
        return Limits()
    bounded = kind != "continuous"
    # URDF's default for both bounds is 0: a <limit> that gives neither says nothing about the range
    given = bounded and ("lower" in found.attributes or "upper" in found.attributes)
    lower = found.number("lower", 0.0, infinite=True) if given else -math.inf
    upper = found.number("upper", 0.0, infinite=True) if given else math.inf
    if lower > upper:
        found.refuse(f"the lower limit {lower:g} is above the upper limit {upper:g}")
    velocity, effort = (found.number(name, math.inf, infinite=True) for name in ("velocity", "effort"))
    lower, upper, velocity, effort = (_unbounded(value) for value in (lower, upper, velocity, effort))
    if velocity < 0.0 or effort < 0.0:
        found.refuse(f"limits of velocity ({velocity:g}) and effort ({effort:g}) must not be negative")
    return Limits(lower, upper, velocity, effort)


def _unbounded(value: float) -> float:
    """The largest number stands for infinity: other readers of URDF demand numbers, and take no infinity."""
    return math.copysign(math.inf, value) if abs(value) >= sys.float_info.max else value


def _mimic(element: Element) -> Mimic | None:
    found = element.optional("mimic")
    if found is None:
        return None
    return Mimic(found.attribute("joint"), found.number("multiplier", 1.0), found.number("offset", 0.0))
