r"""When a sensor takes samples, how late they come and how surely.

A sensor in a loop of period $dt$ samples at the first tick at or after each of the times $t_0 + k T$, and its last
sample is held in between. A sample that is lost is held over by the one before. What is read at a tick is what was
held a delay before.

A clock counts the ticks that remain until the next sample; sensors of one rate and phase share one. A sample is always
taken at the first tick, so that there is something to hold, and this one is not lost.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError
from floatbase.simulation.laws import join
from floatbase.simulation.sensors.distortions import Counts, Distortion
from floatbase.spatial.arrays import Array, components, vector, zeros

LONGEST_DELAY = 10_000  # ticks
_CLOSE = 1e-9  # relative, below which a ratio of times counts as whole


@dataclass(frozen=True)
class Sampling:
    """Times of samples.

    rate: Hz, None for a sample at every tick. delay: s, rounded to whole ticks. dropout: the probability that a sample
    is lost. phase: s, the time of the first regular sample.
    """

    rate: float | None = None
    delay: float = 0.0
    dropout: float = 0.0
    phase: float = 0.0

    def __post_init__(self) -> None:
        if self.rate is not None and not (math.isfinite(self.rate) and self.rate > 0.0):
            raise ArgumentError(f"rate is {self.rate!r}; it must be positive and finite, in Hz, or None for every tick")
        for name in ("delay", "phase"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ArgumentError(f"{name} is {value!r}; it must be finite and not negative, in s")
        if not 0.0 <= self.dropout < 1.0:
            raise ArgumentError(f"dropout is {self.dropout!r}; it is a probability, from 0 to below 1")

    def check(self, what: str, dt: float) -> None:
        """Raise unless a loop of period `dt` can keep up."""
        if self.rate is not None and self.rate * dt > 1.0 + _CLOSE:
            raise ArgumentError(
                f"{what} samples at {self.rate:g} Hz, but the loop runs at {1.0 / dt:g} Hz; it must be as fast at least"
            )
        if self.delay / dt > LONGEST_DELAY:
            raise ArgumentError(f"{what}: the delay of {self.delay:g} s is more than {LONGEST_DELAY} ticks of {dt:g} s")

    def period(self, dt: float) -> float:
        """Time between samples [s]."""
        return dt if self.rate is None else 1.0 / self.rate

    def clock(self, dt: float) -> tuple[float, float]:
        """Ticks between samples, and until the first regular one; (1, 0) for a sample at every tick."""
        return (1.0, 0.0) if self.rate is None else (_ticks(1.0 / (self.rate * dt)), _ticks(self.phase / dt))

    def delay_ticks(self, dt: float) -> int:
        """The delay in whole ticks."""
        return round(self.delay / dt)

    def holds(self) -> bool:
        """Whether there are ticks without a sample."""
        return self.rate is not None or self.dropout > 0.0

    def memory_size(self, size: int, dt: float) -> int:
        """What is held, and the readings that are under way, each with whether it is fresh."""
        return size * self.holds() + self.delay_ticks(dt) * (size + 1)

    def per_sample(self) -> Counts:
        """One number for whether a sample is lost."""
        return Counts(0, int(self.dropout > 0.0))

    def take(
        self,
        errors: Distortion,
        ideal: Array,
        memory: Array,
        draws: tuple[Array, Array],
        clock: tuple[Any, Any],
        dt: float,
    ) -> tuple[Array, Array, Array]:
        """The reading (..., size), whether it is fresh (..., 1), and the memory (of `errors`, then own) after a tick.

        draws: standard normal and uniform numbers, of `errors` and then own; clock: whether a sample is due, None if
        always, and whether this is the first tick.
        """
        size, due, first = ideal.shape[-1], *clock
        wanted, kept = errors.per_sample(size), errors.memory_size(size)
        normals, uniforms = draws
        value, after = errors.sample(
            ideal, memory[..., :kept], normals, uniforms[..., : wanted.uniforms], self.period(dt), first
        )
        flag = zeros((1,), memory) + 1.0
        if self.holds():
            fresh = due
            if due is not None:
                after = np.where(_column(due), after, memory[..., :kept])
            if self.dropout > 0.0:
                fresh = np.logical_or(uniforms[..., wanted.uniforms][()] >= self.dropout, first)
                fresh = fresh if due is None else np.logical_and(due, fresh)
            value = np.where(_column(fresh), value, memory[..., kept : kept + size])
            flag = np.where(_column(fresh), 1.0, flag * 0.0)
            after = join([after, value])
        count = self.delay_ticks(dt)
        if count:
            start = kept + size * self.holds()
            entry, still = join([value, flag]), join([value, 0.0 * flag])
            register = np.where(_column(first), join([still] * count), memory[..., start:])
            late = register[..., -(size + 1) :]
            value, flag = late[..., :size], late[..., size:]
            after = join([after, entry, register[..., : -(size + 1)]])
        return value, flag, after


def tick(clocks: tuple[tuple[float, float], ...], memory: Array) -> tuple[list[Any], Any, Array]:
    """Whether samples of each clock are due at a tick, whether it is the first tick, and the memory after it.

    clocks: (period, phase) of each in ticks; memory: (..., 1 + clocks), whether there were ticks before, and the ticks
    that remain until the next regular sample.
    """
    before, *remaining = components(memory)
    first = before < 0.5
    due, after = [], [0.0 * before + 1.0]
    for (period, _), left in zip(clocks, remaining, strict=True):
        regular = left <= _CLOSE * period
        due.append(np.logical_or(regular, first))
        after.append(np.where(regular, left + period, left)[()] - 1.0)
    return due, first, vector(after, memory)


def start(clocks: tuple[tuple[float, float], ...], batch: tuple[int, ...]) -> Array:
    """The memory of `tick` before the first one."""
    return np.broadcast_to(np.array([0.0, *(phase for _, phase in clocks)]), (*batch, 1 + len(clocks)))


def may_be_due(clock: tuple[float, float], ticks: Array) -> Array:
    """Whether a sample of a clock can be due at ticks (n,), however rounding falls: no others are."""
    period, phase = clock
    slack = 0.0 if period.is_integer() and phase.is_integer() else 1e-3 * period  # counts of whole ticks are exact
    before, after = (np.floor((ticks - phase + shift) / period) for shift in (-1.0 - slack, slack))
    result: Array = (np.maximum(after, -1.0) > np.maximum(before, -1.0)) | (ticks == 0)
    return result


def _ticks(ratio: float) -> float:
    whole = round(ratio)
    return float(whole) if abs(ratio - whole) <= _CLOSE * max(ratio, 1.0) else ratio


def _column(condition: Any) -> Any:
    return np.asanyarray(condition)[..., None]
