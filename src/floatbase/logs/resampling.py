r"""Signals at other times, and several signals on one clock.

Between two samples a signal is a straight line, or holds the earlier one, or, if it is an orientation, turns at a
constant rate about a fixed axis:

$$ Q(t) = Q_k \exp(u \log(Q_k^{-1} Q_{k+1})), \quad u = (t - t_k) / (t_{k+1} - t_k), $$

the shorter way (K. Shoemake, 1985). There is no value before the first sample, after the last, beside a NaN, and in
gaps longer than the caller allows: the result is NaN there.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from floatbase.errors import ArgumentError
from floatbase.logs.log import Log
from floatbase.logs.signals import Array, Signal, as_time, require_increasing
from floatbase.spatial.rotations import multiply_quaternions, quaternion_exponential, quaternion_logarithm

Method = Literal["linear", "hold"]


def resample(
    signal: Signal, time: npt.ArrayLike, *, method: Method | None = None, longest_gap: float | None = None
) -> Signal:
    """A signal at other times (m,), seconds.

    method: "linear" (orientations: at a constant rate of turning) or "hold" the latest sample; by default linear for
        fractional numbers and hold for whole ones and truth values.
    longest_gap: between samples further apart than this, seconds, there is no value.

    Whole numbers and truth values know no NaN: where such a signal has no value, that is an error.
    """
    stamps = as_time(signal.name, time)
    require_increasing(signal.name, signal.time, purpose="resampling")
    fractional = signal.values.dtype.kind == "f"
    if method not in (None, "linear", "hold"):
        raise ArgumentError(f"method is {method!r}; it must be 'linear' or 'hold'")
    if longest_gap is not None and not longest_gap > 0:
        raise ArgumentError(f"longest_gap is {longest_gap!r}; it must be positive, in seconds")
    linear = method == "linear" or (method is None and fractional)
    if linear and signal.values.dtype.kind == "b":
        raise ArgumentError(f"{signal.name!r} holds truth values, between which there are none; use method='hold'")
    before, after, fraction = _places(signal.time, stamps)
    missing = before < 0
    if longest_gap is not None and len(signal.time):
        inside = fraction > 0.0
        missing |= inside & (signal.time[after] - signal.time[before] > longest_gap)
    if not len(signal.time):
        shape = (len(stamps), *signal.values.shape[1:])
        return signal.with_values(np.full(shape, np.nan), time=stamps)
    values = _blend(signal, before, after, fraction) if linear else signal.values[before]
    if missing.any():
        if values.dtype.kind != "f":
            k = int(np.argmax(missing))
            raise ArgumentError(
                f"{signal.name!r} holds whole numbers or truth values, and has none at {float(stamps[k])!r} s, outside "
                "its samples or in a gap"
            )
        values[missing] = np.nan
    return signal.with_values(values, time=stamps)


def align(
    log: Log,
    *,
    rate: float | None = None,
    time: npt.ArrayLike | None = None,
    group: str | None = None,
    method: Method | None = None,
    longest_gap: float | None = None,
) -> Log:
    """All signals on one clock, for which one of three is given; see `resample`.

    rate: a regular clock, Hz, from the latest of the groups' first stamps to the earliest of their last ones.
    time: these stamps (m,), seconds.
    group: the stamps of this group.
    """
    given = [name for name, value in (("rate", rate), ("time", time), ("group", group)) if value is not None]
    if len(given) != 1:
        raise ArgumentError(f"a clock is given by one of rate, time and group; got {', '.join(given) or 'none'}")
    if rate is not None:
        stamps = _regular(log, rate)
    else:
        stamps = log.time(group) if group is not None else as_time("the clock", time if time is not None else [])
    require_increasing("the clock", stamps, purpose="a clock")
    signals = tuple(resample(item, stamps, method=method, longest_gap=longest_gap) for item in log.signals)
    if rate is None and group is not None:
        rate = log.rates.get(group)
    return Log(signals, dict.fromkeys(log.groups, rate) if rate else {}, log.metadata)


def fill(signal: Signal, longest: float) -> Signal:
    """Samples that are NaN, from those beside them, if these are at most `longest` seconds apart.

    Rows of orientations are filled as a whole, other columns each for itself. NaN at the beginning and the end stay.
    """
    if signal.values.dtype.kind != "f":
        return signal
    require_increasing(signal.name, signal.time, purpose="filling")
    if signal.orientation or signal.values.ndim == 1:
        whole = ~np.isnan(signal.values if signal.values.ndim == 1 else signal.values.sum(axis=1))
        kept = signal.rows(whole)
        filled = resample(kept, signal.time, method="linear", longest_gap=longest).values.copy()
        filled[whole] = signal.values[whole]
        return signal.with_values(filled)
    columns = [
        fill(Signal(signal.name, signal.time, signal.values[:, k], (), (unit,)), longest).values
        for k, unit in enumerate(signal.units)
    ]
    return signal.with_values(np.stack(columns, axis=1))


def _regular(log: Log, rate: float) -> Array:
    if not (np.isfinite(rate) and rate > 0):
        raise ArgumentError(f"rate is {rate!r}; it must be a positive number, in Hz")
    times = [log.time(name) for name in log.groups]
    if not times or min(len(time) for time in times) == 0:
        raise ArgumentError("a log with an empty group, or none, has no common span")
    start, stop = max(float(time[0]) for time in times), min(float(time[-1]) for time in times)
    if stop < start:
        raise ArgumentError(f"the groups have no common span: one begins at {start} s, after another ends at {stop} s")
    return start + np.arange(int(np.floor((stop - start) * rate * (1 + 1e-12) + 1e-9)) + 1) / rate


def _places(known: Array, time: Array) -> tuple[Array, Array, Array]:
    """Numbers of the samples before and after, and how far between; -1, and 0, outside."""
    if not len(known):
        none = np.full(len(time), -1)
        return none, none, np.zeros(len(time))
    rounding = 4 * np.finfo(np.float64).eps * max(abs(known[0]), abs(known[-1]))  # of clocks that are computed
    time = np.where((time > known[-1]) & (time <= known[-1] + rounding), known[-1], time)
    time = np.where((time < known[0]) & (time >= known[0] - rounding), known[0], time)
    before = np.searchsorted(known, time, "right") - 1
    outside = (before < 0) | (time > known[-1])
    before = np.where(outside, 0, before)
    after = np.minimum(before + 1, len(known) - 1)
    step = known[after] - known[before]
    fraction = np.where(step > 0, (time - known[before]) / np.where(step > 0, step, 1.0), 0.0)
    fraction = np.where(outside, 0.0, fraction)
    return np.where(outside, -1, before), after, fraction


def _blend(signal: Signal, before: Array, after: Array, fraction: Array) -> Array:
    values = signal.values if signal.values.dtype.kind == "f" else signal.values.astype(np.float64)
    first, second = values[before], values[after]
    exact = fraction == 0.0  # beside a NaN, samples themselves stay
    if signal.orientation:
        return _turned(first.astype(np.float64), second.astype(np.float64), fraction, exact).astype(values.dtype)
    part = fraction.astype(values.dtype)
    if values.ndim == 2:
        part, exact = part[:, None], exact[:, None]
    return np.where(exact, first, first + part * (second - first))


def _turned(first: Array, second: Array, fraction: Array, exact: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        first = first / np.linalg.norm(first, axis=1, keepdims=True)
        second = second / np.linalg.norm(second, axis=1, keepdims=True)
        second = np.where(exact[:, None], first, second)
        back = first * np.array([1.0, -1.0, -1.0, -1.0])
        turn = quaternion_logarithm(multiply_quaternions(back, second))
        return np.asarray(multiply_quaternions(first, quaternion_exponential(fraction[:, None] * turn)))
