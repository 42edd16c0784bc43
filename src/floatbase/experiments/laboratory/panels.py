"""The plot that both experiments have: signals of the two plants over time, one above the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from floatbase.experiments.laboratory.rows import NAMES
from floatbase.experiments.plan import Data, Plot
from floatbase.report import COLORS
from floatbase.spatial.arrays import Array


def plant_panels(
    found: Mapping[str, Data], name: str, caption: str, signals: Mapping[str, Callable[[Data], Array]]
) -> Plot:
    """Four signals, by what their panels are titled, of every plant."""

    def draw(figure: Any) -> None:
        panels = figure.subplots(2, 2, sharex=True).ravel()
        for panel, (title, signal) in zip(panels, signals.items(), strict=True):
            for k, (kind, data) in enumerate(found.items()):
                panel.plot(data["time"], signal(data), color=COLORS[k], lw=1.0, label=NAMES[kind])
            panel.set_title(title, fontsize="medium")
        for panel in panels[2:]:
            panel.set_xlabel("time, s")
        panels[0].legend(fontsize="small")

    return Plot(name, caption, draw, (10.0, 5.6))
