"""A robot as SDF text, which jaxsim reads by itself: for URDF it calls a program of Gazebo's.

Bodies are those of floatbase's tree, fixed joints merged, since jaxsim leaves out links without mass. Joint axes are
along z of their frames.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET

import numpy as np

from benchmarks.contender import Array
from benchmarks.robots import Robot
from floatbase import load
from floatbase.model.decimals import roll_pitch_yaw
from floatbase.model.inertia import inertia_from_parameters
from floatbase.model.tree import TreeJoint


def describe(robot: Robot) -> str:
    """The text of an SDF file."""
    tree = load(robot.path, floating=robot.floating).tree
    sdf = ET.Element("sdf", version="1.9")
    model = ET.SubElement(sdf, "model", name=robot.name, canonical_link=tree.bodies[0].name)
    if not robot.floating:
        bolt = ET.SubElement(model, "joint", name="bolted_down", type="fixed")
        ET.SubElement(bolt, "parent").text = "world"
        ET.SubElement(bolt, "child").text = tree.bodies[0].name
    for body in tree.bodies:
        link = ET.SubElement(model, "link", name=body.name)
        if body.joint is not None:
            _pose(link, np.eye(4), body.joint.name)
        inertia = inertia_from_parameters(body.parameters)
        inertial = ET.SubElement(link, "inertial")
        centre = np.eye(4)
        centre[:3, 3] = inertia.center
        _pose(inertial, centre)
        ET.SubElement(inertial, "mass").text = repr(float(inertia.mass))
        tensor = ET.SubElement(inertial, "inertia")
        for name, row, column in (("xx", 0, 0), ("xy", 0, 1), ("xz", 0, 2), ("yy", 1, 1), ("yz", 1, 2), ("zz", 2, 2)):
            ET.SubElement(tensor, f"i{name}").text = repr(float(inertia.tensor[row, column]))
    for body in tree.bodies[1:]:
        moving = body.joint
        assert moving is not None
        if moving.kind not in ("revolute", "prismatic") or moving.ratio != 1.0:
            raise ValueError(f"{robot.name}: SDF is written for joints that turn or slide, got {moving}")
        joint = ET.SubElement(model, "joint", name=moving.name, type=moving.kind)
        _pose(joint, moving.parent_H_joint @ _moved(moving), tree.bodies[body.parent].name)
        ET.SubElement(joint, "parent").text = tree.bodies[body.parent].name
        ET.SubElement(joint, "child").text = body.name
        axis = ET.SubElement(joint, "axis")
        ET.SubElement(axis, "xyz").text = "0 0 1"
        ET.SubElement(axis, "limit")
    return ET.tostring(sdf, encoding="unicode")


def _moved(joint: TreeJoint) -> Array:
    """By the offset of a joint's coordinate."""
    pose = np.eye(4)
    if joint.kind == "prismatic":
        pose[2, 3] = joint.offset
    else:
        cosine, sine = np.cos(joint.offset), np.sin(joint.offset)
        pose[:2, :2] = [[cosine, -sine], [sine, cosine]]
    return pose


def _pose(parent: ET.Element, pose: Array, relative_to: str = "") -> None:
    element = ET.SubElement(parent, "pose", **({"relative_to": relative_to} if relative_to else {}))
    element.text = " ".join(repr(float(number)) for number in (*pose[:3, 3], *roll_pitch_yaw(pose[:3, :3])))
