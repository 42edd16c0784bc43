"""Robots to look at: in a browser, and as pictures drawn in software, without a display and a graphics card."""

from floatbase.viewer.animation import animate, draw_frames, frame_times, save_frames
from floatbase.viewer.camera import Camera, look_at
from floatbase.viewer.image import write_png
from floatbase.viewer.log_motion import log_trajectory
from floatbase.viewer.mesh import Mesh, box, capsule, cylinder, sphere
from floatbase.viewer.mesh_files import read_mesh
from floatbase.viewer.poses import body_poses
from floatbase.viewer.render import Style, render
from floatbase.viewer.scene import Scene, robot_scene, scene
from floatbase.viewer.shapes import BodyShape, RobotShapes, robot_shapes, stick_figure
from floatbase.viewer.stl import read_stl
from floatbase.viewer.trajectory import Trajectory, trajectory_of
from floatbase.viewer.viewing import view
from floatbase.viewer.window import Window

__all__ = [
    "BodyShape",
    "Camera",
    "Mesh",
    "RobotShapes",
    "Scene",
    "Style",
    "Trajectory",
    "Window",
    "animate",
    "body_poses",
    "box",
    "capsule",
    "cylinder",
    "draw_frames",
    "frame_times",
    "log_trajectory",
    "look_at",
    "read_mesh",
    "read_stl",
    "render",
    "robot_scene",
    "robot_shapes",
    "save_frames",
    "scene",
    "sphere",
    "stick_figure",
    "trajectory_of",
    "view",
    "write_png",
]
