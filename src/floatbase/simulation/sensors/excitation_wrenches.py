r"""Wrenches that excite a body: sums of sinusoids in a band of frequencies, bounded.

Each of the components is $w_i(t) = \sum_j a_{ij} \sin(2 \pi f_{ij} t + \varphi_{ij})$ with frequencies drawn up to a
largest one, phases drawn, and $\sum_j |a_{ij}|$ its amplitude, which it does not exceed.

`reference_wrench` is one without random numbers,

$$ f_i(t) = 20 \left[\sin(\pi t + i) + \tfrac12 \sin(4 \pi t + 2 i) + \tfrac14 \sin(10 \pi t + 3 i)\right] $$

for $i = 1, 2, \ldots$, of which three are moments [N m] and the next three forces [N], and so on for further bodies.

Rothammer 2021, section 5.1 and table 5.1, with wrenches linear first.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.laws import require_not_negative, require_positive
from floatbase.spatial.arrays import Array

SIX_ONES = (1.0,) * 6


@dataclass(frozen=True)
class BandLimitedWrench:
    """A random wrench as a function of time. amplitude: (6 n) largest N and N m; frequencies in Hz."""

    seed: int
    highest: float = 5.0
    amplitude: tuple[float, ...] = SIX_ONES
    lowest: float = 0.1
    terms: int = 8

    def __post_init__(self) -> None:
        require_positive(lowest=self.lowest, highest=self.highest)
        require_not_negative(amplitude=self.amplitude)
        if self.highest <= self.lowest:
            raise ArgumentError(f"highest is {self.highest!r} Hz; it must be above lowest, {self.lowest!r} Hz")
        if not len(self.amplitude) or len(self.amplitude) % 6:
            raise ShapeError(f"amplitude has {len(self.amplitude)} numbers; wrenches have six each")
        for name, least in (("seed", 0), ("terms", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise ArgumentError(f"{name} is {value!r}; it must be a whole number of at least {least}")
        object.__setattr__(self, "amplitude", tuple(float(entry) for entry in self.amplitude))

    @cached_property
    def terms_of_components(self) -> tuple[Array, Array, Array]:
        """Amplitudes, frequencies [Hz] and phases [rad] (6 n, terms)."""
        rng = np.random.default_rng(self.seed)
        shape = (len(self.amplitude), self.terms)
        frequencies = rng.uniform(self.lowest, self.highest, shape)
        phases = rng.uniform(0.0, 2.0 * np.pi, shape)
        weights = rng.uniform(0.1, 1.0, shape)
        return np.array(self.amplitude)[:, None] * weights / weights.sum(axis=1, keepdims=True), frequencies, phases

    def __call__(self, time: Any) -> Array:
        """The wrenches (..., 6 n) at times (...) [s]."""
        amplitudes, frequencies, phases = self.terms_of_components
        t = np.asanyarray(time)[..., None, None]
        return np.sum(amplitudes * np.sin(2.0 * np.pi * frequencies * t + phases), axis=-1)


def reference_wrench(time: Any, bodies: int = 1) -> Array:
    """The wrench without random numbers (..., 6 bodies) at times (...) [s], force first for each body."""
    if isinstance(bodies, bool) or not isinstance(bodies, int) or bodies < 1:
        raise ArgumentError(f"bodies is {bodies!r}; it must be a whole number of at least 1")
    order = [6 * body + place for body in range(bodies) for place in (3, 4, 5, 0, 1, 2)]
    i = 1.0 + np.array(order)
    t = np.asanyarray(time)[..., None]
    slow, middle, fast = (np.sin(k * np.pi * t + n * i) for k, n in ((1.0, 1.0), (4.0, 2.0), (10.0, 3.0)))
    return 20.0 * (slow + 0.5 * middle + 0.25 * fast)
