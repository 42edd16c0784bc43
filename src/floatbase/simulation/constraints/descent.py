"""Steps of Gauss and Newton towards states at which residuals vanish, each halved where it would lead away."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from floatbase.errors import SimulationError
from floatbase.spatial.arrays import Array

ITERATIONS = 30
HALVINGS = 8


def until_small(
    state: Array,
    step: Callable[[Array], Array],
    move: Callable[[Array, Array], Array],
    residual: Callable[[Array], Array],
    tolerance: float,
    row_names: Sequence[str],
) -> Array:
    """A state at which all residuals (..., c) are at most the tolerance; numbers only.

    step: the change (..., m) that a state suggests; move: the state after a change.
    """
    for _ in range(ITERATIONS):
        here = residual(state)
        if np.all(np.abs(here) <= tolerance):
            return state
        change = step(state)
        size = np.linalg.norm(here, axis=-1)
        for _ in range(HALVINGS):
            worse = ~(np.linalg.norm(residual(move(state, change)), axis=-1) < size) & (size > tolerance)
            if not worse.any():
                break
            change = np.where(worse[..., None], 0.5 * change, change)
        state = move(state, change)
    row, size = worst_row(residual(state))
    raise SimulationError(
        f"nothing that satisfies the constraints was found in {ITERATIONS} iterations: {row_names[row]} is still off "
        f"by {size:.3g}; begin nearer, or see whether the constraints contradict one another"
    )


def worst_row(residual: Array) -> tuple[int, float]:
    """Which row of residuals (..., c) is largest in any state, and how large; NaN counts as infinite."""
    if not residual.shape[-1]:
        return 0, 0.0
    sizes = np.abs(residual).reshape(-1, residual.shape[-1]).max(axis=0, initial=0.0)
    row = int(np.argmax(np.where(np.isnan(sizes), np.inf, sizes)))
    return row, float(sizes[row])
