"""Mass matrices of inertial parameters that no body has: they are refused where they would be inverted.

Estimators of parameters pass through such sets on their way, and must be told rather than given accelerations.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce

import numpy as np

from floatbase.compiler.control import guard
from floatbase.spatial.arrays import Array, Component
from floatbase.spatial.rotations import real

LARGEST = 1e30  # beyond, what it is the inverse of is zero but for rounding
MESSAGE = (
    "the mass matrix is not positive definite for the inertial parameters given; masses must be positive and inertias "
    "those of bodies (spatial.is_physical tells)"
)


def require_definite(inverse_pivots: Iterable[Component], parameters: Array | None) -> None:
    """Guard that what a factorisation divided by was positive, if the inertial parameters came from outside."""
    pivots = [real(pivot) for pivot in inverse_pivots]
    if parameters is not None and pivots:
        guard(reduce(np.minimum, pivots) > 0.0, MESSAGE)
        guard(reduce(np.maximum, pivots) < LARGEST, MESSAGE)
