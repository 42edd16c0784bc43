r"""Measured poses: motion capture and cameras.

The ideal reading is ${}^VH_S$, the pose of a frame of the robot in a frame $V$ of the measuring system, as a position
and a unit quaternion w x y z. `motion_capture` and `camera` have the rates of Rothammer 2021, section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from floatbase.simulation.laws import Ground
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.pose_errors import PoseErrors
from floatbase.simulation.sensors.sampling import Sampling
from floatbase.simulation.sensors.sensor import MountedSensor
from floatbase.simulation.sensors.situation import Situation
from floatbase.spatial.arrays import Component, components, matrix
from floatbase.spatial.checks import check_pose
from floatbase.spatial.rotations import quaternion_from_rotation
from floatbase.spatial.vectors import Matrix, Vector, add, multiply

CAPTURE_RATE = 20.0  # Hz


@dataclass(frozen=True, eq=False)
class PoseTracker(MountedSensor):
    """The pose of a frame of the robot. reference_H_world: of the world in the measuring system (4, 4).

    `errors` are `PoseErrors`.
    """

    errors: Distortion = field(default_factory=PoseErrors, kw_only=True)
    reference_H_world: Any = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        super().__post_init__()
        pose = np.array(self.reference_H_world, dtype=float)
        check_pose(f"reference_H_world of {self.name!r}", pose)
        pose.flags.writeable = False
        object.__setattr__(self, "reference_H_world", pose)

    @property
    def channels(self) -> tuple[str, ...]:
        """Position, and a quaternion."""
        return "x", "y", "z", "qw", "qx", "qy", "qz"

    @property
    def units(self) -> tuple[str, ...]:
        """Of the position m."""
        return ("m",) * 3 + ("1",) * 4

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The pose."""
        pose = now.world_pose(self.link, self.link_H_sensor)
        rows = [[float(entry) for entry in row] for row in self.reference_H_world[:3]]
        turn: Matrix = ((*rows[0][:3],), (*rows[1][:3],), (*rows[2][:3],))  # type: ignore[assignment]
        shift: Vector = (rows[0][3], rows[1][3], rows[2][3])
        columns = [multiply(turn, column) for column in zip(*pose.rotation, strict=True)]
        rotation = matrix(list(zip(*columns, strict=True)), *now.like)
        return [*add(shift, multiply(turn, pose.position)), *components(quaternion_from_rotation(rotation))]


def motion_capture(name: str, link: str, link_H_markers: Any = None, reference_H_world: Any = None) -> PoseTracker:
    """A motion capture system: 20 Hz, 0.5 mm and 2 mrad of noise, one sample in a hundred lost."""
    return PoseTracker(
        name,
        link,
        np.eye(4) if link_H_markers is None else link_H_markers,
        np.eye(4) if reference_H_world is None else reference_H_world,
        errors=PoseErrors(noise=5e-4, rotation_noise=2e-3),
        sampling=Sampling(CAPTURE_RATE, dropout=0.01),
    )


def camera(name: str, link: str, link_H_camera: Any = None, scale: float = 1.0) -> PoseTracker:
    """Monocular odometry: the pose relative to the first one in an unknown `scale`, at 20 Hz and 50 ms late.

    Noise of 1 cm and 0.3 degrees; tracking is lost once in 30 s, for a second in the mean.
    """
    errors = PoseErrors(
        noise=0.01, rotation_noise=float(np.deg2rad(0.3)), scale=scale, from_start=True, loss_rate=1.0 / 30.0
    )
    pose = np.eye(4) if link_H_camera is None else link_H_camera
    return PoseTracker(name, link, pose, errors=errors, sampling=Sampling(CAPTURE_RATE, delay=0.05))
