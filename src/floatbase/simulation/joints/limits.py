r"""Limits of joints: hard stops, and what torque a motor can give at a speed.

A stop is a spring and a damper that push back alone. At the upper stop, with the depth $p = \max(0, q - q_{max})$,

$$ \tau = -\max\bigl( 0,\ k\, p + d\, s\, \dot q \bigr), \qquad s = \min(1,\ p / p_d) , $$

and so at the lower stop, mirrored. The damping comes in over a depth $p_d$, so that the torque is continuous when the
stop is reached at speed, and a stop never pulls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import JointLaw, Numbers, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, zeros


@dataclass(frozen=True, eq=False)
class HardStops(JointLaw):
    """Stops at the ends of a joint's range; they obey no command.

    lower, upper: rad; `NO_LIMIT` away where there is none. spring, damper: N m/rad, N m s/rad. depth: over which
    the damping comes in, rad.
    """

    lower: Numbers
    upper: Numbers
    spring: Numbers
    damper: Numbers
    depth: Numbers = 1e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(spring=self.spring, depth=self.depth)
        require_not_negative(damper=self.damper)
        lower, upper = np.asarray(self.lower), np.asarray(self.upper)
        if lower.dtype != object and upper.dtype != object and not np.all(lower < upper):
            raise ArgumentError(f"lower is {self.lower!r} and upper {self.upper!r}; lower must be below upper")

    def command_size(self, joints: int) -> int:
        """None."""
        return 0

    def _at(self, depth: Array, speed: Array) -> tuple[Array, Array, Array]:
        """The push of a stop, its derivatives in the depth and in the speed into it."""
        inside = np.maximum(depth, 0.0)
        share = np.minimum(inside / self.depth, 1.0)
        push = self.spring * inside + self.damper * share * speed
        pushes = (inside > 0.0) & (push > 0.0)
        slope = self.spring + np.where(share < 1.0, self.damper * speed / self.depth, 0.0)
        return (
            np.where(pushes, push, 0.0),
            np.where(pushes, slope, 0.0),
            np.where(pushes, self.damper * share, 0.0),
        )

    def _both(self, position: Array, velocity: Array) -> tuple[tuple[Array, Array, Array], ...]:
        return self._at(self.lower - position, -velocity), self._at(position - self.upper, velocity)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The push of the lower stop upwards, or of the upper one downwards."""
        (lower, _, _), (upper, _, _) = self._both(position, velocity)
        return lower - upper

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the stop that is touched."""
        (_, _, lower), (_, _, upper) = self._both(position, velocity)
        return lower + upper

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """That of the stop that is touched."""
        (_, lower, _), (_, upper, _) = self._both(position, velocity)
        return lower + upper

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """There is no command to react to."""
        return zeros((0,), position, velocity)


@dataclass(frozen=True, eq=False)
class SpeedTorqueLimit(JointLaw):
    r"""The torques that a motor can give at a speed: those asked, within what its supply allows.

    In the direction of the motion the bound falls from `limit` at the speed `knee` to 0 at `speed`,

    $$ \bar\tau(\dot q) = \tau_{max}\, \min\Bigl( 1,\ \max\Bigl( 0,\
       \frac{\dot q_{max} - \dot q}{\dot q_{max} - \dot q_{knee}} \Bigr) \Bigr), \qquad
       -\bar\tau(-\dot q) \le \tau \le \bar\tau(\dot q) . $$

    limit: N m. knee, speed: rad/s, knee < speed.
    """

    limit: Numbers
    knee: Numbers
    speed: Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(limit=self.limit, speed=self.speed)
        require_not_negative(knee=self.knee)
        knee, speed = np.asarray(self.knee), np.asarray(self.speed)
        if knee.dtype != object and speed.dtype != object and np.any(knee >= speed):
            raise ArgumentError(f"knee is {self.knee!r} and speed {self.speed!r}; the knee must be at a lower speed")

    def bound(self, velocity: Array) -> Array:
        """The greatest torque; the least is minus that at the opposite velocity."""
        share = (self.speed - velocity) / (self.speed - self.knee)
        return self.limit * np.minimum(np.maximum(share, 0.0), 1.0)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The torque asked, or the bound."""
        return np.minimum(np.maximum(command, -self.bound(-velocity)), self.bound(velocity))

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The slope of the bound, where the torque is at a bound that falls."""
        slope = self.limit / (self.speed - self.knee)
        up = (command > self.bound(velocity)) & (velocity > self.knee) & (velocity < self.speed)
        down = (command < -self.bound(-velocity)) & (velocity < -self.knee) & (velocity > -self.speed)
        return np.where(up | down, slope + 0.0 * velocity, 0.0)

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: the bound does not depend on the position."""
        return zeros((position.shape[-1],), position, velocity)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """One between the bounds, zero beyond."""
        inside = (command <= self.bound(velocity)) & (command >= -self.bound(-velocity))
        return np.where(inside, 1.0 + 0.0 * command, 0.0)
