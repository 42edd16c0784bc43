"""The plots of the experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from floatbase.experiments.plan import Data, Plot
from floatbase.experiments.suspended import published
from floatbase.experiments.suspended.compliance import LAWS, SWING_TIME
from floatbase.experiments.suspended.logs import LOGS
from floatbase.experiments.suspended.models import PARAMETERS
from floatbase.experiments.suspended.trajectories import RATE
from floatbase.report import COLORS


def plots(models: Mapping[str, Data], sensitivities: Mapping[str, Data], laws: Data) -> list[Plot]:
    """Costs, motion beside logs, sensitivity, and what the printed law does."""

    def costs(figure: Any) -> None:
        axes = figure.subplots()
        width = 0.8 / len(models)
        for k, (name, data) in enumerate(models.items()):
            places = np.arange(len(LOGS)) + (k - (len(models) - 1) / 2) * width
            axes.bar(places, data["fitted costs"], 0.9 * width, color=COLORS[k], label=name)
        for k in range(2):
            places = np.arange(len(LOGS)) + (k - (len(models) - 1) / 2) * width
            axes.plot(places, [published.COSTS[log][k] for log in LOGS], "_", ms=14, mew=2.5, color=COLORS[-1])
        axes.plot([], [], "_", color=COLORS[-1], mew=2.5, label="published: rigid, compliant")
        axes.set_yscale("log")
        axes.set_xticks(range(len(LOGS)), LOGS)
        axes.set_ylabel("cost, rad², m²")
        axes.legend(fontsize="small", ncols=3)

    def motions(figure: Any) -> None:
        swing, drop = figure.subplots(1, 2)
        for axes, log, component in ((swing, "passive", 0), (drop, "drop", 2)):
            measured = next(iter(models.values()))[f"{log} log"][:, component]
            times = np.arange(len(measured)) / RATE
            axes.plot(times, measured, ".", color=COLORS[-1], ms=4, label="log")
            for k, (name, data) in enumerate(models.items()):
                axes.plot(times, data[f"{log} motion"][:, component], color=COLORS[k], lw=1.2, label=name)
            axes.set_title(f"{log}: {'xyz'[component]}")
            axes.set_xlabel("time, s")
        swing.set_ylabel("place of the platform, m")
        drop.legend(fontsize="small")

    def sensitivity(figure: Any) -> None:
        panels = figure.subplots(1, len(sensitivities), squeeze=False)[0]
        for axes, (name, data) in zip(panels, sensitivities.items(), strict=True):
            for k, parameter in enumerate(PARAMETERS):
                axes.plot(
                    100.0 * data["changes"], data["forced costs"][k], "-o", ms=3, color=COLORS[k], label=parameter
                )
            axes.set_yscale("log")
            axes.set_title(name)
            axes.set_xlabel("change of a parameter, %")
        panels[0].set_ylabel("cost of logs with forces")
        panels[0].legend(fontsize="small")

    def energy(figure: Any) -> None:
        axes = figure.subplots()
        for k, law in enumerate(LAWS):
            found = laws[f"{law} energy"]
            axes.plot(np.linspace(0.0, SWING_TIME, len(found)), found - found[0], color=COLORS[k], label=law)
        axes.set_xlabel("time, s")
        axes.set_ylabel("change of energy, J")
        axes.legend(fontsize="small")

    return [
        Plot("costs", "Costs of five models with fitted mass and length, for every log.", costs),
        Plot("motions", "The platform in two logs, and where five models put it.", motions, (10.0, 4.0)),
        Plot("sensitivity", "Costs as one parameter changes: the moment of inertia hardly matters.", sensitivity),
        Plot("energy", "Energy in a swing of the compliant pendulum without damping.", energy, (7.0, 3.2)),
    ]
