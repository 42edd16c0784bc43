"""Logs made instead of those that were recorded: a platform on a compliant cable, and what no model knows.

There is a torque about the vertical that nobody applied, 0.5 N m at 0.2 Hz, the attitude at the start is measured 0.5
degrees wrong, and motion capture has noise of 1 mm and 0.1 degrees. Rothammer 2021, chapter 4, says what was done;
forces, amplitudes and durations are ours.

| log | what is done |
|---|---|
| passive | the platform swings from 0.2 and 0.1 rad about two axes |
| constant | a force of 70 N along the body's x axis: 5 s up, 10 s constant, 5 s down |
| sinusoidal | a force of 70 N, 0.2 Hz along the body's x axis |
| drop | the platform falls from 0.1 m above where its cable becomes taut |
| varying | as sinusoidal, and a controller turns the platform to -1, 1, 0.5, -0.5 rad |
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.experiments.suspended import published
from floatbase.experiments.suspended.models import IDENTIFIED
from floatbase.experiments.suspended.trajectories import RATE, ROW, simulate, state_of
from floatbase.spatial import pose_exponential, pose_from, rotation_exponential
from floatbase.spatial.arrays import Array
from floatbase.spatial.rigid_body import GRAVITY

LOGS = ("passive", "constant", "sinusoidal", "drop", "varying")
CALM = LOGS[:3]
POSITION_NOISE, ATTITUDE_NOISE = 1e-3, np.deg2rad(0.1)  # m, rad
START_ERROR = np.deg2rad(0.5)
TORQUE, TORQUE_RATE = 0.5, 0.2  # N m, Hz
FORCE, FORCE_RATE = 70.0, 0.2  # N, Hz
DROP = 0.1  # m
YAW_GAINS = (10.0, 20.0)  # N m/rad, N m s/rad


@dataclass(frozen=True)
class Log:
    """Measured poses (samples, 4, 4) of the platform, and the wrenches (samples, 6) that were applied to it."""

    poses: Array
    wrenches: Array

    @property
    def rows(self) -> Array:
        """What a simulator takes: no controller (samples, 9)."""
        return np.concatenate([self.wrenches, np.zeros((len(self.wrenches), ROW - 6))], axis=-1)


def make_log(name: str, duration: int, seed: int) -> Log:
    """A log by its name; its duration is a whole number of seconds."""
    if name not in LOGS:
        raise ArgumentError(f"log is {name!r}; the valid choices are {', '.join(LOGS)}")
    rng = np.random.default_rng([seed, LOGS.index(name)])
    times = np.arange(round(duration * RATE)) / RATE
    rows = commanded(name, times)
    applied = rows.copy()
    applied[:, 5] += TORQUE * np.cos(2.0 * np.pi * TORQUE_RATE * times)
    (poses,), (torques,) = simulate("compliant", IDENTIFIED[None], state_of(_start(name))[None], applied)
    noise = rng.standard_normal((len(times), 6)) * ([POSITION_NOISE] * 3 + [ATTITUDE_NOISE] * 3)
    measured = poses @ pose_exponential(noise)
    axis = rng.standard_normal(3)
    measured[0] = measured[0] @ pose_from(rotation_exponential(START_ERROR * axis / np.linalg.norm(axis)), np.zeros(3))
    wrenches = rows[:, :6].copy()
    wrenches[:, 5] += torques
    return Log(measured, wrenches)


def commanded(name: str, times: Array) -> Array:
    """Wrenches, desired yaw and gains (samples, 9)."""
    rows = np.zeros((len(times), ROW))
    wave = FORCE * np.sin(2.0 * np.pi * FORCE_RATE * times)
    if name == "constant":
        rows[:, 0] = FORCE * np.clip(np.minimum(times, times[-1] - times) / 5.0, 0.0, 1.0)
    elif name == "sinusoidal":
        rows[:, 0] = wave
    elif name == "varying":
        rows[:, 0] = wave
        part = np.minimum(4 * np.arange(len(times)) // len(times), 3)
        rows[:, 6] = np.array([-1.0, 1.0, 0.5, -0.5])[part]
        rows[:, 7:] = YAW_GAINS
    return rows


def _start(name: str) -> Array:
    """The pose (1, 4, 4) at which a log begins, at rest."""
    tilt = {"passive": [0.2, 0.1, 0.0], "drop": [0.03, 0.02, 0.0]}.get(name, [0.0, 0.0, 0.0])
    stretched = published.LENGTH - published.MASS * GRAVITY[2] / published.STIFFNESS
    distance = published.LENGTH - DROP if name == "drop" else stretched
    R = rotation_exponential(np.array(tilt))
    return pose_from(R, -distance * R[:, 2])[None]
