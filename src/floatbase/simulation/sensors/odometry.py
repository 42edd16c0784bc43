r"""The scale and the start of monocular odometry.

A camera gives poses relative to its first one, with lengths in a unit of their own. With displacements
$r_{odo}$ measured so and $r_{rec}$ known otherwise, such as from the attitude of a pendulum
(`floatbase.simulation.sensors.pendulum_pose`), both relative to the start in one frame, the scale is

$$ s = \frac{\sum r_{odo}^\top r_{rec}}{\sum |r_{odo}|^2} . $$

The pose at the start is the mean over a window in which the true pose is known, such as one at rest:
${}^AH_0 = {}^AH_k\, ({}^0H_k)^{-1}$.

Rothammer 2021, (5.58)-(5.61).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.laws import require_positive
from floatbase.simulation.sensors.attitude_calibration import mean_rotation
from floatbase.spatial.arrays import Array
from floatbase.spatial.checks import check_pose
from floatbase.spatial.poses import invert_pose, pose_from

STANDSTILL = 1e-9  # of the displacements that are known, relative to 1 m


def odometry_scale(measured: Any, known: Any, least: float = STANDSTILL) -> float:
    """What measured lengths are to be multiplied with.

    measured: (n, 3) displacements from the start as odometry has them; known: (n, 3) the same in m, in the same frame.
    least: m; what moved less has no scale.
    """
    measured, known = _rows("measured", measured), _rows("known", known)
    if measured.shape != known.shape:
        raise ShapeError(f"measured has shape {measured.shape} and known {known.shape}; they must be the same")
    largest = np.linalg.norm(known, axis=1).max(initial=0.0)
    square = float(np.sum(measured**2))
    if not (largest > least and square > 0.0):
        raise ArgumentError(
            f"the known displacements are at most {largest:.3g} m, the measured ones {np.sqrt(square):.3g} together: "
            "without motion there is no scale"
        )
    return float(np.sum(measured * known)) / square


def odometry_start(measured: Any, known: Any, scale: float) -> Array:
    """`world_H_start` (4, 4) from a window in which poses are known.

    measured: (n, 4, 4) `start_H_k` as odometry has them; known: (n, 4, 4) `world_H_k`.
    """
    measured, known = np.asarray(measured, dtype=float), np.asarray(known, dtype=float)
    if measured.ndim != 3 or measured.shape != known.shape:
        raise ShapeError(f"measured has shape {measured.shape} and known {known.shape}; both must be (n, 4, 4)")
    check_pose("measured", measured)
    check_pose("known", known)
    require_positive(scale=scale)
    found = known @ invert_pose(_scaled(measured, scale))
    return pose_from(mean_rotation(found[:, :3, :3]), found[:, :3, 3].mean(axis=0))


def odometry_in_world(measured: Any, scale: float, world_H_start: Any) -> Array:
    """`world_H_k` (..., 4, 4) from `start_H_k` as odometry has them."""
    return np.asarray(world_H_start) @ _scaled(np.asarray(measured, dtype=float), scale)


def _scaled(poses: Array, scale: float) -> Array:
    return pose_from(poses[..., :3, :3], scale * poses[..., :3, 3])


def _rows(name: str, value: Any) -> Array:
    rows = np.asarray(value, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise ShapeError(f"{name} has shape {rows.shape}; it must be (n, 3)")
    if not np.isfinite(rows).all():
        raise ArgumentError(f"{name} contains NaN or infinity; all numbers must be finite")
    return rows
