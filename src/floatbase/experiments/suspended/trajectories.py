r"""Trajectories of a model: Runge-Kutta steps of fourth order on places, quaternions and twists, in one program.

Wrenches are held from sample to sample. A controller of the platform's yaw, which was switched on when motion was
recorded, adds the torque $k_p (\psi_d - \psi) - k_d \omega_z$ where it has gains. What has drifted off constraints is
pulled back within 0.1 s.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import floatbase as fb
from floatbase.errors import ArgumentError
from floatbase.experiments.suspended.models import MODELS, HangingModel
from floatbase.simulation.suspensions import suspended_acceleration
from floatbase.spatial.arrays import Array, apply_matrix
from floatbase.spatial.poses import pose_from
from floatbase.spatial.rotations import multiply_quaternions, quaternion_from_rotation, rotation_from_quaternion

RATE = 20.0  # Hz, of motion capture
SAMPLES = 20  # in one program
SUBSTEPS = 20
STABILIZATION = 10.0  # 1/s
ROW = 9  # wrench on the platform, desired yaw, gains


@cache
def simulator(model: str) -> Any:
    """The compiled function of parameters (3,), state (13 n,) and rows (20, 9): see `trajectory`."""
    (found,) = (item for item in MODELS if item.name == model)
    program = fb.trace(
        lambda theta, state, rows: trajectory(found, theta, state, rows),
        {"theta": (3,), "state": (13 * found.bodies,), "rows": (SAMPLES, ROW)},
        "trajectory",
    )
    return fb.compile_program(program)


def state_of(poses: Array) -> Array:
    """The state (13 n,) of bodies at rest at poses (n, 4, 4)."""
    quaternions = quaternion_from_rotation(poses[:, :3, :3])
    return np.concatenate([poses[:, :3, 3].ravel(), quaternions.ravel(), np.zeros(6 * len(poses))])


def simulate(model: str, theta: Array, state: Array, rows: Array) -> tuple[Array, Array]:
    """The platform's poses (k, samples, 4, 4) and the controller's torques (k, samples), at the rows' times.

    theta: (k, 3); state: (k, 13 n); rows: (samples, 9), a whole number of seconds.
    """
    if len(rows) % SAMPLES:
        raise ArgumentError(f"there are {len(rows)} rows; it must be a multiple of {SAMPLES}, a second each")
    parts = []
    for second in rows.reshape(-1, SAMPLES, ROW):
        state, found = simulator(model)(theta, state, second)
        parts.append(found)
    whole = np.concatenate(parts, axis=-2)
    return pose_from(whole[..., 3:12].reshape(*whole.shape[:-1], 3, 3), whole[..., :3]), whole[..., 12]


def trajectory(model: HangingModel, theta: Array, state: Array, rows: Array) -> tuple[Array, Array]:
    """The state after a second, and place (3), attitude (9) and torque (20, 13) at the rows' times.

    theta: (3,) parameters; state: (13 n,); rows: (20, 9) wrench, desired yaw, gains.
    """
    n = model.bodies
    dt = 1.0 / RATE / SUBSTEPS

    def sample(_index: Any, x: Array, row: Array, theta: Array) -> tuple[Array, Array]:
        R = rotation_from_quaternion(x[7 * n - 4 : 7 * n])
        torque = row[7] * (row[6] - np.arctan2(R[1, 0], R[0, 0])) - row[8] * x[-1]
        wrench = np.concatenate([row[:5], np.stack([row[5] + torque])])
        shared = np.concatenate([theta, wrench])
        following, _ = fb.scan(step, x, length=SUBSTEPS, shared=shared)
        return following, np.concatenate([x[3 * n - 3 : 3 * n], R.ravel(), np.stack([torque])])

    def step(_index: Any, x: Array, _row: None, shared: Array) -> tuple[Array, Array]:
        k1 = rate(x, shared)
        k2 = rate(x + 0.5 * dt * k1, shared)
        k3 = rate(x + 0.5 * dt * k2, shared)
        k4 = rate(x + dt * k3, shared)
        x = x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        parts = [x[: 3 * n]]
        for k in range(n):
            quaternion = x[3 * n + 4 * k : 3 * n + 4 * k + 4]
            parts.append(quaternion / np.sqrt(np.sum(quaternion * quaternion)))
        return np.concatenate([*parts, x[7 * n :]]), x[:1]

    def rate(x: Array, shared: Array) -> Array:
        theta, wrench = shared[:3], shared[3:]
        places, turning, poses = [], [], []
        for k in range(n):
            quaternion, twist = x[3 * n + 4 * k : 3 * n + 4 * k + 4], x[7 * n + 6 * k : 7 * n + 6 * k + 6]
            R = rotation_from_quaternion(quaternion)
            poses.append(pose_from(R, x[3 * k : 3 * k + 3]))
            places.append(apply_matrix(R, twist[:3]))
            turning.append(0.5 * multiply_quaternions(quaternion, np.concatenate([0.0 * twist[:1], twist[3:]])))
        wrenches = np.concatenate([0.0 * wrench] * (n - 1) + [wrench])
        motion = suspended_acceleration(
            model.suspension(theta[1]),
            model.parameters(theta),
            np.stack(poses),
            x[7 * n :],
            wrenches,
            stabilization=STABILIZATION,
        )
        return np.concatenate([*places, *turning, motion.acceleration])

    following, found = fb.scan(sample, state, rows, shared=theta)
    return following, found
