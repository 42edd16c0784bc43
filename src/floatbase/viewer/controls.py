"""The controls beside a robot in a browser: time line, joints, base, what is shown, curves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from floatbase.logs.plots import Panel
from floatbase.robot import Robot
from floatbase.spatial.rotations import (
    quaternion_from_rotation,
    rotation_from_quaternion,
    rotation_from_rpy,
    rpy_from_rotation,
)
from floatbase.viewer.mesh import Array
from floatbase.viewer.sliders import sliders

SPEEDS = ("0.1×", "0.25×", "0.5×", "1×", "2×", "4×")
COLORS = ("#c8443c", "#3f7fbf", "#3d9a63", "#c98a1b", "#8a63b8", "#7d8790")
MOST_CURVES = 12  # in one plot
NO_FRAME = "none"


def by_hand(action: Callable[[Any], None]) -> Callable[[Any], None]:
    """What is done if a reader moves a control, not if the program does."""

    def called(event: Any) -> None:
        if event.client_id is not None:
            action(event.target)

    return called


class Coordinates:
    """Sliders for joints and, if it floats, the pose of the base."""

    def __init__(self, gui: Any, robot: Robot, q: Array, changed: Callable[[Array], None]) -> None:
        self.robot, self.q, self.changed = robot, q.copy(), changed
        self.items = sliders(robot)
        self.base: dict[str, Any] = {}
        reset = gui.add_button("Neutral configuration", color="gray")
        reset.on_click(lambda event: self._set(np.asarray(robot.neutral(), dtype=np.float64)))
        if robot.floating:
            with gui.add_folder("Base", expand_by_default=False):
                for name in ("x", "y", "z"):
                    self.base[name] = gui.add_slider(f"{name} [m]", -3.0, 3.0, 0.001, 0.0)
                for name in ("roll", "pitch", "yaw"):
                    self.base[name] = gui.add_slider(f"{name} [deg]", -180.0, 180.0, 0.1, 0.0)
                for handle in self.base.values():
                    handle.on_update(by_hand(self._base_moved))
        self.handles = []
        for item in self.items:
            factor, step, unit = (180.0 / np.pi, 0.1, "deg") if item.is_angle else (1.0, 0.001, "m")
            low, high = round(item.lower * factor, 3), round(item.upper * factor, 3)
            handle = gui.add_slider(f"{item.name} [{unit}]", low, high, step, low)
            handle.on_update(by_hand(self._mover(item.place, factor)))
            self.handles.append((handle, item.place, factor, low, high))
        self.follow(q)

    def follow(self, q: Array) -> None:
        """Put the sliders where a configuration (nq,) is."""
        self.q = q.copy()
        for handle, place, factor, low, high in self.handles:
            handle.value = float(np.clip(q[place] * factor, low, high))
        if self.base:
            for name, value in zip(("x", "y", "z"), q[:3], strict=True):
                self.base[name].value = float(np.clip(value, -3.0, 3.0))
            angles = np.rad2deg(rpy_from_rotation(rotation_from_quaternion(q[3:7])))
            for name, value in zip(("roll", "pitch", "yaw"), angles, strict=True):
                self.base[name].value = float(value)

    def _mover(self, place: int, factor: float) -> Callable[[Any], None]:
        def moved(handle: Any) -> None:
            self.q[place] = handle.value / factor
            self.changed(self.q)

        return moved

    def _base_moved(self, handle: Any) -> None:
        self.q[:3] = [self.base[name].value for name in ("x", "y", "z")]
        angles = np.deg2rad([self.base[name].value for name in ("roll", "pitch", "yaw")])
        self.q[3:7] = quaternion_from_rotation(rotation_from_rpy(angles))
        self.changed(self.q)

    def _set(self, q: Array) -> None:
        self.follow(q)
        self.changed(self.q)


def add_plot(gui: Any, panel: Panel, size: float = 1.9) -> None:
    """Curves with one unit against time, on common axes; if they are many, those that change most."""
    ranges = [_range(curve.values) for curve in panel.curves]
    chosen = sorted(np.argsort(ranges)[::-1][:MOST_CURVES])
    curves = [panel.curves[k] for k in chosen]
    time = np.unique(np.concatenate([curve.time for curve in curves]))
    values = [
        np.interp(time, curve.time, curve.values) if len(curve.time) != len(time) else curve.values for curve in curves
    ]
    series = tuple(
        {"label": curve.name or panel.title, "stroke": COLORS[k % len(COLORS)], "width": 1.5, "points": {"show": False}}
        for k, curve in enumerate(curves)
    )
    unit = f" [{panel.unit}]" if panel.unit else ""
    more = len(panel.curves) - len(curves)
    gui.add_uplot(
        (time, *values),
        ({"label": "time [s]"}, *series),
        title=f"{panel.title}{unit}" + (f" ({len(curves)} of {len(panel.curves)})" if more else ""),
        scales={"x": {"time": False}},
        axes=({"label": "time [s]"}, {"label": panel.unit or "value"}),
        legend={"show": len(curves) > 1},
        aspect=size,
    )


def _range(values: Array) -> float:
    known = values[np.isfinite(values)]
    return float(np.ptp(known)) if known.size else 0.0
