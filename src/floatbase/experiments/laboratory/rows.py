"""Rows that both experiments have: forces and momentum, sensors and truth, one plant and the other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from floatbase.experiments.criteria import at_most, within
from floatbase.experiments.laboratory.runs import GRAVITY, chosen
from floatbase.experiments.plan import Data
from floatbase.experiments.results import Row, compare
from floatbase.loading import load
from floatbase.simulation.sensors import Errors
from floatbase.spatial.arrays import Array

# sensors whose noise is compared with their settings, and how closely: by the number of their samples
WATCHED = {"l_leg_ft": 0.06, "r_foot_ft": 0.06, "root_link_imu_acc.gyroscope": 0.2, "joint_positions": 0.06}
NAMES = {"ours": "floatbase", "mujoco": "MuJoCo"}


def balance_rows(found: Mapping[str, Data], mass: float, last: float) -> list[Row]:
    """The momentum that forces of the ground and gravity make, and their mean over the last seconds."""
    rows = []
    for kind, data in found.items():
        time, force, momentum = data["time"], data["force"], data["momentum"][:, :3]
        dt = time[1] - time[0]
        # forces of a sample acted in the period that led to it
        impulse = np.cumsum(force[1:] + mass * np.array([0.0, 0.0, -GRAVITY]), axis=0) * dt
        error = np.abs(momentum[1:] - momentum[0] - impulse).max() / (mass * GRAVITY)
        rows.append(
            compare(
                f"{NAMES[kind]}: largest error of momentum against the impulse of all forces, over weight",
                float(error), at_most(0.02), unit="s", section="Balance",
            )
        )  # fmt: skip
        mean = float(force[-round(last / dt) :, 2].mean())
        rows.append(
            compare(
                f"{NAMES[kind]}: mean force of the ground in the end", mean, within(0.01), mass * GRAVITY, unit="N",
                source="weight", section="Balance",
            )
        )  # fmt: skip
    return rows


def sensor_rows(found: Mapping[str, Data]) -> list[Row]:
    """Noise of sensors: standard deviations of what they read less the truth, from one sample to the next."""
    robot = load("icub")
    rows = []
    for sensor in chosen(robot):
        if not isinstance(sensor.errors, Errors) or sensor.name not in WATCHED:
            continue
        rate = sensor.sampling.rate or 1000.0
        white = sensor.errors.noise if np.any(sensor.errors.noise) else sensor.errors.noise_density * np.sqrt(rate)
        expected = float(np.ravel(white)[0])
        for kind, data in found.items():
            number = [item.name for item in chosen(robot)].index(sensor.name)
            fresh = data["sensors fresh"][:, number] > 0.0
            errors = (data[f"sensors {sensor.name}"] - data[f"truth {sensor.name}"])[fresh, :3]
            noise = float(np.sqrt(0.5 * np.mean(np.diff(errors, axis=0) ** 2)))
            rows.append(
                compare(
                    f"{NAMES[kind]}: noise of {sensor.name}", noise, within(WATCHED[sensor.name]), expected,
                    unit=sensor.units[0], source="its settings", section="Sensors",
                )
            )  # fmt: skip
    return rows


def agreement_rows(found: Mapping[str, Data], limits: Mapping[str, tuple[float, str]]) -> list[Row]:
    """Root mean squares of differences between the plants, by quantity: limit and unit."""
    ours, theirs = found["ours"], found["mujoco"]
    rows = []
    for name, (limit, unit) in limits.items():
        rows.append(
            compare(
                f"{name}: root mean square of the difference", difference(ours[name], theirs[name]), at_most(limit),
                unit=unit, section="Both plants",
            )
        )  # fmt: skip
    return rows


def difference(ours: Array, theirs: Array) -> float:
    """Root mean square over time of the length of a difference."""
    return float(np.sqrt(np.mean(np.sum((ours - theirs) ** 2, axis=-1))))
