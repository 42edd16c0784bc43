r"""Steps of time of a vector that moves at $\dot x = f(x, u)$, with the input $u$ held.

| | step | order |
|---|---|---|
| `euler_step` | $x^+ = x + h f(x, u)$ | 1 |
| `midpoint_step` | $k_1 = f(x, u),\ x^+ = x + h f(x + \tfrac h2 k_1, u)$ | 2 |
| `runge_kutta_step` | $x^+ = x + \tfrac h6 (k_1 + 2 k_2 + 2 k_3 + k_4)$ | 4 |

with $k_2 = f(x + \tfrac h2 k_1, u)$, $k_3 = f(x + \tfrac h2 k_2, u)$, $k_4 = f(x + h k_3, u)$ in the last row. They
work on numbers with batch axes and on symbols. Configurations with attitudes are no vectors: see
`floatbase.simulation.integration.methods` for those. Leboutet 2022, section 4.2; Romualdi 2022, section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from floatbase.spatial.arrays import Array

Flow = Callable[[Array, Any], Array]  # state (..., n) and input -> rate (..., n)


def euler_step(f: Flow, x: Array, u: Any, dt: Any) -> Array:
    """The state (..., n) after a time `dt: (...)`, from `x: (..., n)` under the input `u`."""
    return x + _column(dt) * f(x, u)


def midpoint_step(f: Flow, x: Array, u: Any, dt: Any) -> Array:
    """As `euler_step`, with the rate in the middle of the step."""
    h = _column(dt)
    return x + h * f(x + 0.5 * h * f(x, u), u)


def runge_kutta_step(f: Flow, x: Array, u: Any, dt: Any) -> Array:
    """As `euler_step`, with the classical four stages."""
    h = _column(dt)
    k1 = f(x, u)
    k2 = f(x + 0.5 * h * k1, u)
    k3 = f(x + 0.5 * h * k2, u)
    k4 = f(x + h * k3, u)
    return x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


def _column(dt: Any) -> Any:
    return np.asanyarray(dt)[..., None]
