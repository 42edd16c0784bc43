"""Single numbers among settings: whatever is a number of that kind, NumPy's too, or an error that says what came in."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

from floatbase.errors import ArgumentError


def seconds(name: str, value: Any, zero: bool = False) -> float:
    """A finite number of seconds, positive, or zero if allowed."""
    if isinstance(value, Real) and not isinstance(value, bool):
        found = float(value)
        if math.isfinite(found) and (found > 0.0 or (zero and found == 0.0)):
            return found
    demand = "a finite number of seconds, not negative" if zero else "a positive, finite number of seconds"
    raise ArgumentError(f"{name} is {value!r}; it must be {demand}")


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within bounds, both included."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        found = int(value)
        if found >= least and (most is None or found <= most):
            return found
    demand = f"at least {least}" if most is None else f"from {least} to {most}"
    raise ArgumentError(f"{name} is {value!r}; it must be a whole number, {demand}")
