r"""Errors of sensors whose readings are vectors: bias, noise, misalignment, limits, steps.

The sample $k$, taken every $T$ seconds, of what a perfect sensor would read, $x_k$, is

$$ y_k = sat\left(\delta\, \mathrm{round}\left(
   \tfrac1\delta \left(A\, (1 + s) \circ x_k + b_0 + c + m_k + w_k + n_k\right)\right)\right) $$

| term | setting | law |
|---|---|---|
| $A$ | `gain` | scale and misalignment, a constant matrix |
| $s$ | `scale_spread` | drawn once, $\mathcal N(0, \sigma_s^2)$ for each channel |
| $b_0$ | `bias` | constant |
| $c$ | `bias_spread` | drawn once, $\mathcal N(0, \sigma_c^2)$ |
| $m_k$ | `bias_instability`, `correlation_time` | $m_{k+1} = \varphi m_k + \sigma_b \sqrt{1 - \varphi^2}\, \xi$ |
| $w_k$ | `random_walk`, `drift` | $w_{k+1} = w_k + d\, T + K \sqrt T\, \xi$ |
| $n_k$ | `noise_density` or `noise` | white: $\mathcal N(0, N^2 / T)$, or $\mathcal N(0, \sigma^2)$ whatever $T$ |
| $\delta$ | `resolution` | steps; 0: none |
| $sat$ | `limit` | within $\pm$ the limit |

with standard normal $\xi$; $m$ is a Gauss-Markov process, $\varphi = e^{-T/T_c}$. Settings are one number for all
channels, or one for each. The density $N$ is that of IMU data sheets, in units per $\sqrt{\mathrm{Hz}}$. Of such a
signal the Allan variance over a time $\tau$, without steps and limits, is

$$ \sigma^2(\tau) = \frac{N^2}{\tau} + \frac{K^2 \tau}{3} + \frac{d^2 \tau^2}{2} + \frac{2 \sigma_b^2 T_c}{\tau}
   \left[1 - \frac{T_c}{2\tau}\left(3 - 4 e^{-\tau/T_c} + e^{-2\tau/T_c}\right)\right] . $$

IEEE Std 952-1997, annex C. The models are those the simulations of Leboutet 2022 (encoders, cells of skin) and of
Traversaro 2017 need, which give but a standard deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.joints.filters import quantized
from floatbase.simulation.laws import join
from floatbase.simulation.sensors.distortions import Counts, Distortion
from floatbase.spatial.arrays import Array, apply_matrix, zeros

PerChannel = float | tuple[float, ...]
NO_LIMIT = math.inf
LARGEST = 1e30  # stands for infinity in programs
_POSITIVE = ("correlation_time", "limit")
_SIGNED = ("bias", "drift")
_NUMBERS = (
    "noise_density",
    "noise",
    "bias",
    "bias_spread",
    "bias_instability",
    "correlation_time",
    "random_walk",
    "drift",
    "scale_spread",
    "resolution",
    "limit",
)


@dataclass(frozen=True)
class Errors(Distortion):
    """Errors of a vector; none by default. Each setting but `gain` is a number, or a tuple with one per channel.

    gain: rows of a matrix (n, n). Units are those of the channels; `noise_density` per sqrt(Hz), `random_walk` per
    second and sqrt(Hz), `drift` per second, `correlation_time` in s, `scale_spread` relative.
    """

    noise_density: PerChannel = 0.0
    noise: PerChannel = 0.0
    bias: PerChannel = 0.0
    bias_spread: PerChannel = 0.0
    bias_instability: PerChannel = 0.0
    correlation_time: PerChannel = 100.0
    random_walk: PerChannel = 0.0
    drift: PerChannel = 0.0
    scale_spread: PerChannel = 0.0
    gain: tuple[tuple[float, ...], ...] | None = None
    resolution: PerChannel = 0.0
    limit: PerChannel = NO_LIMIT

    def __post_init__(self) -> None:
        for name in _NUMBERS:
            value = np.asarray(getattr(self, name), dtype=float)
            if value.ndim > 1:
                raise ShapeError(f"{name} has shape {value.shape}; it is a number, or one for each channel")
            good = np.isfinite(value) if name in _SIGNED else value >= 0.0
            if name in _POSITIVE:
                good = value > 0.0
            if name != "limit":
                good &= np.isfinite(value)
            if not np.all(good):
                kind = "" if name in _SIGNED else " and positive" if name in _POSITIVE else " and not negative"
                raise ArgumentError(f"{name} is {getattr(self, name)!r}; it must be finite{kind}")
            object.__setattr__(self, name, float(value) if value.ndim == 0 else tuple(value.tolist()))
        if self.gain is not None:
            gain = np.asarray(self.gain, dtype=float)
            if gain.ndim != 2 or gain.shape[0] != gain.shape[1]:
                raise ShapeError(f"gain has shape {gain.shape}; it must be a square matrix")
            if not np.isfinite(gain).all():
                raise ArgumentError(f"gain is {self.gain!r}; it must be finite")
            object.__setattr__(self, "gain", tuple(tuple(row) for row in gain.tolist()))

    def check(self, what: str, size: int) -> None:
        """Raise unless settings by channel have one number for each."""
        for name in _NUMBERS:
            value = getattr(self, name)
            if isinstance(value, tuple) and len(value) != size:
                raise ShapeError(f"{what}: {name} has {len(value)} numbers; there are {size} channels")
        if self.gain is not None and len(self.gain) != size:
            raise ShapeError(f"{what}: gain has {len(self.gain)} rows; there are {size} channels")

    @property
    def _constant(self) -> bool:
        return _some(self.bias_spread)

    @property
    def _scaled(self) -> bool:
        return _some(self.scale_spread)

    @property
    def _wanders(self) -> bool:
        return _some(self.bias_instability)

    @property
    def _walks(self) -> bool:
        return _some(self.random_walk) or _some(self.drift)

    @property
    def _noisy(self) -> bool:
        return _some(self.noise) or _some(self.noise_density)

    def memory_size(self, size: int) -> int:
        """What was drawn at the start, and the biases that wander."""
        return size * (self._constant + self._scaled + self._wanders + self._walks)

    def at_start(self, size: int) -> Counts:
        """The constants, and where the Gauss-Markov bias is."""
        return Counts(size * (self._constant + self._scaled + self._wanders))

    def per_sample(self, size: int) -> Counts:
        """White noise and the steps of biases."""
        return Counts(size * (self._noisy + self._wanders + _some(self.random_walk)))

    def begin(self, size: int, normals: Array, uniforms: Array) -> Array:
        """Draw the constants, and start the Gauss-Markov bias in its stationary distribution."""
        parts, start = [], 0
        for present, spread in (
            (self._constant, self.bias_spread),
            (self._scaled, self.scale_spread),
            (self._wanders, self.bias_instability),
        ):
            if present:
                parts.append(normals[..., start : start + size] * np.asarray(spread))
                start += size
        if self._walks:
            parts.append(zeros((size,), normals))
        return join(parts) if parts else zeros((0,), normals)

    def sample(
        self, ideal: Array, memory: Array, normals: Array, uniforms: Array, period: float, first: Any
    ) -> tuple[Array, Array]:
        """The equations of this module."""
        size = ideal.shape[-1]
        memories, draws = _blocks(memory, size), _blocks(normals, size)
        value, after = ideal, []
        offset = np.asarray(self.bias)
        if self._constant:
            constant = next(memories)
            offset, after = offset + constant, [constant]
        if self._scaled:
            scale = next(memories)
            value, after = value * (1.0 + scale), [*after, scale]
        if self.gain is not None:
            value = apply_matrix(np.array(self.gain), value)
        value = value + offset
        if self._noisy:
            sigma = np.hypot(np.asarray(self.noise), np.asarray(self.noise_density) / math.sqrt(period))
            value = value + sigma * next(draws)
        if self._wanders:
            wandering = next(memories)
            value = value + wandering
            decay = np.exp(-period / np.asarray(self.correlation_time))
            step = np.asarray(self.bias_instability) * np.sqrt(
                -np.expm1(-2.0 * period / np.asarray(self.correlation_time))
            )
            after.append(decay * wandering + step * next(draws))
        if self._walks:
            walk = next(memories)
            value = value + walk
            walk = walk + np.asarray(self.drift) * period
            if _some(self.random_walk):
                walk = walk + np.asarray(self.random_walk) * math.sqrt(period) * next(draws)
            after.append(walk)
        if _some(self.resolution):
            value = quantized(value, np.asarray(self.resolution))
        if np.isfinite(np.asarray(self.limit)).any():
            limit = np.minimum(np.asarray(self.limit), LARGEST)
            value = np.minimum(np.maximum(value, -limit), limit)
        return value, join(after) if after else memory

    def allan_deviation(self, times: Any) -> Array:
        """The Allan deviation over times [s] that these settings have on one channel, without steps and limits."""
        if any(isinstance(getattr(self, name), tuple) for name in _NUMBERS):
            raise ArgumentError("the Allan deviation is that of one channel: give settings as numbers, not by channel")
        tau = np.asarray(times, dtype=float)
        density, walk, drift, b, T = (
            float(np.asarray(getattr(self, name)))
            for name in ("noise_density", "random_walk", "drift", "bias_instability", "correlation_time")
        )
        ratio = tau / T
        bracket = 1.0 - (3.0 - 4.0 * np.exp(-ratio) + np.exp(-2.0 * ratio)) / (2.0 * ratio)
        variance = density**2 / tau + walk**2 * tau / 3.0 + drift**2 * tau**2 / 2.0
        return np.sqrt(variance + 2.0 * b**2 / ratio * bracket)


def _some(value: PerChannel) -> bool:
    return bool(np.any(np.asarray(value) != 0.0))


def _blocks(x: Array, size: int) -> Any:
    return (x[..., start : start + size] for start in range(0, x.shape[-1], max(size, 1)))
