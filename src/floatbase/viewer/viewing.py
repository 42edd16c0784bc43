"""`view`: whatever is given, shown in a browser."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, name_hint
from floatbase.loading import load
from floatbase.logs.loading import load as load_log
from floatbase.logs.log import Log
from floatbase.model import robots
from floatbase.robot import Robot
from floatbase.simulation import Recording
from floatbase.viewer.log_motion import log_trajectory
from floatbase.viewer.server import LOCAL
from floatbase.viewer.trajectory import Trajectory, trajectory_of
from floatbase.viewer.window import Window

ROBOT_ENDINGS = (".urdf", ".xml", ".mjcf")


def view(
    target: str | os.PathLike[str] | Robot | Log,
    motion: Trajectory | Recording | npt.ArrayLike | None = None,
    *,
    robot: str | os.PathLike[str] | Robot | None = None,
    plots: Sequence[str] = (),
    host: str = LOCAL,
    port: int = 8080,
) -> Window:
    """Show a robot in a browser; the result has the address, `url`, and is to be closed, or waited for.

    * `target`: a robot, its name, the path of a URDF or MJCF file; or a log, or the path of one, whose motion is shown.
    * `motion`: a trajectory, a recording with "q", or a configuration (nq,); by default the neutral one.
    * `robot`: that a log is of; by default the robot whose name is its metadata's `robot`.
    * `plots`: names of signals of a log that are drawn as curves; by default the first few.
    * `host`, `port`: where the server listens; by default for this machine alone. If the port is taken, the next one.
    """
    chosen, trajectory = resolved(target, robot=robot, plots=plots)
    if trajectory is not None and motion is not None:
        raise ArgumentError("a log has its own motion; leave motion out")
    shown: Any = motion if trajectory is None else trajectory
    if isinstance(shown, Recording):
        shown = trajectory_of(chosen.tree, shown)
    return Window(chosen, shown, host=host, port=port)


def resolved(
    target: str | os.PathLike[str] | Robot | Log,
    *,
    robot: str | os.PathLike[str] | Robot | None = None,
    plots: Sequence[str] = (),
) -> tuple[Robot, Trajectory | None]:
    """The robot that a target is or is of, and the motion if it is a log."""
    if isinstance(target, str | os.PathLike) and not _is_robot(target):
        path = Path(target)
        if not path.exists() and not Path(f"{path}.journal").exists():
            raise ArgumentError(
                f"{os.fspath(target)!r} is neither the name of a robot ({name_hint(str(target), robots())}) nor a file"
            )
        target = load_log(path)
    if not isinstance(target, Log):
        if robot is not None or plots:
            raise ArgumentError("robot and plots belong to a log; the target is a robot already")
        return target if isinstance(target, Robot) else load(target), None
    chosen = robot if isinstance(robot, Robot) else load(_name(target) if robot is None else robot)
    return chosen, log_trajectory(chosen.tree, np.asarray(chosen.neutral(), dtype=np.float64), target, plots)


def _is_robot(target: str | os.PathLike[str]) -> bool:
    return (isinstance(target, str) and target in robots()) or Path(target).suffix.lower() in ROBOT_ENDINGS


def _name(log: Log) -> str:
    """The name of a robot in the metadata; a path is not taken from a log, which need not be trusted."""
    name = log.metadata.get("robot")
    known = {item.lower(): item for item in robots()}
    if isinstance(name, str) and name.lower() in known:  # the name of icub, for instance, is iCub
        return known[name.lower()]
    said = (
        "says nothing of its robot"
        if name is None
        else f"is of the robot {str(name)[:60]!r}, which is not known by name"
    )
    raise ArgumentError(f"the log {said}; say which one it is: robot=... in Python, --robot in the terminal")
