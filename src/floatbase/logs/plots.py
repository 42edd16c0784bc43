"""Plots of signals: what is drawn is small, however long the log is.

A column with more samples than a plot has pixels is drawn through the least and the greatest value of each of many
short stretches of time: no peak is lost, and the curve looks like the one through all samples. NaN and gaps of the
clock interrupt the curve.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.logs.check import GAP
from floatbase.logs.signals import Array, Signal, require_increasing

STRETCHES, MOST_PANELS, MOST_NAMES = 1200, 24, 9


@dataclass(frozen=True, eq=False)
class Curve:
    """Points of a curve; NaN interrupts it."""

    name: str
    time: Array
    values: Array


@dataclass(frozen=True)
class Panel:
    """Curves with one unit on common axes."""

    title: str
    unit: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Drawing:
    """Panels one below the other. `report.draw_png(drawing.draw, drawing.size)` makes pictures of it."""

    panels: tuple[Panel, ...]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height, inches."""
        return 9.0, 0.6 + 1.9 * len(self.panels)

    def draw(self, figure: Any) -> None:
        """Draw on an empty figure of Matplotlib."""
        axes = figure.subplots(len(self.panels), 1, sharex=True, squeeze=False)[:, 0]
        for axis, panel in zip(axes, self.panels, strict=True):
            for curve in panel.curves:
                axis.plot(curve.time, curve.values, linewidth=0.9, label=curve.name)
            axis.set_title(panel.title)
            axis.set_ylabel(panel.unit)
            if 1 < len(panel.curves) <= MOST_NAMES or (len(panel.curves) == 1 and panel.curves[0].name):
                axis.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
        axes[-1].set_xlabel("time [s]")


def drawing(signals: Iterable[Signal], *, stretches: int = STRETCHES) -> Drawing:
    """A panel for each signal, and for each of its units; signals are looked at one after the other.

    stretches: of time, into which long curves are divided.
    """
    if stretches < 2:
        raise ArgumentError(f"stretches is {stretches!r}; it must be 2 at least")
    panels: list[Panel] = []
    for signal in signals:
        title = f"{signal.name} ({signal.frame})" if signal.frame else signal.name
        table = signal.values if signal.values.ndim == 2 else signal.values[:, None]
        kind = "quaternion" if signal.orientation else "unit unknown" if signal.values.dtype.kind == "f" else ""
        for unit in dict.fromkeys(signal.units):
            curves = [
                Curve(name, *envelope(signal.name, signal.time, table[:, k], stretches))
                for k, name in enumerate(signal.columns or ("",))
                if signal.units[k] == unit
            ]
            panels.append(Panel(title, unit or kind, tuple(curves)))
        if len(panels) > MOST_PANELS:
            raise ArgumentError(f"these are more than {MOST_PANELS} panels; choose fewer signals by their names")
    if not panels:
        raise ArgumentError("there is no signal to draw")
    return Drawing(tuple(panels))


def envelope(name: str, time: Array, values: Array, stretches: int = STRETCHES) -> tuple[Array, Array]:
    """Times and values of a curve that looks like that of all samples (n,), with a few points per stretch of time."""
    count = len(time)
    if count == 0:
        return time, values.astype(np.float64)
    if np.any(np.diff(time) < 0):
        require_increasing(name, time, purpose="drawing")
    if count <= 4 * stretches:
        return _interrupted(time, values.astype(np.float64))
    edges = np.linspace(time[0], time[-1], stretches + 1)[:-1]
    starts = np.unique(np.searchsorted(time, edges, "left"))
    low, high = np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)
    stops = np.append(starts[1:], count)
    rising = values[np.maximum(stops - 1, 0)] >= values[starts]
    points = np.stack([np.where(rising, low, high), np.where(rising, high, low)], axis=1).astype(np.float64)
    width = (time[-1] - time[0]) / stretches
    times = np.stack([time[starts], np.minimum(time[starts] + 0.5 * width, time[stops - 1])], axis=1)
    return _interrupted(times.ravel(), points.ravel(), (time[-1] - time[0]) / stretches)


def _interrupted(time: Array, values: Array, shortest: float = 0.0) -> tuple[Array, Array]:
    """With a NaN between points that are far apart."""
    steps = np.diff(time)
    if not steps.size:
        return time, values
    gaps = np.flatnonzero(steps > max(3 * GAP * float(np.median(steps)), GAP * shortest))
    if len(gaps) > STRETCHES:  # a clock without a rhythm
        return time, values
    return np.insert(time, gaps + 1, time[gaps]), np.insert(values, gaps + 1, np.nan)
