"""The experiment `soft-contact`: a sole on visco-elastic ground, its linearisation, and a block that stands on two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floatbase.experiments.criteria import at_least, at_most, within, within_absolute
from floatbase.experiments.plan import Data, Experiment, Outcome, Plan, Plot, Step
from floatbase.experiments.results import Row, compare
from floatbase.experiments.settings import option
from floatbase.experiments.simulation import soles
from floatbase.report import COLORS

SOURCE = "Romualdi 2022, section 8.1"
# error of the linearised torque about yaw [N m] by angle in degrees, for a sole of 0.2 m by 0.1 m on 2e6 N/m^3
YAW_ERRORS = {5: 0.018, 10: 0.147, 20: 1.174, 30: 3.933, 45: 13.05, 90: 95.1}
STIFFNESSES = (2e6, 1e6, 8e5)
SINKS = (4.05, 8.09, 10.12)  # mm
FREQUENCIES = (49.2, 34.8, 31.1)  # rad/s
RATIOS = (0.123, 0.174, 0.195)  # of damping, with 1e4 N s/m^3


@dataclass(frozen=True)
class Settings:
    """What can be changed."""

    angles: int = option(61, "angles between level and a quarter turn in the plots", minimum=5, maximum=1000)
    dt: float = option(2e-4, "steps of the block that swings, s", minimum=1e-6, maximum=1e-3)


def plan(settings: Settings, seed: int) -> Plan:
    """Wrenches are one step, every stiffness of the ground another."""
    wrenches = Step("wrenches", soles.wrenches, (settings.angles,))
    errors = Step("errors", soles.linearization_errors, (list(YAW_ERRORS), seed))
    blocks = [Step(f"block-{k}", soles.block, (stiffness, settings.dt)) for k, stiffness in enumerate(STIFFNESSES)]
    curves, linear, *stood = yield [wrenches, errors, *blocks]
    rows = [*linear_rows(linear), *block_rows(stood)]
    return Outcome(rows, plots(curves, linear, stood))


def linear_rows(linear: Data) -> list[Row]:
    """The linearised torque beside the exact one."""
    section = "Linearisation of a sole of 0.2 m by 0.1 m on ground of 2e6 N/m^3"
    rows = [
        compare(
            f"error of the torque at a yaw of {angle} degrees", float(error), within_absolute(_digit(published)),
            published, unit="N m", source=SOURCE, section=section,
        )
        for (angle, published), error in zip(YAW_ERRORS.items(), linear["yaw errors"], strict=True)
    ]  # fmt: skip
    rows.append(
        compare(
            "largest difference of these errors from their closed form", float(linear["closed form"]), at_most(1e-10),
            unit="N m", section=section,
        )
    )  # fmt: skip
    for name, exact, slack in (("one axis", 3.0, 0.05), ("several axes", 2.0, 0.15)):
        found = float(linear[f"order {name}"])
        criterion = within_absolute(slack)
        rows.append(compare(f"order of the torque's error, {name}", found, criterion, exact, section=section))
    return rows


def block_rows(stood: list[Data]) -> list[Row]:
    """Sinks and swings of a block of 33 kg on two soles."""
    section = "A block of 33 kg on two soles"
    rows = []
    for stiffness, found, sink, frequency, ratio in zip(STIFFNESSES, stood, SINKS, FREQUENCIES, RATIOS, strict=True):
        ground = f"ground of {stiffness:.0e} N/m^3".replace("e+0", "e")
        for quantity, ours, published, unit, relative in (
            ("static sink", found["sink"], sink, "mm", 0.02),
            ("sink where it settles after a drop", found["settled"], sink, "mm", 0.02),
            ("frequency of the vertical mode", found["frequency"], frequency, "rad/s", 0.02),
            ("damping ratio of the vertical mode", found["ratio"], ratio, "", 0.05),
        ):
            rows.append(
                compare(
                    f"{quantity}, {ground}", float(ours), within(relative), published, unit=unit, source=SOURCE,
                    section=section,
                )
            )  # fmt: skip
        rows.append(
            compare(
                f"least normal force after a drop, {ground}", float(found["least"]), at_least(-1e-9), unit="N",
                section=section,
            )
        )  # fmt: skip
    return rows


def plots(curves: Data, linear: Data, stood: list[Data]) -> list[Plot]:
    """Wrenches over depth and yaw, errors over angles, and the motion of the block."""

    def wrench(figure: Any) -> None:
        depth, yaw, error = figure.subplots(1, 3)
        for k, name in enumerate(("one", "three", "level")):
            depth.plot(1e3 * curves["depth"], curves[f"force {name}"], color=COLORS[k], label=_LABELS[name])
        depth.set_xlabel("depth of the sole's centre, mm")
        depth.set_ylabel("normal force, N")
        depth.legend(fontsize="small")
        yaw.plot(curves["angle"], curves["torque"], color=COLORS[0], label="exact")
        yaw.plot(curves["angle"], curves["linear torque"], "--", color=COLORS[1], label="linearised")
        yaw.set_xlabel("yaw, degrees")
        yaw.set_ylabel("torque, N m")
        yaw.legend(fontsize="small")
        for k, name in enumerate(("one axis", "several axes")):
            error.loglog(linear["small angles"], linear[f"errors {name}"], color=COLORS[k], label=name)
        error.set_xlabel("angle, rad")
        error.set_ylabel("error of the linearised torque, N m")
        error.legend(fontsize="small")

    def drops(figure: Any) -> None:
        axes = figure.subplots()
        for k, (stiffness, found) in enumerate(zip(STIFFNESSES, stood, strict=True)):
            axes.plot(found["time"], 1e3 * found["height"], color=COLORS[k], label=f"{stiffness:.0e} N/m³")
            axes.axhline(-float(found["sink"]), color=COLORS[k], ls=":", lw=1.0)
        axes.set_xlabel("time, s")
        axes.set_ylabel("height of the soles, mm")
        axes.legend(fontsize="small")

    return [
        Plot("wrench", "The wrench over depth and yaw, and errors of the linearisation.", wrench, (10.0, 3.6)),
        Plot("drops", "A block that is dropped on soft ground; dots: where it must settle.", drops, (8.0, 3.6)),
    ]


_LABELS: Mapping[str, str] = {"level": "level", "one": "at 1 m/s downwards", "three": "inclined by 0.2 rad"}


def _digit(published: float) -> float:
    """One unit of the last place that is printed."""
    return 10.0 ** -len(f"{published}".partition(".")[2])


EXPERIMENT = Experiment(
    "soft-contact",
    "Soles on soft ground",
    "The closed form of the wrench on a rectangular sole that sinks into visco-elastic ground, over its depth and its "
    "yaw, beside the linearisation and its printed errors; and a block of 33 kg on two such soles, dropped and swung: "
    "how far it sinks, how fast it swings, how quickly that dies away.",
    Settings,
    plan,
)
