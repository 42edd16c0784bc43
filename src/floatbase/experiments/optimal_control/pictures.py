"""The plots of the experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from floatbase.experiments.optimal_control.flip import DURATION, ROBOT, THRUST
from floatbase.experiments.optimal_control.reach import TARGET
from floatbase.experiments.optimal_control.rows import NAMES
from floatbase.experiments.plan import Data, Motion, Plot
from floatbase.loading import load
from floatbase.report import COLORS
from floatbase.spatial import rotation_from_quaternion
from floatbase.viewer.trajectory import Trajectory

ARM = 0.3  # m, how long the base is drawn to each side
LINES = {"manifold": "-", "angles": "--"}


def plots(
    flips: Mapping[str, Mapping[str, Sequence[Data]]], reaches: Mapping[str, Sequence[Data]], bases: Sequence[str]
) -> list[Plot]:
    """The motions, and how costs fell on the way to them."""
    best = flips["pitch"]["manifold"][0]

    def flight(figure: Any) -> None:
        side, inputs = figure.subplots(1, 2, width_ratios=(3, 2))
        q, time = best["q"], np.linspace(0.0, DURATION, len(best["q"]))
        R = rotation_from_quaternion(q[:, 3:7])
        apart = 1.6 * np.arange(len(q)) / (len(q) - 1)
        for k in range(0, len(q), max(1, len(q) // 20)):
            shade = {"color": COLORS[0], "alpha": 0.25 + 0.75 * k / len(q), "lw": 2.0}
            center = q[k, [0, 2]] + [apart[k], 0.0]
            across, up = ARM * R[k][[0, 2], 0], 0.1 * R[k][[0, 2], 2]
            side.plot(*np.transpose([center - across, center + across]), **shade)
            side.annotate("", center + 2.0 * up, center, arrowprops={"arrowstyle": "->", "color": COLORS[1]})
        side.set_aspect("equal", adjustable="datalim")
        side.set_xlabel("x, later to the right, m")
        side.set_ylabel("z, m")
        for k in range(4):
            line = {"color": COLORS[k], "ls": "-" if k < 2 else (0, (4, 4))}
            inputs.step(time[:-1], best["u"][:, k], where="post", label=f"propeller {k + 1}", **line)
        for bound in (0.0, THRUST):
            inputs.axhline(bound, color=COLORS[5], ls=":")
        inputs.set_xlabel("time, s")
        inputs.set_ylabel("thrust, N")
        inputs.set_ylim(-0.3 * THRUST, 1.1 * THRUST)
        inputs.legend(ncols=2, fontsize="small", loc="lower center")

    def costs(figure: Any) -> None:
        panels = figure.subplots(1, 1 + len(flips))
        for axes, (axis, solved) in zip(panels, flips.items(), strict=False):
            _histories(axes, solved, ["first guess"])
            axes.set_title(f"flip, {axis}")
        _histories(panels[-1], reaches, bases)
        panels[-1].set_title("reach")
        panels[0].set_ylabel("cost")
        panels[-1].legend(fontsize="small")

    def reached(figure: Any) -> None:
        motion, pressure = figure.subplots(1, 2)
        found = reaches["manifold"][0]
        points, parents = found["points"], found["parents"]
        for k, color in ((0, COLORS[5]), (len(points) // 2, COLORS[3]), (len(points) - 1, COLORS[0])):
            for body, parent in enumerate(parents):
                if parent >= 0:
                    motion.plot(*points[k][[parent, body]][:, [0, 2]].T, "-o", color=color, ms=3, lw=2)
        motion.plot(*found["hand"][:, [0, 2]].T, ":", color=COLORS[1], label="hand")
        motion.plot(*TARGET[[0, 2]], "x", color=COLORS[1], ms=10, mew=2.5, label="target")
        motion.plot(*found["com"][:, [0, 2]].T, "-", color=COLORS[2], lw=2, label="centre of mass")
        motion.set_aspect("equal", adjustable="datalim")
        motion.set_xlabel("x, m")
        motion.set_ylabel("z, m")
        motion.legend(fontsize="small")
        for kind, solved in reaches.items():
            shift = 0.4 * (kind == "angles") - 0.2
            cost = [data["cost"] for data in solved]
            color = COLORS[2] if kind == "manifold" else COLORS[0]
            bars = pressure.barh(np.arange(len(bases)) + shift, cost, 0.38, color=color, label=NAMES[kind])
            pressure.bar_label(bars, [f"{number:.4g}" for number in cost], padding=4)
        pressure.set_yticks(range(len(bases)), bases)
        pressure.invert_yaxis()
        pressure.set_xlabel("cost, by base link")
        pressure.margins(x=0.2)
        pressure.grid(axis="y", visible=False)
        pressure.legend(fontsize="small")

    return [
        Plot("flip", "The flip over the pitch axis, seen from the side, and its inputs.", flight, (10.0, 4.0)),
        Plot("reach", "The reach at its start, middle and end; costs for every base link.", reached, (10.0, 4.6)),
        Plot("costs", "How costs fell: states on the manifold, lines; Euler angles, dashes.", costs, (10.0, 3.6)),
    ]


def _histories(axes: Any, solved: Mapping[str, Sequence[Data]], names: Sequence[str]) -> None:
    for kind, found in solved.items():
        for k, data in enumerate(found):
            label = names[k] if k < len(names) and kind == "manifold" else None
            axes.semilogy(data["costs"], LINES[kind], color=COLORS[k % len(COLORS)], lw=1.2, label=label)
    axes.set_xlabel("iteration")


def motions(flips: Mapping[str, Mapping[str, Sequence[Data]]]) -> list[Motion]:
    """The flip over the axis that Euler angles do not like."""
    q = flips["pitch"]["manifold"][0]["q"]
    flight = Trajectory(np.linspace(0.0, DURATION, len(q)), q)
    return [Motion("The flip in pitch, on the manifold.", lambda: load(ROBOT), flight)]
