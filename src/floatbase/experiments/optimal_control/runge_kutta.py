r"""Runge and Kutta's step of fourth order for $\dot x = f(x)$, x a vector, and its derivatives.

Changes of the state and of inputs held constant are carried through the stages
$x_j = x + c_j h f(x_{j-1})$: $dk_j = f_x\, (dx + c_j h\, dk_{j-1}) + f_u\, du$.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from floatbase.spatial.arrays import Array

STAGES = ((0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0))  # c, and what the stage counts for, in sixths


def runge_kutta(f: Callable[[Array], Array], x: Array, h: float) -> Array:
    """The next state."""
    k, total = np.zeros_like(x), np.zeros_like(x)
    for along, weight in STAGES:
        k = f(x + along * h * k)
        total = total + weight * k
    return x + h / 6.0 * total


def runge_kutta_slopes(f: Callable[[Array], tuple[Array, Array, Array]], X: Array, h: float) -> tuple[Array, Array]:
    """`A` and `B` of the steps from states (N, n); `f` gives values and derivatives by states and inputs."""
    n = X.shape[-1]
    k, *slopes = f(X)
    total = slopes
    for along, weight in STAGES[1:]:
        k, f_x, f_u = f(X + along * h * k)
        slopes = [f_x + along * h * f_x @ slopes[0], f_u + along * h * f_x @ slopes[1]]
        total = [before + weight * slope for before, slope in zip(total, slopes, strict=True)]
    return np.eye(n) + h / 6.0 * total[0], h / 6.0 * total[1]
