r"""The smallest value of a quadratic function over a box.

$$ \min_x \tfrac12 x^\top H x + g^\top x, \qquad \mathrm{lower} \le x \le \mathrm{upper}, $$

by Newton's method on the entries that are free: those at a bound towards which the gradient pushes them stay there, the
others step to the minimum of what is left, and the step is projected onto the box. Y. Tassa, N. Mansard, E. Todorov,
"Control-limited differential dynamic programming", ICRA 2014, section IV and the algorithm in its appendix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from floatbase.spatial.arrays import Array

ITERATIONS = 100
SHRINK, SUFFICIENT = 0.6, 0.1  # of the steps along an arc, and of the decrease that they must bring


class BoxMinimum(NamedTuple):
    """Where the minimum is, which entries are not at a bound, and whether it was reached."""

    x: Array
    free: npt.NDArray[np.bool_]
    converged: bool


def box_minimum(H: Array, g: Array, lower: Array, upper: Array, start: Array) -> BoxMinimum:
    """`H` (n, n) is symmetric and positive definite on the entries that become free, else `LinAlgError` is raised."""
    x = np.clip(start, lower, upper)
    free = np.ones(x.shape, dtype=bool)
    tolerance = 1e-10 * (1.0 + float(np.abs(g).max()))
    for _ in range(ITERATIONS):
        gradient = g + H @ x
        free = ~(((x <= lower) & (gradient > 0.0)) | ((x >= upper) & (gradient < 0.0)))
        if not free.any() or np.abs(gradient[free]).max() <= tolerance:
            return BoxMinimum(x, free, True)
        factor = np.linalg.cholesky(H[np.ix_(free, free)])
        direction = np.zeros_like(x)
        direction[free] = -np.linalg.solve(factor.T, np.linalg.solve(factor, gradient[free]))
        size = 1.0
        while True:
            moved = np.clip(x + size * direction, lower, upper)
            step = moved - x
            change = gradient @ step + 0.5 * step @ H @ step
            if change <= SUFFICIENT * (gradient @ step) or size < 1e-12:
                break
            size *= SHRINK
        if not step.any():
            return BoxMinimum(x, free, np.abs(gradient[free]).max() <= 1e3 * tolerance)
        x = moved
    return BoxMinimum(x, free, False)
