r"""A frame on the rim of a spinning wheel, whose motion is known in closed form in every representation.

The wheel turns about the world's z axis through $o_C$; the frame B on its rim has ${}^AR_B = R_z(\theta)$ and
$o_B = o_C + R_z(\theta) (0, r, 0)$. At a constant rate its "body" and "inertial" accelerations vanish although it
accelerates: they are derivatives of components. Traversaro 2017, section 2.4.4; accelerations derived here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floatbase.spatial.arrays import Array
from floatbase.spatial.poses import pose_from
from floatbase.spatial.rotations import rotation_about_axis


@dataclass(frozen=True)
class SpinningWheel:
    """Radius [m], angle [rad], its two derivatives, the position of the axis, and gravity along the world's -y."""

    radius: float
    angle: float
    rate: float = 0.0
    acceleration: float = 0.0
    center: tuple[float, float, float] = (0.0, 0.0, 0.0)
    gravity: float = 9.81

    @property
    def pose(self) -> Array:
        """`world_H_rim` (4, 4)."""
        R = rotation_about_axis(np.array([0.0, 0.0, 1.0]), self.angle)
        return pose_from(R, np.array(self.center) + R @ np.array([0.0, self.radius, 0.0]))

    def twists(self) -> dict[str, Array]:
        """The twist (6,) in each representation."""
        return self._scaled(self.rate)

    def accelerations(self) -> dict[str, Array]:
        """The derivative (6,) of each twist, the "sensor" form, and that relative to free fall ("proper sensor")."""
        r, square = self.radius, self.rate**2
        c, s = np.cos(self.angle), np.sin(self.angle)
        result = self._scaled(self.acceleration)
        result["mixed"] = result["mixed"] + r * square * np.array([s, -c, 0.0, 0.0, 0.0, 0.0])
        result["sensor"] = np.array([-r * self.acceleration, -r * square, 0.0, 0.0, 0.0, self.acceleration])
        result["proper sensor"] = result["sensor"] + self.gravity * np.array([s, c, 0.0, 0.0, 0.0, 0.0])
        return result

    def _scaled(self, factor: float) -> dict[str, Array]:
        r, (x, y, _) = self.radius, self.center
        c, s = np.cos(self.angle), np.sin(self.angle)
        return {
            "body": factor * np.array([-r, 0.0, 0.0, 0.0, 0.0, 1.0]),
            "inertial": factor * np.array([y, -x, 0.0, 0.0, 0.0, 1.0]),
            "mixed": factor * np.array([-r * c, -r * s, 0.0, 0.0, 0.0, 1.0]),
        }
