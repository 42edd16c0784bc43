"""What stands in the three-dimensional scene of a browser: bodies, axes of frames, the centre of mass, forces."""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.robot import Robot
from floatbase.spatial.rotations import quaternion_from_rotation
from floatbase.viewer.glb import glb
from floatbase.viewer.mesh import Array, Mesh
from floatbase.viewer.poses import body_poses
from floatbase.viewer.shapes import BodyShape, RobotShapes, stick_figure
from floatbase.viewer.surfaces import surface

MOST_TRIANGLES = 400_000  # that a browser is sent
FORCE_COLOR, COM_COLOR = (38, 153, 77), (250, 190, 40)
LONGEST_ARROW = 0.4  # of the largest force, relative to the robot


class Stage:
    """The nodes of one robot in the scene of a server of viser."""

    def __init__(self, server: Any, robot: Robot, shapes: RobotShapes, size: float) -> None:
        self.server, self.robot, self.size = server, robot, size
        self.shown_frame: str | None = None
        self.newtons = LONGEST_ARROW * size  # metres of an arrow for one newton
        poses = body_poses(robot.tree, robot.neutral())
        scene = server.scene
        self.bodies = [
            scene.add_frame(f"/robot/{number}", show_axes=False, **_placed(pose)) for number, pose in enumerate(poses)
        ]
        self.solid = [self._add(number, "shape", shape) for number, shape in enumerate(_merged(shapes.shapes))]
        self.sticks = [
            self._add(number, "stick", shape) for number, shape in enumerate(_merged(stick_figure(robot.tree)))
        ]
        thickness = 0.0025 * size
        axes = {"axes_length": 0.07 * size, "axes_radius": thickness, "visible": False}
        turns, places = _split(poses)
        self.axes = scene.add_batched_axes("/axes", turns, places, **axes)
        self.frame = scene.add_frame("/frame", axes_length=0.15 * size, axes_radius=1.5 * thickness, visible=False)
        self.com = scene.add_icosphere("/com", radius=0.02 * size, color=COM_COLOR, visible=False)
        self.arrows: Any = None
        self.show(sticks=False)

    def show(self, **visible: bool) -> None:
        """What is visible: shapes, sticks, axes, com, forces."""
        groups: dict[str, list[Any]] = {
            "shapes": self.solid,
            "sticks": self.sticks,
            "axes": [self.axes],
            "com": [self.com],
            "forces": [] if self.arrows is None else [self.arrows],
        }
        for name, wanted in visible.items():
            for node in groups[name]:
                node.visible = wanted

    def show_frame(self, name: str | None, q: Array) -> None:
        """Show the axes of one frame, or of none."""
        self.shown_frame = name
        self.frame.visible = name is not None
        self.place(q, {})

    def place(self, q: Array, forces: dict[str, Array]) -> None:
        """Move everything to a configuration (nq,); forces (3,) in world axes act at the origins of frames."""
        tree = self.robot.tree
        poses = body_poses(tree, q)
        turns, places = _split(poses)
        with self.server.atomic():
            for node, turn, place in zip(self.bodies, turns, places, strict=True):
                node.wxyz, node.position = turn, place
            self.axes.batched_wxyzs, self.axes.batched_positions = turns, places
            self.com.position = center_of_mass(self.robot, poses)
            if self.shown_frame is not None:
                body, body_H_frame = tree.frames[self.shown_frame]
                for name, value in _placed(poses[body] @ body_H_frame).items():
                    setattr(self.frame, name, value)
            if forces:
                self._point(poses, forces)

    def _point(self, poses: Array, forces: dict[str, Array]) -> None:
        ends = []
        for name, force in forces.items():
            body, body_H_frame = self.robot.tree.frames[name]
            start = (poses[body] @ body_H_frame)[:3, 3]
            length = np.where(np.isfinite(force), force, 0.0) * self.newtons
            if np.linalg.norm(length) < 1e-3 * self.size:
                length = np.array([0.0, 0.0, 1e-3 * self.size])
            ends.append(np.stack([start, start + length]))
        if self.arrows is None:
            width = 0.007 * self.size
            self.arrows = self.server.scene.add_arrows(
                "/forces",
                np.array(ends),
                FORCE_COLOR,
                shaft_radius=width,
                head_radius=2.2 * width,
                head_length=5.0 * width,
            )
        else:
            self.arrows.points = np.array(ends, dtype=np.float32)

    def _add(self, number: int, kind: str, shape: BodyShape) -> Any:
        return self.server.scene.add_glb(
            f"/robot/{shape.body}/{kind}-{number}", glb(surface(shape.mesh), shape.color), receive_shadow=False
        )


def center_of_mass(robot: Robot, poses: Array) -> Array:
    """The centre of mass (3,) of a robot whose bodies are at poses (n_bodies, 4, 4)."""
    parameters = np.array([body.parameters for body in robot.tree.bodies])
    masses = parameters[:, 0]
    moments = np.einsum("nij,nj->ni", poses[:, :3, :3], parameters[:, 1:4]) + masses[:, None] * poses[:, :3, 3]
    total = masses.sum()
    return np.asarray(moments.sum(axis=0) / (total if total > 0.0 else 1.0))


def _merged(shapes: tuple[BodyShape, ...]) -> list[BodyShape]:
    """Shapes of one body and colour as one."""
    groups: dict[tuple[int, tuple[float, float, float]], list[Array]] = {}
    for shape in shapes:
        groups.setdefault((shape.body, shape.color), []).append(shape.mesh.corners)
    return [BodyShape(body, Mesh(np.concatenate(parts)), color) for (body, color), parts in groups.items()]


def _split(poses: Array) -> tuple[Array, Array]:
    """Quaternions w x y z (n, 4) and positions (n, 3) of poses (n, 4, 4)."""
    return np.asarray(quaternion_from_rotation(poses[:, :3, :3])), poses[:, :3, 3]


def _placed(pose: Array) -> dict[str, Array]:
    return {"wxyz": np.asarray(quaternion_from_rotation(pose[:3, :3])), "position": pose[:3, 3]}
