r"""What signals between a controller and a drive go through: delay, lag, quantisation, saturation.

A *filter* gives out a signal of the size that comes in, whatever that is: a command before a drive, or the torques
behind it. `Chain` puts them where they belong. A filter by itself takes torques.

A delay of $d$ steps is a shift register in memory. With a fraction $0 \le f < 1$ the signal between two steps is
interpolated,

$$ y_k = (1 - f)\, u_{k-d} + f\, u_{k-d-1} . $$

A lag of a time $T$, as a current or a torque loop has that follows what it is asked, is $T \dot y = u - y$ by backward
Euler: $y_k = y_{k-1} + (u_k - y_{k-1})\, dt / (T + dt)$.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import JointLaw, Numbers, join, require_not_negative, require_positive
from floatbase.spatial.arrays import Array, vector, zeros


class Filter(JointLaw):
    """Base of filters: `command` is the signal that comes in, and `torque` the one that comes out."""

    def begin(self, position: Array, velocity: Array) -> Array:
        """The memory of one through which torques go."""
        return self.begin_with(zeros((position.shape[-1],), position, velocity))

    def begin_with(self, signal: Array) -> Array:
        """The memory of one through which a signal has gone for long."""
        return signal[..., :0]

    def damping(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: a filter does not look at joints."""
        return 0.0 * command

    def stiffness(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: a filter does not look at joints."""
        return 0.0 * command

    @abstractmethod
    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The derivative of each number in what comes in."""


@dataclass(frozen=True, eq=False)
class Delay(Filter):
    """A signal some steps late; remembers it for so long.

    steps: whole steps (of the simulation, or of the controller where `Sampled` is around the delay). fraction: of a
    step more, 0 .. 1.
    """

    steps: int
    fraction: Numbers = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.steps, bool) or not isinstance(self.steps, int | np.integer) or self.steps < 0:
            raise ArgumentError(
                f"steps is {self.steps!r}; a delay is a whole number of steps that is not negative, and a fraction"
            )
        require_not_negative(fraction=self.fraction)
        if np.asarray(self.fraction).dtype != object and np.any(self.fraction > 1.0):
            raise ArgumentError(f"fraction is {self.fraction!r}; it must lie between 0 and 1, the rest is steps")

    @classmethod
    def of_time(cls, time: float, dt: float) -> Self:
        """A delay in seconds, for steps of a time `dt`."""
        require_positive(dt=dt)
        require_not_negative(time=time)
        steps = int(np.floor(time / dt * (1.0 + 1e-12)))
        return cls(steps, max(0.0, time / dt - steps))

    def memory_size(self, joints: int) -> int:
        """The signal now, and at each of the `steps` + 1 steps before."""
        return (self.steps + 2) * joints

    def begin_with(self, signal: Array) -> Array:
        """A register full of the signal."""
        return join([signal] * (self.steps + 2))

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """The signal goes in at the front, and the oldest is forgotten."""
        return join([command, memory[..., : -command.shape[-1]]])

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """What went in `steps` steps ago, or between that step and the one before."""
        size = command.shape[-1]
        late, later = memory[..., -2 * size : -size], memory[..., -size:]
        return late + self.fraction * (later - late)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step nothing comes through."""
        return 0.0 * command


@dataclass(frozen=True, eq=False)
class Lag(Filter):
    """A signal that is followed with a time constant, s; remembers what it has come to. 0 changes nothing."""

    time: Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(time=self.time)

    def memory_size(self, joints: int) -> int:
        """The signal that comes out."""
        return joints

    def begin_with(self, signal: Array) -> Array:
        """The signal."""
        return signal

    def sample(self, command: Array, position: Array, velocity: Array, memory: Array, dt: Any) -> Array:
        """Follow for the time of a step."""
        step = vector([dt], position, velocity)
        return memory + step / (self.time + step) * (command - memory)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """What it has come to."""
        return memory + 0.0 * command

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """Zero: within a step it is held."""
        return 0.0 * command


@dataclass(frozen=True, eq=False)
class Quantizer(Filter):
    """The nearest multiple of a step: a converter of so many bits. A step of 0 changes nothing."""

    step: Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        require_not_negative(step=self.step)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The multiple."""
        return quantized(command, self.step)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """One: that of the staircase on the whole."""
        return 0.0 * command + 1.0


@dataclass(frozen=True, eq=False)
class Saturation(Filter):
    """The signal within bounds, `-limit` .. `limit`."""

    limit: Numbers

    def __post_init__(self) -> None:
        super().__post_init__()
        require_positive(limit=self.limit)

    def torque(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """The signal, or the bound."""
        return np.minimum(np.maximum(command, -self.limit), self.limit)

    def gain(self, command: Array, position: Array, velocity: Array, memory: Array) -> Array:
        """One between the bounds, zero beyond."""
        return np.where(np.abs(command) <= self.limit, 1.0 + 0.0 * command, 0.0)


def quantized(signal: Array, step: Any) -> Array:
    """The nearest multiple of a step; the signal itself where the step is 0."""
    coarse = np.greater(step, 0.0)
    size = np.where(coarse, step, 1.0)
    return np.where(coarse, size * np.rint(signal / size), signal)
