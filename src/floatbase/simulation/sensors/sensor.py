"""What every sensor is: a name, a model of what it would read if it were perfect, errors, and times of its samples.

A sensor's reading has `size` channels with names and units. `ideal` gives them as components, so that all sensors of a
robot share one pass over its bodies.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from floatbase.errors import ArgumentError, unknown_name
from floatbase.model import Tree
from floatbase.robot import Robot
from floatbase.simulation.laws import Ground
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.errors import Errors
from floatbase.simulation.sensors.sampling import Sampling
from floatbase.simulation.sensors.situation import Situation
from floatbase.spatial.arrays import Component
from floatbase.spatial.checks import check_pose

Pose = Any  # (4, 4)


@dataclass(frozen=True, eq=False)
class Sensor(ABC):
    """Base of sensors. errors: what distorts a sample; sampling: when samples are taken, how late and how surely."""

    name: str
    errors: Distortion = field(default_factory=Errors, kw_only=True)
    sampling: Sampling = field(default_factory=Sampling, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ArgumentError(f"the name of a sensor is {self.name!r}; it must be a text that is not empty")
        if not isinstance(self.errors, Distortion):
            raise ArgumentError(
                f"sensor {self.name!r}: errors is {self.errors!r}; it must be a Distortion, as Errors is"
            )
        if not isinstance(self.sampling, Sampling):
            raise ArgumentError(f"sensor {self.name!r}: sampling is {self.sampling!r}; it must be a Sampling")

    @property
    @abstractmethod
    def channels(self) -> tuple[str, ...]:
        """The names of its numbers."""

    @property
    @abstractmethod
    def units(self) -> tuple[str, ...]:
        """The unit of each number."""

    @property
    def size(self) -> int:
        """How many numbers a reading has."""
        return len(self.channels)

    @property
    def cuts(self) -> tuple[str, ...]:
        """Fixed joints whose wrench it measures."""
        return ()

    @abstractmethod
    def check(self, robot: Robot) -> None:
        """Raise unless it fits a robot."""

    @abstractmethod
    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """What it would read if it were perfect."""

    def with_settings(self, **changes: Any) -> Self:
        """The same with other settings."""
        return replace(self, **changes)


@dataclass(frozen=True, eq=False)
class MountedSensor(Sensor):
    """Base of sensors on a link. link_H_sensor: the pose (4, 4) of the sensor in the frame of the link."""

    link: str
    link_H_sensor: Pose = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        super().__post_init__()
        pose = np.array(self.link_H_sensor, dtype=float)
        check_pose(f"link_H_sensor of {self.name!r}", pose)
        pose.flags.writeable = False
        object.__setattr__(self, "link_H_sensor", pose)

    def check(self, robot: Robot) -> None:
        """Raise unless the link exists."""
        check_frame(robot.tree, f"of sensor {self.name!r}", self.link)


def check_frame(tree: Tree, what: str, frame: str) -> None:
    """Raise unless a frame exists."""
    if frame not in tree.frames:
        raise unknown_name(f"frame {what}", frame, tree.frames)
