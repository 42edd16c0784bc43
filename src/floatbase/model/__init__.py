"""What a robot is: links, joints, frames and sensors; the files it is read from; the tree that algorithms walk."""

from floatbase.model.build import build_tree
from floatbase.model.catalog import find, load_settings, robots
from floatbase.model.description import Frame, Geometry, Inertia, Joint, Limits, Link, Mimic, Model, Sensor
from floatbase.model.doubts import ModelWarning
from floatbase.model.tree import Body, Cut, Submodel, Tree, TreeJoint
from floatbase.model.urdf import load_urdf, parse_urdf

__all__ = [
    "Body",
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
    "Submodel",
    "Tree",
    "TreeJoint",
    "build_tree",
    "find",
    "load_settings",
    "load_urdf",
    "parse_urdf",
    "robots",
]
