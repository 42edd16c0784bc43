"""A robot to turn and move in a page: its shapes, its tree and a motion as data for the script beside this file."""

from __future__ import annotations

import base64
import json
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.errors import unknown_name
from floatbase.robot import Robot
from floatbase.viewer.animation import motion_bounds
from floatbase.viewer.mesh import Mesh
from floatbase.viewer.poses import checked_configurations
from floatbase.viewer.shapes import RobotShapes, robot_shapes
from floatbase.viewer.sliders import sliders
from floatbase.viewer.surfaces import surface
from floatbase.viewer.trajectory import Trajectory

MARK = 'class="robot-view"'
MOST_TRIANGLES, MOST_SAMPLES = 50_000, 2000
_STEPS = 65535.0  # of a coordinate, which is sent in 16 bits


def robot_view(
    robot: Robot,
    motion: Trajectory | npt.ArrayLike | None = None,
    caption: str = "",
    *,
    shapes: RobotShapes | None = None,
    triangles: int = MOST_TRIANGLES,
) -> str:
    """A part of a page: the robot, to be turned with the mouse or the keys, with a slider for every joint.

    motion: a trajectory, which gets a time line, or a configuration (nq,); by default the neutral one. shapes: of the
    robot, if they have been read already. triangles: how many the page holds at most, about 15 bytes each.
    """
    if motion is None:
        motion = robot.neutral()
    trajectory = motion if isinstance(motion, Trajectory) else None
    q = checked_configurations(robot.tree, motion.q if isinstance(motion, Trajectory) else motion)
    small = (robot_shapes(robot.model, robot.tree) if shapes is None else shapes).simplified(triangles)
    low, high = motion_bounds(small, q[:: max(len(q) // 200, 1)])
    data = {
        "name": robot.name,
        "floating": robot.floating,
        "bodies": [_body(robot, number) for number in range(robot.n_bodies)],
        "shapes": _shapes(small),
        "joints": [
            {"name": item.name, "place": item.place, "low": item.lower, "high": item.upper, "angle": item.is_angle}
            for item in sliders(robot)
        ],
        "q": _rounded(q[0]),
        "low": _rounded(low),
        "high": _rounded(high),
        "motion": None if trajectory is None or len(trajectory) < 2 else _motion(robot, trajectory),
    }
    text = json.dumps(data, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    label = escape(f"The robot {robot.name}. " + (caption or "Drag to turn it, or use the arrow keys."))
    note = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return (
        f'<figure {MARK}><canvas tabindex="0" role="img" aria-label="{label}"></canvas>'
        f'<div class="robot-controls"></div>{note}<script type="application/json">{text}</script></figure>'
    )


def view_script() -> str:
    """The script that shows all such parts of a page."""
    return "\n".join(
        Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("robot_drawing.js", "robot_view.js")
    )


def _body(robot: Robot, number: int) -> dict[str, Any]:
    body = robot.tree.bodies[number]
    joint = body.joint
    if joint is None:
        return {"parent": -1}
    head = 7 if robot.floating else 0
    return {
        "parent": body.parent,
        "kind": joint.kind,
        "place": head + (joint.q_index or 0),
        "turn": _rounded(joint.parent_H_joint[:3, :3].ravel(), 8),
        "move": _rounded(joint.parent_H_joint[:3, 3], 8),
        "ratio": joint.ratio,
        "offset": joint.offset,
        "pitch": joint.pitch,
        "reversed": joint.reversed,
    }


def _shapes(shapes: RobotShapes) -> list[dict[str, Any]]:
    """Those of one body and colour together; coordinates as whole numbers within the box around them."""
    groups: dict[tuple[int, tuple[float, ...]], list[Any]] = {}
    for shape in shapes.shapes:
        groups.setdefault((shape.body, shape.color), []).append(shape.mesh.corners)
    found = []
    for (body, color), parts in groups.items():
        drawn = surface(Mesh(np.concatenate(parts)))
        low = drawn.points.min(axis=0)
        size = max(float(np.ptp(drawn.points, axis=0).max()), 1e-9)
        index = np.uint16 if len(drawn.points) <= _STEPS else np.uint32
        found.append(
            {
                "body": body,
                "color": _rounded(np.array(color), 3),
                "low": _rounded(low),
                "size": size,
                "points": _packed(np.round((drawn.points - low) / size * _STEPS).astype("<u2")),
                "normals": _packed(np.round(drawn.normals * 127.0).astype("i1")),
                "triangles": _packed(drawn.triangles.astype(np.dtype(index).newbyteorder("<"))),
                "wide": index is np.uint32,
            }
        )
    return found


def _motion(robot: Robot, trajectory: Trajectory) -> dict[str, Any]:
    short = trajectory.resampled(robot.tree, MOST_SAMPLES)
    forces = []
    for name, values in short.forces.items():
        if name not in robot.tree.frames:
            raise unknown_name("frame", name, robot.tree.frames)
        body, body_H_frame = robot.tree.frames[name]
        known = np.where(np.isfinite(values), values, 0.0)
        forces.append(
            {"name": name, "body": body, "at": _rounded(body_H_frame[:3, 3]), "values": _packed(known.astype("<f4"))}
        )
    times = (short.time - short.time[0]).astype("<f4")
    return {
        "start": float(short.time[0]),
        "time": _packed(times),
        "q": _packed(short.at(robot.tree, short.time).astype("<f4")),
        "forces": forces,
    }


def _packed(array: npt.NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()


def _rounded(array: npt.NDArray[Any], digits: int = 6) -> list[float]:
    return [round(float(value), digits) for value in array]
