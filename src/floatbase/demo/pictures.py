"""The demo's pictures: iCub on one foot, and what calls cost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase import algorithms
from floatbase.demo.timing import Timing
from floatbase.errors import missing_dependency
from floatbase.robot import Robot
from floatbase.spatial.poses import invert_pose
from floatbase.spatial.rotations import quaternion_from_rotation
from floatbase.viewer import Style, Trajectory, look_at, render, robot_scene, write_png

STANCE = "r_sole"
WAVING = {  # deg
    "r_hip_pitch": 12.0,
    "r_hip_roll": -6.0,
    "r_knee": -22.0,
    "r_ankle_pitch": -10.0,
    "r_ankle_roll": 6.0,
    "l_hip_pitch": 62.0,
    "l_hip_roll": 8.0,
    "l_knee": -78.0,
    "l_ankle_pitch": -8.0,
    "torso_pitch": 4.0,
    "torso_roll": 6.0,
    "torso_yaw": -8.0,
    "neck_pitch": -4.0,
    "neck_roll": -9.0,
    "neck_yaw": 6.0,
    "r_shoulder_pitch": -18.0,
    "r_shoulder_roll": 36.0,
    "r_shoulder_yaw": 15.0,
    "r_elbow": 50.0,
    "l_shoulder_pitch": -84.0,
    "l_shoulder_roll": 88.0,
    "l_shoulder_yaw": -4.0,
    "l_elbow": 62.0,
    "l_wrist_prosup": -30.0,
    "l_wrist_pitch": 5.0,
}
AZIMUTH, ELEVATION = np.deg2rad(-20.0), np.deg2rad(7.0)
OURS, PEER = "#a3231d", "#9aa3ad"
TIMINGS_SIZE = (9.0, 4.2)  # inches
WAVES, PERIOD = 2, 1.5  # how often iCub waves in its page, and how long each takes, s


def waving(robot: Robot) -> npt.NDArray[np.floating[Any]]:
    """ICub waving, on its right foot, whose sole is at the world's origin."""
    q = robot.neutral()
    for name, angle in WAVING.items():
        q[7 + robot.joint_names.index(name)] = np.deg2rad(angle)
    q[:7] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    sole_H_base = invert_pose(np.asarray(algorithms.pose(robot.tree, q, STANCE), dtype=np.float64))
    q[:3], q[3:7] = sole_H_base[:3, 3], quaternion_from_rotation(sole_H_base[:3, :3])
    return q


def waving_motion(robot: Robot) -> Trajectory:
    """ICub waving to and fro with its left elbow and hand."""
    time = np.arange(0.0, WAVES * PERIOD + 1e-9, 0.02)
    q = np.tile(waving(robot), (len(time), 1))
    swing = np.sin(2.0 * np.pi * time / PERIOD)
    for name, amplitude in (("l_elbow", 30.0), ("l_wrist_pitch", 12.0), ("neck_roll", 5.0), ("torso_roll", 2.0)):
        q[:, 7 + robot.joint_names.index(name)] += np.deg2rad(amplitude) * swing
    return Trajectory(time, q)


def draw_icub(robot: Robot, path: Path, size: tuple[int, int]) -> None:
    """Draw iCub waving, from its own visual meshes."""
    scene = robot_scene(robot.model, robot.tree, waving(robot))
    points = scene.corners.reshape(-1, 3)
    camera = look_at(points, AZIMUTH, ELEVATION, field_of_view=0.4, aspect=size[0] / size[1], fill=0.92)
    write_png(path, render(scene, camera, size, Style(ground=float(points[:, 2].min()))))


def plot_timings(timings: list[Timing], path: Path, batch: int, peer: str | None) -> None:
    """Draw the bars of `draw_timings` into a file."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_dependency("matplotlib", "plot", "plotting") from None
    figure = Figure(figsize=TIMINGS_SIZE, dpi=130, layout="constrained")
    draw_timings(figure, timings, batch, peer)
    figure.savefig(path)


def draw_timings(figure: Any, timings: list[Timing], batch: int, peer: str | None) -> None:
    """Bars: time per state of one call and of a batch, ours and the peer's."""
    labels = [timing.function.name.replace("_", "\n") for timing in timings]
    panels = (
        ("one state", "time per call [µs]", [(timing.single, timing.peer_single) for timing in timings]),
        (
            f"a batch of {batch} states",
            "time per state [µs]",
            [(timing.batch, timing.peer_batch) for timing in timings],
        ),
    )
    for axes, (title, unit, times) in zip(figure.subplots(1, 2), panels, strict=True):
        width = 0.38 if peer is not None else 0.6
        places = np.arange(len(labels), dtype=np.float64)
        ours = axes.bar(
            places - (width / 2 if peer is not None else 0.0), [1e6 * t for t, _ in times], width, color=OURS
        )
        ours.set_label("floatbase")
        axes.bar_label(ours, fmt="%.2f", padding=2, fontsize=9)
        if peer is not None:
            theirs = axes.bar(places + width / 2, [1e6 * (t or np.nan) for _, t in times], width, color=PEER)
            theirs.set_label(peer)
            axes.bar_label(theirs, fmt="%.2f", padding=2, fontsize=9)
        axes.set_xticks(places, labels)
        axes.set_ylabel(unit)
        axes.set_title(title, loc="left", fontsize=11)
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(y=0.12)
    figure.axes[0].legend(frameon=False)
    figure.suptitle("iCub, 38 velocities, double precision, one thread: less is better", x=0.01, ha="left", fontsize=11)
