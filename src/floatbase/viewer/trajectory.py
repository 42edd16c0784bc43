"""A motion that is shown: configurations over time, with the forces that act meanwhile and signals to plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError, ShapeError, unknown_name
from floatbase.logs.plots import Panel
from floatbase.model import Tree
from floatbase.simulation import Recording
from floatbase.viewer.mesh import Array
from floatbase.viewer.poses import checked_configurations, quaternion_places


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A motion.

    time: (n,), seconds, increasing.
    q: (n, nq), configurations.
    forces: (n, 3) by the names of frames, at whose origins they act on the robot; N, in world axes.
    panels: curves that are shown beside the robot.
    """

    time: Array
    q: Array
    forces: Mapping[str, Array] = field(default_factory=dict)
    panels: tuple[Panel, ...] = ()

    def __post_init__(self) -> None:
        time, q = np.array(self.time, dtype=np.float64), np.array(self.q, dtype=np.float64)
        if time.ndim != 1 or q.ndim != 2 or len(q) != len(time) or not len(time):
            raise ShapeError(f"a motion needs time (n,) and q (n, nq), n at least 1; got {time.shape} and {q.shape}")
        if not np.isfinite(time).all() or (np.diff(time) <= 0.0).any():
            raise ArgumentError("the time stamps of a motion must be finite and increase")
        forces = {name: np.array(values, dtype=np.float64) for name, values in self.forces.items()}
        for name, values in forces.items():
            if values.shape != (len(time), 3):
                raise ShapeError(f"the forces at {name!r} must be of shape ({len(time)}, 3), got {values.shape}")
        object.__setattr__(self, "time", time)
        object.__setattr__(self, "q", q)
        object.__setattr__(self, "forces", forces)

    def __len__(self) -> int:
        return len(self.time)

    @property
    def duration(self) -> float:
        """Seconds from the first configuration to the last."""
        return float(self.time[-1] - self.time[0])

    def at(self, tree: Tree, times: npt.ArrayLike) -> Array:
        """Configurations (m, nq) at some times (m,): linear between samples, quaternions along the shorter way."""
        return interpolated(tree, self.time, self.q, np.asarray(times, dtype=np.float64))

    def forces_at(self, times: npt.ArrayLike) -> dict[str, Array]:
        """The forces (m, 3) at some times (m,); NaN where the sample next to it is."""
        chosen = np.asarray(times, dtype=np.float64)
        return {name: _linear(self.time, values, chosen) for name, values in self.forces.items()}

    def between(self, start: float | None = None, stop: float | None = None) -> Trajectory:
        """The samples with `start <= time <= stop`, seconds."""
        low, high = -np.inf if start is None else start, np.inf if stop is None else stop
        kept = (self.time >= low) & (self.time <= high)
        if not kept.any():
            raise ArgumentError(f"the motion, from {self.time[0]:g} s to {self.time[-1]:g} s, has no sample there")
        return Trajectory(
            self.time[kept], self.q[kept], {name: values[kept] for name, values in self.forces.items()}, self.panels
        )

    def resampled(self, tree: Tree, most: int) -> Trajectory:
        """With at most `most` samples, evenly spaced if there were more; the panels stay."""
        if len(self) <= most:
            return self
        times = np.linspace(self.time[0], self.time[-1], most)
        return Trajectory(times, self.at(tree, times), self.forces_at(times), self.panels)


def interpolated(tree: Tree, time: Array, q: Array, times: Array) -> Array:
    """Configurations (m, nq) between those of a motion, at some times (m,)."""
    q = checked_configurations(tree, q)
    result = _linear(time, q, times)
    for first in quaternion_places(tree):
        part = slice(first, first + 4)
        turned = q[:, part].copy()
        signs = np.where(np.einsum("ni,ni->n", turned[1:], turned[:-1]) < 0.0, -1.0, 1.0)
        turned[1:] *= np.cumprod(signs)[:, None]
        between = _linear(time, turned, times)
        length = np.linalg.norm(between, axis=1, keepdims=True)
        result[:, part] = between / np.where(length > 1e-9, length, 1.0)
    return result


def trajectory_of(tree: Tree, recording: Recording, contacts: Mapping[str, Any] | None = None) -> Trajectory:
    """The motion in the recording of one robot, which must have "q" among its signals.

    contacts: by the names of frames, the name of the signal that has the wrench there, or its samples (n, 3 or 6),
    force first, in world axes.
    """
    if "q" not in recording.signals:
        raise unknown_name("signal", "q", recording.signals)
    forces = {}
    for frame, signal in (contacts or {}).items():
        values = recording[signal] if isinstance(signal, str) else np.asarray(signal, dtype=np.float64)
        forces[frame] = values[..., :3]
    q = np.asarray(recording["q"], dtype=np.float64)
    if q.ndim != 2:
        raise ShapeError(
            f"the recording holds a batch, q is of shape {q.shape}; choose one motion of it, (n, {tree.nq})"
        )
    return Trajectory(recording.time, q, forces)


def _linear(time: Array, values: Array, times: Array) -> Array:
    """Columns of values (n, k) at some times, linear between samples, constant outside."""
    if len(time) == 1:
        return np.repeat(values, len(times), axis=0)
    after = np.clip(np.searchsorted(time, times, "right"), 1, len(time) - 1)
    weight = np.clip((times - time[after - 1]) / (time[after] - time[after - 1]), 0.0, 1.0)[:, None]
    result: Array = (1.0 - weight) * values[after - 1] + weight * values[after]
    return result
