"""The experiment `drop-test`: iCub falls onto its feet, on our physics and on MuJoCo's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from floatbase.experiments.criteria import at_most, within, within_absolute
from floatbase.experiments.laboratory import runs
from floatbase.experiments.laboratory.panels import plant_panels
from floatbase.experiments.laboratory.rows import NAMES, agreement_rows, balance_rows, sensor_rows
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Plot, Step
from floatbase.experiments.results import Row, compare
from floatbase.experiments.settings import option
from floatbase.loading import load


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    height: float = option(0.03, "of the soles above the ground, m", minimum=0.005, maximum=0.05)
    duration: float = option(1.5, "s", minimum=1.0, maximum=60.0)
    logs: str = option("", "folder in which the logs are kept; none if empty")


def plan(settings: Settings, seed: int) -> Plan:
    """A step for each plant."""
    arguments = (settings.height, settings.duration, settings.logs, seed)
    data = yield [Step(f"drop-{kind}", runs.drop, (kind, *arguments)) for kind in runs.PLANTS]
    found = dict(zip(runs.PLANTS, data, strict=True))
    limits = {"com": (0.006, "m"), "plant q": (0.02, "m and rad"), "sensors joint_positions": (0.015, "rad")}
    rows = [
        *fall_rows(found, settings.height),
        *balance_rows(found, load("icub").mass, 0.2),
        *sensor_rows(found),
        *agreement_rows(found, limits),
    ]
    return Outcome(rows, plots(found))


def fall_rows(found: Mapping[str, Data], height: float) -> list[Row]:
    """The time of the fall, the speed at its end, and how it ends."""
    section = "The fall"
    rows = []
    for kind, data in found.items():
        name, time = NAMES[kind], data["time"]
        landed = int(np.argmax(data["force"][:, 2] > 0.0))
        expected = np.sqrt(2.0 * height / runs.GRAVITY)
        mass = load("icub").mass
        speed = data["momentum"][landed - 1, 2] / mass
        rows += [
            compare(
                f"{name}: time of the fall", float(time[landed]), within_absolute(3e-3), float(expected), unit="s",
                source="sqrt(2 h / g)", section=section,
            ),
            compare(
                f"{name}: velocity of the centre of mass before it lands", float(speed), within(0.05),
                -float(np.sqrt(2.0 * height * runs.GRAVITY)), unit="m/s", source="-sqrt(2 g h)", section=section,
            ),
            compare(
                f"{name}: acceleration that the IMU reads while it falls",
                float(np.abs(np.mean(data["sensors root_link_imu_acc.accelerometer"][5:landed], axis=0)).max()),
                at_most(0.5), unit="m/s^2", section=section,
            ),
            compare(
                f"{name}: largest force of the ground", float(data["force"][:, 2].max()), unit="N", section=section
            ),
            compare(
                f"{name}: speed of the base at the end", float(np.abs(data["plant v"][-1, :3]).max()), at_most(0.05),
                unit="m/s", section=section,
            ),
        ]  # fmt: skip
    return rows


def plots(found: Mapping[str, Data]) -> list[Plot]:
    """Height, force of the ground, what the leg's sensor and the IMU read."""
    signals = {
        "height of the centre of mass, m": lambda data: data["com"][:, 2],
        "force of the ground, N": lambda data: data["force"][:, 2],
        "l_leg_ft, vertical force, N": lambda data: data["sensors l_leg_ft"][:, 2],
        "IMU, acceleration along its z axis, m/s²": lambda data: data["sensors root_link_imu_acc.accelerometer"][:, 2],
    }
    return [plant_panels(found, "drop", "iCub falls onto its feet in two physics.", signals)]


EXPERIMENT = Experiment(
    "drop-test",
    "A humanoid is dropped",
    "iCub falls onto its feet with stiff joints, held by a controller at 1 kHz that knows noisy encoders alone, on "
    "floatbase's physics and on MuJoCo's: the fall against its closed form, forces against momentum, sensors against "
    "their settings, and one plant against the other.",
    Settings,
    plan,
)
