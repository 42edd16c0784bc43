r"""Sensors of inertial measurement units: accelerometer, gyroscope, magnetometer, attitude.

| sensor | reading |
|---|---|
| accelerometer | ${}^SR_A(\ddot o_S - g)$: at rest it points up, with the length 9.81 m/s^2 |
| gyroscope | ${}^S\omega_{A,S}$ |
| magnetometer | ${}^SR_A\, b$, with the constant field $b$ in the world |
| attitude | ${}^ER_S = {}^ER_A\, {}^AR_S$ as a quaternion, in an earth frame $E$ of the unit's own |

Leboutet 2022, (133) with the sign of gravity corrected; Traversaro 2017, section 4.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import Ground
from floatbase.simulation.sensors.attitude_errors import AttitudeErrors
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.sensor import MountedSensor
from floatbase.simulation.sensors.situation import Situation
from floatbase.spatial.arrays import Component, components, matrix
from floatbase.spatial.rotations import multiply_quaternions, quaternion_from_rotation
from floatbase.spatial.vectors import multiply_transposed

NORTH_AND_DOWN = (22e-6, 0.0, -42e-6)  # T, a field of middle latitudes with x to the north


class _Vector(MountedSensor):
    """A sensor of three components in its own axes."""

    unit: ClassVar[str]

    @property
    def channels(self) -> tuple[str, ...]:
        """Its axes."""
        return "x", "y", "z"

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each axis."""
        return (self.unit,) * 3


@dataclass(frozen=True, eq=False)
class Accelerometer(_Vector):
    """Proper acceleration of the sensor's origin, in its axes."""

    unit: ClassVar[str] = "m/s^2"

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The acceleration relative to free fall."""
        return now.proper_acceleration(self.link, self.link_H_sensor)


@dataclass(frozen=True, eq=False)
class Gyroscope(_Vector):
    """Angular velocity in the sensor's axes."""

    unit: ClassVar[str] = "rad/s"

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The angular velocity."""
        return now.angular_velocity(self.link, self.link_H_sensor)


@dataclass(frozen=True, eq=False)
class Magnetometer(_Vector):
    """The magnetic field in the sensor's axes; `world_field` is that in the world, in T."""

    world_field: tuple[float, float, float] = NORTH_AND_DOWN
    unit: ClassVar[str] = "T"

    def __post_init__(self) -> None:
        super().__post_init__()
        values = np.asarray(self.world_field, dtype=float)
        if values.shape != (3,) or not np.isfinite(values).all():
            raise ArgumentError(f"world_field is {self.world_field!r}; it is a vector of 3 finite numbers, in T")
        object.__setattr__(self, "world_field", tuple(values.tolist()))

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The field."""
        x, y, z = self.world_field
        return multiply_transposed(now.world_pose(self.link, self.link_H_sensor).rotation, (x, y, z))


@dataclass(frozen=True, eq=False)
class Attitude(MountedSensor):
    """The attitude that an IMU gives: the unit quaternion w x y z of the sensor in the unit's earth frame.

    earth_Q_world: the unit quaternion w x y z of the world in the earth frame of this unit. `errors` are
    `AttitudeErrors`.
    """

    errors: Distortion = field(default_factory=AttitudeErrors, kw_only=True)
    earth_Q_world: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        values = np.asarray(self.earth_Q_world, dtype=float)
        if values.shape != (4,) or not abs(float(values @ values) - 1.0) < 1e-6:
            raise ArgumentError(f"earth_Q_world is {self.earth_Q_world!r}; it is a unit quaternion w x y z")
        object.__setattr__(self, "earth_Q_world", tuple(values.tolist()))

    @property
    def channels(self) -> tuple[str, ...]:
        """A quaternion."""
        return "qw", "qx", "qy", "qz"

    @property
    def units(self) -> tuple[str, ...]:
        """Numbers without units."""
        return ("1",) * 4

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The quaternion."""
        world_R_sensor = matrix(now.world_pose(self.link, self.link_H_sensor).rotation, *now.like)
        return components(multiply_quaternions(np.array(self.earth_Q_world), quaternion_from_rotation(world_R_sensor)))
