r"""Trajectories of joints: time series made continuous, and moves with trapezoidal speed.

Between the knots $t_k$ of a `JointTrajectory` each joint follows the polynomial of degree 5 that has the positions,
velocities and accelerations of both knots, so that the whole is twice continuously differentiable. Where a series has
positions alone, the velocities and accelerations of knots are those of the cubic spline through them, with the third
derivative continuous at the second and the last but one knot; the polynomials are then those of the spline.

A `Trapezoid` goes from one position to another with constant acceleration, constant speed and the opposite
acceleration; all joints begin and end together, and the slowest one keeps its limits.

Leboutet 2022, appendix B (trajectories of the identification experiments).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.model import Joint
from floatbase.robot import Robot
from floatbase.simulation.laws import require_positive
from floatbase.spatial.arrays import Array


class JointMotion(NamedTuple):
    """Positions, velocities and accelerations (..., joints)."""

    position: Array
    velocity: Array
    acceleration: Array


@dataclass(frozen=True, eq=False)
class JointTrajectory:
    """A time series (n,) of positions (n, joints), and velocities and accelerations of the same shape, both or none."""

    time: Array
    position: Array
    velocity: Array | None = None
    acceleration: Array | None = None

    def __post_init__(self) -> None:
        time, position = np.array(self.time, dtype=float), np.array(self.position, dtype=float)
        if time.ndim != 1 or len(time) < 4 or position.ndim != 2 or len(position) != len(time):
            raise ShapeError(
                f"time has shape {time.shape} and position {position.shape}; they must be (n,) and (n, joints) with at "
                "least four samples"
            )
        if (self.velocity is None) != (self.acceleration is None):
            raise ArgumentError("velocity and acceleration must both be given, or neither")
        given = {"time": time, "position": position}
        for name in ("velocity", "acceleration"):
            if getattr(self, name) is not None:
                given[name] = np.array(getattr(self, name), dtype=float)
                if given[name].shape != position.shape:
                    raise ShapeError(f"{name} has shape {given[name].shape}; it must be {position.shape}, as position")
        for name, value in given.items():
            if not np.isfinite(value).all():
                place = np.argwhere(~np.isfinite(value))[0].tolist()
                raise ArgumentError(f"{name} contains NaN or infinity at {place}; all numbers must be finite")
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if not (np.diff(time) > 0.0).all():
            k = int(np.argmin(np.diff(time) > 0.0))
            raise ArgumentError(f"time does not increase: {time[k]!r} is followed by {time[k + 1]!r} at sample {k + 1}")

    @property
    def duration(self) -> float:
        """From the first sample to the last, s."""
        return float(self.time[-1] - self.time[0])

    def __call__(self, time: Any) -> JointMotion:
        """The motion at times (...) [s] between the first sample and the last."""
        t = np.asarray(time, dtype=float)
        if not ((t >= self.time[0]) & (t <= self.time[-1])).all():
            raise ArgumentError(
                f"time is from {np.min(t):g} to {np.max(t):g}; the trajectory is from {self.time[0]:g} to "
                f"{self.time[-1]:g}"
            )
        k = np.clip(np.searchsorted(self.time, t, side="right") - 1, 0, len(self.time) - 2)
        h = (self.time[k + 1] - self.time[k])[..., None]
        s = (t - self.time[k])[..., None] / h
        c = self._coefficients[k]
        powers = [c[..., i, :] for i in range(6)]
        position = _polynomial(powers, s)
        velocity = _polynomial([i * powers[i] for i in range(1, 6)], s) / h
        acceleration = _polynomial([i * (i - 1) * powers[i] for i in range(2, 6)], s) / h**2
        return JointMotion(position, velocity, acceleration)

    def resampled(self, rate: float) -> JointTrajectory:
        """The same at `rate` samples per second."""
        require_positive(rate=rate)
        count = int(np.floor(self.duration * rate * (1.0 + 1e-12)))
        time = np.minimum(self.time[0] + np.arange(count + 1) / rate, self.time[-1])
        return JointTrajectory(time, *self(time))

    def check_limits(self, robot: Robot, joints: tuple[str, ...] | None = None) -> None:
        """Raise unless positions and velocities of all samples are within the limits of joints of a robot.

        joints: the names of the columns, by default all of the robot.
        """
        names = robot.joint_names if joints is None else tuple(joints)
        if len(names) != self.position.shape[1]:
            raise ShapeError(f"the trajectory has {self.position.shape[1]} joints; {len(names)} names are given")
        known: dict[str, Joint] = {joint.name: joint for joint in robot.model.joints}
        motion = self(self.time)
        for column, name in enumerate(names):
            if name not in known:
                raise ArgumentError(f"robot {robot.name!r} has no joint {name!r}")
            limits = known[name].limits
            for what, values, lower, upper in (
                ("position", motion.position[:, column], limits.lower, limits.upper),
                ("velocity", motion.velocity[:, column], -limits.velocity, limits.velocity),
            ):
                outside = (values < lower - 1e-9) | (values > upper + 1e-9)
                if outside.any():
                    k = int(np.argmax(outside))
                    raise ArgumentError(
                        f"the {what} of joint {name!r} is {values[k]:.6g} at {self.time[k]:.6g} s; it must be from "
                        f"{lower:.6g} to {upper:.6g}"
                    )

    @cached_property
    def _coefficients(self) -> Array:
        """Of the powers of the time since a knot, relative to the interval (n - 1, 6, joints)."""
        v, a = self.velocity, self.acceleration
        if v is None or a is None:
            v, a = _spline(self.time, self.position)
        h = np.diff(self.time)[:, None]
        p, q = self.position[:-1], self.position[1:]
        v0, v1, a0, a1 = v[:-1] * h, v[1:] * h, a[:-1] * h**2, a[1:] * h**2
        d = q - p - v0 - 0.5 * a0
        e, f = v1 - v0 - a0, a1 - a0
        return np.stack(
            [p, v0, 0.5 * a0, 10 * d - 4 * e + 0.5 * f, -15 * d + 7 * e - f, 6 * d - 3 * e + 0.5 * f], axis=1
        )


@dataclass(frozen=True, eq=False)
class Trapezoid:
    """A move between positions (joints,) with largest speeds and accelerations, numbers or one for each joint."""

    start: Array
    goal: Array
    speed: Any
    acceleration: Any

    def __post_init__(self) -> None:
        require_positive(speed=self.speed, acceleration=self.acceleration)
        start, goal = np.array(self.start, dtype=float), np.array(self.goal, dtype=float)
        if start.ndim != 1 or start.shape != goal.shape:
            raise ShapeError(f"start has shape {start.shape} and goal {goal.shape}; both must be (joints,)")
        for name, value in (("start", start), ("goal", goal)):
            if not np.isfinite(value).all():
                raise ArgumentError(f"{name} is {value}; all numbers must be finite")
            value.flags.writeable = False
            object.__setattr__(self, name, value)

    @cached_property
    def times(self) -> tuple[float, float]:
        """How long the motion speeds up, and how long it lasts [s]."""
        distance = np.abs(self.goal - self.start)
        speed, acceleration = (
            np.broadcast_to(self.speed, distance.shape),
            np.broadcast_to(self.acceleration, distance.shape),
        )
        moved = distance > 0.0
        if not moved.any():
            return 0.0, 0.0
        # relative to the distance: of the slowest joint in each respect
        v = float(np.min(speed[moved] / distance[moved]))
        a = float(np.min(acceleration[moved] / distance[moved]))
        rise = min(v / a, float(np.sqrt(1.0 / a)))
        return rise, rise + 1.0 / (a * rise)

    @property
    def duration(self) -> float:
        """How long the motion lasts, s."""
        return self.times[1]

    def __call__(self, time: Any) -> JointMotion:
        """The motion at times (...) [s]; at rest before 0 and after the duration."""
        rise, total = self.times
        t = np.clip(np.asarray(time, dtype=float), 0.0, total)[..., None]
        inside = ((np.asarray(time) >= 0.0) & (np.asarray(time) < total))[..., None]
        if total == 0.0:
            nothing = np.zeros((*np.shape(time), len(self.start)))
            return JointMotion(self.start + nothing, nothing, nothing)
        a = 1.0 / (rise * (total - rise))
        left = total - t
        s = np.where(
            t < rise, 0.5 * a * t**2, np.where(left < rise, 1.0 - 0.5 * a * left**2, a * rise * (t - 0.5 * rise))
        )
        rate = a * np.minimum(np.minimum(t, left), rise)
        second = np.where(inside, np.where(t < rise, a, np.where(left <= rise, -a, 0.0)), 0.0)
        way = self.goal - self.start
        return JointMotion(self.start + way * s, way * rate, way * second)


def _polynomial(coefficients: list[Array], s: Array) -> Array:
    total = coefficients[-1]
    for coefficient in coefficients[-2::-1]:
        total = total * s + coefficient
    return total


def _spline(time: Array, position: Array) -> tuple[Array, Array]:
    """Velocities and accelerations at the knots of the cubic spline without a knot at the second and last but one."""
    h = np.diff(time)
    slopes = np.diff(position, axis=0) / h[:, None]
    n = len(time)
    lower, diagonal, upper = np.zeros(n), np.ones(n), np.zeros(n)
    right = np.zeros_like(position)
    lower[1:-1], diagonal[1:-1], upper[1:-1] = h[:-1], 2.0 * (h[:-1] + h[1:]), h[1:]
    right[1:-1] = 6.0 * (slopes[1:] - slopes[:-1])
    # the accelerations of the ends continue those of their neighbours in a straight line: put into the next equations
    first, last = h[0] / h[1], h[-1] / h[-2]
    diagonal[1] += lower[1] * (1.0 + first)
    upper[1] -= lower[1] * first
    diagonal[-2] += upper[-2] * (1.0 + last)
    lower[-2] -= upper[-2] * last
    a = np.zeros_like(position)
    c, d = np.zeros(n), np.zeros_like(position)
    c[1], d[1] = upper[1] / diagonal[1], right[1] / diagonal[1]
    for k in range(2, n - 1):
        pivot = diagonal[k] - lower[k] * c[k - 1]
        c[k], d[k] = upper[k] / pivot, (right[k] - lower[k] * d[k - 1]) / pivot
    a[n - 2] = d[n - 2]
    for k in range(n - 3, 0, -1):
        a[k] = d[k] - c[k] * a[k + 1]
    a[0] = a[1] + first * (a[1] - a[2])
    a[-1] = a[-2] + last * (a[-2] - a[-3])
    v = np.empty_like(position)
    v[:-1] = slopes - h[:, None] * (2.0 * a[:-1] + a[1:]) / 6.0
    v[-1] = slopes[-1] + h[-1] * (a[-2] + 2.0 * a[-1]) / 6.0
    return v, a
