r"""Smoothing, differentiation and decimation of signals with regular stamps.

* Savitzky-Golay: each sample becomes the value, or a derivative, of the polynomial that fits a window of samples best
  (A. Savitzky and M. Golay, 1964; the filter of Traversaro 2017). The window lies about the sample, or before it.
* Butterworth, forward and backward in time: no phase, and the square of one pass's gain, so $1/2$ (-6 dB) at the
  cut-off; used by Leboutet 2022 for joint positions.
* Central differences $\dot x_k = (x_{k+1} - x_{k-1}) / 2h$ (Leboutet 2022).
* Decimation: a Chebyshev filter of type I and order 8, 0.05 dB of ripple, cut-off at 0.8 of the new Nyquist frequency,
  forward and backward, then every n-th sample. Its gain is scaled to 1 at rest, where that of an even order would be
  the least of its ripple, 1.1 % too small after both passes. With the same filter for a regressor's columns and for the
  torques, the equation between them stays true (Leboutet 2022).
* Velocity with a window that adapts: the longest window before a sample, all of whose samples a line fits to within the
  encoder's noise (F. Janabi-Sharifi, V. Hayward, C.-S. Chen, 2000).

At the ends: windows about a sample use the polynomial of the first or last whole window; windows before a sample give
NaN until the first is whole; central differences become one-sided ones of second order; filters that run both ways
continue the signal by its odd reflection, $2 x_0 - x_k$, for fourteen of their longest time constants, or as far as it
goes. Ends are less exact than the rest: `signal.rows(slice(50, -50))` drops them. NaN and infinity are refused, since
filters would spread them: see `fill`. float32 is filtered in float64.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from floatbase.errors import ArgumentError, missing_dependency
from floatbase.logs.signals import Array, Signal, require_increasing
from floatbase.logs.units import per_second

JITTER = 0.05  # of a step between stamps, relative to their mean
_ORDER, _RIPPLE, _SHARE = 8, 0.05, 0.8  # of the filter before decimation
_LARGE, _THREADS = 1 << 20, 8  # from so many numbers on, columns are filtered by so many threads at most


def sample_rate(signal: Signal) -> float:
    """Samples per second, Hz; an error unless the stamps are regular to 5 %."""
    time = signal.time
    if len(time) < 2:
        raise ArgumentError(f"{signal.name!r} has {len(time)} samples; a rate needs two")
    require_increasing(signal.name, time, purpose="filtering")
    step = (time[-1] - time[0]) / (len(time) - 1)
    off = np.abs(np.diff(time) - step)
    k = int(np.argmax(off))
    if off[k] > JITTER * step:
        raise ArgumentError(
            f"the stamps of {signal.name!r} are not regular: a step of {time[k + 1] - time[k]:.6g} s at {time[k]:.6g} "
            f"s, where the mean is {step:.6g} s; resample it"
        )
    return float(1.0 / step)


def savitzky_golay(
    signal: Signal, window: int, order: int, *, derivative: int = 0, placed: Literal["about", "before"] = "about"
) -> Signal:
    """Smooth a signal, or differentiate it, by polynomials.

    window: samples, an odd number; order: of the polynomials, below the window.
    derivative: 0, 1 or 2, with respect to seconds.
    placed: the window lies "about" the sample, or "before" it and ends with it (causal, with a delay of the trend).
    """
    rate = _rate(signal)
    if not (isinstance(window, int) and window % 2 == 1 and window > 0):
        raise ArgumentError(f"window is {window!r}; it must be an odd positive number of samples")
    if window > len(signal.time):
        raise ArgumentError(f"window is {window}, but {signal.name!r} has {len(signal.time)} samples")
    if not (isinstance(order, int) and 0 <= order < window):
        raise ArgumentError(f"order is {order!r}; it must be from 0 to {window - 1} for a window of {window}")
    if derivative not in (0, 1, 2) or derivative > order:
        raise ArgumentError(f"derivative is {derivative!r}; it must be 0, 1 or 2 and at most the order, {order}")
    if placed not in ("about", "before"):
        raise ArgumentError(f"placed is {placed!r}; it must be 'about' or 'before'")
    scipy = _scipy()

    def smooth(x: Array) -> Array:
        if placed == "about":
            return np.asarray(scipy.savgol_filter(x, window, order, deriv=derivative, delta=1.0 / rate))
        weights = scipy.savgol_coeffs(window, order, deriv=derivative, delta=1.0 / rate, pos=window - 1, use="dot")
        valid = np.convolve(x, weights[::-1], "valid")
        return np.concatenate([np.full(window - 1, np.nan), valid])

    return _differentiated(_each(signal, smooth), derivative)


def lowpass(signal: Signal, cutoff: float, *, order: int = 4, zero_phase: bool = True) -> Signal:
    """A Butterworth low-pass filter.

    cutoff: Hz, of one pass. order: of one pass.
    zero_phase: run forward and backward; otherwise forward alone, which delays, from a steady start.
    """
    rate = _rate(signal)
    if not 0 < cutoff < rate / 2:
        raise ArgumentError(f"cutoff is {cutoff!r} Hz; it must be between 0 and half the rate, {rate / 2:.6g} Hz")
    if not (isinstance(order, int) and 1 <= order <= 12):
        raise ArgumentError(f"order is {order!r}; it must be from 1 to 12")
    return _filtered(signal, _scipy().butter(order, cutoff, fs=rate, output="sos"), zero_phase)


def differentiate(signal: Signal, times: int = 1) -> Signal:
    """Central differences, once, or twice one after the other."""
    rate = _rate(signal)
    if times not in (1, 2):
        raise ArgumentError(f"times is {times!r}; it must be 1 or 2")
    if len(signal.time) < 3:
        raise ArgumentError(f"{signal.name!r} has {len(signal.time)} samples; central differences need 3")

    def difference(x: Array) -> Array:
        for _ in range(times):
            x = np.gradient(x, 1.0 / rate, edge_order=2)
        return x

    return _differentiated(_each(signal, difference), times)


def decimate(signal: Signal, factor: int) -> Signal:
    """Every `factor`-th sample of the signal without what the new rate could not tell; see above. 1 changes nothing."""
    if not (isinstance(factor, int) and factor >= 1):
        raise ArgumentError(f"factor is {factor!r}; it must be a positive whole number")
    if factor == 1:
        return signal
    _rate(signal)
    sections = _scipy().cheby1(_ORDER, _RIPPLE, _SHARE / factor, output="sos")
    sections[0, :3] *= 10.0 ** (_RIPPLE / 20.0)
    smooth = _filtered(signal, sections, True)
    return smooth.rows(slice(None, None, factor))


def decimation_factor(rate: float, frequency: float) -> int:
    """$n = max(1, round(0.8 f / 2 f_d))$ for a rate f and the highest frequency f_d of interest, both in Hz.

    Leboutet 2022 rounds down, which gives 0 where the frequency is near half the rate.
    """
    if not (rate > 0 and frequency > 0):
        raise ArgumentError(f"rate and frequency must be positive, got {rate!r} and {frequency!r} Hz")
    return max(1, round(_SHARE * rate / (2.0 * frequency)))


def adaptive_velocity(signal: Signal, noise: float, *, longest: int = 50) -> Signal:
    """The velocity of a noisy or quantised position, from the past alone; see above. The first sample is NaN.

    noise: the largest error of a sample, in the signal's unit. longest: of windows, steps.
    """
    rate = _rate(signal)
    if not (np.isfinite(noise) and noise > 0):
        raise ArgumentError(f"noise is {noise!r}; it must be positive, in the unit of the signal")
    if not (isinstance(longest, int) and longest >= 1):
        raise ArgumentError(f"longest is {longest!r}; it must be a positive number of steps")

    def slope(x: Array) -> Array:
        found = np.full(len(x), np.nan)
        growing = np.ones(len(x), bool)
        for steps in range(1, min(longest, len(x) - 1) + 1):
            windows = np.lib.stride_tricks.sliding_window_view(x, steps + 1)
            place = np.arange(steps + 1) - steps / 2.0
            slopes = (windows * place).sum(axis=1) / (place * place).sum()
            fitted = windows.mean(axis=1)[:, None] + slopes[:, None] * place
            growing[:steps] = False
            growing[steps:] &= np.abs(windows - fitted).max(axis=1) <= noise
            if not growing.any():
                break
            found[growing] = slopes[growing[steps:]] * rate
        return found

    return _differentiated(_each(signal, slope), 1)


def _rate(signal: Signal) -> float:
    """The rate of a signal that can be filtered."""
    if signal.orientation:
        raise ArgumentError(f"{signal.name!r} is an orientation, which no filter of numbers keeps one")
    if signal.values.dtype.kind == "b":
        raise ArgumentError(f"{signal.name!r} holds truth values, which are not filtered")
    bad = ~np.isfinite(signal.values) if signal.values.dtype.kind == "f" else np.zeros(1, bool)
    if bad.any():
        row = int(np.argmax(bad.any(axis=1) if bad.ndim == 2 else bad))
        raise ArgumentError(
            f"{signal.name!r} has {int(bad.sum())} values that are NaN or infinite, the first at "
            f"{float(signal.time[row])!r} s; fill(signal, longest) fills short gaps, log.between leaves the rest out"
        )
    return sample_rate(signal)


def _each(signal: Signal, change: Callable[[Array], Array]) -> Signal:
    """Change every column for itself, in float64."""
    values = signal.values
    dtype = values.dtype if values.dtype.kind == "f" else np.dtype(np.float64)
    out = np.empty(values.shape, dtype, order="F")
    if values.ndim == 1:
        out[:] = change(values.astype(np.float64))
        return signal.with_values(out)

    def column(k: int) -> None:
        out[:, k] = change(values[:, k].astype(np.float64))

    threads = min(values.shape[1], _processors()) if values.size >= _LARGE else 1
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(column, range(values.shape[1])))
    return signal.with_values(out)


def _processors() -> int:
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(found, _THREADS)


def _filtered(signal: Signal, sections: Array, zero_phase: bool) -> Signal:
    scipy = _scipy()
    # as many samples as the slowest pole needs to fall to a millionth
    _, poles, _ = scipy.sos2zpk(sections)
    slowest = float(np.abs(poles).max())
    settle = int(np.ceil(np.log(1e-6) / np.log(slowest))) if 0 < slowest < 1 else 0
    padding = min(max(settle, 6 * len(sections) + 3), len(signal.time) - 1)

    def run(x: Array) -> Array:
        if zero_phase:
            return np.asarray(scipy.sosfiltfilt(sections, x, padtype="odd", padlen=padding))
        start = scipy.sosfilt_zi(sections) * x[0]
        return np.asarray(scipy.sosfilt(sections, x, zi=start)[0])

    return _each(signal, run)


def _differentiated(signal: Signal, times: int) -> Signal:
    units = list(signal.units)
    for _ in range(times):
        units = [per_second(unit) for unit in units]
    return signal.with_values(signal.values, units=units)


def _scipy() -> Any:
    try:
        from scipy import signal
    except ImportError:
        raise missing_dependency("scipy", "logs", "filtering") from None
    return signal
