"""The experiment `squat`: iCub bends its knees and stretches them, on our physics and on MuJoCo's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from floatbase.experiments.criteria import at_most, within
from floatbase.experiments.laboratory import runs
from floatbase.experiments.laboratory.panels import plant_panels
from floatbase.experiments.laboratory.rows import NAMES, agreement_rows, balance_rows
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Plot, Step
from floatbase.experiments.results import Row, compare
from floatbase.experiments.settings import option
from floatbase.loading import load


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    depth: float = option(0.5, "by how much the hips bend, rad", minimum=0.05, maximum=0.6)
    period: float = option(2.0, "of one squat, s", minimum=1.0, maximum=20.0)
    squats: int = option(2, "how many", minimum=1, maximum=1000)
    logs: str = option("", "folder in which the logs are kept; none if empty")


def plan(settings: Settings, seed: int) -> Plan:
    """A step for each plant."""
    arguments = (settings.depth, settings.period, settings.period * settings.squats, settings.logs, seed)
    data = yield [Step(f"squat-{kind}", runs.squat, (kind, *arguments)) for kind in runs.PLANTS]
    found = dict(zip(runs.PLANTS, data, strict=True))
    limits = {"com": (0.005, "m"), "sensors joint_positions": (0.015, "rad"), "force": (30.0, "N")}
    rows = [
        *motion_rows(found, settings),
        *balance_rows(found, load("icub").mass, settings.period),
        *agreement_rows(found, limits),
    ]
    return Outcome(rows, plots(found))


def motion_rows(found: Mapping[str, Data], settings: Settings) -> list[Row]:
    """How far the robot goes down, what its sensors say of that, and how well its feet stay."""
    robot, section = load("icub"), "The motion"
    heights = [
        robot.com(runs.start(robot, runs.bent(robot, angle), 0.0))[2]
        for angle in (runs.BENT, runs.BENT + settings.depth)
    ]
    rows = []
    for kind, data in found.items():
        name = NAMES[kind]
        shins = data["sensors l_leg_ft"][:, 2], data["sensors r_leg_ft"][:, 2]
        settled = len(data["time"]) // 4
        rows += [
            compare(
                f"{name}: how far the centre of mass goes down", float(np.ptp(data["com"][settled:, 2])), within(0.1),
                float(heights[0] - heights[1]), unit="m", source="the posture", section=section,
            ),
            compare(
                f"{name}: largest distance of a sole from the ground", float(np.abs(data["feet"][settled:]).max()),
                at_most(5e-3), unit="m", section=section,
            ),
            compare(
                f"{name}: mean of the vertical forces in both legs, over weight",
                float(np.mean(np.abs(shins[0]) + np.abs(shins[1])) / (robot.mass * runs.GRAVITY)), unit="",
                section=section,
            ),
            compare(
                f"{name}: largest torque", float(np.abs(data["plant torques"][settled:]).max()), unit="N m",
                section=section,
            ),
        ]  # fmt: skip
    return rows


def plots(found: Mapping[str, Data]) -> list[Plot]:
    """Height of the centre of mass, knee, its torque, and the force in a leg."""
    knee = load("icub").joint_names.index("l_knee")
    signals = {
        "height of the centre of mass, m": lambda data: data["com"][:, 2],
        "left knee by its encoder, rad": lambda data: data["sensors joint_positions"][:, knee],
        "torque of the left knee, N m": lambda data: data["plant torques"][:, knee],
        "l_leg_ft, vertical force, N": lambda data: data["sensors l_leg_ft"][:, 2],
    }
    return [plant_panels(found, "squat", "iCub squats in two physics.", signals)]


EXPERIMENT = Experiment(
    "squat",
    "A humanoid squats",
    "iCub bends its knees and stretches them, under a controller of joints at 1 kHz that knows noisy encoders alone, "
    "on floatbase's physics and on MuJoCo's: how far it goes down, forces against momentum, and one plant against the "
    "other.",
    Settings,
    plan,
)
