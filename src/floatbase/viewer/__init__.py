"""Pictures of robots, drawn in software: no display and no graphics card are needed."""

from floatbase.viewer.camera import Camera, look_at
from floatbase.viewer.image import write_png
from floatbase.viewer.mesh import Mesh, box, cylinder, sphere
from floatbase.viewer.render import Style, render
from floatbase.viewer.scene import Scene, robot_scene, scene
from floatbase.viewer.stl import read_stl

__all__ = [
    "Camera",
    "Mesh",
    "Scene",
    "Style",
    "box",
    "cylinder",
    "look_at",
    "read_stl",
    "render",
    "robot_scene",
    "scene",
    "sphere",
    "write_png",
]
