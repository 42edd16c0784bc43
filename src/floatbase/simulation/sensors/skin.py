r"""Tactile skin: cells that measure normal force, nearness of the ground, and acceleration.

**Force.** With the centroid $c$ of the cells, a force $f_k \ge 0$ that presses on cell $k$ at $r_k$ against its outward
normal $n_k$ makes the wrench $W f$ at $c$, with columns $(-n_k,\ -(r_k - c) \times n_k)$. Of the wrench $w$ that the
environment exerts on the link the cells read

$$ f = \lambda \max(0,\ W^+ w), \qquad \lambda = \max(0, \textstyle\sum W^+ w) / \textstyle\sum \max(0, W^+ w), $$

the smallest forces that make it, with moments counted per radius of the patch. Where none of them would pull they
have the normal force and the centre of pressure of $w$, and vary linearly over a plane patch; where some would, the sum
is kept. Shear does not show.

**Proximity.** $p_k = \max(0, 1 - d_k / d_{max})$ with the distance $d_k$ of the cell to the plane of the ground below
it; 0 for cells that face away from it.

**Acceleration.** That of `Accelerometer` in the frame of each cell: z along its outward normal.

Leboutet 2022, section 2.2, (120), (133), (134); section 4.2 of Traversaro 2017 for contacts without intensity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.model import SkinPatch
from floatbase.robot import Robot
from floatbase.simulation.laws import Ground, require_positive
from floatbase.simulation.sensors.distortions import Distortion
from floatbase.simulation.sensors.errors import Errors
from floatbase.simulation.sensors.sensor import Sensor, check_frame
from floatbase.simulation.sensors.situation import Situation
from floatbase.simulation.sensors.skin_layout import cell_frames
from floatbase.spatial.arrays import Array, Component, apply_matrix, components, vector
from floatbase.spatial.rotations import real
from floatbase.spatial.vectors import Vector, add, dot, multiply

STANDARD_GRAVITY = 9.80665
CELL_ERRORS = Errors(noise=0.34, resolution=7.81e-3 * STANDARD_GRAVITY, limit=4.0 * STANDARD_GRAVITY)


@dataclass(frozen=True, eq=False)
class _Skin(Sensor):
    """Base of sensors that are all the cells of a patch."""

    patch: SkinPatch

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.patch, SkinPatch) or not len(self.patch.positions):
            raise ArgumentError(f"sensor {self.name!r}: patch is {self.patch!r}; it must be a SkinPatch with cells")

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.patch.positions)

    @property
    def channels(self) -> tuple[str, ...]:
        """The cells."""
        return tuple(f"cell{k}" for k in range(self.count))

    def check(self, robot: Robot) -> None:
        """Raise unless the link exists."""
        check_frame(robot.tree, f"of sensor {self.name!r}", self.patch.link)


@dataclass(frozen=True, eq=False)
class SkinForces(_Skin):
    """The normal force on each cell of a patch, N."""

    @property
    def units(self) -> tuple[str, ...]:
        """N."""
        return ("N",) * self.count

    @property
    def wrench_of_forces(self) -> Array:
        """`W` (6, cells) of this module, at the centroid in the axes of the link."""
        arms = self.patch.positions - self.patch.positions.mean(axis=0)
        return np.concatenate([-self.patch.normals.T, -np.cross(arms, self.patch.normals).T])

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The forces."""
        pose = np.eye(4)
        pose[:3, 3] = self.patch.positions.mean(axis=0)
        force, moment = now.external_on(self.patch.link, pose)
        radius = float(np.linalg.norm(self.patch.positions - pose[:3, 3], axis=1).max())
        scale = np.array([1.0] * 3 + [1.0 / radius if radius > 0.0 else 1.0] * 3)
        inverse = np.linalg.pinv(scale[:, None] * self.wrench_of_forces, rcond=1e-9) * scale
        inverse[np.abs(inverse) < 1e-12 * np.abs(inverse).max()] = 0.0
        pulls = apply_matrix(inverse, vector([*force, *moment], *now.like))
        presses = np.where(real(pulls) > 0.0, pulls, 0.0)
        wanted, found = np.sum(pulls, axis=-1), np.sum(presses, axis=-1)
        factor = np.where(real(wanted) > 0.0, wanted / np.where(real(found) > 0.0, found, 1.0), 0.0)[()]
        return [factor * entry for entry in components(presses)]


@dataclass(frozen=True, eq=False)
class SkinProximity(_Skin):
    """How near the ground is to each cell, from 0 (`reach` away, m, or more) to 1 (it touches)."""

    reach: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(reach=self.reach)

    @property
    def units(self) -> tuple[str, ...]:
        """Numbers without units."""
        return ("1",) * self.count

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The proximity of the ground."""
        link = now.world_pose(self.patch.link, np.eye(4))
        found = []
        for r, n in zip(self.patch.positions.tolist(), self.patch.normals.tolist(), strict=True):
            place, out = add(link.position, multiply(link.rotation, _triple(r))), multiply(link.rotation, _triple(n))
            up = _triple([entry[()] for entry in np.moveaxis(ground.normal(place[0], place[1]), -1, 0)])
            distance = (place[2] - ground.height(place[0], place[1])) * up[2]
            near = 1.0 - np.maximum(distance, 0.0) / self.reach
            faces = np.logical_and(dot(out, up) < 0.0, near > 0.0)
            found.append(np.where(faces, near, 0.0)[()])
        return found


@dataclass(frozen=True, eq=False)
class SkinAccelerometers(_Skin):
    """The proper acceleration of each cell of a patch in its frame, m/s^2: three numbers per cell.

    The errors are by default those of Leboutet 2022: 0.34 m/s^2 of noise, steps of 7.81 mg, a range of 4 g.
    """

    errors: Distortion = field(default=CELL_ERRORS, kw_only=True)

    @property
    def channels(self) -> tuple[str, ...]:
        """Three axes of each cell."""
        return tuple(f"cell{k}.{axis}" for k in range(self.count) for axis in "xyz")

    @property
    def units(self) -> tuple[str, ...]:
        """m/s^2."""
        return ("m/s^2",) * (3 * self.count)

    def ideal(self, now: Situation, ground: Ground) -> Sequence[Component]:
        """The accelerations."""
        found: list[Component] = []
        for frame in cell_frames(self.patch):
            found += now.proper_acceleration(self.patch.link, frame)
        return found


def contact_of_forces(patch: SkinPatch, forces: Any, threshold: float = 0.0) -> tuple[Array, Array]:
    """Whether a patch is in contact (...), and the point (..., 3) of contact in its link's frame, NaN if it is not.

    forces: (..., cells) N, of which only those above `threshold` count; the point is their centroid.
    """
    forces = np.asarray(forces, dtype=float)
    weights = np.where(forces > threshold, forces, 0.0)
    total = weights.sum(axis=-1)
    touched = total > 0.0
    point = weights @ patch.positions / np.where(touched, total, 1.0)[..., None]
    return touched, np.where(touched[..., None], point, np.nan)


def _triple(values: Sequence[Any]) -> Vector:
    return values[0], values[1], values[2]
