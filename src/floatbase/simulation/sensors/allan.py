r"""The Allan deviation of a signal: what noise is left in means over a time.

With the integral $\theta_k$ of a signal sampled every $T$ seconds, and $\tau = m T$,

$$ \sigma^2(\tau) = \frac{1}{2 \tau^2 (N - 2m)} \sum_{k=1}^{N-2m} (\theta_{k+2m} - 2\theta_{k+m} + \theta_k)^2 , $$

the overlapping estimate, for $N$ integrals. On a logarithmic plot white noise falls with slope $-1/2$, and is at
$\tau = 1$ s at its density; a random walk rises with slope $1/2$; in between lies the instability of the bias.

IEEE Std 952-1997, annex C.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from floatbase.errors import ArgumentError, ShapeError
from floatbase.simulation.laws import require_positive
from floatbase.spatial.arrays import Array


def allan_deviation(samples: Any, dt: float, clusters: Sequence[int] | None = None) -> tuple[Array, Array]:
    """Times [s] (k,) and the Allan deviation (..., k) of samples (n, ...) along the first axis, in their unit.

    dt: s between samples; clusters: numbers of samples that means are over, by default some in each octave.
    """
    samples = np.asarray(samples, dtype=float)
    if samples.ndim == 0 or len(samples) < 3:
        raise ShapeError(f"samples has shape {samples.shape}; there must be at least 3 along the first axis")
    if not np.isfinite(samples).all():
        raise ArgumentError("samples contains NaN or infinity; all numbers must be finite")
    require_positive(dt=dt)
    longest = len(samples) // 2
    if clusters is None:
        clusters = (
            np.unique(np.round(np.geomspace(1, max(longest // 4, 1), 4 * longest.bit_length()))).astype(int).tolist()
        )
    if not all(isinstance(m, int | np.integer) and 1 <= m <= longest for m in clusters):
        raise ArgumentError(f"clusters is {clusters!r}; it must have whole numbers from 1 to {longest}")
    centred = samples - samples.mean(axis=0)  # which changes nothing but rounding
    integral = np.concatenate([np.zeros((1, *samples.shape[1:])), np.cumsum(centred, axis=0)]) * dt
    found = []
    for m in clusters:
        second = integral[2 * m :] - 2.0 * integral[m:-m] + integral[: -2 * m]
        found.append(np.sqrt(np.mean(second**2, axis=0) / 2.0) / (m * dt))
    return np.array(clusters) * dt, np.stack(found, axis=-1)
