r"""Misalignment and drift of an IMU's attitude from a reference, and the attitude and pose behind its readings.

The IMU reads $R_m = R_{eI}\, R_P\, R_e$ with $R_e(t) = R_{e0} \exp(\omega_d^\wedge t)$; hence

$$ R_P = R_{eI}^\top R_m R_e^\top . $$

Calibration minimises $\frac1n \sum_k |r_k|^2$ over $R_{e0}$ and $\omega_d$ by Gauss and Newton's method, with

$$ r_k = \log\left(R_{e0} \exp(\omega_d^\wedge t_k) R_{m,k}^\top R_{eI} R_{P,k}\right) . $$

$R_{eI}$ is given: together with $R_{e0}$ it could be found only as far as the reference turns.

Of a body that swings as a rigid pendulum about a pivot at the world's origin, $p_{pivot}$ in the body, the attitude
gives the pose: ${}_Ip_{IB} = -R_B\, {}_Bp_{pivot}$.

Rothammer 2021, (5.50)-(5.57) with errata.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.laws import require_positive
from floatbase.spatial.arrays import Array, apply_matrix, transpose
from floatbase.spatial.attitudes import nearest_rotation
from floatbase.spatial.checks import check_rotation
from floatbase.spatial.poses import pose_from
from floatbase.spatial.rotations import rotation_exponential, rotation_logarithm
from floatbase.spatial.tangents import rotation_left_jacobian, rotation_left_jacobian_inverse

_MOST = 50
_SMALL = 1e-12  # rad, of the last step


@dataclass(frozen=True, eq=False)
class AttitudeCalibration:
    r"""What calibration finds.

    misalignment: $R_{e0}$ (3, 3); drift: $\omega_d$ (3,) rad/s; earth_error: $R_{eI}$ (3, 3), as it was given.
    covariance: (6, 6) of a turn of the misalignment from the left [rad], then of the drift [rad/s].
    residual: rad, the root of the mean of $|r_k|^2$; steps: how many the method took.
    """

    misalignment: Array
    drift: Array
    earth_error: Array
    covariance: Array
    residual: float
    steps: int

    def attitude(self, measured: Any, time: Any) -> Array:
        """The attitude (..., 3, 3) behind readings (..., 3, 3) at times (...)."""
        return true_attitude(measured, self.earth_error, self.error(time))

    def error(self, time: Any) -> Array:
        """$R_e$ (..., 3, 3) at times (...)."""
        return self.misalignment @ rotation_exponential(self.drift * np.asarray(time)[..., None])


def true_attitude(measured: Any, earth_error: Any, error: Any) -> Array:
    r"""$R_{eI}^\top R_m R_e^\top$ of rotations (..., 3, 3)."""
    return transpose(np.asanyarray(earth_error)) @ np.asanyarray(measured) @ transpose(np.asanyarray(error))


def pendulum_pose(world_R_body: Any, body_p_pivot: Any) -> Array:
    """`world_H_body` (..., 4, 4) of a rigid pendulum whose pivot is the world's origin.

    body_p_pivot: (..., 3) in the frame of the body, such as (0, 0, l) below the pivot.
    """
    world_R_body = np.asanyarray(world_R_body)
    return pose_from(world_R_body, -apply_matrix(world_R_body, np.asanyarray(body_p_pivot)))


def calibrate_attitude(measured: Any, reference: Any, dt: float, earth_error: Any = None) -> AttitudeCalibration:
    """Misalignment and drift of an IMU.

    measured: (n, 3, 3) what it read every `dt` seconds; reference: (n, 3, 3) the attitudes that it should have read;
    earth_error: (3, 3), the error of its earth frame, none if not given.
    """
    measured, reference = np.asarray(measured, dtype=float), np.asarray(reference, dtype=float)
    earth = np.eye(3) if earth_error is None else np.asarray(earth_error, dtype=float)
    if measured.ndim != 3 or measured.shape != reference.shape or len(measured) < 3:
        raise ShapeError(
            f"measured has shape {measured.shape} and reference {reference.shape}; both must be (n, 3, 3) with at "
            "least three samples"
        )
    for name, value in (("measured", measured), ("reference", reference), ("earth_error", earth)):
        check_rotation(name, value)
    require_positive(dt=dt)
    times = dt * np.arange(len(measured))
    errors = transpose(reference) @ earth.T @ measured  # R_e at each sample, with noise
    start, drift = nearest_rotation(errors[0]), np.zeros(3)
    early = rotation_logarithm(start.T @ errors)
    near = max(2, int(np.argmax(np.linalg.norm(early, axis=1) > 1.0)) or len(errors))
    drift = times[:near] @ early[:near] / (times[:near] @ times[:near])
    count = 0
    while count < _MOST:
        count += 1
        residual, jacobian = _residuals(start, drift, times, errors)
        step = np.linalg.lstsq(jacobian, -residual, rcond=None)[0]
        start, drift = rotation_exponential(step[:3]) @ start, drift + step[3:]
        if np.abs(step[:3]).max() < _SMALL and np.abs(step[3:]).max() * times[-1] < _SMALL:
            break
    residual, jacobian = _residuals(start, drift, times, errors)
    square = float(residual @ residual)
    covariance = np.linalg.inv(jacobian.T @ jacobian) * square / max(len(residual) - 6, 1)
    return AttitudeCalibration(start, drift, earth, covariance, float(np.sqrt(square / len(times))), count)


def _residuals(start: Array, drift: Array, times: Array, errors: Array) -> tuple[Array, Array]:
    """Residuals (3 n,) and their derivative (3 n, 6) in a turn of `start` from the left and in the drift."""
    turns = drift * times[:, None]
    residual = rotation_logarithm(start @ rotation_exponential(turns) @ transpose(errors))
    inverse = rotation_left_jacobian_inverse(residual)
    by_drift = inverse @ start @ rotation_left_jacobian(turns) * times[:, None, None]
    return residual.ravel(), np.concatenate([inverse, by_drift], axis=-1).reshape(-1, 6)


def mean_rotation(rotations: Any) -> Array:
    """The rotation (3, 3) nearest to many (n, 3, 3): that of the mean of their matrices."""
    rotations = np.asarray(rotations, dtype=float)
    if rotations.ndim != 3 or not len(rotations):
        raise ShapeError(f"rotations has shape {rotations.shape}; it must be (n, 3, 3) with at least one")
    check_rotation("rotations", rotations)
    mean = rotations.mean(axis=0)
    if np.linalg.det(mean) < 1e-3:
        raise ArgumentError("the rotations are too far apart to have a mean")
    return nearest_rotation(mean)
