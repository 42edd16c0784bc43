"""What a robot is: links, joints, frames and sensors; the files it is read from; the tree that algorithms walk."""

from __future__ import annotations

import importlib
from typing import Any

from floatbase.model import graph
from floatbase.model.build import build_tree
from floatbase.model.catalog import find, load_named, load_settings, robots
from floatbase.model.description import (
    Configuration,
    Constraint,
    Frame,
    Geometry,
    Inertia,
    Joint,
    Limits,
    Link,
    Mimic,
    Model,
    Sensor,
    SkinPatch,
)
from floatbase.model.doubts import ModelWarning
from floatbase.model.editing import (
    add_constraint,
    add_frame,
    add_link,
    add_sensor,
    add_skin,
    attach_payload,
    merge,
    remove_branch,
    replace_joint,
    replace_link,
    set_inertia,
)
from floatbase.model.export import save_urdf, to_urdf
from floatbase.model.mjcf import load_mjcf, parse_mjcf
from floatbase.model.read import load_file
from floatbase.model.scaling import scale
from floatbase.model.tree import Body, Cut, Submodel, Tree, TreeJoint
from floatbase.model.urdf import load_urdf, parse_urdf

__all__ = [
    "Body",
    "Configuration",
    "Constraint",
    "Cut",
    "Frame",
    "Geometry",
    "Inertia",
    "Joint",
    "Limits",
    "Link",
    "Mimic",
    "Model",
    "ModelWarning",
    "Sensor",
    "SkinPatch",
    "Submodel",
    "Tree",
    "TreeJoint",
    "add_constraint",
    "add_frame",
    "add_link",
    "add_sensor",
    "add_skin",
    "attach_payload",
    "build_tree",
    "find",
    "graph",
    "load_file",
    "load_mjcf",
    "load_named",
    "load_settings",
    "load_urdf",
    "merge",
    "parse_mjcf",
    "parse_urdf",
    "remove_branch",
    "replace_joint",
    "replace_link",
    "robots",
    "save_urdf",
    "scale",
    "set_inertia",
    "to_urdf",
]


def __getattr__(name: str) -> Any:
    """`floatbase.model.library`, imported when it is first asked for: few programs need robots of our own."""
    if name == "library":
        return importlib.import_module("floatbase.model.library")
    raise AttributeError(f"module 'floatbase.model' has no attribute {name!r}")
