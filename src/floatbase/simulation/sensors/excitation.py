r"""Motions that excite what sensors are to identify: from point to point, and slow sweeps.

**From point to point** every joint goes from target to target in a time $T$ with the least jerk,

$$ q(t) = q_0 + (q_1 - q_0)\, (10 \tau^3 - 15 \tau^4 + 6 \tau^5), \qquad \tau = t / T, $$

whose speed is at most $\tfrac{15}{8} |q_1 - q_0| / T$. Targets are drawn between limits; times of moves of 10, 5, 2, 1
and 0.5 s go from slow motions, for masses, to fast ones, for inertias.

**A sweep** moves two joints by sinusoids of incommensurable frequencies, so slowly that the robot is nearly at rest:
force/torque sensors then see gravity from all sides. For a range $r$ and a largest speed $p$ the amplitude is $r / 2$
and $\omega = 2 p / r$ for the first joint; the second is slower by the golden ratio, or as its speed demands.

Traversaro 2017, sections 5.4, 6.4 and 7.5: 70 and 90 degrees at 2 degrees per second at the hip; 60 s of moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.laws import require_positive
from floatbase.simulation.sensors.trajectories import JointMotion
from floatbase.spatial.arrays import Array

MOVE_TIMES = (10.0, 5.0, 2.0, 1.0, 0.5)  # s
HIP_RANGES = (float(np.deg2rad(70.0)), float(np.deg2rad(90.0)))
SWEEP_SPEED = float(np.deg2rad(2.0))  # rad/s
_GOLDEN = (1.0 + np.sqrt(5.0)) / 2.0


@dataclass(frozen=True, eq=False)
class PointToPoint:
    """Moves through targets (n, joints), the first of which is the start, each in `move_time` seconds."""

    targets: Array
    move_time: float

    def __post_init__(self) -> None:
        require_positive(move_time=self.move_time)
        targets = np.array(self.targets, dtype=float)
        if targets.ndim != 2 or len(targets) < 2:
            raise ShapeError(f"targets has shape {targets.shape}; it must be (n, joints) with at least two")
        if not np.isfinite(targets).all():
            raise ArgumentError("targets contains NaN or infinity; all numbers must be finite")
        targets.flags.writeable = False
        object.__setattr__(self, "targets", targets)

    @classmethod
    def random(
        cls, lower: Any, upper: Any, move_time: float, *, duration: float = 60.0, seed: int = 0, start: Any = None
    ) -> Self:
        """Targets drawn between limits (joints,), for a duration in s; the first one is `start`, drawn if not given."""
        lower, upper = np.asarray(lower, dtype=float), np.asarray(upper, dtype=float)
        if lower.ndim != 1 or lower.shape != upper.shape:
            raise ShapeError(f"lower has shape {lower.shape} and upper {upper.shape}; both must be (joints,)")
        if not (np.isfinite(lower) & np.isfinite(upper) & (lower <= upper)).all():
            raise ArgumentError(f"lower is {lower} and upper {upper}; they must be finite, lower not above upper")
        require_positive(move_time=move_time, duration=duration)
        count = max(1, int(np.ceil(duration / move_time * (1.0 - 1e-12))))
        targets = np.random.default_rng(seed).uniform(lower, upper, (count + 1, len(lower)))
        if start is not None:
            targets[0] = start
        return cls(targets, move_time)

    @property
    def duration(self) -> float:
        """How long all moves last, s."""
        return (len(self.targets) - 1) * self.move_time

    def __call__(self, time: Any) -> JointMotion:
        """The motion at times (...) [s]; at rest before 0 and after the duration."""
        t = np.clip(np.asarray(time, dtype=float), 0.0, self.duration)
        k = np.minimum((t / self.move_time).astype(int), len(self.targets) - 2)
        s = ((t - k * self.move_time) / self.move_time)[..., None]
        way = self.targets[k + 1] - self.targets[k]
        position = self.targets[k] + way * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
        velocity = way * 30.0 * s**2 * (1.0 - s) ** 2 / self.move_time
        acceleration = way * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / self.move_time**2
        return JointMotion(position, velocity, acceleration)


@dataclass(frozen=True)
class TwoAxisSweep:
    """A slow sweep of two joints about `center` (2) over `ranges` (2) [rad], never faster than `speed` [rad/s]."""

    center: tuple[float, float] = (0.0, 0.0)
    ranges: tuple[float, float] = HIP_RANGES
    speed: float = SWEEP_SPEED

    def __post_init__(self) -> None:
        require_positive(ranges=self.ranges, speed=self.speed)
        for name in ("center", "ranges"):
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != (2,) or not np.isfinite(value).all():
                raise ShapeError(f"{name} is {getattr(self, name)!r}; it must have two finite numbers")

    @property
    def frequencies(self) -> Array:
        """Of both sinusoids, rad/s."""
        first, second = (2.0 * self.speed / each for each in self.ranges)
        return np.array([first, min(first / _GOLDEN, second)])

    def __call__(self, time: Any) -> JointMotion:
        """The motion (..., 2) at times (...) [s], from the centre on."""
        w, amplitude = self.frequencies, 0.5 * np.asarray(self.ranges)
        phase = w * np.asarray(time, dtype=float)[..., None]
        position = np.asarray(self.center) + amplitude * np.sin(phase)
        return JointMotion(position, amplitude * w * np.cos(phase), -amplitude * w**2 * np.sin(phase))
