"""Plots of signals: what is drawn is small, however long the log is.

A column with more samples than a plot has pixels is drawn by what it is in each of many short stretches of time: a line
through the means, and a band from the least to the greatest value, so that no peak is lost. NaN and gaps of the clock
interrupt both.
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
    """Points of a curve; NaN interrupts it.

    values: samples, or means over stretches of time, whose least and greatest values are `low` and `high`.
    """

    name: str
    time: Array
    values: Array
    low: Array | None = None
    high: Array | None = None


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
                (line,) = axis.plot(curve.time, curve.values, linewidth=0.9, label=curve.name)
                if curve.low is not None:
                    axis.fill_between(curve.time, curve.low, curve.high, color=line.get_color(), alpha=0.3, linewidth=0)
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
        kind = "quaternion" if signal.orientation else "unit unknown" if signal.values.dtype.kind == "f" else ""
        curves = envelope(signal, stretches)
        for unit in dict.fromkeys(signal.units):
            chosen = tuple(curve for curve, own in zip(curves, signal.units, strict=True) if own == unit)
            panels.append(Panel(title, unit or kind, chosen))
        if len(panels) > MOST_PANELS:
            raise ArgumentError(f"these are more than {MOST_PANELS} panels; choose fewer signals by their names")
    if not panels:
        raise ArgumentError("there is no signal to draw")
    return Drawing(tuple(panels))


def envelope(signal: Signal, stretches: int = STRETCHES) -> tuple[Curve, ...]:
    """A curve for each column of a signal, with at most a few thousand points."""
    time = signal.time
    if np.any(np.diff(time) < 0):
        require_increasing(signal.name, time, purpose="drawing")
    table = signal.values if signal.values.ndim == 2 else signal.values[:, None]
    columns = [(name, table[:, k]) for k, name in enumerate(signal.columns or ("",))]
    if len(time) <= 4 * stretches:
        return tuple(_interrupted(Curve(name, time, column.astype(np.float64))) for name, column in columns)
    edges = np.linspace(time[0], time[-1], stretches + 1)[:-1]
    starts = np.unique(np.searchsorted(time, edges, "left"))
    stops = np.append(starts[1:], len(time))
    middle = 0.5 * (time[starts] + time[stops - 1])
    curves = []
    for name, column in columns:
        count: Array = (stops - starts).astype(np.float64)
        total = np.add.reduceat(column, starts, dtype=np.float64)
        if not np.isfinite(total).all():
            numbers = np.isfinite(column)
            count = np.add.reduceat(numbers, starts, dtype=np.float64)
            total = np.add.reduceat(np.where(numbers, column, 0), starts, dtype=np.float64)
        mean = np.where(count > 0, total / np.maximum(count, 1.0), np.nan)
        low, high = np.fmin.reduceat(column, starts), np.fmax.reduceat(column, starts)
        curves.append(_interrupted(Curve(name, middle, mean, low.astype(np.float64), high.astype(np.float64))))
    return tuple(curves)


def _interrupted(curve: Curve) -> Curve:
    """With a NaN between points that are far apart."""
    steps = np.diff(curve.time)
    if not steps.size:
        return curve
    gaps = np.flatnonzero(steps > 3 * GAP * float(np.median(steps)))
    if not 0 < len(gaps) <= STRETCHES:  # none, or a clock without a rhythm
        return curve
    rows = [np.insert(part, gaps + 1, np.nan) for part in (curve.values, curve.low, curve.high) if part is not None]
    return Curve(curve.name, np.insert(curve.time, gaps + 1, curve.time[gaps]), *rows)
