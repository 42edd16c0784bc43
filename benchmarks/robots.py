"""The robots of the comparison, as one plain URDF file each that every library reads.

The file is the installed one without what has no influence on the dynamics of a tree of rigid bodies (shapes,
transmissions, simulator and sensor tags), without joint friction and damping, which some libraries add to their
results and others do not, and without `<mimic>` tags: a joint that mimics another is a free joint here, since
libraries differ in whether they follow it. A rotational inertia that no rigid body can have (one principal moment
larger than the sum of the others; anymal_c's cameras) is replaced by the mean of its moments, since some libraries
refuse it. Joint axes are given unit length, which not every library does by itself.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from floatbase.model import catalog

Array = npt.NDArray[np.float64]

NAMES = ("panda", "anymal_c", "g1", "icub", "talos")
_BOLTED_DOWN = {"panda"}
_FRAMES = {
    "panda": ("panda_hand", "panda_link4"),
    "anymal_c": ("LF_FOOT", "RH_FOOT"),
    "g1": ("left_ankle_roll_link", "right_ankle_roll_link"),
    "icub": ("l_sole", "r_sole"),
    "talos": ("left_sole_link", "right_sole_link"),
}
_KEPT = {"link", "joint"}
_KEPT_IN_LINK = {"inertial"}
_KEPT_IN_JOINT = {"origin", "parent", "child", "axis", "limit"}


@dataclass(frozen=True, eq=False)
class Robot:
    """A robot of the comparison: where its file is and what every adapter must agree upon."""

    name: str
    path: Path
    floating: bool
    root: str
    joints: tuple[str, ...]  # moving joints, in the order of the file: the order of the reference convention
    moved: tuple[str, ...]  # the link that each of them moves
    limits: Array  # (n_joints, 2), infinite where the file says nothing
    frame: str  # whose Jacobian is timed
    other: str  # the second frame of the control tick

    @property
    def nv(self) -> int:
        """Size of a velocity."""
        return len(self.joints) + 6 * self.floating


def prepare(name: str, folder: Path) -> Robot:
    """Write the plain URDF of an installed robot into `folder` and describe it."""
    source = ET.parse(catalog.find(name)).getroot()
    plain = ET.Element("robot", name=name)
    for element in source:
        if element.tag in _KEPT:
            kept = _KEPT_IN_LINK if element.tag == "link" else _KEPT_IN_JOINT
            for child in [child for child in element if child.tag not in kept]:
                element.remove(child)
            plain.append(element)
    for tensor in plain.iter("inertia"):
        _repair(tensor)
    for axis in plain.iter("axis"):
        direction = np.array(axis.get("xyz", "1 0 0").split(), float)
        if direction.any():  # fixed joints may have an axis of zeros
            axis.set("xyz", " ".join(map(repr, (direction / np.linalg.norm(direction)).tolist())))
    path = folder / f"{name}.urdf"
    ET.ElementTree(plain).write(path)
    moving = [joint for joint in plain.findall("joint") if joint.get("type") != "fixed"]
    children = {_link(joint, "child") for joint in plain.findall("joint")}
    (root,) = (link.get("name", "") for link in plain.findall("link") if link.get("name") not in children)
    return Robot(
        name=name,
        path=path,
        floating=name not in _BOLTED_DOWN,
        root=root,
        joints=tuple(joint.get("name", "") for joint in moving),
        moved=tuple(_link(joint, "child") for joint in moving),
        limits=np.array([_limits(joint) for joint in moving]).reshape(-1, 2),
        frame=_FRAMES[name][0],
        other=_FRAMES[name][1],
    )


def _repair(tensor: ET.Element) -> None:
    xx, xy, xz, yy, yz, zz = (float(tensor.get(k, "0")) for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if moments[0] + moments[1] < moments[2] or moments[0] < 0:
        mean = repr(float(np.abs(moments).mean()))
        tensor.attrib.update(ixx=mean, iyy=mean, izz=mean, ixy="0", ixz="0", iyz="0")


def _link(joint: ET.Element, role: str) -> str:
    element = joint.find(role)
    return "" if element is None else element.get("link", "")


def _limits(joint: ET.Element) -> tuple[float, float]:
    limit = joint.find("limit")
    if limit is None:
        return -np.inf, np.inf
    return float(limit.get("lower", "-inf")), float(limit.get("upper", "inf"))
