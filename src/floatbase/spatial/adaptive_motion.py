r"""Motion on a Lie group to a tolerance: a reference for tests, and for studies of few bodies.

For $\dot g = g\, \xi(t, g)^\wedge$ each step writes $g = g_0 \exp(x)$ and takes the step of fifth order of J. Dormand
and P. Prince (1980) for $\dot x = J_r^{-1}(x)\, \xi$ (H. Munthe-Kaas, 1999). What differs from their embedded step of
fourth order is taken for its error, and the next step is as long as that error suggests. Steps end at the times at
which the motion is asked for, so that it is as accurate there as anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from floatbase.errors import ShapeError, SimulationError
from floatbase.spatial.arrays import Array
from floatbase.spatial.groups import Element, LieGroup
from floatbase.spatial.kinds import Positive, Times

_ROWS = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_FOURTH = (5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40)
_ERRORS = np.array([*_ROWS[-1], 0.0]) - np.array(_FOURTH)
_LARGEST_TURN = 1.0  # rad in one step: the inverse of J_r ends at a whole turn
_SHORTEST = 1e-13  # of the time, or seconds


class AdaptiveMotion(NamedTuple):
    """Times (n,), the element at each, and how many steps were taken and how many were refused as too long."""

    times: Array
    elements: list[Element]
    steps: int
    refused: int


def adaptive_motion(
    group: LieGroup,
    velocity: Callable[[float, Element], Array],
    times: Times,
    g: Element,
    tolerance: Positive = 1e-11,
) -> AdaptiveMotion:
    """The motion from the element g at the first of increasing times (n,); `velocity(time, g)` is left-trivialised.

    tolerance: of the error of one step, in the units of each coordinate, or relative to its change where that is above
    1.
    """
    times = np.array(times, dtype=np.float64)
    if times.ndim != 1 or len(times) == 0:
        raise ShapeError(f"times has shape {times.shape}; it must be (n,), n at least 1")
    time, rate = float(times[0]), velocity(times[0], g)
    if not np.isfinite(rate).all():
        raise SimulationError(f"the motion cannot begin: the velocity at the time {time:.9g} contains NaN or infinity")
    dt = 0.1 * tolerance**0.2 / max(float(np.abs(rate).max(initial=0.0)), 1e-3)
    elements, steps, refused = [g], 0, 0
    for end in times[1:]:
        while time < end:
            longest = min(dt, _LARGEST_TURN / max(_turning(group, rate), 1e-12))
            last = longest >= end - time
            h = float(end - time) if last else longest
            if h < _SHORTEST * max(1.0, abs(time)) and not last:
                raise SimulationError(
                    f"the motion cannot be followed beyond the time {time:.9g}: steps of {h:.1e} do not meet the "
                    f"tolerance of {tolerance:g}; the velocity there must be finite and smooth"
                )
            there, rate_there, error = _step(group, velocity, time, g, rate, h)
            excess = error / tolerance if math.isfinite(error) else math.inf
            suggested = h * min(5.0, max(0.2, 0.9 * max(excess, 1e-10) ** -0.2))
            if excess > 1.0:
                dt, refused = suggested, refused + 1
                continue
            time, g, rate, steps = float(end) if last else time + h, there, rate_there, steps + 1
            dt = max(dt, suggested) if last else suggested
        elements.append(g)
    return AdaptiveMotion(times, elements, steps, refused)


def _step(
    group: LieGroup, velocity: Callable[[float, Element], Array], time: float, g: Element, rate: Array, h: float
) -> tuple[Element, Array, float]:
    """The element after a step, the velocity there, and the error."""
    slopes, there, rate_there = [rate], g, rate
    x = 0.0 * rate
    for row in _ROWS:
        x = h * sum(a * slope for a, slope in zip(row, slopes, strict=True))
        if not np.isfinite(x).all():
            return g, rate, math.inf
        there = group.plus(g, x)
        rate_there = velocity(time + h * math.fsum(row), there)
        slopes.append(np.linalg.solve(group.right_jacobian(x), rate_there))
    error = h * (_ERRORS @ np.array(slopes))
    return there, rate_there, float((np.abs(error) / np.maximum(1.0, np.abs(x))).max(initial=0.0))


def _turning(group: LieGroup, rate: Array) -> float:
    """How fast the motion turns [rad/s]: the largest eigenvalue of ad."""
    return float(np.abs(np.linalg.eigvals(group.bracket(rate))).max(initial=0.0))
