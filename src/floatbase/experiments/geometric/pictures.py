"""The plots of the experiment."""

from __future__ import annotations

from typing import Any

from floatbase.experiments.geometric import published
from floatbase.experiments.geometric.linearization import CHARTS
from floatbase.experiments.geometric.quantities import QUANTITIES
from floatbase.experiments.plan import Data, Plot
from floatbase.report import COLORS
from floatbase.spatial.arrays import Array


def plots(example: Data, drawn: Array, charts: Array, lengths: Array, by_step: Array) -> list[Plot]:
    """Errors beside the published ones, over the step, and of the flow."""

    def errors(figure: Any) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        printed = [published.DERIVATIVE_ERRORS[name] for name in QUANTITIES]
        columns = (("the example", example["errors"], 0), ("random systems, the worst", drawn, 2))
        for axes, (title, ours, column) in zip((left, right), columns, strict=True):
            axes.plot(
                [row[column] for row in printed], "s", ms=9, mfc="none", color=COLORS[5], label="forward, published"
            )
            for method, (label, mark) in enumerate((("forward", "o"), ("central", "^"), ("complex step", "v"))):
                axes.plot(ours[method, :, 0], mark, color=COLORS[method], label=f"{label}, ours")
            axes.set_xticks(range(len(QUANTITIES)), QUANTITIES, rotation=45)
            axes.set_yscale("log")
            axes.set_title(title)
        left.set_ylabel("largest error")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4)

    def step_lengths(figure: Any) -> None:
        panels = figure.subplots(1, 2, sharey=True)
        for axes, dynamics, first in zip(panels, ("ID", "FD"), (0, 4), strict=True):
            for k in range(4):
                name, color = QUANTITIES[first + k], COLORS[k]
                axes.loglog(lengths, by_step[0, :, first + k], "-", color=color, label=f"D{k + 1}")
                axes.loglog(lengths, by_step[1, :, first + k], "--", color=color)
                axes.axhline(example["errors"][2, first + k, 0], color=color, ls=":")
                axes.plot(published.STEP, published.DERIVATIVE_ERRORS[name].largest, "s", ms=9, mfc="none", color=color)
            axes.set_title(f"derivatives of {dynamics}, on the example")
            axes.set_xlabel("step")
            axes.set_ylim(1e-17, 1e3)
        panels[0].set_ylabel("largest error")
        title = "forward: line, central: dashes, complex step: dots, published: square"
        figure.legend(*panels[0].get_legend_handles_labels(), title=title, loc="outside lower center", ncols=4)

    def flow(figure: Any) -> None:
        axes = figure.subplots()
        colors = [COLORS[2] if chart != "printed" else COLORS[0] for chart in CHARTS]
        bars = axes.barh(
            [{"printed": "as printed"}.get(chart, f"{chart} chart") for chart in CHARTS], charts, color=colors
        )
        axes.set_xscale("log")
        axes.set_xlim(1e-16, 1e2)
        axes.bar_label(bars, [f"{error:.1g}" for error in charts], padding=4)
        axes.invert_yaxis()
        axes.grid(axis="y", visible=False)
        axes.set_xlabel("relative error of the state transition matrix")

    return [
        Plot(
            "errors",
            "Largest errors of the eight derivatives: forward differences, as the thesis uses them, "
            "measure the step; central differences and complex steps measure the derivatives.",
            errors,
            (10.0, 4.6),
        ),
        Plot(
            "step-lengths",
            "Errors of difference quotients over the step. Below a certain step rounding wins; "
            "complex steps have none.",
            step_lengths,
            (10.0, 4.6),
        ),
        Plot(
            "flow",
            "How well state matrices predict what the flow does to small disturbances. The printed one mixes "
            "two charts.",
            flow,
            (10.0, 2.8),
        ),
    ]
